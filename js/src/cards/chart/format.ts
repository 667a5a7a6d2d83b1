// Values and times as a person reads them; times are UTC.

import type { DataFormat } from "./model.js";
import type { TimeUnit } from "./scale.js";

// Making a formatter costs a hundred times what formatting does.
const made = new Map<string, Intl.NumberFormat | Intl.DateTimeFormat>();

function kept<T extends Intl.NumberFormat | Intl.DateTimeFormat>(key: string, make: () => T): T {
  const known = made.get(key) as T | undefined;
  if (known !== undefined) return known;
  const fresh = make();
  made.set(key, fresh);
  return fresh;
}

function numbers(language: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  return kept(`n${language}${JSON.stringify(options)}`, () => new Intl.NumberFormat(language, options));
}

function dates(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return kept(`d${language}${JSON.stringify(options)}`, () => new Intl.DateTimeFormat(language, options));
}

const STYLES: Record<DataFormat, Intl.NumberFormatOptions> = {
  currency: { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" },
  percentage: { style: "percent" },
  number: {},
};

/** A value in full: `$1,234.56`, `12.34%` (of 0.1234: percentages are fractions of one), `1,234.5`. */
export function fullValue(value: number, format: DataFormat, language: string): string {
  const digits = Math.abs(value) >= 1 || value === 0 ? 2 : 6;
  switch (format) {
    case "currency":
      return numbers(language, {
        style: "currency",
        currency: "USD",
        currencyDisplay: "narrowSymbol",
        minimumFractionDigits: 2,
        maximumFractionDigits: digits,
      }).format(value);
    case "percentage":
      return numbers(language, { style: "percent", maximumFractionDigits: 2 }).format(value);
    case "number":
      return numbers(language, { maximumFractionDigits: 6 }).format(value);
  }
}

/** A value on an axis, short: `$1.2M`; small ones with so many decimal places. */
export function shortValue(value: number, format: DataFormat, language: string, places = 2): string {
  if (Math.abs(value) < 1_000) {
    const digits = { minimumFractionDigits: places, maximumFractionDigits: places };
    return numbers(language, { ...STYLES[format], ...digits }).format(value);
  }
  return numbers(language, {
    ...STYLES[format],
    notation: "compact",
    minimumFractionDigits: 0,
    maximumFractionDigits: 1,
  }).format(value);
}

const AXIS: Record<TimeUnit, Intl.DateTimeFormatOptions> = {
  minute: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  hour: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  day: { day: "numeric", month: "short" },
  month: { day: "numeric", month: "short" },
  year: { month: "short", year: "numeric" },
};

export function axisTime(time: number, unit: TimeUnit, language: string): string {
  return dates(language, { ...AXIS[unit], timeZone: "UTC" }).format(time);
}

export function fullTime(time: number, unit: TimeUnit, language: string): string {
  const clock: Intl.DateTimeFormatOptions =
    unit === "minute" || unit === "hour" || time % 86_400_000 !== 0
      ? { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }
      : {};
  const day: Intl.DateTimeFormatOptions = { day: "numeric", month: "short", year: "numeric" };
  return dates(language, { ...day, ...clock, timeZone: "UTC" }).format(time);
}

export function change(percent: number, language: string): string {
  return numbers(language, {
    style: "percent",
    signDisplay: "exceptZero",
    maximumFractionDigits: Math.abs(percent) < 10 ? 2 : 1,
  }).format(percent / 100);
}
