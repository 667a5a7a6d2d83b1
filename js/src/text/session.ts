// Words of the session log.

import type { Phase } from "../protocol.js";

export interface SessionWords {
  /** Heads of the columns: time, phase, attempt, reason. */
  heads: readonly [string, string, string, string];
  phases: Record<Phase, string>;
}

export const sessionEn: SessionWords = {
  heads: ["ms", "Phase", "Attempt", "Reason"],
  phases: {
    idle: "Not begun",
    connecting: "Connecting",
    streaming: "Answering",
    stalled: "Silent",
    retrying: "Trying again",
    awaiting: "Waiting for a decision or a call",
    done: "Done",
    cancelled: "Stopped",
    failed: "Failed",
  },
};
