import { area, curveStepAfter, line } from "d3-shape";
import { useMemo, useState } from "preact/hooks";
import { acrossScale, BottomAxis, type Frame, LeftAxis, type Scale, sizeTicks, upScale } from "../parts/axes";
import { useWidth } from "../parts/width";
import { countFigure, percentFigure, sizeFigure, timeFigure } from "../text/figures";
import { Breakable } from "../text/name";
import { Patterns, Swatch } from "./patterns";
import { type Layer, layersByTensor, layersByUse, shownActions } from "./ram_layers";
import { actionText, heldAt, type Step, stageName, tensorBytes, tensorName } from "./step";

type Across = "action" | "time";

const lanes = [
  { kind: 1, name: "recomputed", look: "recompute" },
  { kind: 2, name: "read", look: "page-in" },
  { kind: 3, name: "written", look: "page-out" },
];
const laneHeight = 14;

// Where each action begins, and at the end where the last one ends.
function beginnings(step: Step, across: Across): number[] {
  if (across === "action") return [...step.actions.map((_, at) => at), step.actions.length];
  return [...step.actions.map((action) => action.beginS), step.figures.time_s];
}

function actionAt(begins: number[], value: number): number {
  let low = 0;
  let high = begins.length - 2;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((begins[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

type Plot = { step: Step; frame: Frame; x: Scale; y: Scale; begins: number[] };

// The curves: they change with the width and the kind of picture, not with the pointer.
function Stack({ plot, layers }: { plot: Plot; layers: Layer[] }) {
  const { step, frame, x, y, begins } = plot;
  const shown = shownActions(step, (frame.width - frame.left - frame.right) / 1.5);
  const sums = shown.map(() => 0);
  const end = x(begins.at(-1) ?? 0);
  const paths = layers.map((layer) => {
    const points = shown.map(({ first, worst }, place) => {
      const low = sums[place] ?? 0;
      const high = low + (layer.bytes[worst] ?? 0);
      sums[place] = high;
      return { at: x(begins[first] ?? 0), low, high };
    });
    const last = points.at(-1);
    if (last) points.push({ ...last, at: end });
    const shape = area<(typeof points)[number]>()
      .x((point) => point.at)
      .y0((point) => y(point.low))
      .y1((point) => y(point.high))
      .curve(curveStepAfter);
    return { look: layer.look, path: shape(points) ?? "" };
  });
  const edge = shown.map(({ first, worst }) => ({ at: x(begins[first] ?? 0), ram: step.actions[worst]?.ram ?? 0 }));
  const last = edge.at(-1);
  if (last) edge.push({ ...last, at: end });
  const outline = line<(typeof edge)[number]>()
    .x((point) => point.at)
    .y((point) => y(point.ram))
    .curve(curveStepAfter);
  return (
    <g>
      {paths.map(({ look, path }) => (
        <path key={look} d={path} fill={`url(#ram-${look})`} />
      ))}
      <path class="ram-edge" d={outline(edge) ?? ""} />
    </g>
  );
}

function Lanes({ plot }: { plot: Plot }) {
  const { step, frame, x, begins } = plot;
  const top = frame.height - frame.bottom + 30;
  const present = lanes.filter((lane) => step.actions.some((action) => action.kind === lane.kind));
  return (
    <g>
      {present.map((lane, place) => {
        const y = top + place * laneHeight;
        const path = step.actions
          .map((action, at) => {
            if (action.kind !== lane.kind) return "";
            const left = x(begins[at] ?? 0);
            const width = Math.max(1.5, x(begins[at + 1] ?? 0) - left);
            return `M${left.toFixed(1)} ${y}h${width.toFixed(1)}v9h${(-width).toFixed(1)}z`;
          })
          .join("");
        return (
          <g key={lane.kind}>
            <text class="end" x={frame.left - 8} y={y + 9}>
              {lane.name}
            </text>
            <path class={lane.look} d={path} />
          </g>
        );
      })}
    </g>
  );
}

function Levels({ plot, largest }: { plot: Plot; largest: number }) {
  const { step, frame, y } = plot;
  const { ram_budget_bytes: budget, plain_peak_bytes: plain } = step.figures;
  const right = frame.width - frame.right;
  return (
    <g>
      {plain <= largest && plain > budget * 1.02 && (
        <>
          <line class="plain" x1={frame.left} x2={right} y1={y(plain)} y2={y(plain)} />
          <text class="end halo" x={right - 6} y={y(plain) - 7}>
            keeping everything: {sizeFigure(plain)}
          </text>
        </>
      )}
      {budget <= largest && (
        <>
          <line class="budget" x1={frame.left} x2={right} y1={y(budget)} y2={y(budget)} />
          <text class="strong halo" x={frame.left + 6} y={y(budget) - 7}>
            budget {sizeFigure(budget)}
          </text>
        </>
      )}
    </g>
  );
}

function Readout({ step, layers, at }: { step: Step; layers: Layer[]; at: number }) {
  const action = step.actions[at];
  if (!action) return null;
  const held = heldAt(step, at);
  const largest = held
    .slice(0, 4)
    .map((tensor) => `${tensorName(step, tensor)} (${sizeFigure(tensorBytes(step, tensor))})`);
  const more = held.length > 4 ? ` and ${countFigure(held.length - 4)} more` : "";
  const shares = layers.filter((layer) => (layer.bytes[at] ?? 0) > 0);
  return (
    <div class="readout" aria-live="polite">
      <p>
        <strong>
          <Breakable text={actionText(step, action)} />
        </strong>
        , stage {action.stage} (<Breakable text={stageName(step, action.stage)} />
        ), at {timeFigure(action.beginS)}: <strong>{sizeFigure(action.ram)}</strong> in use,{" "}
        {percentFigure(action.ram / step.figures.ram_budget_bytes)} of the budget.
      </p>
      <p class="soft">
        <Breakable text={shares.map((layer) => `${layer.name} ${sizeFigure(layer.bytes[at] ?? 0)}`).join(" · ")} />
        {largest.length > 0 && <Breakable text={`. Largest: ${largest.join(", ")}${more}.`} />}
      </p>
    </div>
  );
}

function plotOf(step: Step, width: number, across: Across): { plot: Plot; largest: number } {
  const begins = beginnings(step, across);
  const present = lanes.filter((lane) => step.actions.some((action) => action.kind === lane.kind)).length;
  const narrow = width < 520;
  const frame: Frame = {
    width,
    height: (narrow ? 260 : 320) + present * laneHeight,
    left: 78,
    right: 12,
    top: 40,
    bottom: 34 + present * laneHeight,
  };
  const { peak_ram_bytes: peak, ram_budget_bytes: budget, plain_peak_bytes: plain } = step.figures;
  const levels = [peak, ...(budget <= peak * 2 ? [budget] : []), ...(plain <= peak * 4 ? [plain] : [])];
  const largest = Math.max(...levels, 1);
  const x = acrossScale(frame, [0, begins.at(-1) || 1]);
  return { plot: { step, frame, x, y: upScale(frame, [0, largest * 1.02]), begins }, largest };
}

function summary(step: Step): string {
  const { peak_ram_bytes: peak, ram_budget_bytes: budget, plain_peak_bytes: plain } = step.figures;
  return `RAM in use over ${countFigure(step.actions.length)} actions of a step: at most ${sizeFigure(peak)} of the budget of ${sizeFigure(budget)}; keeping everything needs ${sizeFigure(plain)}. Arrow keys move from action to action.`;
}

function Picture(props: { step: Step; layers: Layer[]; width: number; across: Across }) {
  const { step, layers, width, across } = props;
  const [cursor, setCursor] = useState<number | null>(null);
  const { plot, largest } = useMemo(() => plotOf(step, width, across), [step, width, across]);
  const { frame, x, y, begins } = plot;
  const stack = useMemo(() => <Stack plot={plot} layers={layers} />, [plot, layers]);
  const lanesDrawn = useMemo(() => <Lanes plot={plot} />, [plot]);
  const worst = step.actions.reduce((best, action, at) => (action.ram > (step.actions[best]?.ram ?? 0) ? at : best), 0);
  const last = step.actions.length - 1;
  const turn = step.actions.findIndex((action) => step.backwardStage !== null && action.stage >= step.backwardStage);
  const move = (event: KeyboardEvent) => {
    const from = cursor ?? worst;
    const far = Math.max(1, Math.round(last / 20));
    const places: Record<string, number> = {
      ArrowRight: from + 1,
      ArrowLeft: from - 1,
      PageDown: from + far,
      PageUp: from - far,
      Home: 0,
      End: last,
    };
    const to = places[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setCursor(Math.min(Math.max(to, 0), last));
  };
  const shownAt = cursor ?? worst;
  const left = x(begins[shownAt] ?? 0);
  return (
    <>
      <svg
        class="chart"
        id="ram-chart"
        width={width}
        height={frame.height}
        role="application"
        aria-label={summary(step)}
        aria-roledescription="chart"
        tabindex={0}
        onKeyDown={move}
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          setCursor(actionAt(begins, x.invert(event.clientX - box.left)));
        }}
        onPointerLeave={() => setCursor(null)}
      >
        {turn > 0 && (
          <>
            <rect
              class="backward"
              x={x(begins[turn] ?? 0)}
              y={frame.top}
              width={x(begins.at(-1) ?? 0) - x(begins[turn] ?? 0)}
              height={frame.height - frame.top - frame.bottom}
            />
            <text class="small-text" x={x(begins[turn] ?? 0) + 5} y={12}>
              backward
            </text>
          </>
        )}
        <LeftAxis frame={frame} scale={y} ticks={sizeTicks(0, largest, 6)} text={sizeFigure} />
        {stack}
        <Levels plot={plot} largest={largest} />
        <BottomAxis
          frame={frame}
          scale={x}
          ticks={x
            .ticks(Math.max(2, Math.floor(width / 130)))
            .filter((tick) => across === "time" || Number.isInteger(tick))}
          text={across === "time" ? timeFigure : countFigure}
        />
        {lanesDrawn}
        <line class="cursor" x1={left} x2={left} y1={frame.top} y2={frame.height - frame.bottom} />
        <circle class="peak" cx={left} cy={y(step.actions[shownAt]?.ram ?? 0)} r={4} />
      </svg>
      <Readout step={step} layers={layers} at={shownAt} />
    </>
  );
}

function Choice<T extends string>(props: {
  name: string;
  legend: string;
  value: T;
  of: [T, string][];
  change: (value: T) => void;
}) {
  return (
    <fieldset class="segments small">
      <legend class="hidden">{props.legend}</legend>
      {props.of.map(([value, text]) => (
        <label key={value}>
          <input type="radio" name={props.name} checked={props.value === value} onChange={() => props.change(value)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}

export function RamChart({ step }: { step: Step }) {
  const [box, width] = useWidth<HTMLDivElement>();
  const [by, setBy] = useState<"use" | "tensor">("use");
  const [across, setAcross] = useState<Across>("action");
  const layers = useMemo(() => (by === "use" ? layersByUse(step) : layersByTensor(step, 6)), [step, by]);
  return (
    <section class="card" id="ram">
      <header>
        <h2>RAM over the step</h2>
        <div class="row">
          <Choice
            name="ram-by"
            legend="Stacked by"
            value={by}
            change={setBy}
            of={[
              ["use", "by use"],
              ["tensor", "largest tensors"],
            ]}
          />
          <Choice
            name="ram-across"
            legend="Along"
            value={across}
            change={setAcross}
            of={[
              ["action", "actions"],
              ["time", "time"],
            ]}
          />
        </div>
      </header>
      <svg width={0} height={0} class="hidden" aria-hidden="true">
        <Patterns of="ram" />
      </svg>
      <div ref={box}>{width > 0 && <Picture step={step} layers={layers} width={width} across={across} />}</div>
      <p class="legend">
        {[...layers].reverse().map((layer) => (
          <span key={layer.look}>
            <Swatch of="ram" look={layer.look} />
            {layer.name}
          </span>
        ))}
      </p>
    </section>
  );
}
