// Following the end of a growing transcript, until the person looks elsewhere.

import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

// Rounding, not tolerance: one notch of the wheel already means "let me read".
const AT_END = 2;
// How long after a key or a touch a scroll still counts as the person's.
const BY_HAND = 400;
const KEYS_UP = new Set(["ArrowUp", "PageUp", "Home"]);

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

  const set = (value: boolean) => {
    if (follows.current === value) return;
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
    const ends = new AbortController();
    const on = <K extends keyof HTMLElementEventMap>(name: K, run: (event: HTMLElementEventMap[K]) => void) =>
      element.addEventListener(name, run, { passive: true, signal: ends.signal });
    let touched = 0;
    let dragging = false;
    let lastTop = element.scrollTop;

    const pin = () => {
      element.scrollTop = element.scrollHeight;
    };
    const isScrollable = () => element.scrollHeight > element.clientHeight;
    on("scroll", () => {
      const up = element.scrollTop < lastTop;
      lastTop = element.scrollTop;
      if (element.scrollHeight - element.clientHeight - element.scrollTop <= AT_END) set(true);
      // The browser moves the top too, when sizes above change; only the person's own scroll ends following.
      else if (up && (dragging || performance.now() - touched < BY_HAND)) set(false);
    });
    on("wheel", (event) => {
      if (event.deltaY < 0 && isScrollable()) set(false);
    });
    on("touchmove", () => {
      touched = performance.now();
    });
    on("keydown", (event) => {
      if (KEYS_UP.has(event.key)) touched = performance.now();
    });
    on("pointerdown", () => {
      dragging = true;
    });
    window.addEventListener("pointerup", () => (dragging = false), { signal: ends.signal });
    const sizes = new ResizeObserver(() => {
      if (follows.current) pin();
    });
    sizes.observe(inner);
    sizes.observe(element);
    pin();
    return () => {
      ends.abort();
      sizes.disconnect();
    };
  }, [view, content]);

  return { following, toEnd };
}
