import { scaleLinear } from "d3-scale";
import type { Colours } from "../explore/paint_matrix";
import { sizeFigure, timeFigure } from "../text/figures";
import { type Level, type Row, type Slice, sliceAt, type Trace } from "./read_trace";

export const rowHeight = 24;
const rowGap = 4;
const trackGap = 14;
export const axisHeight = 26;
const ramHeight = 130;

// What is seen: the plot's place on the canvas and how it is enlarged (as useZoom() has it).
export type View = { left: number; width: number; k: number; x: number };

export type Place = { row: number; slice: number };

export const timeX = (trace: Trace, view: View, us: number) =>
  view.left + view.x + ((us - trace.begin) / (trace.end - trace.begin)) * view.width * view.k;
export const timeAt = (trace: Trace, view: View, x: number) =>
  trace.begin + ((x - view.left - view.x) / (view.width * view.k)) * (trace.end - trace.begin);

// The top of each row; rows of one track stand close.
export function rowTops(rows: Row[]): number[] {
  let top = axisHeight;
  return rows.map((row, at) => {
    if (at > 0) top += rowHeight + (rows[at - 1]?.track === row.track ? rowGap : trackGap);
    return top;
  });
}

export function ramTop(rows: Row[]): number {
  return (rowTops(rows).at(-1) ?? 0) + rowHeight + trackGap + 8;
}
export function pictureHeight(trace: Trace, rows: Row[]): number {
  return trace.groups.some((group) => group.ram.length > 0)
    ? ramTop(rows) + ramHeight + 8
    : (rowTops(rows).at(-1) ?? 0) + rowHeight + 8;
}

type Painter = { pen: CanvasRenderingContext2D; trace: Trace; rows: Row[]; view: View; colours: Colours };

function fillOf(colours: Colours, kind: string): string {
  const fills: Record<string, string> = {
    compute: colours.compute,
    recompute: colours.recompute,
    read: colours["page-in"],
    write: colours["page-out"],
    wait: colours.line,
    step: colours.shade,
  };
  return fills[kind] ?? colours.ram;
}

function label(p: Painter, text: string, left: number, right: number, y: number, colour: string): void {
  const from = Math.max(left, p.view.left) + 4;
  const room = Math.min(right, p.view.left + p.view.width) - from - 4;
  if (room < 18) return;
  let shown = text;
  const wide = p.pen.measureText(text).width;
  if (wide > room) shown = text.slice(0, Math.max(0, Math.floor((text.length * room) / wide) - 1));
  if (shown.length < Math.min(3, text.length)) return;
  p.pen.fillStyle = colour;
  p.pen.fillText(shown === text ? text : `${shown}…`, from, y);
}

// Of slices narrower than a pixel one is enough for all that lie in it.
function paintRow(p: Painter, row: Row, top: number): void {
  const { pen, trace, view, colours } = p;
  const last = timeAt(trace, view, view.left + view.width);
  const least = 1;
  let painted = Number.NEGATIVE_INFINITY;
  const from = Math.max(0, sliceAt(row.slices, timeAt(trace, view, view.left)));
  for (let at = from; at < row.slices.length; ++at) {
    const slice = row.slices[at] as Slice;
    if (slice.begin > last) break;
    const left = timeX(trace, view, slice.begin);
    const right = Math.max(timeX(trace, view, slice.end), left + least);
    // Nearly every action waits for some nanoseconds: that is not to hide the action.
    const isShort = right - left <= least && slice.kind === "wait";
    if (right <= painted + 0.5 || isShort) continue;
    painted = right;
    pen.fillStyle = fillOf(colours, slice.kind);
    pen.fillRect(left, top, right - left - (right - left > 4 ? 1 : 0), rowHeight);
    if (right - left < 30) continue;
    const dark = slice.kind === "step" || slice.kind === "wait";
    label(p, slice.name, left, right, top + rowHeight / 2, dark ? colours.ink : colours.paper);
  }
}

function paintAxis(p: Painter, bottom: number): void {
  const { pen, trace, view, colours } = p;
  const scale = scaleLinear()
    .domain([
      (timeAt(trace, view, view.left) - trace.begin) / 1e6,
      (timeAt(trace, view, view.left + view.width) - trace.begin) / 1e6,
    ])
    .range([view.left, view.left + view.width]);
  pen.textAlign = "center";
  for (const tick of scale.ticks(Math.max(2, Math.floor(view.width / 130)))) {
    const x = Math.round(scale(tick)) + 0.5;
    pen.strokeStyle = colours.grid;
    pen.beginPath();
    pen.moveTo(x, axisHeight - 6);
    pen.lineTo(x, bottom);
    pen.stroke();
    pen.fillStyle = colours.soft;
    if (x > view.left + 24 && x < view.left + view.width - 24) pen.fillText(timeFigure(tick), x, 10);
  }
  pen.textAlign = "left";
}

export function mostRam(trace: Trace): number {
  let most = trace.budgetBytes ?? 0;
  for (const group of trace.groups) for (const level of group.ram) most = Math.max(most, level.bytes);
  return most || 1;
}

function levelPath(p: Painter, levels: Level[], y: (bytes: number) => number): Path2D {
  const { trace, view } = p;
  const path = new Path2D();
  const right = view.left + view.width;
  const first = timeAt(trace, view, view.left);
  let x = view.left;
  let bytes = 0;
  let begun = false;
  // Within a pixel, the highest.
  for (const level of levels) {
    const at = timeX(trace, view, level.at);
    if (level.at > first && at > right) break;
    if (level.at <= first) {
      bytes = level.bytes;
      continue;
    }
    if (!begun) path.moveTo(x, y(bytes));
    begun = true;
    if (at - x < 0.5 && level.bytes <= bytes) continue;
    path.lineTo(at, y(bytes));
    path.lineTo(at, y(level.bytes));
    x = at;
    bytes = level.bytes;
  }
  if (!begun) path.moveTo(view.left, y(bytes));
  path.lineTo(right, y(bytes));
  return path;
}

function paintRam(p: Painter, top: number): void {
  const { pen, trace, view, colours } = p;
  const most = mostRam(trace) * 1.08;
  const y = (bytes: number) => top + ramHeight - (bytes / most) * ramHeight;
  pen.strokeStyle = colours.line;
  pen.strokeRect(view.left - 0.5, top + 0.5, view.width + 1, ramHeight);
  for (const group of trace.groups) {
    const path = levelPath(p, group.ram, y);
    const predicted = group.name === "predicted";
    if (!predicted) {
      const area = new Path2D(path);
      area.lineTo(view.left + view.width, top + ramHeight);
      area.lineTo(view.left, top + ramHeight);
      area.closePath();
      pen.globalAlpha = 0.55;
      pen.fillStyle = colours.ram;
      pen.fill(area);
      pen.globalAlpha = 1;
    }
    pen.setLineDash(predicted ? [6, 3] : []);
    pen.strokeStyle = predicted ? colours.recompute : colours.accent;
    pen.lineWidth = 1.5;
    pen.stroke(path);
  }
  pen.setLineDash([]);
  if (trace.budgetBytes === null) return;
  pen.strokeStyle = colours.ink;
  pen.lineWidth = 2;
  pen.beginPath();
  pen.moveTo(view.left, y(trace.budgetBytes));
  pen.lineTo(view.left + view.width, y(trace.budgetBytes));
  pen.stroke();
  pen.lineWidth = 1;
  label(
    p,
    `budget ${sizeFigure(trace.budgetBytes)}`,
    view.left,
    view.left + 160,
    y(trace.budgetBytes) + 11,
    colours.ink,
  );
}

// From what is looked at to what waits for it, and from what it waits for.
function paintArrows(p: Painter, slice: Slice, row: Row): void {
  const { pen, trace, view, rows, colours } = p;
  const tops = rowTops(rows);
  const rowOf = (other: Slice) => rows.findIndex((one) => one.group === row.group && one.slices.includes(other));
  const links: [Slice, Slice][] = [
    ...slice.after.map((to): [Slice, Slice] => [slice, to]),
    ...slice.before.map((from): [Slice, Slice] => [from, slice]),
  ];
  pen.strokeStyle = colours.ink;
  pen.lineWidth = 1.5;
  for (const [from, to] of links) {
    const y1 = (tops[rowOf(from)] ?? 0) + rowHeight / 2;
    const y2 = (tops[rowOf(to)] ?? 0) + rowHeight / 2;
    const x1 = timeX(trace, view, from.end);
    const x2 = timeX(trace, view, to.begin);
    const bend = Math.max(16, Math.abs(x2 - x1) / 3);
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
    pen.moveTo(x2 - 6, y2 - 4);
    pen.lineTo(x2, y2);
    pen.lineTo(x2 - 6, y2 + 4);
    pen.stroke();
  }
  pen.lineWidth = 1;
}

// Where there is no room for the whole.
function shortly(name: string): string {
  return name.length > 6 ? `${name.slice(0, 4)}.` : name;
}

function paintNames(p: Painter): void {
  const { pen, trace, rows, view, colours } = p;
  const tops = rowTops(rows);
  pen.textAlign = "right";
  for (const [at, row] of rows.entries()) {
    const y = (tops[at] ?? 0) + rowHeight / 2;
    pen.fillStyle = row.group === "predicted" ? colours.soft : colours.ink;
    pen.fillText(view.left > 90 ? `${row.track}, ${row.group}` : shortly(row.track), view.left - 8, y);
  }
  if (trace.groups.some((group) => group.ram.length > 0)) {
    pen.fillStyle = colours.ink;
    pen.fillText(view.left > 90 ? "RAM in use" : "RAM", view.left - 8, ramTop(rows) + 10);
  }
  pen.textAlign = "left";
}

export function paintTrace(
  canvas: HTMLCanvasElement,
  trace: Trace,
  rows: Row[],
  view: View,
  colours: Colours,
  cursor: Place | null,
  scale: number,
): void {
  const pen = canvas.getContext("2d");
  if (!pen) return;
  const p: Painter = { pen, trace, rows, view, colours };
  const height = pictureHeight(trace, rows);
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.fillStyle = colours.paper;
  pen.fillRect(0, 0, canvas.width / scale, canvas.height / scale);
  pen.font = "12px 'Inter Variable', sans-serif";
  pen.textBaseline = "middle";
  pen.lineWidth = 1;
  paintNames(p);
  pen.save();
  pen.beginPath();
  pen.rect(view.left - 1, 0, view.width + 2, height);
  pen.clip();
  paintAxis(p, height - 8);
  const tops = rowTops(rows);
  for (const [at, row] of rows.entries()) paintRow(p, row, tops[at] ?? 0);
  if (height > ramTop(rows)) paintRam(p, ramTop(rows));
  const row = cursor ? rows[cursor.row] : undefined;
  const slice = cursor ? row?.slices[cursor.slice] : undefined;
  if (row && slice && cursor) {
    const left = timeX(trace, view, slice.begin);
    const right = Math.max(timeX(trace, view, slice.end), left + 2);
    pen.strokeStyle = colours.ink;
    pen.lineWidth = 2;
    pen.strokeRect(left, (tops[cursor.row] ?? 0) + 1, right - left, rowHeight - 2);
    paintArrows(p, slice, row);
  }
  pen.restore();
}
