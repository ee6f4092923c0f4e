import { area, curveStepAfter, line } from "d3-shape";
import { acrossScale, BottomAxis, type Frame, LeftAxis, upScale } from "../parts/axes";
import { useWidth } from "../parts/width";
import { costFigure, percentFigure, tickFigure, timeFigure } from "../text/figures";
import { type Closing, shownValues } from "./closing";

type Point = { at: number; value: number };

// A curve that holds its last value until now.
const held = (points: Point[], now: number): Point[] => {
  const last = points.at(-1);
  return last ? [...points, { at: now, value: last.value }] : [];
};

function valueAt(points: Point[], at: number): number | undefined {
  let value: number | undefined;
  for (const point of points) if (point.at <= at) value = point.value;
  return value;
}

// Between best and proved: nobody knows yet whether something better lies there.
function doubt(closing: Closing): { at: number; low: number; high: number }[] {
  const times = [...closing.incumbents, ...closing.bounds].map((point) => point.at);
  times.push(closing.elapsedS);
  return [...new Set(times)]
    .sort((a, b) => a - b)
    .map((at) => ({ at, low: valueAt(closing.bounds, at), high: valueAt(closing.incumbents, at) }))
    .filter((one): one is { at: number; low: number; high: number } => one.low !== undefined && one.high !== undefined);
}

function inWords(closing: Closing): string {
  const best = closing.incumbents.at(-1);
  const bound = closing.bounds.at(-1);
  const parts = [`After ${timeFigure(closing.elapsedS)}`];
  parts.push(best ? `best so far ${costFigure(best.value, closing.unit)}` : "no schedule yet");
  if (bound) parts.push(`none has less than ${costFigure(bound.value, closing.unit)}`);
  if (closing.gap !== null) parts.push(`${percentFigure(closing.gap)} of the overhead is in doubt`);
  return `${parts.join(", ")}.`;
}

function Curves({ closing, width }: { closing: Closing; width: number }) {
  const shown = shownValues(closing) ?? [0, 1];
  const frame: Frame = { width, height: 250, left: 86, right: 16, top: 14, bottom: 44 };
  const x = acrossScale(frame, [0, Math.max(closing.elapsedS, 0.001)]);
  const y = upScale(frame, shown);
  const clamp = (value: number) => y(Math.max(value, shown[0]));
  const path = line<Point>()
    .x((point) => x(point.at))
    .y((point) => clamp(point.value))
    .curve(curveStepAfter);
  const between = area<{ at: number; low: number; high: number }>()
    .x((one) => x(one.at))
    .y0((one) => clamp(one.low))
    .y1((one) => y(one.high))
    .curve(curveStepAfter);
  const best = closing.incumbents.at(-1);
  const bound = closing.bounds.at(-1);
  return (
    <svg class="chart" width={width} height={frame.height} role="img" aria-label={inWords(closing)}>
      <LeftAxis frame={frame} scale={y} ticks={y.ticks(5)} text={tickFigure(y.ticks(5), closing.unit)} />
      <BottomAxis
        frame={frame}
        scale={x}
        ticks={x.ticks(Math.max(2, width / 120))}
        text={timeFigure}
        title="searched"
      />
      <path class="doubt" d={between(doubt(closing)) ?? ""} />
      <path class="bound-line" d={path(held(closing.bounds, closing.elapsedS)) ?? ""} />
      <path class="best-line" d={path(held(closing.incumbents, closing.elapsedS)) ?? ""} />
      {best && <circle class="best-dot" cx={x(closing.elapsedS)} cy={y(best.value)} r={4.5} />}
      {bound && <rect class="bound-dot" x={x(closing.elapsedS) - 4} y={clamp(bound.value) - 4} width={8} height={8} />}
    </svg>
  );
}

export function ProgressChart({ closing }: { closing: Closing }) {
  const [box, width] = useWidth<HTMLDivElement>();
  return (
    <figure class="figure">
      <div ref={box}>{width > 0 && <Curves closing={closing} width={width} />}</div>
      <figcaption class="legend">
        <span class="key best-key">best schedule so far</span>
        <span class="key bound-key">bound: no schedule of this step has less</span>
        <span class="key doubt-key">in doubt</span>
      </figcaption>
    </figure>
  );
}
