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

function add(place: ParentNode): void {
  const known = place.querySelector(`style[${PLACED}]`);
  if (known !== null) {
    if (known.textContent !== css) known.textContent = css;
    return;
  }
  const style = document.createElement("style");
  style.setAttribute(PLACED, "");
  style.textContent = css;
  place.append(style);
}
