// One replayed step as GET /v1/plans/{id}/step has it (docs/formats/service.md), read into rows.

export type StepText = {
  figures: {
    ram_budget_bytes: number;
    peak_ram_bytes: number;
    plain_peak_bytes: number;
    largest_working_set_bytes: number;
    time_s: number;
  };
  operations: [name: string, seconds: number, joules: number, workspaceBytes: number, backward: 0 | 1][];
  tensors: [name: string, bytes: number, home: string, producer: number | null][];
  backward_stage: number | null;
  matrix: { stages: number; columns: number[]; runs: number[]; marks: number[] };
  actions: number[];
  ram: number[];
  buffers: number[];
  extra: [number, number, number, number, number, number, number[]][];
  absences: [tensor: number, way: 0 | 1, left: number, back: number, why: string][];
};

export const kinds = ["compute", "recompute", "page-in", "page-out"] as const;
export const kindWords = ["computed", "recomputed", "read from storage", "written to storage"];
export const placeWords = [
  "nowhere",
  "in RAM",
  "in RAM and storage",
  "in storage",
  "in slower memory",
  "in slower memory and storage",
];
export const uses = ["parameters", "activations", "gradients", "workspace", "transfer"] as const;
export const useWords = [
  "parameters and their state",
  "forward results",
  "gradients",
  "workspace",
  "still in transfer",
];

export type Action = { kind: number; index: number; stage: number; beginS: number; endS: number; ram: number };
export type Run = { column: number; begin: number; end: number; place: number };
export type Mark = { column: number; stage: number; kind: number };
export type Buffer = { tensor: number; begin: number; end: number };
export type Extra = {
  kind: number;
  index: number;
  count: number;
  bytes: number;
  joules: number;
  seconds: number;
  stages: number[];
};
export type Absence = { tensor: number; read: boolean; left: number; back: number; why: string };

export type Step = {
  figures: StepText["figures"];
  operations: StepText["operations"];
  tensors: StepText["tensors"];
  backwardStage: number | null;
  stages: number;
  columns: number[];
  runs: Run[];
  marks: Mark[];
  actions: Action[];
  shares: number[][]; // by action, then by use
  buffers: Buffer[];
  extra: Extra[];
  absences: Absence[];
};

// Cuts a list of numbers into rows of so many.
export function rows<T>(numbers: number[], width: number, make: (row: number[]) => T): T[] {
  const out: T[] = [];
  for (let at = 0; at < numbers.length; at += width) out.push(make(numbers.slice(at, at + width)));
  return out;
}

export function stepOf(text: StepText): Step {
  return {
    figures: text.figures,
    operations: text.operations,
    tensors: text.tensors,
    backwardStage: text.backward_stage,
    stages: text.matrix.stages,
    columns: text.matrix.columns,
    runs: rows(text.matrix.runs, 4, ([column = 0, begin = 0, end = 0, place = 0]) => ({ column, begin, end, place })),
    marks: rows(text.matrix.marks, 3, ([column = 0, stage = 0, kind = 0]) => ({ column, stage, kind })),
    actions: rows(text.actions, 6, ([kind = 0, index = 0, stage = 0, beginS = 0, endS = 0, ram = 0]) => ({
      kind,
      index,
      stage,
      beginS,
      endS,
      ram,
    })),
    shares: rows(text.ram, uses.length, (row) => row),
    buffers: rows(text.buffers, 3, ([tensor = 0, begin = 0, end = 0]) => ({ tensor, begin, end })),
    extra: text.extra.map(([kind, index, count, bytes, joules, seconds, stages]) => ({
      kind,
      index,
      count,
      bytes,
      joules,
      seconds,
      stages,
    })),
    absences: text.absences.map(([tensor, way, left, back, why]) => ({ tensor, read: way === 0, left, back, why })),
  };
}

export function tensorName(step: Step, tensor: number): string {
  return step.tensors[tensor]?.[0] ?? "";
}
export function tensorBytes(step: Step, tensor: number): number {
  return step.tensors[tensor]?.[1] ?? 0;
}

// "conv1 is recomputed", "x is read from storage".
export function actionText(step: Step, action: Action): string {
  const name = action.kind <= 1 ? step.operations[action.index]?.[0] : tensorName(step, action.index);
  return `${name} is ${kindWords[action.kind]}`;
}

// What lies in RAM at an action, the largest first.
export function heldAt(step: Step, action: number): number[] {
  return step.buffers
    .filter((buffer) => buffer.begin <= action && action < buffer.end)
    .map((buffer) => buffer.tensor)
    .sort((a, b) => tensorBytes(step, b) - tensorBytes(step, a));
}

// The stage whose operation runs there; the last stage may have none.
export function stageName(step: Step, stage: number): string {
  return step.operations[stage]?.[0] ?? "after the last operation";
}

// Why a tensor is not in RAM at a stage, or was brought back in it.
export function absenceAt(step: Step, tensor: number, stage: number): Absence | undefined {
  return step.absences.find((one) => one.tensor === tensor && one.left <= stage && stage <= one.back);
}
