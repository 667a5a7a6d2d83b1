// Where the new part of a transcript begins for somebody who looked away.

import { useEffect, useRef, useState } from "preact/hooks";
import type { ChatView } from "../protocol.js";

/** A place in the transcript: a step of a turn; a message of the person is step 0 of its turn. */
export interface Place {
  turn: number;
  step: number;
}

export interface Unread {
  /** What came while nobody looked begins here. */
  from: Place | null;
  /** How much of it there is: messages, steps and cards. */
  count: number;
}

/** What came since the person last saw the end: scrolled away, or on another page of the browser. */
export function useUnread(chat: ChatView, following: boolean): Unread {
  const [hidden, setHidden] = useState(document.hidden);
  const seen = useRef({ count: countOf(chat), end: endOf(chat) });
  const from = useRef<Place | null>(null);
  const looks = following && !hidden;
  const count = countOf(chat);

  useEffect(() => {
    const onChange = () => setHidden(document.hidden);
    document.addEventListener("visibilitychange", onChange);
    return () => document.removeEventListener("visibilitychange", onChange);
  }, []);

  if (looks) seen.current = { count, end: endOf(chat) };
  else from.current = count > seen.current.count ? after(chat, seen.current.end) : from.current;
  // The line stays while the person reads on, and goes with the next message.
  const last = chat.turns.at(-1)?.turn ?? 0;
  const asked = useRef(last);
  if (asked.current !== last) {
    asked.current = last;
    if (looks) from.current = null;
  }
  return { from: from.current, count: count - seen.current.count };
}

function countOf(chat: ChatView): number {
  return chat.turns.reduce((sum, turn) => sum + 1 + turn.steps.length, Object.keys(chat.invocations).length);
}

function endOf(chat: ChatView): Place {
  const turn = chat.turns.at(-1);
  return { turn: turn?.turn ?? 0, step: turn?.steps.at(-1)?.step ?? 0 };
}

/** The first place behind `end`; null while nothing is there. */
function after(chat: ChatView, end: Place): Place | null {
  const turn = chat.turns.find((one) => one.turn === end.turn);
  const step = turn?.steps.find((one) => one.step > end.step);
  if (turn !== undefined && step !== undefined) return { turn: turn.turn, step: step.step };
  const at = turn === undefined ? 0 : chat.turns.indexOf(turn) + 1;
  const next = chat.turns[at];
  return next === undefined ? null : { turn: next.turn, step: 0 };
}
