// The one key of the notebook that stays the notebook's inside the chat: saving.

import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

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
