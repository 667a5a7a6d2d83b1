// Following the end of a growing transcript, until the person looks elsewhere.

import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

// Rounding, not tolerance: one notch of the wheel already means "let me read".
const AT_END = 2;

export interface Following {
  following: boolean;
  toEnd: () => void;
}

/** Keeps `view` at its end while `content` grows; any scroll away from the end by the person ends that. */
export function useFollowing(
  view: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
): Following {
  const [following, setFollowing] = useState(true);
  const follows = useRef(true);
  const lastTop = useRef(0);

  const set = (value: boolean) => {
    follows.current = value;
    setFollowing(value);
  };
  const toEnd = () => {
    const element = view.current;
    if (element === null) return;
    element.scrollTop = element.scrollHeight;
    set(true);
  };

  useEffect(() => {
    const element = view.current;
    const inner = content.current;
    if (element === null || inner === null) return;
    const onScroll = () => {
      const distance = element.scrollHeight - element.clientHeight - element.scrollTop;
      // Growing content moves the end away but never the top; only a person moves the top up.
      if (distance <= AT_END) set(true);
      else if (element.scrollTop < lastTop.current) set(false);
      lastTop.current = element.scrollTop;
    };
    const onWheel = (event: WheelEvent) => {
      if (event.deltaY < 0 && element.scrollHeight > element.clientHeight) set(false);
    };
    const grown = new ResizeObserver(() => {
      if (follows.current) element.scrollTop = element.scrollHeight;
    });
    element.addEventListener("scroll", onScroll, { passive: true });
    element.addEventListener("wheel", onWheel, { passive: true });
    grown.observe(inner);
    element.scrollTop = element.scrollHeight;
    return () => {
      element.removeEventListener("scroll", onScroll);
      element.removeEventListener("wheel", onWheel);
      grown.disconnect();
    };
  }, [view, content]);

  return { following, toEnd };
}
