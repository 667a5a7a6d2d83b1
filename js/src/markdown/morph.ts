// Makes painted nodes equal to wanted ones with the fewest changes, so that selection and focus survive a flush.

/**
 * Makes the children of `parent` behind `kept` (all of them when null) equal to `wanted`.
 * Returns how many nodes were removed.
 */
export function morphChildren(parent: Node, kept: Node | null, wanted: readonly Node[]): number {
  let removed = 0;
  let at: Node | null = kept === null ? parent.firstChild : kept.nextSibling;
  for (const node of wanted) {
    if (at === null) {
      parent.appendChild(node);
      continue;
    }
    const next: Node | null = at.nextSibling;
    if (isSameKind(at, node)) {
      removed += morph(at, node);
    } else {
      parent.replaceChild(node, at);
      removed += 1;
    }
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

export function morph(painted: Node, wanted: Node): number {
  if (painted instanceof Text && wanted instanceof Text) {
    if (wanted.data.startsWith(painted.data)) {
      if (wanted.data.length > painted.data.length)
        painted.appendData(wanted.data.slice(painted.data.length));
    } else {
      painted.data = wanted.data;
    }
    return 0;
  }
  if (painted instanceof Element && wanted instanceof Element) morphAttributes(painted, wanted);
  return morphChildren(painted, null, [...wanted.childNodes]);
}

export function morphAttributes(painted: Element, wanted: Element): void {
  for (const { name } of [...painted.attributes])
    if (!wanted.hasAttribute(name)) painted.removeAttribute(name);
  for (const { name, value } of [...wanted.attributes]) {
    if (painted.getAttribute(name) !== value) painted.setAttribute(name, value);
  }
}

function isSameKind(a: Node, b: Node): boolean {
  return a.nodeType === b.nodeType && a.nodeName === b.nodeName;
}
