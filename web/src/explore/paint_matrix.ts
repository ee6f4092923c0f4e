import { type Cell, type Cells, cellSize, tensorOf, type View } from "./cells";
import { stageName, tensorName } from "./step";

export type Colours = Record<
  | "paper"
  | "ink"
  | "soft"
  | "grid"
  | "line"
  | "ram"
  | "both"
  | "further"
  | "storage"
  | "storage-line"
  | "compute"
  | "recompute"
  | "page-in"
  | "page-out"
  | "accent"
  | "shade",
  string
>;

const names: (keyof Colours)[] = [
  "paper",
  "ink",
  "soft",
  "grid",
  "line",
  "ram",
  "both",
  "further",
  "storage",
  "storage-line",
  "compute",
  "recompute",
  "page-in",
  "page-out",
  "accent",
  "shade",
];

// A canvas takes a colour and no light-dark() of two: as registered colours, the names of the style sheet stand for the
// one that applies.
export function registerColours(): void {
  for (const name of names)
    CSS.registerProperty({ name: `--${name}`, syntax: "<color>", inherits: true, initialValue: "transparent" });
}

export function coloursNow(): Colours {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) as Colours;
}

// Diagonal lines over what lies in storage, so that it also differs without colour.
export function hatch(colour: string): CanvasPattern | string {
  const tile = document.createElement("canvas");
  tile.width = 8;
  tile.height = 8;
  const pen = tile.getContext("2d");
  if (!pen) return colour;
  pen.strokeStyle = colour;
  pen.lineWidth = 1.4;
  pen.beginPath();
  for (const from of [-8, 0, 8]) {
    pen.moveTo(from, 8);
    pen.lineTo(from + 8, 0);
  }
  pen.stroke();
  return pen.createPattern(tile, "repeat") ?? colour;
}

type Painter = {
  pen: CanvasRenderingContext2D;
  cells: Cells;
  view: View;
  colours: Colours;
  across: number;
  down: number;
};

const columnX = (p: Painter, at: number) => p.view.left + p.view.x + at * p.across;
const stageY = (p: Painter, stage: number) => p.view.top + p.view.y + stage * p.down;

// The stages and columns that can be seen, a little more than less.
function seen(p: Painter): { from: number; to: number; first: number; last: number } {
  return {
    from: Math.floor(-p.view.x / p.across) - 1,
    to: Math.ceil((p.view.width - p.view.x) / p.across) + 1,
    first: Math.floor(-p.view.y / p.down) - 1,
    last: Math.ceil((p.view.height - p.view.y) / p.down) + 1,
  };
}

function paintRuns(p: Painter): void {
  const { pen, cells, colours } = p;
  const { from, to, first, last } = seen(p);
  const lines = hatch(colours["storage-line"]);
  const fills = [
    null,
    [colours.ram],
    [colours.both, lines],
    [colours.storage, lines],
    [colours.further],
    [colours.further, lines],
  ];
  const gap = p.across >= 6 ? 1 : 0;
  for (const run of cells.runs) {
    if (run.at < from || run.at > to || run.end < first || run.begin > last) continue;
    for (const fill of fills[run.place] ?? []) {
      if (fill === lines && p.across < 5) continue;
      pen.fillStyle = fill;
      const width = Math.max(0.6, p.across - gap);
      pen.fillRect(columnX(p, run.at), stageY(p, run.begin), width, Math.max(0.6, (run.end - run.begin) * p.down));
    }
  }
}

// A made tensor fills its cell; a read points down into RAM, a write up and out of it.
function paintMark(p: Painter, kind: number, x: number, y: number): void {
  const { pen, across, down } = p;
  const width = Math.max(across, 1.6);
  const height = Math.max(down, 1.6);
  if (kind <= 1 || width < 7 || height < 7) {
    pen.fillRect(x, y, width - (across >= 6 ? 1 : 0), height - (down >= 6 ? 1 : 0));
    return;
  }
  const [tip, base] = kind === 2 ? [y + height - 1, y + 1] : [y + 1, y + height - 1];
  pen.beginPath();
  pen.moveTo(x + 1, base);
  pen.lineTo(x + width - 2, base);
  pen.lineTo(x + width / 2 - 0.5, tip);
  pen.closePath();
  pen.fill();
}

function paintMarks(p: Painter): void {
  const { pen, cells, colours } = p;
  const { from, to, first, last } = seen(p);
  const fills = [colours.compute, colours.recompute, colours["page-in"], colours["page-out"]];
  const letters = p.across >= 13 && p.down >= 13;
  pen.font = "700 10px 'Inter Variable', sans-serif";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (const mark of cells.marks) {
    if (mark.at < from || mark.at > to || mark.stage < first || mark.stage > last) continue;
    const x = columnX(p, mark.at);
    const y = stageY(p, mark.stage);
    pen.fillStyle = fills[mark.kind] ?? colours.compute;
    paintMark(p, mark.kind, x, y);
    if (letters && mark.kind <= 1) {
      pen.fillStyle = colours.paper;
      pen.fillText(mark.kind === 1 ? "R" : "C", x + p.across / 2 - 0.5, y + p.down / 2);
    }
  }
}

function paintGrid(p: Painter): void {
  const { pen, cells, view, colours } = p;
  const { from, to, first, last } = seen(p);
  pen.strokeStyle = colours.grid;
  pen.lineWidth = 1;
  pen.beginPath();
  if (p.down >= 14)
    for (let stage = Math.max(0, first); stage <= Math.min(last, cells.step.stages); ++stage) {
      pen.moveTo(view.left, Math.round(stageY(p, stage)) - 0.5);
      pen.lineTo(view.left + view.width, Math.round(stageY(p, stage)) - 0.5);
    }
  if (p.across >= 14)
    for (let at = Math.max(0, from); at <= Math.min(to, cells.columns.length); ++at) {
      pen.moveTo(Math.round(columnX(p, at)) - 0.5, view.top);
      pen.lineTo(Math.round(columnX(p, at)) - 0.5, view.top + view.height);
    }
  pen.stroke();
}

function paintTurn(p: Painter): void {
  const { backwardStage } = p.cells.step;
  if (backwardStage === null) return;
  const y = stageY(p, backwardStage);
  p.pen.strokeStyle = p.colours.soft;
  p.pen.setLineDash([2, 4]);
  p.pen.beginPath();
  p.pen.moveTo(p.view.left, y);
  p.pen.lineTo(p.view.left + p.view.width, y);
  p.pen.stroke();
  p.pen.setLineDash([]);
}

function paintCursor(p: Painter, cursor: Cell): void {
  const { pen, view, colours } = p;
  const x = columnX(p, cursor.at);
  const y = stageY(p, cursor.stage);
  pen.fillStyle = colours.accent;
  pen.globalAlpha = 0.16;
  pen.fillRect(view.left, y, view.width, Math.max(p.down, 1));
  pen.fillRect(x, view.top, Math.max(p.across, 1), view.height);
  pen.globalAlpha = 1;
  pen.strokeStyle = colours.ink;
  pen.lineWidth = 2;
  pen.strokeRect(x - 1, y - 1, Math.max(p.across, 3) + 1, Math.max(p.down, 3) + 1);
}

// Names begin alike and differ at their ends, so what is left out is from the middle.
function shortened(pen: CanvasRenderingContext2D, text: string, width: number): string {
  if (pen.measureText(text).width <= width) return text;
  let kept = Math.floor((text.length * width) / pen.measureText(text).width);
  const cut = () => `${text.slice(0, Math.floor(kept / 3))}…${text.slice(text.length - Math.ceil((2 * kept) / 3))}`;
  while (kept > 2 && pen.measureText(cut()).width > width) kept -= 1;
  return cut();
}

// Every so many stages one name or number, as far as there is room for it.
function paintStages(p: Painter, cursor: Cell | null): void {
  const { pen, cells, view, colours } = p;
  const every = Math.max(1, Math.ceil(13 / p.down));
  const named = view.left > 80;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  pen.font = "11px 'Inter Variable', sans-serif";
  const { first, last } = seen(p);
  for (
    let stage = Math.max(0, Math.ceil(first / every) * every);
    stage <= Math.min(last, cells.step.stages - 1);
    stage += every
  ) {
    const y = stageY(p, stage) + p.down / 2;
    if (y < view.top || y > view.top + view.height) continue;
    pen.fillStyle = cursor?.stage === stage ? colours.ink : colours.soft;
    pen.fillText(
      named ? shortened(pen, stageName(cells.step, stage), view.left - 14) : String(stage),
      view.left - 6,
      y,
    );
  }
}

function paintColumns(p: Painter): void {
  const { pen, cells, view, colours } = p;
  const every = Math.max(1, Math.ceil(14 / p.across));
  const { from, to } = seen(p);
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  pen.fillStyle = colours.soft;
  pen.font = "11px 'Inter Variable', sans-serif";
  for (
    let at = Math.max(0, Math.ceil(from / every) * every);
    at <= Math.min(to, cells.columns.length - 1);
    at += every
  ) {
    const x = columnX(p, at) + p.across / 2;
    if (x < view.left || x > view.left + view.width - 4) continue;
    pen.save();
    pen.translate(x, view.top - 6);
    pen.rotate(-Math.PI / 3.2);
    pen.fillText(shortened(pen, tensorName(cells.step, tensorOf(cells, at)), (view.top - 12) * 1.15), 0, 0);
    pen.restore();
  }
}

// Draws everything that can be seen; `scale` is device pixels per pixel.
export function paintMatrix(
  canvas: HTMLCanvasElement,
  cells: Cells,
  view: View,
  colours: Colours,
  cursor: Cell | null,
  scale: number,
): void {
  const pen = canvas.getContext("2d");
  if (!pen) return;
  const { across, down } = cellSize(cells, view);
  const p: Painter = { pen, cells, view, colours, across, down };
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.fillStyle = colours.paper;
  pen.fillRect(0, 0, canvas.width / scale, canvas.height / scale);
  pen.save();
  pen.beginPath();
  pen.rect(view.left, view.top, view.width, view.height);
  pen.clip();
  paintRuns(p);
  paintGrid(p);
  paintMarks(p);
  paintTurn(p);
  if (cursor) paintCursor(p, cursor);
  pen.restore();
  pen.strokeStyle = colours.line;
  pen.lineWidth = 1;
  pen.strokeRect(view.left - 0.5, view.top - 0.5, view.width + 1, view.height + 1);
  paintStages(p, cursor);
  paintColumns(p);
}
