import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useWidth } from "../parts/width";
import { ZoomButtons } from "../parts/zoom_buttons";
import { counted, sizeFigure } from "../text/figures";
import { Breakable } from "../text/name";
import { onColoursChange } from "../theme";
import { type Cell, type Cells, cellAt, cellSize, cellsOf, cellText, tensorOf, type View } from "./cells";
import { coloursNow, paintMatrix } from "./paint_matrix";
import { type Step, tensorName } from "./step";
import { useZoom } from "./use_zoom";

type Focus = { tensor: number; stage: number } | null;

// The plot's place on the canvas: names of stages on its left where there is room.
function areaOf(width: number, stages: number) {
  const left = width > 640 ? 150 : 40;
  const height = Math.min(Math.max(stages * 12, 260), width > 640 ? 620 : 420);
  return { left, top: 84, width: Math.max(0, width - left - 10), height };
}

function Tip({ cells, cell, view, width }: { cells: Cells; cell: Cell; view: View; width: number }) {
  const text = cellText(cells, cell);
  const { across, down } = cellSize(cells, view);
  const x = view.left + view.x + (cell.at + 1) * across;
  const y = view.top + view.y + (cell.stage + 1) * down;
  const wide = Math.min(360, width - 16);
  const left = Math.max(8, Math.min(x + 10, width - wide - 8));
  return (
    <div class="tip" id="cell-tip" role="status" style={{ left: `${left}px`, top: `${y + 10}px`, width: `${wide}px` }}>
      <p>
        <strong>
          <Breakable text={text.title} />
        </strong>{" "}
        <span class="soft">{sizeFigure(text.bytes)}</span>
      </p>
      {text.lines.map((line) => (
        <p key={line}>
          <Breakable text={line} />
        </p>
      ))}
      {text.why && (
        <p class="why">
          <Breakable text={text.why} />
        </p>
      )}
    </div>
  );
}

const keys = [
  { look: "compute", text: "C computed" },
  { look: "recompute", text: "R recomputed" },
  { look: "page-in", text: "▼ read" },
  { look: "page-out", text: "▲ written" },
  { look: "ram", text: "in RAM" },
  { look: "both", text: "in RAM and storage" },
  { look: "storage", text: "in storage only" },
];
const furtherKey = { look: "further", text: "in slower memory" };

function Legend({ step }: { step: Step }) {
  const hasFurther = step.runs.some((run) => run.place >= 4);
  return (
    <p class="legend">
      {[...keys, ...(hasFurther ? [furtherKey] : [])].map((key) => (
        <span key={key.look}>
          <i class={`swatch-box ${key.look}`} aria-hidden="true" />
          {key.text}
        </span>
      ))}
    </p>
  );
}

function Canvas({ cells, width, focus }: { cells: Cells; width: number; focus: Focus }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [cursor, setCursor] = useState<Cell | null>(null);
  const [pinned, setPinned] = useState(false); // moved by keyboard: stays when the pointer leaves
  const [, repaint] = useState(0);
  const { stages } = cells.step;
  const area = useMemo(() => areaOf(width, stages), [width, stages]);
  const fitted = { across: area.width / Math.max(1, cells.columns.length), down: area.height / Math.max(1, stages) };
  const zoom = useZoom(canvas, area, 34 / Math.min(fitted.across, fitted.down));
  const view: View = { ...area, k: zoom.k, x: zoom.x, y: zoom.y };
  const height = area.top + area.height + 8;

  useEffect(() => onColoursChange(() => repaint((n) => n + 1)), []);
  useEffect(() => {
    document.fonts?.ready.then(() => repaint((n) => n + 1));
  }, []);
  useEffect(() => setCursor(null), [cells]);
  const frame = useRef(0);
  useEffect(() => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      const element = canvas.current;
      const scale = window.devicePixelRatio || 1;
      if (!element) return;
      if (element.width !== Math.round(width * scale) || element.height !== Math.round(height * scale)) {
        element.width = Math.round(width * scale);
        element.height = Math.round(height * scale);
      }
      paintMatrix(element, cells, view, coloursNow(), cursor, scale);
    });
  });

  // Around the cell that is looked at, where there is one.
  const enlarge = (factor: number) => {
    const { across, down } = cellSize(cells, view);
    if (!cursor) return zoom.by(factor);
    zoom.by(factor, [view.left + view.x + (cursor.at + 0.5) * across, view.top + view.y + (cursor.stage + 0.5) * down]);
  };
  const show = (cell: Cell, k: number) => {
    setCursor(cell);
    setPinned(true);
    zoom.show((cell.at + 0.5) * fitted.across, (cell.stage + 0.5) * fitted.down, k);
  };
  const legible = 14 / Math.min(fitted.across, fitted.down);
  useEffect(() => {
    if (!focus) return;
    const at = cells.columns.findIndex((_, place) => tensorOf(cells, place) === focus.tensor);
    if (at >= 0) show({ at, stage: focus.stage }, legible);
  }, [focus]);

  const move = (event: JSX.TargetedKeyboardEvent<HTMLCanvasElement>) => {
    const from = cursor ?? { at: 0, stage: 0 };
    const far = event.shiftKey ? 10 : 1;
    const moves: Record<string, [number, number]> = {
      ArrowRight: [far, 0],
      ArrowLeft: [-far, 0],
      ArrowDown: [0, far],
      ArrowUp: [0, -far],
      Home: [-cells.columns.length, 0],
      End: [cells.columns.length, 0],
      PageDown: [0, 20],
      PageUp: [0, -20],
    };
    const by = moves[event.key];
    if (by) {
      const within = (value: number, count: number) => Math.min(Math.max(value, 0), count - 1);
      show({ at: within(from.at + by[0], cells.columns.length), stage: within(from.stage + by[1], stages) }, 1);
    } else if (event.key === "+" || event.key === "=") enlarge(1.5);
    else if (event.key === "-") enlarge(1 / 1.5);
    else if (event.key === "0") zoom.fit();
    else if (event.key === "Escape") setCursor(null);
    else return;
    event.preventDefault();
  };
  const label = `The schedule: ${counted(stages, "stage")} downwards, ${counted(cells.columns.length, "tensor")} across. Arrow keys move from cell to cell, plus and minus zoom, 0 shows everything.`;
  return (
    <>
      <div class="matrix-head">
        <p class="soft small">
          Time runs downwards: a row is a stage, in which one operation runs for the first time; a column is a tensor.
          Click it, then the wheel zooms; or use the arrow keys, + and −.
        </p>
        <ZoomButtons enlarge={enlarge} fit={zoom.fit} />
      </div>
      <div class="matrix" style={{ height: `${height}px` }}>
        <canvas
          ref={canvas}
          id="matrix-canvas"
          aria-roledescription="chart"
          aria-label={label}
          aria-describedby="cell-tip"
          tabIndex={0}
          style={{ width: `${width}px`, height: `${height}px` }}
          onKeyDown={move}
          onPointerDown={(event) => event.currentTarget.focus()}
          onPointerMove={(event) => {
            const box = event.currentTarget.getBoundingClientRect();
            setPinned(false);
            setCursor(cellAt(cells, view, event.clientX - box.left, event.clientY - box.top));
          }}
          onPointerLeave={() => pinned || setCursor(null)}
          onBlur={() => setCursor(null)}
        >
          {label}
        </canvas>
        {cursor && <Tip cells={cells} cell={cursor} view={view} width={width} />}
      </div>
    </>
  );
}

export function Matrix({ step, focus }: { step: Step; focus: Focus }) {
  const [box, width] = useWidth<HTMLDivElement>();
  const [which, setWhich] = useState<"all" | "away">("all");
  const [sought, setSought] = useState("");
  const [found, setFound] = useState<Focus>(null);
  const cells = useMemo(() => cellsOf(step, which), [step, which]);
  const anyAway = useMemo(() => cellsOf(step, "away").columns.length > 0, [step]);
  useEffect(() => {
    if (focus) setFound(focus);
  }, [focus]);
  const seek = (name: string) => {
    setSought(name);
    const tensor = step.tensors.findIndex((one) => one[0] === name);
    const made = step.marks.find((mark) => step.columns[mark.column] === tensor);
    if (tensor >= 0) setFound({ tensor, stage: made?.stage ?? 0 });
  };
  return (
    <section class="card" id="schedule">
      <header>
        <h2>The schedule</h2>
        <div class="row small">
          {anyAway && (
            <label class="check">
              <input
                type="checkbox"
                checked={which === "away"}
                onChange={(event) => setWhich(event.currentTarget.checked ? "away" : "all")}
              />
              only what is recomputed or paged
            </label>
          )}
          <input
            type="search"
            list="tensor-names"
            placeholder="Find a tensor"
            aria-label="Find a tensor"
            value={sought}
            onInput={(event) => seek(event.currentTarget.value)}
          />
          <datalist id="tensor-names">
            {step.columns.slice(0, 2000).map((tensor) => (
              <option key={tensor} value={tensorName(step, tensor)} />
            ))}
          </datalist>
        </div>
      </header>
      <div ref={box}>{width > 0 && <Canvas cells={cells} width={width} focus={found} />}</div>
      <Legend step={step} />
    </section>
  );
}
