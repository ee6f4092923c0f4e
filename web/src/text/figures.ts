// Quantities as the program prints them (poet/report/figure_text.h): four significant digits, and the unit that keeps
// the number between 1 and 1,000 (bytes: 1,024).

type Unit = { factor: number; name: string };

const sizes: Unit[] = ["B", "KiB", "MiB", "GiB", "TiB"].map((name, power) => ({ factor: 1024 ** power, name }));
const energies: Unit[] = [
  { factor: 1e-9, name: "nJ" },
  { factor: 1e-6, name: "µJ" },
  { factor: 1e-3, name: "mJ" },
  { factor: 1, name: "J" },
  { factor: 1e3, name: "kJ" },
  { factor: 1e6, name: "MJ" },
];
const times: Unit[] = [
  { factor: 1e-9, name: "ns" },
  { factor: 1e-6, name: "µs" },
  { factor: 1e-3, name: "ms" },
  { factor: 1, name: "s" },
];

function decimalsFor(magnitude: number): number {
  if (magnitude >= 999.95) return 0;
  if (magnitude >= 99.995) return 1;
  return magnitude >= 9.9995 ? 2 : 3;
}

// At most so many decimals, no trailing zeros, never "-0".
export function shortNumber(value: number, decimals: number): string {
  const text = String(Number(value.toFixed(decimals)));
  return text === "-0" ? "0" : text;
}

function scaled(value: number, units: Unit[], mostDecimals: number, zero: string): string {
  if (value === 0) return zero;
  if (!Number.isFinite(value)) return "unlimited";
  const magnitude = Math.abs(value);
  const best = units.reduce((found, unit) => (magnitude >= unit.factor * 0.99995 ? unit : found));
  const number = value / best.factor;
  return `${shortNumber(number, Math.min(mostDecimals, decimalsFor(Math.abs(number))))} ${best.name}`;
}

export function sizeFigure(bytes: number): string {
  return Math.abs(bytes) < 1024 ? `${Math.round(bytes)} B` : scaled(bytes, sizes, 2, "0 B");
}

export function energyFigure(joules: number): string {
  return scaled(joules, energies, 3, "0 J");
}

export function timeFigure(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 100) return scaled(seconds, times, 3, "0 s");
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

// How long it is still to go on: nobody knows it to less than a second.
export function leftFigure(seconds: number): string {
  return timeFigure(Math.max(1, Math.ceil(seconds)));
}

// In the unit of an objective.
export function costFigure(value: number, unit: "J" | "s"): string {
  return unit === "J" ? energyFigure(value) : timeFigure(value);
}

// For the ticks of an axis: as many digits as it takes to tell them apart.
export function tickFigure(ticks: number[], unit: "J" | "s"): (value: number) => string {
  const differ = (text: (value: number) => string) => new Set(ticks.map(text)).size === ticks.length;
  const usual = (value: number) => costFigure(value, unit);
  if (differ(usual)) return usual;
  const largest = Math.max(...ticks.map(Math.abs));
  const best = (unit === "J" ? energies : times).reduce((found, one) => (largest >= one.factor ? one : found));
  for (let decimals = 1; decimals < 12; ++decimals) {
    const text = (value: number) => `${shortNumber(value / best.factor, decimals)} ${best.name}`;
    if (differ(text)) return text;
  }
  return usual;
}

// Sizes as ticks: in a unit in which they tell each other apart, down to bytes.
export function sizeTickFigure(ticks: number[]): (bytes: number) => string {
  const differ = new Set(ticks.map(sizeFigure)).size === ticks.length;
  return differ ? sizeFigure : (bytes) => `${countFigure(bytes)} B`;
}

export function percentFigure(ratio: number): string {
  const percent = ratio * 100;
  if (!Number.isFinite(percent)) return "unknown";
  if (percent === 0) return "0 %";
  if (Math.abs(percent) < 0.005) return "under 0.01 %";
  if (percent < 100 && percent >= 99.95) return percent < 99.995 ? `${shortNumber(percent, 2)} %` : "over 99.99 %";
  return `${shortNumber(percent, Math.abs(percent) < 1 ? 2 : Math.abs(percent) < 100 ? 1 : 0)} %`;
}

export function countFigure(count: number): string {
  return Math.round(count).toLocaleString("en-GB");
}

// "1 operation", "3 operations".
export function counted(count: number, singular: string): string {
  return `${countFigure(count)} ${singular}${count === 1 ? "" : "s"}`;
}

// "5 minutes ago"; the day where it is long ago.
export function agoFigure(then: string, now: number): string {
  const seconds = (now - Date.parse(then)) / 1000;
  if (seconds < 60) return "just now";
  if (seconds < 3600) return `${counted(Math.floor(seconds / 60), "minute")} ago`;
  if (seconds < 86400) return `${counted(Math.floor(seconds / 3600), "hour")} ago`;
  return then.slice(0, 10);
}
