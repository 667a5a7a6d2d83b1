// Where things are on the picture, and where the marks of its axes stand.

export interface Scale {
  (value: number): number;
  domain: readonly [number, number];
}

/** Differences of larger numbers are beyond a double, and so are steps between smaller ones than its inverse. */
const LARGEST = 1e300;

export function bounded(value: number): number {
  if (Math.abs(value) < 1 / LARGEST) return 0;
  return Math.max(-LARGEST, Math.min(LARGEST, value));
}

export function linear(domain: readonly [number, number], range: readonly [number, number]): Scale {
  const [from, to] = [bounded(domain[0]), bounded(domain[1])];
  const factor = (range[1] - range[0]) / (to - from || 1);
  return Object.assign((value: number) => range[0] + (bounded(value) - from) * factor, { domain });
}

/** About `count` round numbers (1, 2 or 5 times a power of ten) from `low` to `high`, both included in their span. */
export function niceTicks(low: number, high: number, count: number): number[] {
  if (low === high) {
    const around = Math.abs(low) * 0.1 || 1;
    return niceTicks(low - around, high + around, count);
  }
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((one) => one * power >= rough * 0.999) ?? 10) * power;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  // Beyond what a double can tell apart there are no round numbers left.
  if (!Number.isFinite(step) || step === 0 || last - first > 50) return [low, high];
  return Array.from({ length: last - first + 1 }, (_, index) => round((first + index) * step, step));
}

function round(value: number, step: number): number {
  const digits = Math.min(100, Math.max(0, -Math.floor(Math.log10(step)) + 1));
  return digits > 20 ? value : Number(value.toFixed(digits));
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export type TimeUnit = "minute" | "hour" | "day" | "month" | "year";

/** The unit in which a span of time is read, as in the reference. */
export function unitOf(span: number): TimeUnit {
  if (span < HOUR) return "minute";
  if (span < DAY) return "hour";
  if (span < 31 * DAY) return "day";
  return span < 365 * DAY ? "month" : "year";
}

// biome-ignore format: a table
const STEPS: readonly [number, "ms" | "month"][] = [
  [1000, "ms"], [10 * 1000, "ms"], [MINUTE, "ms"], [5 * MINUTE, "ms"], [15 * MINUTE, "ms"], [30 * MINUTE, "ms"],
  [HOUR, "ms"], [3 * HOUR, "ms"], [6 * HOUR, "ms"], [12 * HOUR, "ms"], [DAY, "ms"], [2 * DAY, "ms"], [7 * DAY, "ms"],
  [1, "month"], [3, "month"], [6, "month"], [12, "month"], [24, "month"], [60, "month"], [120, "month"],
];

/** At most `count` times (UTC) on round boundaries between `from` and `to`. */
export function timeTicks(from: number, to: number, count: number): number[] {
  for (const [size, kind] of STEPS) {
    const length = kind === "ms" ? size : size * 30.44 * DAY;
    if ((to - from) / length > Math.max(1, count)) continue;
    return kind === "ms" ? multiples(from, to, size) : months(from, to, size);
  }
  return [from, to];
}

function multiples(from: number, to: number, step: number): number[] {
  const ticks: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push(at);
  return ticks;
}

function months(from: number, to: number, step: number): number[] {
  const start = new Date(from);
  const first = Math.ceil((start.getUTCFullYear() * 12 + start.getUTCMonth()) / step) * step;
  const ticks: number[] = [];
  for (let month = first; ; month += step) {
    const at = Date.UTC(Math.floor(month / 12), month % 12);
    if (at > to) return ticks;
    if (at >= from) ticks.push(at);
  }
}
