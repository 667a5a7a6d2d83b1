// The style sheet goes where the widget is drawn: once per document, or per shadow root, which no other sheet reaches.

import css from "./index.css?inline";

const PLACED = "data-bnb-style";

export function placeStyle(el: HTMLElement): void {
  const root = el.getRootNode();
  if (root instanceof ShadowRoot) add(root);
  else {
    add(el.ownerDocument.head);
    // Some front ends draw into an element that is put into its place, and its shadow root, later.
    if (root !== el.ownerDocument) requestAnimationFrame(() => el.isConnected && placeStyle(el));
  }
}

/** Places the style sheet of a chunk that was loaded late, for what is drawn in the element. */
export function placeSheet(el: HTMLElement, name: string, text: string): void {
  const root = el.getRootNode();
  add(root instanceof ShadowRoot ? root : el.ownerDocument.head, name, text);
}

function add(place: ParentNode, name = "", text = css): void {
  const known = place.querySelector(`style[${PLACED}="${name}"]`);
  if (known !== null) {
    if (known.textContent !== text) known.textContent = text;
    return;
  }
  const style = document.createElement("style");
  style.setAttribute(PLACED, name);
  style.textContent = text;
  place.append(style);
}
