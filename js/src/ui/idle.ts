// Drawing a long list from its end: the newest now, the rest in idle moments.

import { useEffect, useState } from "preact/hooks";

/** How many of the first of `count` things are not drawn yet: all but `first` at the beginning, `slice` less each time. */
export function useHidden(
  count: number,
  first: number,
  slice: number,
  most: number = Number.POSITIVE_INFINITY,
): number {
  const [left, setLeft] = useState(Math.max(0, count - first));
  const hidden = Math.min(left, Math.max(0, count - first));
  const isDue = hidden > Math.max(0, count - most);
  useEffect(() => {
    if (!isDue) return;
    const more = () => setLeft(Math.max(0, hidden - slice));
    // Safari has no idle callbacks.
    if (typeof requestIdleCallback === "undefined") {
      const timer = setTimeout(more, 50);
      return () => clearTimeout(timer);
    }
    const idle = requestIdleCallback(more, { timeout: 1_000 });
    return () => cancelIdleCallback(idle);
  }, [isDue, hidden, slice]);
  return hidden;
}
