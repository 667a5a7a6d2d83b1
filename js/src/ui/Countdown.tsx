// The time that a person has to approve.

import { useEffect, useState } from "preact/hooks";
import { clock } from "../format.js";
import { useSurface } from "./context.js";

/** How long there is left to approve: seconds in the last minutes, else the time of day. */
export function Countdown({ at, over }: { at: number; over: boolean }) {
  const { words } = useSurface();
  const now = useNow(over);
  if (over) {
    return (
      <span class="bnb-note" role="status">
        {words.timeOver}
      </span>
    );
  }
  const seconds = Math.max(0, Math.ceil((at - now) / 1_000));
  const short = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return (
    <span class="bnb-faint" role="timer">
      {seconds < 600 ? words.timeLeft(short) : words.expiresAt(clock(at))}
    </span>
  );
}

/** Whether the time to answer is over, told when it happens. */
export function useExpired(at: number | null): boolean {
  const [expired, setExpired] = useState(at !== null && at <= Date.now());
  useEffect(() => {
    if (at === null || expired) return;
    // Timers hold 31 bits of milliseconds; nobody looks at a card for 24 days.
    const timer = setTimeout(() => setExpired(true), Math.min(at - Date.now(), 2 ** 31 - 1));
    return () => clearTimeout(timer);
  }, [at, expired]);
  return expired;
}

/** The time, told each second. */
export function useNow(over = false): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (over) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [over]);
  return now;
}
