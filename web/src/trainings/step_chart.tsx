import { curveLinear, curveStepAfter, line } from "d3-shape";
import { useMemo, useState } from "preact/hooks";
import { acrossScale, BottomAxis, type Frame, LeftAxis, type Scale, upScale } from "../parts/axes";
import { useWidth } from "../parts/width";
import { countFigure } from "../text/figures";
import { thinned } from "./progress";

export type Series = {
  name: string;
  look: string;
  form: "line" | "dots" | "steps";
  points: { step: number; value: number }[];
};

type Props = {
  id: string;
  series: Series[];
  figure: (value: number) => string;
  ticks: (ticks: number[]) => (value: number) => string;
  least?: number; // the axis goes down to it
  summary: string;
};

function valuesOf(series: Series[]): number[] {
  return series.flatMap((one) => one.points.map((point) => point.value)).filter(Number.isFinite);
}

function shownRange(values: number[], least: number | undefined): [number, number] {
  const low = Math.min(...values, least ?? Number.POSITIVE_INFINITY);
  const high = Math.max(...values);
  const room = (high - low || Math.abs(high) || 1) * 0.06;
  return [least === undefined ? low - room : least, high + room];
}

function Curves({ series, x, y, most }: { series: Series[]; x: Scale; y: Scale; most: number }) {
  const path = (one: Series) =>
    line<{ step: number; value: number }>()
      .defined((point) => Number.isFinite(point.value))
      .x((point) => x(point.step))
      .y((point) => y(point.value))
      .curve(one.form === "steps" ? curveStepAfter : curveLinear)(thinned(one.points, most)) ?? "";
  return (
    <>
      {series.map((one) => (
        <g key={one.name} class={one.look}>
          <path class="series-line" d={path(one)} />
          {one.form === "dots" &&
            one.points
              .filter((point) => Number.isFinite(point.value))
              .slice(-200)
              .map((point) => (
                <circle key={point.step} class="series-dot" cx={x(point.step)} cy={y(point.value)} r={4} />
              ))}
        </g>
      ))}
    </>
  );
}

// The last point at or before a step.
function pointAt(one: Series, step: number) {
  let found: { step: number; value: number } | null = null;
  for (const point of one.points) if (point.step <= step) found = point;
  return found;
}

function Picture({ props, width }: { props: Props; width: number }) {
  const { series, figure, summary, id } = props;
  const [cursor, setCursor] = useState<number | null>(null);
  const steps = useMemo(
    () => [...new Set(series.flatMap((one) => one.points.map((point) => point.step)))].sort((a, b) => a - b),
    [series],
  );
  const first = steps[0] ?? 0;
  const last = steps.at(-1) ?? 1;
  const frame: Frame = { width, height: 250, left: 78, right: 16, top: 14, bottom: 44 };
  const x = acrossScale(frame, [first, last > first ? last : first + 1]);
  const y = upScale(frame, shownRange(valuesOf(series), props.least));
  const ticks = y.ticks(5);
  const at = cursor ?? last;
  const nearest = (step: number) =>
    steps.reduce((best, one) => (Math.abs(one - step) < Math.abs(best - step) ? one : best), first);
  const move = (event: KeyboardEvent) => {
    const place = steps.indexOf(at);
    const far = Math.max(1, Math.round(steps.length / 20));
    const places: Record<string, number> = {
      ArrowRight: place + 1,
      ArrowLeft: place - 1,
      PageDown: place + far,
      PageUp: place - far,
      Home: 0,
      End: steps.length - 1,
    };
    const to = places[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setCursor(steps[Math.min(Math.max(to, 0), steps.length - 1)] ?? null);
  };
  const read = series
    .map((one) => ({ name: one.name, point: pointAt(one, at) }))
    .filter(({ point }) => point !== null)
    .map(({ name, point }) =>
      point && point.step !== at
        ? `${name} ${figure(point.value)} (step ${countFigure(point.step)})`
        : `${name} ${figure(point?.value ?? 0)}`,
    );
  return (
    <>
      <svg
        class="chart"
        id={id}
        width={width}
        height={frame.height}
        role="application"
        aria-label={summary}
        aria-roledescription="chart"
        tabindex={0}
        onKeyDown={move}
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          setCursor(nearest(x.invert(event.clientX - box.left)));
        }}
        onPointerLeave={() => setCursor(null)}
      >
        <LeftAxis frame={frame} scale={y} ticks={ticks} text={props.ticks(ticks)} />
        <BottomAxis
          frame={frame}
          scale={x}
          ticks={x.ticks(Math.max(2, Math.floor(width / 130))).filter(Number.isInteger)}
          text={countFigure}
          title="steps"
        />
        <Curves series={series} x={x} y={y} most={Math.max(50, width)} />
        {cursor !== null && (
          <line class="cursor" x1={x(at)} x2={x(at)} y1={frame.top} y2={frame.height - frame.bottom} />
        )}
      </svg>
      <p class="small chart-readout">
        Step {countFigure(at)}: {read.join(", ")}
      </p>
    </>
  );
}

// Values over steps; the pointer and the arrow keys go from one to the next.
export function StepChart(props: Props) {
  const [box, width] = useWidth<HTMLDivElement>();
  const present = props.series.filter((one) => one.points.length > 0);
  return (
    <figure class="figure">
      <div ref={box}>
        {width > 0 && present.length > 0 && <Picture props={{ ...props, series: present }} width={width} />}
      </div>
      <figcaption class="legend">
        {present.map((one) => (
          <span key={one.name} class={`key ${one.look}`}>
            {one.name}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
