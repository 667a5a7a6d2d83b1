// Nodes as they shall be on the page, written down: only those that are not there yet are made.
//
// Every node is made by name and every text set as text: no HTML is ever parsed.

/** A text, a node made elsewhere, or an element. */
export type Wanted = string | Node | WantedElement;

export interface WantedElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Wanted[];
}

const NONE = {};

export function element(
  name: string,
  attributes: Readonly<Record<string, string>> = NONE,
  children: readonly Wanted[] = [],
): WantedElement {
  return { name, attributes, children };
}

export function make(wanted: WantedElement): HTMLElement;
export function make(wanted: Wanted): Node;
export function make(wanted: Wanted): Node {
  if (typeof wanted === "string") return document.createTextNode(wanted);
  if (wanted instanceof Node) return wanted;
  const made = document.createElement(wanted.name);
  for (const name in wanted.attributes) made.setAttribute(name, wanted.attributes[name] ?? "");
  for (const child of wanted.children) made.appendChild(make(child));
  return made;
}

/** Two runs of nodes as one: a text at the end of the first goes on in one at the beginning of the second. */
export function joined(first: readonly Wanted[], second: readonly Wanted[]): Wanted[] {
  const last = first.at(-1);
  const [next, ...others] = second;
  if (typeof last !== "string" || typeof next !== "string") return [...first, ...second];
  return [...first.slice(0, -1), last + next, ...others];
}
