// What it means that a kernel does not answer: the one rule by which a page says that it waits, that a cell runs, or
// that nobody is there.

import { isGone } from "./host.js";
import { TIMES } from "./times.js";

export interface Silence {
  /** Milliseconds since its last word, or since the page began to ask. */
  lasts: number;
  /** Whether it has answered this page before. */
  known: boolean;
  /** Its status as the front end tells it; null where the front end does not. */
  status: string | null;
  /** Whether a cell of this notebook waits for its result. */
  cellRuns: boolean;
}

/**
 * One that has answered is not lost by being silent: the front end tells when it ends, or closes the line. `idle` may
 * only be the end of the last click, beside a cell that runs on, so it says nothing of one that has answered.
 */
export function meaningOf({ lasts, known, status, cellRuns }: Silence): "busy" | "waiting" | "lost" {
  if (isGone(status)) return "lost";
  if (status === "busy" || cellRuns) return "busy";
  return known || lasts <= (status === "idle" ? TIMES.idleLost : TIMES.lost) ? "waiting" : "lost";
}
