// What a training says of itself (docs/formats/progress.md), event by event, as the page shows it. Anything may be null:
// the file is somebody else's.

export type Begin = { at_unix_s: number | null; model: string | null; command: string | null };

export type Plan = {
  first_step: number | null;
  steps: number | null;
  micro_batches: number | null;
  predicted_step_s: number | null;
  predicted_step_j: number | null;
  ram_budget_bytes: number | null;
  arena_bytes: number | null;
  process_bytes: number | null;
  plain_peak_bytes: number | null;
  step_read_bytes: number | null;
  step_written_bytes: number | null;
  recomputed_operations: number | null;
  planned_with: string | null;
};

export type Steps = {
  step: number | null;
  steps: number | null;
  epoch: number | null;
  loss: number | null;
  step_s: number | null;
  remaining_s: number | null;
  energy_j: number | null;
  read_bytes: number | null;
  written_bytes: number | null;
  resident_bytes: number | null;
  peak_bytes: number | null;
  ram_budget_bytes: number | null;
};

export type Point = { step: number; loss: number | null; stepS: number | null; predictedS: number | null };
export type Evaluation = { step: number; loss: number | null; accuracy: number | null };
export type News = { step: number | null; what: string; why?: string };
export type State = "planning" | "training" | "ended" | "stopped" | "failed" | "died";

export type Training = {
  told: State; // by its own lines
  running: boolean | null;
  cut: boolean; // what was told first is not here
  begin: Begin | null;
  plan: Plan | null;
  last: Steps | null;
  points: Point[];
  evaluations: Evaluation[];
  news: News[];
  savedStep: number | null;
  bestStep: number | null; // of the best checkpoint
  why: string | null;
  gone: boolean;
};

export const nothingYet: Training = {
  told: "planning",
  running: null,
  cut: false,
  begin: null,
  plan: null,
  last: null,
  points: [],
  evaluations: [],
  news: [],
  savedStep: null,
  bestStep: null,
  why: null,
  gone: false,
};

const mostPoints = 20000;
const mostNews = 500;

export function stateOf(training: Training): State {
  const goesOn = training.told === "planning" || training.told === "training";
  return goesOn && training.running === false ? "died" : training.told;
}

const replanned: Record<string, string> = {
  stays: "stays with its plan",
  plans: "plans again, beside the training",
  changes: "changes over to another plan",
  brought: "what the change brought",
  back: "goes back to the plan before",
  "goes-on": "goes on with the plan it had changed over to",
};

const ends: State[] = ["ended", "stopped", "failed"];

// A training that goes on from an earlier step takes those after it once more.
function before<T extends { step: number | null }>(list: T[], step: number): T[] {
  return list.filter((one) => one.step === null || one.step < step);
}

function withNews(training: Training, news: News): Training {
  return { ...training, news: [...training.news, news].slice(-mostNews) };
}

function withPlan(training: Training, plan: Plan): Training {
  const first = plan.first_step ?? 1;
  const begins = training.told === "planning";
  const next: Training = {
    ...training,
    told: "training",
    plan,
    points: before(training.points, first),
    evaluations: before(training.evaluations, first),
    news: begins ? before(training.news, first) : training.news,
  };
  const from = first > 1 ? `goes on from step ${first}` : "begins to train";
  return begins ? withNews(next, { step: first, what: from }) : next;
}

function withSteps(training: Training, steps: Steps): Training {
  const next: Training = { ...training, told: "training", last: steps };
  if (steps.step === null) return next;
  const predictedS = training.plan?.predicted_step_s ?? null;
  const point = { step: steps.step, loss: steps.loss, stepS: steps.step_s, predictedS };
  // In place: thousands of them come at once.
  training.points.push(point);
  next.points = training.points;
  if (next.points.length > mostPoints) next.points = next.points.filter((_, at) => at % 2 === 1);
  return next;
}

// No training has such numbers, and no chart has room for them.
const mostNumber = 1e15;

function sane(told: Record<string, unknown>): Record<string, unknown> {
  const isNot = (value: unknown) => typeof value === "number" && !(Math.abs(value) <= mostNumber);
  return Object.fromEntries(Object.entries(told).map(([name, value]) => [name, isNot(value) ? null : value]));
}

export function withEvent(training: Training, event: string, told: Record<string, unknown>): Training {
  const data = sane(told);
  const step = typeof data.step === "number" ? data.step : null;
  const why = typeof data.why === "string" && data.why !== "" ? { why: data.why } : {};
  switch (event) {
    case "restart":
      return { ...nothingYet, points: [], cut: data.cut === true };
    case "begin":
      return { ...training, told: "planning", begin: data as Begin, why: null };
    case "plan":
      return withPlan(training, data as Plan);
    case "step":
      return withSteps(training, data as Steps);
    case "evaluation": {
      if (step === null) return training;
      const evaluation = { step, loss: data.loss as number | null, accuracy: data.accuracy as number | null };
      return { ...training, evaluations: [...training.evaluations, evaluation] };
    }
    case "saved":
      return data.best === true ? { ...training, bestStep: step } : { ...training, savedStep: step };
    case "moved":
      return withNews(training, { step, what: `moves to another RAM budget`, ...why });
    case "replanned":
      return withNews(training, { step, what: replanned[String(data.replanning)] ?? "planned again", ...why });
    case "end": {
      const told = ends.find((one) => one === data.state) ?? "failed";
      return withNews({ ...training, told, ...why }, { step: training.last?.step ?? null, what: told, ...why });
    }
    case "running":
      return { ...training, running: typeof data.running === "boolean" ? data.running : null };
    case "done":
      return { ...training, gone: data.gone === true };
    default:
      return training;
  }
}

// The middle of what the last steps took.
export function stepTime(training: Training): number | null {
  const times = training.points
    .slice(-15)
    .map((point) => point.stepS)
    .filter((time): time is number => time !== null && time > 0)
    .sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)] ?? null;
}

// At most so many points, each the mean of those that it stands for.
export function thinned<T extends { step: number; value: number }>(
  points: T[],
  most: number,
): { step: number; value: number }[] {
  if (points.length <= most) return points;
  const each = Math.ceil(points.length / most);
  const kept: { step: number; value: number }[] = [];
  for (let at = 0; at < points.length; at += each) {
    const some = points.slice(at, at + each);
    const sum = some.reduce((all, one) => all + one.value, 0);
    kept.push({ step: some.at(-1)?.step ?? 0, value: sum / some.length });
  }
  return kept;
}
