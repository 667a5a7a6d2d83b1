// Following the end of a growing transcript, until the person looks elsewhere. Where a card waits for a decision and is
// higher than the view, its head is what is shown.

import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

// Rounding, not tolerance: one notch of the wheel already means "let me read".
const AT_END = 2;
// How long after a key or a touch a scroll still counts as the person's.
const BY_HAND = 400;
// What is left free above the head of a card.
const ABOVE = 12;
const KEYS_UP = new Set(["ArrowUp", "PageUp", "Home"]);

export interface Following {
  following: boolean;
  toEnd: () => void;
}

/**
 * Keeps `view` at its end while `content` grows; any scroll away from the end by the person ends that. At a waiting card
 * it stays until the person acts.
 */
export function useFollowing(
  view: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
): Following {
  const [following, setFollowing] = useState(true);
  const follows = useRef(true);
  const looked = useRef("");

  const set = (value: boolean) => {
    if (follows.current === value) return;
    follows.current = value;
    setFollowing(value);
  };
  const toEnd = () => {
    const element = view.current;
    if (element === null) return;
    looked.current = keyOf(waitingCard(element));
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

    let atEnd = true;

    const pin = () => {
      const end = element.scrollHeight - element.clientHeight;
      const card = waitingCard(element);
      const head = card === null ? end : topIn(element, card);
      if (head >= end) element.scrollTop = end;
      else if (keyOf(card) !== looked.current) element.scrollTop = head;
      else if (atEnd) element.scrollTop = end;
      lastTop = element.scrollTop;
    };
    const look = () => {
      looked.current = keyOf(waitingCard(element));
    };
    const isScrollable = () => element.scrollHeight > element.clientHeight;
    on("scroll", () => {
      const up = element.scrollTop < lastTop;
      if (element.scrollTop > lastTop) look(); // by whatever means, to read on
      lastTop = element.scrollTop;
      atEnd = element.scrollHeight - element.clientHeight - element.scrollTop <= AT_END;
      if (atEnd) set(true);
      // The browser moves the top too, when sizes above change; only the person's own scroll ends following.
      else if (up && (dragging || performance.now() - touched < BY_HAND)) set(false);
    });
    on("wheel", (event) => {
      look();
      if (event.deltaY < 0 && isScrollable()) set(false);
    });
    on("touchmove", () => {
      look();
      touched = performance.now();
    });
    on("keydown", (event) => {
      look();
      if (KEYS_UP.has(event.key)) touched = performance.now();
    });
    on("pointerdown", () => {
      look();
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

/** The first card of the newest turn that waits for a decision. */
function waitingCard(view: HTMLElement): HTMLElement | null {
  const newest = [...view.querySelectorAll("[data-bnb-turn]")].at(-1);
  return newest?.querySelector<HTMLElement>('[data-bnb-state="pending"]') ?? null;
}

function keyOf(card: HTMLElement | null): string {
  return card?.dataset.bnbCall ?? "";
}

/** How far `view` is scrolled when the head of the card is at its top. */
function topIn(view: HTMLElement, card: HTMLElement): number {
  const from = view.getBoundingClientRect().top;
  return Math.max(0, view.scrollTop + card.getBoundingClientRect().top - from - ABOVE);
}
