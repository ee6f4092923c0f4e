import { type ScaleLinear, scaleLinear } from "d3-scale";

// The room of a chart: the plot lies within the margins.
export type Frame = { width: number; height: number; left: number; right: number; top: number; bottom: number };

export type Scale = ScaleLinear<number, number>;

// Ticks of sizes at round numbers of the unit they are told in: multiples of powers of two.
export function sizeTicks(from: number, to: number, count: number): number[] {
  let step = 1;
  while ((to - from) / step > count) step *= 2;
  const ticks: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to + (to - from) * 1e-4; at += step) ticks.push(at);
  return ticks;
}

export function acrossScale(frame: Frame, domain: [number, number]): Scale {
  return scaleLinear()
    .domain(domain)
    .range([frame.left, frame.width - frame.right]);
}

export function upScale(frame: Frame, domain: [number, number]): Scale {
  return scaleLinear()
    .domain(domain)
    .range([frame.height - frame.bottom, frame.top]);
}

type AxisProps = { frame: Frame; scale: Scale; ticks: number[]; text: (value: number) => string; title?: string };

export function LeftAxis({ frame, scale, ticks, text }: AxisProps) {
  return (
    <g class="axis">
      {ticks.map((tick) => (
        <g key={tick} transform={`translate(0 ${scale(tick)})`}>
          <line class="grid" x1={frame.left} x2={frame.width - frame.right} />
          <text class="end" x={frame.left - 8} dy="0.32em">
            {text(tick)}
          </text>
        </g>
      ))}
    </g>
  );
}

export function BottomAxis({ frame, scale, ticks, text, title }: AxisProps) {
  const y = frame.height - frame.bottom;
  return (
    <g class="axis">
      <line class="base" x1={frame.left} x2={frame.width - frame.right} y1={y} y2={y} />
      {ticks.map((tick) => (
        <g key={tick} transform={`translate(${scale(tick)} ${y})`}>
          <line class="base" y2={5} />
          <text class="middle" y={19}>
            {text(tick)}
          </text>
        </g>
      ))}
      {title && (
        <text class="end title" x={frame.width - frame.right} y={y + 37}>
          {title}
        </text>
      )}
    </g>
  );
}
