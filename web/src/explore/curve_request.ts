import type { ModelSize, PlanRequest } from "../service/types";

// The fields of a request that decide how large a step is.
const sizeFields = [
  ...["platform", "graph", "batch_size", "image_size", "sequence_length", "classes", "dimensions", "mem_power_scale"],
  ...["adapter", "train", "parameters", "frozen", "updates", "parts", "optimiser", "loss", "storage_block", "io"],
];

export function sizePath(request: PlanRequest): string {
  const query = new URLSearchParams();
  for (const field of sizeFields) if (request[field] != null) query.set(field, String(request[field]));
  return `/v1/models/${encodeURIComponent(String(request.model))}?${query}`;
}

// So many steps from one budget to another, with both ends.
function evenly(from: number, to: number, steps: number): number[] {
  return Array.from({ length: steps + 1 }, (_, k) => Math.round(from + ((to - from) * k) / steps));
}

// The budgets of a comparison: from the least for whole operations to what keeping everything needs. A plan below that
// is of operations in parts, which are chosen anew for each budget and take time: few budgets lie between.
export function curveBudgets(size: ModelSize, planBytes: number | null): number[] {
  const most = size.plain_peak_bytes;
  const least = Math.min(size.least_bytes ?? size.working_set_bytes, most);
  const budgets = evenly(least, most, 9);
  if (planBytes !== null && planBytes < least) budgets.push(...evenly(planBytes, least, 3));
  if (planBytes !== null && planBytes <= most) budgets.push(planBytes);
  return [...new Set(budgets)].sort((a, b) => a - b);
}

// The fields of a plan's request that a comparison has as well, with budgets where the sizes are known.
export function curveRequest(
  request: PlanRequest,
  size: ModelSize | null,
  planBytes: number | null,
): Record<string, unknown> {
  const { ram_budget: _, ...rest } = request;
  const kept = Object.entries(rest).filter(([, value]) => value !== null);
  const budgets = size ? { budgets: curveBudgets(size, planBytes) } : { points: 10 };
  return { ...Object.fromEntries(kept), ...budgets, time_limit_s: Math.min(10, Number(request.time_limit_s ?? 10)) };
}
