// TeX to MathML nodes: loaded with the first formula. MathML needs no font of ours and screen readers read it.

import temml from "temml";

const OPTIONS = {
  throwOnError: true,
  // No links, pictures, classes or styles of the message's own.
  trust: false,
  maxSize: [20, 60] as [number, number],
  maxExpand: 300,
};

const NAMES = new Set(
  (
    "math mrow mi mn mo mtext ms mspace msup msub msubsup mover munder munderover mmultiscripts mprescripts " +
    "mfrac msqrt mroot mtable mtr mtd mpadded mphantom mstyle menclose merror none semantics"
  ).split(" "),
);
const ATTRIBUTES = new Set(
  (
    "display displaystyle scriptlevel stretchy fence form separator lspace rspace minsize maxsize symmetric largeop " +
    "movablelimits accent accentunder linethickness mathvariant columnalign rowalign columnspacing rowspacing " +
    "columnspan rowspan width height depth voffset notation mathcolor mathbackground"
  ).split(" "),
);
const STYLES = new Set([
  "color",
  "background-color",
  "padding",
  "padding-left",
  "padding-right",
  "width",
  "display",
]);
// No parenthesis: a style names lengths and colours, never an address.
const VALUE = /^[a-z0-9#.% -]*$/i;

/** A node of the typesetter's tree: text, an element, or a mere group. */
interface Made {
  type?: string;
  text?: string;
  attributes?: Record<string, unknown>;
  style?: Record<string, unknown>;
  classes?: unknown[];
  children?: Made[];
}

/** The formula as a `math` element; null when it is no TeX that can be read. */
export function typeset(tex: string, display: boolean): Element | null {
  try {
    // The tree, not the typesetter's own nodes: it makes none in a page without a doctype, as some front ends have.
    const tree: Made = temml.__renderToMathMLTree(tex, { ...OPTIONS, displayMode: display });
    const [made] = nodesOf(tree);
    return made instanceof Element && made.localName === "math" ? made : null;
  } catch {
    return null;
  }
}

/** Only what MathML needs: whatever else the typesetter may let through does not get on the page. */
function nodesOf(made: Made): Node[] {
  if (typeof made.text === "string") return [document.createTextNode(made.text)];
  const inner = (made.children ?? []).flatMap(nodesOf);
  if (made.type === undefined || !NAMES.has(made.type)) return inner;
  const node = document.createElementNS("http://www.w3.org/1998/Math/MathML", made.type);
  for (const [name, value] of Object.entries(made.attributes ?? {}))
    if (ATTRIBUTES.has(name)) node.setAttribute(name, String(value));
  const classes = (made.classes ?? []).filter((name) => /^tml-[a-z-]+$/.test(String(name)));
  if (classes.length > 0) node.setAttribute("class", classes.join(" "));
  const style = Object.entries(made.style ?? {})
    .map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), String(value)])
    .filter(([name = "", value = ""]) => STYLES.has(name) && VALUE.test(value))
    .map(([name, value]) => `${name}:${value}`);
  if (style.length > 0) node.setAttribute("style", style.join(";"));
  node.append(...inner);
  return [node];
}
