// Makes painted nodes equal to wanted ones with the fewest changes, so that selection and focus survive a flush.

import { make, type Wanted, type WantedElement } from "./wanted.js";

/**
 * Makes the children of `parent` behind `kept` (all of them when null) equal to `wanted`.
 * Returns how many nodes were removed.
 */
export function morphChildren(parent: Node, kept: Node | null, wanted: readonly Wanted[]): number {
  let removed = 0;
  let at: Node | null = kept === null ? parent.firstChild : kept.nextSibling;
  for (const node of wanted) {
    if (at === null) {
      parent.appendChild(make(node));
      continue;
    }
    const next: Node | null = at.nextSibling;
    removed += morph(at, node);
    at = next;
  }
  while (at !== null) {
    const next: Node | null = at.nextSibling;
    parent.removeChild(at);
    removed += 1;
    at = next;
  }
  return removed;
}

/** Makes `painted` equal to `wanted`, or puts that in its place; how many nodes were removed. */
export function morph(painted: Node, wanted: Wanted): number {
  if (typeof wanted === "string") {
    if (!(painted instanceof Text)) return replace(painted, wanted);
    if (painted.data === wanted) return 0;
    if (wanted.startsWith(painted.data)) grow(painted, wanted.slice(painted.data.length));
    else painted.data = wanted;
    return 0;
  }
  if (wanted instanceof Node) return painted.isEqualNode(wanted) ? 0 : replace(painted, wanted);
  if (!isOf(painted, wanted)) return replace(painted, wanted);
  morphAttributes(painted, wanted);
  return morphChildren(painted, null, wanted.children);
}

export function morphAttributes(painted: Element, { attributes }: WantedElement): void {
  let count = 0;
  for (const name in attributes) {
    count += 1;
    const value = attributes[name] ?? "";
    if (painted.getAttribute(name) !== value) painted.setAttribute(name, value);
  }
  if (count === 0 && !painted.hasAttributes()) return;
  for (const name of painted.getAttributeNames()) if (!(name in attributes)) painted.removeAttribute(name);
}

export function isOf(painted: Node | null, { name }: WantedElement): painted is Element {
  return painted instanceof Element && painted.localName === name;
}

function replace(painted: Node, wanted: Wanted): number {
  painted.parentNode?.replaceChild(make(wanted), painted);
  return 1;
}

/**
 * Adds words to a text. A text that changes alone makes Chromium read all text of its block at once, and again when it
 * lays it out; beside another change it is read once.
 */
function grow(text: Text, more: string): void {
  const other = document.createTextNode("");
  text.parentNode?.appendChild(other);
  text.appendData(more);
  other.remove();
}
