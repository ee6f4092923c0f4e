import type { Model, ModelSize, PlanRequest } from "../service/types";

// What the form asks, as its fields stand.
export type Question = {
  model: string;
  platform: string;
  graph: string; // empty: the network's default
  batchSize: number;
  dimensions: string;
  optimiser: string; // empty: the program's default
  budgetBytes: number | null; // null: the slider was not touched
  deadlineRatio: number | null; // null: no deadline
  paging: boolean;
  remat: boolean;
  timeLimitS: number;
};

export const blank: Question = {
  model: "",
  platform: "m4",
  graph: "",
  batchSize: 1,
  dimensions: "",
  optimiser: "",
  budgetBytes: null,
  deadlineRatio: null,
  paging: true,
  remat: true,
  timeLimitS: 60,
};

export function graphOf(question: Question, model: Model | undefined): string {
  if (model?.graphs.includes(question.graph)) return question.graph;
  return model?.graphs[0] ?? "real";
}

// The fields that decide how large a step is.
export function sizeQuery(question: Question, model: Model): string {
  const graph = graphOf(question, model);
  const query = new URLSearchParams({ platform: question.platform, graph, batch_size: String(question.batchSize) });
  if (graph === "real" && question.optimiser) query.set("optimiser", question.optimiser);
  if (question.dimensions) query.set("dimensions", question.dimensions);
  return query.toString();
}

// Where the slider stands before it was touched: the device's RAM where that is a choice, and otherwise 40 % of the way
// from what a step needs at least to what keeping everything needs.
export function startingBudget(size: ModelSize): number {
  const { working_set_bytes: least, plain_peak_bytes: most, device_ram_bytes: device } = size;
  return device >= least && device <= most ? device : Math.round(least + 0.4 * (most - least));
}

export function budgetOf(question: Question, size: ModelSize): number {
  return question.budgetBytes ?? startingBudget(size);
}

// From the least budget (0) to the plain peak (1).
export function wayOf(bytes: number, size: ModelSize): number {
  const span = size.plain_peak_bytes - size.working_set_bytes;
  return span > 0 ? (bytes - size.working_set_bytes) / span : 1;
}

export function bytesAtWay(way: number, size: ModelSize): number {
  return Math.round(size.working_set_bytes + way * (size.plain_peak_bytes - size.working_set_bytes));
}

// Reads "737719", "720KiB", "3 MB", "60%" (of the plain peak) or "30%way", as the command line does; null for what is none.
export function bytesOfText(text: string, size: ModelSize): number | null {
  const read = /^\s*([0-9]+(?:[.,][0-9]+)*)\s*([a-z%]*)\s*$/i.exec(text);
  if (!read) return null;
  const number = Number((read[1] ?? "").replace(/,(?=[0-9]{3})/g, ""));
  const unit = (read[2] ?? "").toLowerCase();
  const factors: Record<string, number> = {
    "": 1,
    b: 1,
    bytes: 1,
    kib: 1024,
    mib: 1024 ** 2,
    gib: 1024 ** 3,
    kb: 1000,
    mb: 1000 ** 2,
    gb: 1000 ** 3,
    "%": size.plain_peak_bytes / 100,
  };
  if (Number.isNaN(number)) return null;
  if (unit === "%way") return bytesAtWay(number / 100, size);
  const factor = factors[unit];
  return factor === undefined ? null : Math.round(number * factor);
}

export function requestOf(question: Question, model: Model, size: ModelSize): PlanRequest {
  const graph = graphOf(question, model);
  const request: PlanRequest = {
    model: model.id,
    platform: question.platform,
    graph,
    batch_size: question.batchSize,
    ram_budget: budgetOf(question, size),
    paging: question.paging,
    remat: question.remat,
    time_limit_s: question.timeLimitS,
  };
  if (question.deadlineRatio !== null) request.runtime_budget = question.deadlineRatio;
  if (graph === "real" && question.optimiser) request.optimiser = question.optimiser;
  if (question.dimensions) request.dimensions = question.dimensions;
  return request;
}

// A question as a link hands it over: fields of a plan request.
export function questionOf(asked: Record<string, string>): Question {
  const number = (text: string | undefined) => (text && Number.isFinite(Number(text)) ? Number(text) : null);
  return {
    ...blank,
    model: asked.model ?? "",
    platform: asked.platform ?? blank.platform,
    graph: asked.graph ?? "",
    batchSize: number(asked.batch_size) ?? 1,
    dimensions: asked.dimensions ?? "",
    optimiser: asked.optimiser ?? "",
    budgetBytes: number(asked.ram_budget),
    deadlineRatio: number(asked.runtime_budget?.replace(/x$/, "")),
    paging: asked.paging !== "false",
    remat: asked.remat !== "false",
    timeLimitS: number(asked.time_limit_s) ?? blank.timeLimitS,
  };
}

// The link to the form with the fields of a request, some of them changed.
export function askAgain(request: PlanRequest, changes: Record<string, number | null>): string {
  const kept = ["model", "platform", "graph", "batch_size", "dimensions", "optimiser", "ram_budget", "runtime_budget"];
  const query = new URLSearchParams();
  for (const field of [...kept, "paging", "remat", "time_limit_s"]) {
    const value = field in changes ? changes[field] : request[field];
    if (value !== null && value !== undefined && value !== "") query.set(field, String(value));
  }
  return `#/?${query}`;
}
