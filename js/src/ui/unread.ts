// Where the new part of a transcript begins for somebody who looked away, or who loaded the page again.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Memory } from "../host.js";
import { type ChatView, isObject } from "../protocol.js";

/** A place in the transcript: a step of a turn; a message of the person is step 0 of its turn. */
interface Place {
  turn: number;
  step: number;
}

export interface Unread {
  /** What came while nobody looked begins here. */
  from: Place | null;
  /** How much of it there is: messages, steps and cards. */
  count: number;
}

/** What the person has seen. */
interface Seen {
  /** How much there was. */
  count: number;
  /** Where it ended. */
  end: Place;
}

/**
 * What came since the person last saw the end: scrolled away, on another page of the browser, or before a reload.
 * `live` says that the kernel has told what there is by now.
 */
export function useUnread(chat: ChatView, following: boolean, live: boolean, memory: Memory): Unread {
  const [hidden, setHidden] = useState(document.hidden);
  const name = `bitte-nb:seen:${chat.chat}`;
  const count = countOf(chat);
  const seen = useRef<Seen>({ count, end: endOf(chat) });
  const from = useRef<Place | null>(null);
  // What a saved notebook shows first may be older than what was seen before the reload.
  const before = useRef(useState(() => read(memory.kept(name)))[0]);
  const looks = following && !hidden;

  useEffect(() => {
    const onChange = () => setHidden(document.hidden);
    document.addEventListener("visibilitychange", onChange);
    return () => document.removeEventListener("visibilitychange", onChange);
  }, []);

  const last = chat.turns.at(-1)?.turn ?? 0;
  const asked = useRef(last);
  if (before.current !== null && live) {
    asked.current = last;
    from.current =
      before.current.from ?? (count > before.current.count ? after(chat, before.current.end) : null);
    before.current = null;
  }
  if (looks) seen.current = { count, end: endOf(chat) };
  else if (count > seen.current.count) from.current = after(chat, seen.current.end);
  // The line stays while the person reads on, and goes with the next message.
  if (asked.current !== last) {
    asked.current = last;
    if (looks && live) from.current = null;
  }
  const kept = before.current === null ? JSON.stringify({ ...seen.current, from: from.current }) : null;
  useEffect(() => {
    if (kept !== null) memory.keep(name, kept);
  }, [memory, name, kept]);
  return { from: from.current, count: Math.max(0, count - seen.current.count) };
}

function countOf(chat: ChatView): number {
  return chat.turns.reduce((sum, turn) => sum + 1 + turn.steps.length, Object.keys(chat.invocations).length);
}

function endOf(chat: ChatView): Place {
  const turn = chat.turns.at(-1);
  return { turn: turn?.turn ?? 0, step: turn?.steps.at(-1)?.step ?? 0 };
}

/** The first place behind `end`; null while nothing is there, or where `end` is in another version of the chat. */
function after(chat: ChatView, end: Place): Place | null {
  const turn = chat.turns.find((one) => one.turn === end.turn);
  if (turn === undefined && end.turn !== 0) return null;
  const step = turn?.steps.find((one) => one.step > end.step);
  if (turn !== undefined && step !== undefined) return { turn: turn.turn, step: step.step };
  const at = turn === undefined ? 0 : chat.turns.indexOf(turn) + 1;
  const next = chat.turns[at];
  return next === undefined ? null : { turn: next.turn, step: 0 };
}

/** What was kept before a reload; anything else is as if nothing was. */
function read(text: string): (Seen & { from: Place | null }) | null {
  try {
    const { count, end, from } = JSON.parse(text);
    return typeof count === "number" && isPlace(end)
      ? { count, end, from: isPlace(from) ? from : null }
      : null;
  } catch {
    return null;
  }
}

function isPlace(value: unknown): value is Place {
  return isObject(value) && typeof value.turn === "number" && typeof value.step === "number";
}
