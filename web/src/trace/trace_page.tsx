import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { coloursNow } from "../explore/paint_matrix";
import { useZoom } from "../explore/use_zoom";
import { useWidth } from "../parts/width";
import { ZoomButtons } from "../parts/zoom_buttons";
import { counted, countFigure, energyFigure, sizeFigure, timeFigure } from "../text/figures";
import { Breakable } from "../text/name";
import { onColoursChange } from "../theme";
import { axisHeight, type Place, paintTrace, pictureHeight, rowHeight, rowTops, timeAt, timeX } from "./paint_trace";
import { type Row, readTrace, rowsOf, type Slice, sliceAt, sumsOf, type Trace } from "./read_trace";

const largestBytes = 512 * 1024 * 1024;

const kinds: Record<string, { look: string; text: string }> = {
  compute: { look: "compute", text: "computed" },
  recompute: { look: "recompute", text: "computed again" },
  read: { look: "page-in", text: "read from storage" },
  write: { look: "page-out", text: "written to storage" },
  wait: { look: "waited", text: "waited for storage" },
};

const micros = (us: number) => timeFigure(us / 1e6);

function linesOf(trace: Trace, row: Row, slice: Slice): string[] {
  const { details } = slice;
  const lines = [
    `${kinds[slice.kind]?.text ?? slice.kind}, ${row.group}: ${micros(slice.end - slice.begin)}, from ${micros(slice.begin - trace.begin)} on`,
  ];
  if (typeof details.predicted_us === "number") lines.push(`predicted: ${micros(details.predicted_us)}`);
  if (typeof details.bytes === "number") lines.push(`${sizeFigure(details.bytes)} moved`);
  if (typeof details.energy_j === "number") lines.push(`${energyFigure(details.energy_j)} by the plan`);
  if (typeof details.loss === "number") lines.push(`loss ${details.loss}`);
  if (typeof details.measured === "string") lines.push(`what was measured is ${details.measured}`);
  if (slice.before.length > 0) lines.push(`waits for ${slice.before.map((one) => one.name).join(", ")}`);
  if (slice.after.length > 0) lines.push(`${slice.after.map((one) => one.name).join(", ")} waits for it`);
  return lines;
}

type TipProps = { trace: Trace; row: Row; slice: Slice; x: number; y: number; width: number };

function Tip({ trace, row, slice, x, y, width }: TipProps) {
  const wide = Math.min(340, width - 16);
  const left = Math.max(8, Math.min(x + 8, width - wide - 8));
  return (
    <div class="tip" id="slice-tip" role="status" style={{ left: `${left}px`, top: `${y}px`, width: `${wide}px` }}>
      <p>
        <strong>
          <Breakable text={slice.name} />
        </strong>
      </p>
      {linesOf(trace, row, slice).map((line) => (
        <p key={line}>
          <Breakable text={line} />
        </p>
      ))}
    </div>
  );
}

function Canvas({ trace, width }: { trace: Trace; width: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [cursor, setCursor] = useState<Place | null>(null);
  const [pinned, setPinned] = useState(false); // moved by keyboard: stays when the pointer leaves
  const [, repaint] = useState(0);
  const rows = useMemo(() => rowsOf(trace), [trace]);
  const tops = rowTops(rows);
  const height = pictureHeight(trace, rows);
  const narrow = width <= 640;
  const left = narrow ? 46 : 160;
  const area = useMemo(
    () => ({ left, top: axisHeight, width: Math.max(0, width - left - 10), height: height - axisHeight }),
    [width, height],
  );
  // Until ten pixels are ten nanoseconds.
  const zoom = useZoom(canvas, area, Math.max(1, ((trace.end - trace.begin) * 1000) / Math.max(1, area.width)));
  const view = { left: area.left, width: area.width, k: zoom.k, x: zoom.x };

  useEffect(() => onColoursChange(() => repaint((n) => n + 1)), []);
  useEffect(() => {
    document.fonts?.ready.then(() => repaint((n) => n + 1));
  }, []);
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
      paintTrace(element, trace, rows, view, coloursNow(), cursor, scale);
    });
  });

  const row = cursor ? rows[cursor.row] : undefined;
  const slice = cursor ? row?.slices[cursor.slice] : undefined;
  const middleOf = (one: Slice) => (one.begin + one.end) / 2;
  const enlarge = (factor: number) =>
    zoom.by(factor, slice ? [timeX(trace, view, middleOf(slice)), area.top + area.height / 2] : undefined);
  const show = (place: Place) => {
    const there = rows[place.row]?.slices[place.slice];
    if (!there) return;
    setCursor(place);
    setPinned(true);
    const x = timeX(trace, view, middleOf(there));
    const fitted = ((middleOf(there) - trace.begin) / (trace.end - trace.begin)) * area.width;
    if (x < area.left || x > area.left + area.width) zoom.show(fitted, area.height / 2, zoom.k);
  };
  const nearest = (at: number, moment: number) =>
    Math.max(0, Math.min(sliceAt(rows[at]?.slices ?? [], moment), (rows[at]?.slices.length ?? 1) - 1));

  const move = (event: JSX.TargetedKeyboardEvent<HTMLCanvasElement>) => {
    const at = cursor ?? { row: 0, slice: 0 };
    const count = rows[at.row]?.slices.length ?? 1;
    const far = event.shiftKey ? 10 : 1;
    const along: Record<string, number> = {
      ArrowRight: at.slice + far,
      ArrowLeft: at.slice - far,
      Home: 0,
      End: count,
    };
    const across: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const to = along[event.key];
    const by = across[event.key];
    if (to !== undefined && !cursor) show(at);
    else if (to !== undefined) show({ row: at.row, slice: Math.min(Math.max(to, 0), count - 1) });
    else if (by !== undefined) {
      const next = Math.min(Math.max(at.row + by, 0), rows.length - 1);
      show({ row: next, slice: nearest(next, slice ? middleOf(slice) : trace.begin) });
    } else if (event.key === "+" || event.key === "=") enlarge(1.7);
    else if (event.key === "-") enlarge(1 / 1.7);
    else if (event.key === "0") zoom.fit();
    else if (event.key === "Escape") setCursor(null);
    else return;
    event.preventDefault();
  };

  const point = (event: JSX.TargetedPointerEvent<HTMLCanvasElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const y = event.clientY - box.top;
    const at = tops.findIndex((top) => y >= top && y < top + rowHeight);
    const moment = timeAt(trace, view, event.clientX - box.left);
    const found = at < 0 ? -1 : sliceAt(rows[at]?.slices ?? [], moment);
    const there = rows[at]?.slices[found];
    const within = there && timeX(trace, view, moment) <= timeX(trace, view, there.end) + 2;
    setPinned(false);
    setCursor(within ? { row: at, slice: found } : null);
  };

  const label = `${counted(rows.length, "track")} over ${micros(trace.end - trace.begin)}. Left and right go along a track, up and down to another; plus and minus zoom, 0 shows everything.`;
  return (
    <>
      <div class="matrix-head">
        <p class="soft small">
          What is predicted stands above what was measured. Click it, then the wheel zooms and dragging moves; or use
          the arrow keys, + and −.
        </p>
        <ZoomButtons enlarge={enlarge} fit={zoom.fit} />
      </div>
      <div class="matrix" style={{ height: `${height}px` }}>
        <canvas
          ref={canvas}
          id="trace-canvas"
          aria-roledescription="chart"
          aria-label={label}
          aria-describedby="slice-tip"
          tabIndex={0}
          style={{ width: `${width}px`, height: `${height}px` }}
          onKeyDown={move}
          onPointerDown={(event) => event.currentTarget.focus()}
          onPointerMove={point}
          onPointerLeave={() => pinned || setCursor(null)}
          onBlur={() => setCursor(null)}
        >
          {label}
        </canvas>
        {cursor && row && slice && (
          <Tip
            trace={trace}
            row={row}
            slice={slice}
            x={timeX(trace, view, middleOf(slice))}
            y={narrow ? height + 6 : (tops[cursor.row] ?? 0) + rowHeight + 6}
            width={width}
          />
        )}
      </div>
      <p class="legend">
        {Object.values(kinds).map((kind) => (
          <span key={kind.look}>
            <i class={`swatch-box ${kind.look}`} aria-hidden="true" />
            {kind.text}
          </span>
        ))}
        <span class="key ram-measured-key">RAM, measured</span>
        <span class="key ram-predicted-key">RAM, predicted</span>
      </p>
    </>
  );
}

function Picture({ trace }: { trace: Trace }) {
  const [box, width] = useWidth<HTMLDivElement>();
  return <div ref={box}>{width > 0 && <Canvas trace={trace} width={width} />}</div>;
}

function Sums({ trace }: { trace: Trace }) {
  const sums = sumsOf(trace);
  const groups = trace.groups.map((group) => group.name);
  const told = Object.keys(kinds).filter((kind) => sums.some((sum) => sum.kind === kind));
  const sumOf = (kind: string, group: string) => sums.find((sum) => sum.kind === kind && sum.group === group);
  return (
    <section class="card">
      <h2>Added up</h2>
      <div class="sums">
        <table>
          <thead>
            <tr>
              <th scope="col">What</th>
              {[...groups].reverse().map((group) => (
                <th key={group} scope="col" class="number">
                  {group}
                </th>
              ))}
              <th scope="col" class="number">
                moved
              </th>
            </tr>
          </thead>
          <tbody>
            {told.map((kind) => (
              <tr key={kind}>
                <th scope="row">{kinds[kind]?.text}</th>
                {[...groups].reverse().map((group) => {
                  const sum = sumOf(kind, group);
                  return (
                    <td key={group} class="number">
                      {sum ? (
                        <>
                          <span class="word">{micros(sum.us)}</span>{" "}
                          <small class="soft word">in {countFigure(sum.count)}</small>
                        </>
                      ) : (
                        "–"
                      )}
                    </td>
                  );
                })}
                <td class="number">
                  <span class="word">{sizeFigure(groups.map((group) => sumOf(kind, group)?.bytes ?? 0)[0] ?? 0)}</span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

export function TracePage() {
  const [trace, setTrace] = useState<Trace | null>(null);
  const [name, setName] = useState("");
  const [trouble, setTrouble] = useState<string | null>(null);
  const open = async (file: File | undefined) => {
    if (!file) return;
    setTrouble(null);
    setName(file.name);
    try {
      if (file.size > largestBytes) throw new Error(`It is larger than ${sizeFigure(largestBytes)}.`);
      setTrace(readTrace(await file.text()));
    } catch (error) {
      setTrace(null);
      setTrouble(error instanceof Error ? error.message : "It cannot be read.");
    }
  };
  return (
    <>
      <h1>Traces</h1>
      <p class="lead">
        A step action by action, as <code>poet train --trace FILE</code> and <code>poet solve --trace FILE</code> write
        it. The file stays in this browser; nothing is sent anywhere.
      </p>
      <section class="card">
        <label
          class="trace-drop"
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => {
            event.preventDefault();
            open(event.dataTransfer?.files[0]);
          }}
        >
          <span>{trace ? "Open another trace" : "Open a trace, or drop it here"}</span>
          <input
            id="trace-file"
            type="file"
            accept=".json,application/json"
            onChange={(event) => open(event.currentTarget.files?.[0])}
          />
        </label>
        {trouble && (
          <div class="trouble" role="alert">
            <p>
              {name}: {trouble}
            </p>
          </div>
        )}
      </section>
      {trace && (
        <>
          <section class="card">
            <header>
              <h2>
                <Breakable text={name} />
              </h2>
            </header>
            {trace.title && <p class="small soft trace-title">{trace.title}</p>}
            <Picture key={name} trace={trace} />
          </section>
          <Sums trace={trace} />
        </>
      )}
    </>
  );
}
