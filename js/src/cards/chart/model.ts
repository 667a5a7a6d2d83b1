// The result of render-chart as what is drawn: series of numbers over times or names.

import { isObject, own } from "../../protocol.js";
import {
  lenient,
  list,
  mapping,
  number,
  object,
  oneOf,
  optional,
  type Read,
  ShapeError,
  text,
} from "../shape.js";

type ChartType = "bar" | "area" | "line" | "candle";
export type DataFormat = "currency" | "percentage" | "number";

interface Series {
  name: string;
  /** Null where there is no number: a gap. */
  values: (number | null)[];
  /** From the first number to the last, in percent. */
  change: number | null;
}

export interface ChartModel {
  title: string;
  description: string;
  type: ChartType;
  format: DataFormat;
  timeLabel: string;
  /** Milliseconds since the epoch; null where the points have names. */
  times: number[] | null;
  names: string[];
  /** Open, high, low and close for candles. */
  series: Series[];
}

const CANDLE = ["open", "high", "low", "close"];

const value: Read<number | null> = (given, path) =>
  typeof given === "number" && Number.isNaN(given) ? null : optional(number)(given, path);

const outline = object<{
  title: string;
  description: string | null;
  chartType: ChartType;
  dataFormat: DataFormat;
  chartConfig: Record<string, unknown>;
  chartData: Record<string, unknown>[];
  metricData: { metric: string; percentageChange: number | null }[] | null;
}>({
  title: text,
  description: lenient(text),
  chartType: oneOf<ChartType>("bar", "area", "line", "candle"),
  dataFormat: oneOf<DataFormat>("currency", "percentage", "number"),
  chartConfig: mapping,
  chartData: list(mapping),
  metricData: lenient(list(object({ metric: text, percentageChange: lenient(number) }))),
});

/** Throws a ShapeError that names the field. */
export function readChart(data: unknown): ChartModel {
  const read = outline(data, "");
  const [timeKey, ...columns] = Object.keys(read.chartConfig);
  if (timeKey === undefined) throw new ShapeError("chartConfig", "object");
  const isCandle = read.chartType === "candle";
  const keys = isCandle ? CANDLE : columns;
  const raw = read.chartData.map((point) => own(point, timeKey));
  const times = raw.map(readTime);
  const isTimed = times.every((time) => time !== null);
  if (!isTimed && (read.chartType !== "bar" || !raw.every((one) => typeof one === "string"))) {
    const wrong = times.indexOf(null);
    throw new ShapeError(`chartData[${wrong}].${timeKey}`, "time");
  }
  const order = raw.map((_, index) => index);
  if (isTimed) order.sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0));
  return {
    title: read.title,
    description: read.description ?? "",
    type: read.chartType,
    format: read.dataFormat,
    timeLabel: labelOf(own(read.chartConfig, timeKey), timeKey),
    times: isTimed ? order.map((index) => times[index] ?? 0) : null,
    names: isTimed ? [] : order.map((index) => String(raw[index])),
    series: keys.map((key, place) => {
      const name = labelOf(own(read.chartConfig, key), key);
      return {
        name,
        values: order.map((index) =>
          value(own(read.chartData[index] ?? {}, key), `chartData[${index}].${key}`),
        ),
        change: isCandle ? null : (read.metricData?.[place]?.percentageChange ?? null),
      };
    }),
  };
}

function labelOf(config: unknown, key: string): string {
  return isObject(config) && typeof config.label === "string" && config.label !== "" ? config.label : key;
}

/** UNIX seconds (10 digits), milliseconds, or a date in words; as the reference reads them. */
function readTime(given: unknown): number | null {
  if (typeof given === "string" && /^-?\d{9,16}$/.test(given.trim())) return readTime(Number(given));
  if (typeof given === "number") {
    if (!Number.isFinite(given) || Math.abs(given) > 8.64e15) return null;
    return Math.abs(given) < 1e11 ? given * 1000 : given;
  }
  if (typeof given !== "string" || !/^\d{4}-\d{2}/.test(given.trim())) return null;
  const parsed = Date.parse(given);
  return Number.isNaN(parsed) ? null : parsed;
}
