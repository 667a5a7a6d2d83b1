// Colour of code and typeset formulas: two chunks, each asked for when the first text needs it. Until one is there, or
// when it never comes, code is plain and a formula is its TeX; both stay readable and take their final form in place.

type Colour = (code: string, language: string) => Node[];
type Typeset = (tex: string, display: boolean) => Element | null;

const PLAIN = "data-bnb-plain";
const TEX = "data-bnb-tex";

let colour: Colour | null = null;
let typeset: Typeset | null = null;
let asked = { colour: false, typeset: false };
const roots = new Set<Element>();

/** The inside of a code element, and the mark that says that its colour is still to come. */
export function codeContent(code: string, language: string): { nodes: Node[]; mark: Record<string, string> } {
  if (language === "") return { nodes: [document.createTextNode(code)], mark: {} };
  if (colour !== null) return { nodes: colour(code, language), mark: {} };
  asked.colour = true;
  return { nodes: [document.createTextNode(code)], mark: { [PLAIN]: language } };
}

/** The nodes of a formula. */
export function mathNodes(tex: string, display: boolean): Node[] {
  const made = typeset?.(tex, display);
  if (made !== null && made !== undefined) return [made];
  const code = document.createElement("code");
  code.className = display ? "bnb-math bnb-math-display" : "bnb-math";
  code.textContent = tex;
  if (typeset === null) {
    asked.typeset = true;
    code.setAttribute(TEX, display ? "display" : "inline");
  }
  return [code];
}

/** Loads what the texts painted so far lack, and completes `root` once it is there. */
export function completeLater(root: Element): void {
  if (!asked.colour && !asked.typeset) return;
  roots.add(root);
  const wanted = asked;
  asked = { colour: false, typeset: false };
  // A chunk that does not come is asked for again by the next text that needs it.
  if (wanted.colour) loadColour().then(completeAll, () => {});
  if (wanted.typeset) loadTypeset().then(completeAll, () => {});
}

/** Loads the colours; the same for the formulas. */
export async function loadColour(): Promise<void> {
  colour ??= (await import("./highlight.js")).highlight;
}

export async function loadTypeset(): Promise<void> {
  typeset ??= (await import("./tex.js")).typeset;
}

function completeAll(): void {
  for (const root of roots) {
    if (root.isConnected) complete(root);
    if (!root.isConnected || root.querySelector(`[${PLAIN}],[${TEX}]`) === null) roots.delete(root);
  }
}

function complete(root: Element): void {
  if (colour !== null) {
    for (const code of root.querySelectorAll(`code[${PLAIN}]`)) {
      code.replaceChildren(...colour(code.textContent ?? "", code.getAttribute(PLAIN) ?? ""));
      code.removeAttribute(PLAIN);
    }
  }
  if (typeset !== null) {
    for (const code of root.querySelectorAll(`code[${TEX}]`)) {
      const made = typeset(code.textContent ?? "", code.getAttribute(TEX) === "display");
      if (made === null) code.removeAttribute(TEX);
      else code.replaceWith(made);
    }
  }
}
