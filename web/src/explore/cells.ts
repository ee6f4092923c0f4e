import { timeFigure } from "../text/figures";
import {
  absenceAt,
  kindWords,
  type Mark,
  placeWords,
  type Run,
  type Step,
  stageName,
  tensorBytes,
  tensorName,
} from "./step";

// The schedule as the matrix shows it: which tensors are columns, and what is known of each of them.
export type Cells = {
  step: Step;
  columns: number[]; // positions in Step.columns, in the order shown
  runs: (Run & { at: number })[]; // `at`: the column as shown; by place
  marks: (Mark & { at: number })[]; // by kind, what is computed first
  byColumn: { runs: Run[]; marks: Mark[] }[]; // by column as shown
};

// Columns in which something is done again or moved.
function columnsAway(step: Step): Set<number> {
  return new Set(step.marks.filter((mark) => mark.kind > 0).map((mark) => mark.column));
}

export function cellsOf(step: Step, which: "all" | "away"): Cells {
  const away = which === "away" ? columnsAway(step) : null;
  const columns = step.columns.map((_, column) => column).filter((column) => !away || away.has(column));
  const place = new Map(columns.map((column, at) => [column, at]));
  const byColumn = columns.map(() => ({ runs: [] as Run[], marks: [] as Mark[] }));
  const runs: Cells["runs"] = [];
  const marks: Cells["marks"] = [];
  for (const run of step.runs) {
    const at = place.get(run.column);
    if (at === undefined) continue;
    runs.push({ ...run, at });
    byColumn[at]?.runs.push(run);
  }
  for (const mark of step.marks) {
    const at = place.get(mark.column);
    if (at === undefined) continue;
    marks.push({ ...mark, at });
    byColumn[at]?.marks.push(mark);
  }
  runs.sort((a, b) => a.place - b.place);
  marks.sort((a, b) => a.kind - b.kind);
  return { step, columns, runs, marks, byColumn };
}

export type Cell = { at: number; stage: number };

export function tensorOf(cells: Cells, at: number): number {
  return cells.step.columns[cells.columns[at] ?? 0] ?? 0;
}

export type CellText = { title: string; bytes: number; lines: string[]; why: string | null };

// What is under the pointer, in words.
export function cellText(cells: Cells, { at, stage }: Cell): CellText {
  const { step } = cells;
  const tensor = tensorOf(cells, at);
  const known = cells.byColumn[at] ?? { runs: [], marks: [] };
  const run = known.runs.find((one) => one.begin <= stage && stage < one.end);
  const done = known.marks.filter((mark) => mark.stage === stage).map((mark) => kindWords[mark.kind] ?? "");
  const producer = step.tensors[tensor]?.[3];
  const maker = producer != null ? step.operations[producer] : undefined;
  const lines = [`Stage ${stage}, ${stageName(step, stage)}: ${placeWords[run?.place ?? 0]}`];
  if (done.length > 0) lines.push(`${[...new Set(done)].join(", ")} in this stage`);
  if (maker) lines.push(`made by ${maker[0]} in ${timeFigure(maker[1])}`);
  const absence = absenceAt(step, tensor, stage);
  return { title: tensorName(step, tensor), bytes: tensorBytes(step, tensor), lines, why: absence?.why.trim() ?? null };
}

// Zooming and panning as a change of the plot's own coordinates: where a column or a stage begins, in pixels.
export type View = { left: number; top: number; width: number; height: number; k: number; x: number; y: number };

export function cellSize(cells: Cells, view: View): { across: number; down: number } {
  return {
    across: (view.width / Math.max(1, cells.columns.length)) * view.k,
    down: (view.height / Math.max(1, cells.step.stages)) * view.k,
  };
}

export function cellAt(cells: Cells, view: View, x: number, y: number): Cell | null {
  if (x < view.left || y < view.top || x > view.left + view.width || y > view.top + view.height) return null;
  const { across, down } = cellSize(cells, view);
  const at = Math.floor((x - view.left - view.x) / across);
  const stage = Math.floor((y - view.top - view.y) / down);
  if (at < 0 || at >= cells.columns.length || stage < 0 || stage >= cells.step.stages) return null;
  return { at, stage };
}
