// A request that the kernel has not carried out yet, as far as the page can see.

import type { Ask } from "./protocol.js";
import { type ChatState, isLivePhase } from "./state.js";

export interface Pending {
  readonly mid: string;
  readonly ask: Ask;
  readonly at: number;
  /** Set once the kernel refused: a sentence. */
  readonly refused?: string;
  /** Accepted; shown until what it caused is here. */
  readonly accepted?: true;
  /** How many turns there were when it was asked. */
  readonly turns: number;
  /** The run of numbers that was shown then; the kernel refuses an act on another one. */
  readonly boot: string;
}

/** Whether two requests are about the same thing, so that the second adds nothing. */
export function isSameMatter(a: Ask, b: Ask): boolean {
  if (a.type !== b.type) return false;
  if (a.type === "send" && b.type === "send") return a.text === b.text && String(a.files) === String(b.files);
  if ("rating" in a && "rating" in b && a.rating !== b.rating) return false;
  if ("key" in a && "key" in b && a.key !== b.key) return false;
  if ("rule" in a && "rule" in b && a.rule !== b.rule) return false;
  if ("nonce" in a && "nonce" in b && a.nonce !== b.nonce) return false;
  if ("version" in a && "version" in b && a.version !== b.version) return false;
  return !("turn" in a && "turn" in b) || a.turn === b.turn;
}

/** Whether the chat shows what an accepted request caused. */
export function isVisible(one: Pending, state: ChatState | null): boolean {
  if (state === null) return false;
  const { ask } = one;
  const last = state.chat.turns.at(-1);
  switch (ask.type) {
    case "send":
      return state.chat.turns.length > one.turns;
    case "decide":
    case "edit_call":
    case "respond": {
      const view = state.chat.invocations[ask.key];
      return view?.state !== "pending" || view.version !== ask.version;
    }
    case "edit_message":
    case "regenerate":
      return !state.chat.turns.some((turn) => turn.turn === ask.turn);
    case "rate":
      return state.chat.turns.find((turn) => turn.turn === ask.turn)?.rating === ask.rating;
    case "choose":
      return state.chat.turns.some((turn) => turn.turn === ask.turn);
    case "retry_call":
      return state.chat.invocations[ask.key]?.can_retry !== true;
    case "reconcile":
    case "check_call":
      return state.chat.invocations[ask.key]?.state !== "unknown";
    case "revoke":
      return !state.chat.rules.some((rule) => rule.rule === ask.rule);
    case "stop":
      return last === undefined || !isLivePhase(last.phase);
    default:
      return true;
  }
}
