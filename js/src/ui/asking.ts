// What was asked of the kernel about one thing, as its component sees it.

import type { Pending } from "../pending.js";
import type { Ask } from "../protocol.js";
import { useSurface } from "./context.js";

export interface Asked {
  /** The request under way, if any. */
  waiting: Ask | null;
  /** Why the kernel refused the last one, if it did. */
  refusal: Pending | null;
}

/** Why nothing can be decided here at present, in a sentence; empty while a kernel may hear it. */
export function useApart(): string {
  const { link, words } = useSurface();
  const connection = link.connection.value;
  return connection === "lost"
    ? words.decideLost
    : connection === "mismatch"
      ? words.connection.mismatch
      : "";
}

/** The newest request for which `about` holds. */
export function useAsked(about: (ask: Ask) => boolean): Asked {
  const { link, words } = useSurface();
  const one = link.pending.value.findLast((candidate) => about(candidate.ask));
  if (one === undefined) return { waiting: null, refusal: null };
  // Nobody may ever answer: what was asked must not look as if it were under way.
  if (one.refused === undefined && link.connection.value === "lost")
    return { waiting: null, refusal: { ...one, refused: words.unheard } };
  return one.refused === undefined ? { waiting: one.ask, refusal: null } : { waiting: null, refusal: one };
}
