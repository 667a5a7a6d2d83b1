// The geometry of a chart: everything that is drawn, as numbers and paths. Pure, and cheap for thousands of points.

import { axisTime, shortValue } from "./format.js";
import type { ChartModel } from "./model.js";
import { bounded, linear, niceTicks, type Scale, timeTicks, unitOf } from "./scale.js";

interface Mark {
  at: number;
  text: string;
}

export interface Layout {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** The horizontal place of each point. */
  x: number[];
  y: Scale;
  yMarks: Mark[];
  xMarks: Mark[];
  /** The line of zero where it lies inside. */
  zero: number | null;
  /** One for each series: a line and, for areas, what is below it; or all of its bars. */
  shapes: { line: string; fill: string }[];
  /** For candles, by direction. */
  candles: { wicks: string; bodies: string; rises: boolean }[];
}

const TOP = 10;
const BOTTOM = 24;
const RIGHT = 12;
/** The width of a digit on an axis. */
const DIGIT = 6.4;

export function layout(model: ChartModel, width: number, height: number, language: string): Layout {
  const [low, high] = extent(model);
  const ticks = niceTicks(low, high, Math.max(2, Math.round(height / 52)));
  const domain = [ticks[0] ?? low, ticks.at(-1) ?? high] as const;
  const places = placesOf(ticks, model.format);
  const labels = ticks.map((tick) => shortValue(tick, model.format, language, places));
  const left = Math.min(width / 3, Math.max(...labels.map((label) => label.length), 1) * DIGIT + 12);
  const [right, bottom] = [width - RIGHT, height - BOTTOM];
  const y = linear(domain, [bottom, TOP]);
  const banded = model.type === "bar" || model.type === "candle" || model.times === null;
  const count = model.times?.length ?? model.names.length;
  const band = (right - left) / Math.max(1, count);
  const time = timeScale(model, left, right);
  const x = Array.from({ length: count }, (_, index) =>
    banded || time === null ? left + (index + 0.5) * band : time(model.times?.[index] ?? 0),
  );
  const zero = domain[0] <= 0 && domain[1] >= 0 ? y(0) : null;
  return {
    width,
    height,
    left,
    right,
    top: TOP,
    bottom,
    x,
    y,
    yMarks: ticks.map((tick, index) => ({ at: y(tick), text: labels[index] ?? "" })),
    xMarks:
      banded || time === null
        ? bandMarks(model, x, left, right, language)
        : timeMarks(time, left, right, language),
    zero,
    shapes: model.type === "candle" ? [] : shapesOf(model, x, y, zero ?? bottom, band),
    candles: model.type === "candle" ? candlesOf(model, x, y, band) : [],
  };
}

/** Decimal places that tell the marks apart, the same for all of them. */
function placesOf(ticks: number[], format: ChartModel["format"]): number {
  const step = Math.abs((ticks[1] ?? 1) - (ticks[0] ?? 0)) * (format === "percentage" ? 100 : 1);
  const places = Math.max(0, Math.min(8, -Math.floor(Math.log10(step || 1) + 1e-9)));
  return format === "currency" && places > 0 ? Math.max(2, places) : places;
}

function extent(model: ChartModel): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { values } of model.series)
    for (const value of values)
      if (value !== null) {
        low = Math.min(low, bounded(value));
        high = Math.max(high, bounded(value));
      }
  if (low > high) return [0, 1];
  if (model.type === "bar" || model.type === "area") return [Math.min(0, low), Math.max(0, high)];
  return [low, high];
}

function timeScale(model: ChartModel, left: number, right: number): Scale | null {
  const times = model.times;
  if (times === null || times.length === 0) return null;
  const [first, last] = [times[0] ?? 0, times.at(-1) ?? 0];
  return first === last
    ? linear([first - 1, last + 1], [left, right])
    : linear([first, last], [left + 4, right - 4]);
}

function timeMarks(time: Scale, left: number, right: number, language: string): Mark[] {
  const [from, to] = time.domain;
  const unit = unitOf(to - from);
  const found = timeTicks(from, to, Math.max(2, Math.round((right - left) / 86)));
  const ticks = found.length > 1 ? found : [from, to];
  return ticks.map((tick) => ({ at: time(tick), text: axisTime(tick, unit, language) }));
}

/** Some of the points have their name or time below them, as many as there is room for. */
function bandMarks(model: ChartModel, x: number[], left: number, right: number, language: string): Mark[] {
  const times = model.times;
  const unit = unitOf((times?.at(-1) ?? 0) - (times?.[0] ?? 0));
  const textAt = (index: number): string =>
    times === null ? (model.names[index] ?? "") : axisTime(times[index] ?? 0, unit, language);
  const some = x.slice(0, 60).map((_, index) => textAt(index).length);
  const longest = Math.min(16, Math.max(1, ...some));
  const every = Math.max(1, Math.ceil(x.length / Math.max(1, (right - left) / (longest * DIGIT + 18))));
  const marks: Mark[] = [];
  for (let index = Math.floor((every - 1) / 2); index < x.length; index += every) {
    const text = textAt(index);
    marks.push({ at: x[index] ?? 0, text: text.length > 16 ? `${text.slice(0, 15)}…` : text });
  }
  return marks;
}

function shapesOf(model: ChartModel, x: number[], y: Scale, base: number, band: number): Layout["shapes"] {
  if (model.type !== "bar")
    return model.series.map(({ values }) => {
      const runs = runsOf(values, x, y);
      return {
        line: runs.map(lineOf).join(""),
        fill: model.type === "area" ? runs.map((run) => areaOf(run, base)).join("") : "",
      };
    });
  const group = Math.min(band * 0.76, 64 * model.series.length);
  const each = group / model.series.length;
  const inner = each > 3 ? each - 1.5 : each;
  return model.series.map(({ values }, place) => {
    let fill = "";
    values.forEach((value, index) => {
      if (value === null) return;
      const from = (x[index] ?? 0) - group / 2 + place * each;
      const height = base - y(value);
      fill += bar(
        from,
        base,
        Math.max(0.4, inner),
        Math.abs(height) < 0.5 && value !== 0 ? 0.5 * Math.sign(value) : height,
      );
    });
    return { line: "", fill };
  });
}

const n = (value: number) => value.toFixed(1);

/** A bar from the base line, its far end rounded where there is room for it. */
function bar(x: number, base: number, width: number, height: number): string {
  const radius = Math.min(3, width / 2, Math.abs(height));
  if (width < 5 || radius < 1) return `M${n(x)} ${n(base)}v${n(-height)}h${n(width)}v${n(height)}z`;
  const sign = Math.sign(height);
  const straight = n(-(height - sign * radius));
  return (
    `M${n(x)} ${n(base)}v${straight}q0 ${n(-sign * radius)} ${n(radius)} ${n(-sign * radius)}` +
    `h${n(width - 2 * radius)}q${n(radius)} 0 ${n(radius)} ${n(sign * radius)}V${n(base)}z`
  );
}

type Point = readonly [number, number];

/** The stretches between gaps; where many points share a pixel, the first, lowest, highest and last of them. */
function runsOf(values: (number | null)[], x: number[], y: Scale): Point[][] {
  const runs: Point[][] = [];
  let run: Point[] = [];
  let column: Point[] = [];
  const closeColumn = () => {
    if (column.length > 4) {
      const low = column.reduce((a, b) => (b[1] < a[1] ? b : a));
      const high = column.reduce((a, b) => (b[1] > a[1] ? b : a));
      const kept = new Set([column[0], low, high, column.at(-1)]);
      column = column.filter((point) => kept.has(point));
    }
    run.push(...column);
    column = [];
  };
  values.forEach((value, index) => {
    if (value === null) {
      closeColumn();
      if (run.length > 0) runs.push(run);
      run = [];
      return;
    }
    const point: Point = [x[index] ?? 0, y(value)];
    if (column[0] !== undefined && Math.floor(column[0][0]) !== Math.floor(point[0])) closeColumn();
    column.push(point);
  });
  closeColumn();
  if (run.length > 0) runs.push(run);
  return runs;
}

function lineOf(run: Point[]): string {
  // A point alone is a short dash: with round ends it is a dot.
  if (run.length === 1) return `M${n(run[0]?.[0] ?? 0)} ${n(run[0]?.[1] ?? 0)}h.01`;
  return run.map(([px, py], index) => `${index === 0 ? "M" : "L"}${n(px)} ${n(py)}`).join("");
}

function areaOf(run: Point[], base: number): string {
  const [first, last] = [run[0], run.at(-1)];
  if (first === undefined || last === undefined) return "";
  return `${lineOf(run)}L${n(last[0])} ${n(base)}L${n(first[0])} ${n(base)}z`;
}

function candlesOf(model: ChartModel, x: number[], y: Scale, band: number): Layout["candles"] {
  const rising = { wicks: "", bodies: "", rises: true };
  const falling = { wicks: "", bodies: "", rises: false };
  const half = Math.max(0.5, Math.min(7, band * 0.34));
  const [open, high, low, close] = model.series.map((one) => one.values);
  x.forEach((at, index) => {
    const [o, h, l, c] = [open?.[index], high?.[index], low?.[index], close?.[index]];
    if (o == null || h == null || l == null || c == null) return;
    const target = c >= o ? rising : falling;
    const [top, bottom] = [y(Math.max(o, c)), y(Math.min(o, c))];
    target.wicks += `M${n(at)} ${n(y(h))}V${n(y(l))}`;
    target.bodies += `M${n(at - half)} ${n(top)}h${n(2 * half)}v${n(Math.max(1, bottom - top))}h${n(-2 * half)}z`;
  });
  return [rising, falling].filter((one) => one.wicks !== "");
}
