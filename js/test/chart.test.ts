import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chartData } from "../dev/cards.js";
import { axisTime, fullValue, shortValue } from "../src/cards/chart/format.js";
import { layout } from "../src/cards/chart/layout.js";
import { readChart } from "../src/cards/chart/model.js";
import { niceTicks, timeTicks, unitOf } from "../src/cards/chart/scale.js";

const DAY = 86_400_000;

describe("ticks", () => {
  test("stand on round numbers", () => {
    expect(niceTicks(0, 10, 5)).toEqual([0, 2, 4, 6, 8, 10]);
    expect(niceTicks(-0.05, 0.14, 4)).toEqual([-0.05, 0, 0.05, 0.1, 0.15]);
    expect(niceTicks(7, 7, 4)[0]).toBeLessThan(7);
    expect(niceTicks(0, 0, 4)).toContain(0);
  });

  test("hold whatever range within them, few and in order", () => {
    const value = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 });
    fc.assert(
      fc.property(value, value, (a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        const ticks = niceTicks(low, high, 5);
        expect(ticks.length).toBeGreaterThan(1);
        expect(ticks.length).toBeLessThan(52);
        expect(ticks.every((tick) => Number.isFinite(tick))).toBe(true);
        const slack = (high - low) * 1e-6 + Math.abs(high) * 1e-12;
        expect(ticks[0]).toBeLessThanOrEqual(low + slack);
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(high - slack);
      }),
    );
  });

  test("of time stand on boundaries of UTC", () => {
    const from = Date.UTC(2026, 0, 10);
    expect(timeTicks(from, from + 90 * DAY, 4)).toEqual([1, 2, 3].map((month) => Date.UTC(2026, month)));
    expect(timeTicks(from, from + 2 * DAY, 4).every((time) => time % (12 * 3_600_000) === 0)).toBe(true);
    expect(timeTicks(0, 400 * 365 * DAY, 3).length).toBeLessThan(5);
  });

  test("of time are read in the unit of their span", () => {
    expect([1, 3_600_000, DAY, 31 * DAY, 365 * DAY].map((span) => unitOf(span))).toEqual([
      "minute",
      "hour",
      "day",
      "month",
      "year",
    ]);
    expect(axisTime(Date.UTC(2026, 0, 5, 14, 5), "minute", "en")).toBe("14:05");
    expect(axisTime(Date.UTC(2026, 0, 5), "day", "pt-BR")).toBe("5 de jan.");
  });
});

describe("values", () => {
  test("are written in their format", () => {
    expect(fullValue(1_234_567.891, "currency", "en")).toBe("$1,234,567.89");
    expect(fullValue(0.000123, "currency", "en")).toBe("$0.000123");
    expect(fullValue(0.1234, "percentage", "en")).toBe("12.34%");
    expect(fullValue(12.34, "percentage", "en")).toBe("1,234%");
    expect(fullValue(-1_234.5, "number", "pt-BR")).toBe("-1.234,5");
  });

  test("are short on an axis", () => {
    expect(shortValue(1_000_000, "currency", "en")).toBe("$1M");
    expect(shortValue(1.5e12, "number", "en")).toBe("1.5T");
    expect(shortValue(0.05, "percentage", "en", 0)).toBe("5%");
    expect(shortValue(-3.5, "currency", "en", 2)).toBe("-$3.50");
  });
});

describe("the geometry", () => {
  const numbers = fc.array(fc.oneof(fc.constant(null), fc.double({ noNaN: true, noDefaultInfinity: true })), {
    maxLength: 40,
  });

  test("of any numbers in any width is finite and inside the picture", () => {
    const types = fc.constantFrom("bar", "area", "line", "candle");
    fc.assert(
      fc.property(types, numbers, fc.integer({ min: 220, max: 2_000 }), (chartType, values, width) => {
        const columns =
          chartType === "candle"
            ? { open: values, high: values, low: values, close: values }
            : { A: values, B: values };
        const drawn = layout(readChart(chartData({ chartType, columns })), width, 232, "en");
        const paths = [
          ...drawn.shapes.flatMap(({ line, fill }) => [line, fill]),
          ...drawn.candles.flatMap((one) => [one.wicks, one.bodies]),
        ];
        expect(paths.join("")).not.toMatch(/NaN|Infinity/);
        for (const at of drawn.x) {
          expect(at).toBeGreaterThanOrEqual(drawn.left - 1);
          expect(at).toBeLessThanOrEqual(drawn.right + 1);
        }
        for (const { at } of drawn.yMarks) expect(at >= 0 && at <= 232).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test("sorts times, and keeps names as they come", () => {
    const data = chartData({ columns: { A: [1, 2, 3] }, times: ["2026-01-03", "2026-01-01", 1_767_312_000] });
    const model = readChart(data);
    expect(model.times).toEqual([1, 2, 3].map((day) => Date.UTC(2026, 0, day)));
    expect(model.series[0]?.values).toEqual([2, 3, 1]);
    const named = readChart(
      chartData({ chartType: "bar", columns: { A: [1, 2] }, times: ["Base", "Arbitrum"] }),
    );
    expect([named.times, named.names]).toEqual([null, ["Base", "Arbitrum"]]);
  });

  test("bars of both signs start from zero, and the marks have the same number of places", () => {
    const drawn = layout(readChart(chartData({ chartType: "bar", columns: { A: [2, -1] } })), 400, 232, "en");
    expect(drawn.zero).not.toBeNull();
    const places = new Set(drawn.yMarks.map(({ text }) => text.split(".")[1]?.length ?? 0));
    expect(places.size).toBe(1);
  });
});
