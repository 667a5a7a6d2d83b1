// The keys of the chat, and the one that stays the notebook's inside it: saving.

import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

/** What each key does has its sentence in `words.keyFor`. */
export const KEYS = {
  send: ["Enter"],
  newLine: ["Shift+Enter"],
  sendNow: ["Ctrl+Enter"],
  stop: ["Esc"],
  last: ["↑"],
  write: ["/"],
  previous: ["Alt+↑", "k"],
  next: ["Alt+↓", "j"],
  decision: ["d"],
  end: ["End"],
  copy: ["c"],
  sheet: ["?"],
} as const;

/** What a key pressed outside of a field does; null when it does nothing. */
export function actOf(event: KeyboardEvent): keyof typeof KEYS | null {
  const { key, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey) return null;
  if (key === "ArrowUp" && altKey) return "previous";
  if (key === "ArrowDown" && altKey) return "next";
  const plain: Record<string, keyof typeof KEYS> = {
    "/": "write",
    "?": "sheet",
    k: "previous",
    j: "next",
    d: "decision",
    c: "copy",
  };
  return altKey ? null : (plain[key] ?? null);
}

/** Whether the key is typed text, or moves in some control of its own. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target;
  if (!(target instanceof Element)) return false;
  return target.closest("input:not([type=checkbox]), textarea, select, dialog, [contenteditable]") !== null;
}

const SUPPRESS = "data-lm-suppress-shortcuts";

/** Lets the notebook see Ctrl+S and Cmd+S that are pressed inside `root`, which keeps every other key to itself. */
export function useSaveKey(root: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const place = root.current;
      if (place === null || !isSave(event) || !event.composedPath().includes(place)) return;
      place.removeAttribute(SUPPRESS);
      setTimeout(() => place.setAttribute(SUPPRESS, "true"));
    };
    // Lumino looks at the attribute when the document hears the key, on its way down or up by JupyterLab's version;
    // the window hears it first.
    window.addEventListener("keydown", onKeyDown, true);
    return () => window.removeEventListener("keydown", onKeyDown, true);
  }, [root]);
}

/** Whether this is the key that saves the notebook. */
export function isSave(event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey, shiftKey, altKey } = event;
  return key.toLowerCase() === "s" && (ctrlKey || metaKey) && !shiftKey && !altKey;
}
