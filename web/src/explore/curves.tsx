import {
  line,
  symbol,
  symbolCircle,
  symbolCross,
  symbolDiamond,
  symbolSquare,
  symbolStar,
  symbolTriangle,
  symbolWye,
} from "d3-shape";
import { useState } from "preact/hooks";
import { acrossScale, BottomAxis, type Frame, LeftAxis, sizeTicks, upScale } from "../parts/axes";
import { useWidth } from "../parts/width";
import type { Curve, CurvePoint } from "../service/types";
import { costFigure, sizeFigure, sizeTickFigure, tickFigure } from "../text/figures";

const shapes = [symbolCircle, symbolSquare, symbolTriangle, symbolDiamond, symbolCross, symbolWye, symbolStar];
const tones = 8;

export type Found = { budget: number; cost: number };
// Runs: points between which there is none without a schedule, so that a line may go from one to the next.
// The first has a colour of its own; of those that share one, marks and dashes differ.
type Line = { name: string; what: string; place: number; tone: number; points: Found[]; runs: Found[][] };
const shapeOf = (one: Line) =>
  shapes[(one.place + Math.floor(Math.max(0, one.place - 1) / (tones - 1))) % shapes.length];
const dashOf = (one: Line) => `dash-${one.place % 4}`;

const costOf = (point: CurvePoint, unit: "J" | "s") => (unit === "J" ? point.energy_j : point.time_s);

// What a plan for one budget has, whatever step the methods share there.
const ownStep = "poet-own-step";
const rankOf = (name: string) => (name === "poet" ? 0 : name === ownStep ? 1 : 2);

// Budgets in their order, apart where one between them has no schedule.
export function runsOf(points: { budget: number; cost: number | null }[]): Found[][] {
  const runs: Found[][] = [[]];
  for (const { budget, cost } of points)
    if (cost === null) runs.push([]);
    else runs.at(-1)?.push({ budget, cost });
  return runs.filter((run) => run.length > 0);
}

// What can be drawn: methods that found something, POET first.
export function linesOf(curve: Curve): Line[] {
  const found = curve.methods.map((method) => {
    const runs = runsOf(
      method.points
        .map((point) => ({ budget: point.ram_budget_bytes, cost: costOf(point, curve.unit) }))
        .sort((a, b) => a.budget - b.budget),
    );
    return { name: method.name, what: method.what, points: runs.flat(), runs };
  });
  return found
    .filter((one) => one.points.length > 0)
    .sort((a, b) => rankOf(a.name) - rankOf(b.name))
    .map((one, place) => ({ ...one, place, tone: place === 0 ? 0 : 1 + ((place - 1) % (tones - 1)) }));
}

// A budget with which everything is kept is worth no more than what that needs.
function worthOf(plan: Found | null, curve: Curve): Found | null {
  return plan && { ...plan, budget: Math.min(plan.budget, curve.plain_peak_bytes) };
}

function withRoom(from: number, to: number): [number, number] {
  const room = Math.max((to - from) * 0.04, 1);
  return [from - room, to + room];
}

// Where a word stands above its mark, so that it stays within the frame.
function side(at: number, frame: Frame): string {
  if (at < frame.left + 40) return "";
  return at > frame.width - frame.right - 40 ? "end" : "middle";
}

function Curves(props: { curve: Curve; lines: Line[]; width: number; foremost: string | null; plan: Found | null }) {
  const { curve, lines, width, foremost } = props;
  const plan = worthOf(props.plan, curve);
  const frame: Frame = { width, height: width < 520 ? 300 : 360, left: 78, right: 20, top: 20, bottom: 50 };
  const costs = lines.flatMap((one) => one.points.map((point) => point.cost));
  if (plan) costs.push(plan.cost);
  const low = Math.min(curve.unavoidable, ...costs);
  const high = Math.max(...costs);
  const room = Math.max((high - low) * 0.06, high * 1e-6);
  const budgets = [...lines.flatMap((one) => one.points.map((point) => point.budget)), curve.plain_peak_bytes];
  if (plan) budgets.push(plan.budget);
  const x = acrossScale(frame, withRoom(Math.min(...budgets), Math.max(...budgets)));
  const y = upScale(frame, [low - room, high + room]);
  const path = line<Found>()
    .x((point) => x(point.budget))
    .y((point) => y(point.cost));
  const ordered = [...lines].sort(
    (a, b) => Number(a.name === foremost) - Number(b.name === foremost) || b.place - a.place,
  );
  const device = curve.device_ram_bytes;
  const [from = 0, to = 0] = x.domain();
  const label = lines
    .map(
      (one) =>
        `${one.name}: from ${costFigure(one.points[0]?.cost ?? 0, curve.unit)} in ${sizeFigure(one.points[0]?.budget ?? 0)} to ${costFigure(one.points.at(-1)?.cost ?? 0, curve.unit)}`,
    )
    .join("; ");
  const ticks = sizeTicks(from, to, Math.max(3, width / 130));
  return (
    <svg class="chart" width={width} height={frame.height} role="img" aria-label={label}>
      <LeftAxis frame={frame} scale={y} ticks={y.ticks(6)} text={tickFigure(y.ticks(6), curve.unit)} />
      <BottomAxis frame={frame} scale={x} ticks={ticks} text={sizeTickFigure(ticks)} title="RAM budget" />
      <line
        class="plain"
        x1={frame.left}
        x2={width - frame.right}
        y1={y(curve.unavoidable)}
        y2={y(curve.unavoidable)}
      />
      {device >= from && device <= to && (
        <g>
          <line class="device" x1={x(device)} x2={x(device)} y1={frame.top} y2={frame.height - frame.bottom} />
          <text class="halo small-text" x={x(device) + 5} y={frame.top + 10}>
            the device's RAM
          </text>
        </g>
      )}
      {ordered.map((one) => (
        <g
          key={one.name}
          class={`method tone-${one.tone} ${foremost && foremost !== one.name ? "faint" : ""} ${one.name === "poet" ? "poet" : ""}`}
        >
          <path class={`curve ${dashOf(one)}`} d={one.runs.map((run) => path(run) ?? "").join("")} />
          {one.points.map((point) => (
            <path
              key={point.budget}
              class="method-mark"
              transform={`translate(${x(point.budget)} ${y(point.cost)})`}
              d={symbol(shapeOf(one), one.name === "poet" ? 70 : 46)() ?? ""}
            >
              <title>{`${one.name}: ${costFigure(point.cost, curve.unit)} in ${sizeFigure(point.budget)}`}</title>
            </path>
          ))}
        </g>
      ))}
      {plan && (
        <g transform={`translate(${x(plan.budget)} ${y(plan.cost)})`}>
          <circle class="this-plan" r={9} />
          <text class={`strong halo ${side(x(plan.budget), frame)}`} y={-15}>
            this plan
          </text>
        </g>
      )}
    </svg>
  );
}

function Numbers({ curve, lines }: { curve: Curve; lines: Line[] }) {
  const budgets = [...new Set(lines.flatMap((one) => one.points.map((point) => point.budget)))].sort((a, b) => a - b);
  return (
    <details>
      <summary>The numbers</summary>
      <section class="scroll" aria-label="Trade-off in numbers">
        <table>
          <thead>
            <tr>
              <th scope="col">Budget</th>
              {lines.map((one) => (
                <th scope="col" class="number" key={one.name}>
                  {one.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {budgets.map((budget) => (
              <tr key={budget}>
                <th scope="row">{sizeFigure(budget)}</th>
                {lines.map((one) => {
                  const point = one.points.find((two) => two.budget === budget);
                  return (
                    <td class="number" key={one.name}>
                      {point ? costFigure(point.cost, curve.unit) : "–"}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}

// Energy or time over RAM budgets, with a plan among them where there is one.
export function Drawn({ curve, plan }: { curve: Curve; plan: Found | null }) {
  const [box, width] = useWidth<HTMLDivElement>();
  const [foremost, setForemost] = useState<string | null>(null);
  const lines = linesOf(curve);
  if (lines.length === 0)
    return (
      <p class="soft">
        {curve.complete === false
          ? "It was stopped, or its time was over, before there was a schedule."
          : "No method finds a schedule within these budgets and the deadline."}
      </p>
    );
  const missing = curve.methods.filter((method) => !lines.some((one) => one.name === method.name));
  return (
    <>
      <div ref={box}>
        {width > 0 && <Curves curve={curve} lines={lines} width={width} foremost={foremost} plan={plan} />}
      </div>
      <ul class="legend methods">
        {lines.map((one) => (
          <li key={one.name}>
            <button
              type="button"
              class="quiet"
              aria-pressed={foremost === one.name}
              title={one.what}
              onClick={() => setForemost(foremost === one.name ? null : one.name)}
            >
              <svg class={`swatch tone-${one.tone}`} width={22} height={14} viewBox="-11 -7 22 14" aria-hidden="true">
                <path class={`curve ${dashOf(one)}`} d="M-11 0H11" />
                <path class="method-mark" d={symbol(shapeOf(one), 42)() ?? ""} />
              </svg>
              {one.name}
            </button>
          </li>
        ))}
      </ul>
      <p class="soft small">
        The dotted line is what no schedule can save in the step that all methods have with all RAM.
        {lines.some((one) => one.name === ownStep) &&
          ` At each budget all methods have the same step, in the order with the lowest peak that was found, and what does not fit there does not fit in that order; ${ownStep} is the best that was planned there or in less RAM, of another order, with other slices or in parts where that costs less.`}
        {curve.complete === false && " Not every point was planned: it was stopped, or its time was over."}
        {missing.length > 0 && ` Without any schedule that fits: ${missing.map((one) => one.name).join(", ")}.`}
      </p>
      <Numbers curve={curve} lines={lines} />
    </>
  );
}
