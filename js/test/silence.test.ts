import { describe, expect, test } from "vitest";
import { meaningOf } from "../src/silence.js";
import { TIMES } from "../src/times.js";

const HOUR = 3_600_000;
const LIVING = ["idle", "busy", "unknown", "starting", "connecting", null];
const GONE = ["none", "dead", "terminating", "restarting", "autorestarting"];

describe("a silent kernel", () => {
  test.each([
    // known, status, a cell runs, for how long: what it means
    [true, "idle", false, HOUR, "waiting"], // frozen in C, or the status is that of the last click
    [true, "idle", true, HOUR, "busy"],
    [true, "busy", false, HOUR, "busy"],
    [true, "unknown", false, HOUR, "waiting"], // the server is away
    [true, null, false, HOUR, "waiting"], // VS Code, Colab, marimo say nothing of it
    [false, "idle", false, TIMES.idleLost, "waiting"],
    [false, "idle", false, TIMES.idleLost + 1, "lost"], // a new kernel, which does not know what is shown
    [false, "idle", true, HOUR, "busy"], // the cell that shows the chat goes on
    [false, "busy", false, HOUR, "busy"],
    [false, null, false, TIMES.lost, "waiting"],
    [false, null, false, TIMES.lost + 1, "lost"],
    [false, "starting", false, TIMES.lost + 1, "lost"],
  ] as const)("known %s, %s, a cell runs %s, for %s ms: %s", (known, status, cellRuns, lasts, meaning) => {
    expect(meaningOf({ known, status, cellRuns, lasts })).toBe(meaning);
  });

  test.each(GONE)("is gone where its status is %s, whatever else", (status) => {
    for (const known of [true, false])
      for (const cellRuns of [true, false])
        expect(meaningOf({ known, status, cellRuns, lasts: 0 })).toBe("lost");
  });

  test.each(LIVING)("is never lost once it has answered and its status is %s", (status) => {
    for (const cellRuns of [true, false])
      expect(meaningOf({ known: true, status, cellRuns, lasts: 1_000 * HOUR })).not.toBe("lost");
  });
});
