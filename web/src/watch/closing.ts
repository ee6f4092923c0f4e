import type { Progress, Report } from "../service/types";

// How incumbent and bound close in on each other: what the progress chart draws.
export type Closing = {
  unit: "J" | "s";
  elapsedS: number;
  incumbents: { at: number; value: number }[]; // falling
  bounds: { at: number; value: number }[]; // rising
  gap: number | null; // of the overhead, the last known
  phase: string | null;
};

export const nothingYet: Closing = { unit: "J", elapsedS: 0, incumbents: [], bounds: [], gap: null, phase: null };

const known = (value: number | null | undefined): value is number => typeof value === "number";

// What the search is at. That it has found something, which it also tells as a phase, is none.
function phaseOf(progress: Progress): string | null {
  return progress.phase && progress.phase !== "incumbent" ? progress.phase : null;
}

// The best so far: a solver that reports a worse value later has not unlearnt the better one. Time does not go back
// either: a search that is begun again counts anew, and a report counts less than what its search was part of.
export function withProgress(before: Closing, progress: Progress): Closing {
  const { incumbent, bound } = progress;
  const at = Math.max(before.elapsedS, progress.elapsed_s);
  const best = before.incumbents.at(-1)?.value ?? Number.POSITIVE_INFINITY;
  const proved = before.bounds.at(-1)?.value ?? Number.NEGATIVE_INFINITY;
  return {
    unit: progress.unit ?? before.unit,
    elapsedS: at,
    incumbents:
      known(incumbent) && incumbent < best ? [...before.incumbents, { at, value: incumbent }] : before.incumbents,
    bounds: known(bound) && bound > proved ? [...before.bounds, { at, value: bound }] : before.bounds,
    gap: known(progress.overhead_gap) ? progress.overhead_gap : before.gap,
    phase: phaseOf(progress) ?? before.phase,
  };
}

// The search with its end, which the last progress may have been before.
export function withReport(before: Closing, report: Report): Closing {
  const time = report.objective === "time";
  return withProgress(before, {
    elapsed_s: report.solve_s,
    incumbent: time ? report.time_s : report.energy_j,
    bound: time ? report.lower_bound_s : report.lower_bound_j,
    overhead_gap: report.overhead_gap,
    unit: time ? "s" : "J",
  });
}

// What the chart has to show from top to bottom: both curves, without the bounds of the first moments, which are so
// low that everything else would be a line.
export function shownValues(closing: Closing): [number, number] | null {
  const best = closing.incumbents.at(-1)?.value;
  const proved = closing.bounds.at(-1)?.value;
  const values = [...closing.incumbents, ...closing.bounds].map((point) => point.value);
  if (values.length === 0) return null;
  const high = Math.max(...values);
  let low = Math.min(...values);
  if (best !== undefined && proved !== undefined) {
    const span = Math.max(high - proved, high * 1e-6);
    low = Math.max(low, proved - 2 * span);
  }
  const room = Math.max((high - low) * 0.08, Math.abs(high) * 1e-4, 1e-300);
  return [low - room, high + room];
}
