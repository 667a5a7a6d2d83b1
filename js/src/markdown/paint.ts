// Blocks into the page: what is certain is painted once and never looked at again, what is open is made equal to what it
// is by now.

import type { Blocks } from "./blocks.js";
import {
  codeBlock,
  codeElement,
  containerElement,
  formulaElement,
  headingElement,
  renderInline,
  tableElement,
} from "./dom.js";
import { GrowingCode } from "./fence.js";
import { readInlines, readSettled } from "./inline.js";
import { isOf, morph, morphAttributes, morphChildren } from "./morph.js";
import { closeMarks, holdTableHead } from "./repair.js";
import { GrowingTable } from "./rows.js";
import type { Block, Code, Container, Document, Paragraph, Table } from "./tree.js";
import { element, joined, make, type Wanted, type WantedElement } from "./wanted.js";

/** How far a block that is still open is painted for good. */
interface Painted {
  element: Element;
  /** Children. */
  count: number;
  /** The last node of them, none when null. */
  kept: Node | null;
}

/** How far an open paragraph is painted for good; it belongs to the element, as a line without an end is read anew. */
interface Settled {
  element: Element;
  settled: string;
  /** The last node of it, none when null, and how many of its characters are certain where it is a text. */
  kept: Node | null;
  data: number;
}

export class Painter {
  /** Nodes taken out of the page so far. */
  removed = 0;
  readonly #root: Element;
  readonly #blocks: Blocks;
  readonly #painted = new WeakMap<Block | Document, Painted>();
  readonly #texts = new WeakMap<Element, Settled>();
  readonly #tables = new WeakMap<Table, GrowingTable>();
  readonly #codes = new WeakMap<Code, GrowingCode>();

  constructor(root: Element, blocks: Blocks) {
    this.#root = root;
    this.#blocks = blocks;
  }

  /** Makes the page show the blocks as they are. */
  paint(): void {
    this.#paintChildren(this.#blocks.document, this.#stateOf(this.#blocks.document, this.#root));
  }

  #paintChildren(block: Container, state: Painted): void {
    const certain = this.#blocks.certainOf(block);
    let last = state.kept;
    for (let index = state.count; index < block.children.length; index += 1) {
      const child = block.children[index];
      if (child === undefined) break;
      last = this.#paintBlock(child, state.element, last, index < certain);
      if (index >= certain) continue;
      state.count = index + 1;
      state.kept = last;
    }
    this.removed += morphChildren(state.element, last, []);
  }

  /** Paints a block behind the node `before`; the last node of it. */
  #paintBlock(block: Block, parent: Element, before: Node | null, isCertain: boolean): Node | null {
    switch (block.kind) {
      case "quote":
      case "list":
      case "item":
        return this.#paintContainer(block, parent, before);
      case "paragraph":
        return this.#paintParagraph(block, parent, before);
      case "table":
        return this.#paintTable(block, parent, before);
      case "code":
        if (block === this.#blocks.leaf && block.fence !== null)
          return this.#paintCode(block, parent, before);
        return this.#put(codeBlock(block), parent, before);
      case "heading": {
        const text = isCertain ? block.text : closeMarks(block.text);
        return this.#put(headingElement(block, this.#render(text)), parent, before);
      }
      case "rule":
        return this.#put(element("hr"), parent, before);
      case "formula":
        // One that has no end yet is not on the page.
        return block.tex === "" ? before : this.#put(formulaElement(block.tex), parent, before);
    }
  }

  #paintContainer(block: Exclude<Container, Document>, parent: Element, before: Node | null): Element {
    const at = behind(parent, before);
    const wanted = containerElement(block);
    let state = this.#painted.get(block);
    if (state === undefined || state.element !== at) {
      const element = canBecome(at, wanted) ? at : this.#replace(wanted, parent, before);
      state = this.#stateOf(block, element, wanted.children.length === 0 ? null : element.firstChild);
    }
    if (block.kind !== "item") morphAttributes(state.element, wanted);
    this.#paintChildren(block, state);
    return state.element;
  }

  #paintParagraph(block: Paragraph, parent: Element, before: Node | null): Node | null {
    const isOpen = block === this.#blocks.leaf;
    const text = isOpen ? holdTableHead(block.text).trimEnd() : block.text;
    if (text === "") return before;
    const wanted = element("p");
    const at = behind(parent, before);
    const painted = isOf(at, wanted) ? at : this.#replace(wanted, parent, before);
    let state = this.#texts.get(painted);
    // Whole strings are compared by words of memory, beginnings letter by letter.
    if (state === undefined || text.slice(0, state.settled.length) !== state.settled) {
      morphAttributes(painted, wanted);
      state = { element: painted, settled: "", kept: null, data: 0 };
      this.#texts.set(painted, state);
    }
    const rest = text.slice(state.settled.length);
    if (!isOpen) {
      this.#paintText(state, [], this.#render(rest));
      this.#texts.delete(painted);
      return painted;
    }
    const settled = readSettled(rest);
    this.#paintText(state, renderInline(settled.parts), this.#render(closeMarks(rest.slice(settled.length))));
    state.settled = text.slice(0, state.settled.length + settled.length);
    return painted;
  }

  /** Paints words behind those that are certain, of which `certain` are more. */
  #paintText(state: Settled, certain: Wanted[], open: Wanted[]): void {
    const { element, kept } = state;
    // Words go on in the text that is there.
    const isText = kept instanceof Text;
    const base = isText ? kept.previousSibling : kept;
    const start = isText ? joined([kept.data.slice(0, state.data)], certain) : certain;
    this.removed += morphChildren(element, base, joined(start, open));
    if (certain.length === 0) return;
    const last = start.at(-1);
    state.kept = advance(element, base, start.length);
    state.data = typeof last === "string" ? last.length : 0;
  }

  #paintTable(block: Table, parent: Element, before: Node | null): Element {
    let table = this.#tables.get(block);
    if (table === undefined || table.element !== behind(parent, before)) {
      const element = this.#replace(tableElement(block, this.#render), parent, before);
      table = new GrowingTable(element, block, this.#render);
      this.#tables.set(block, table);
    }
    this.removed += table.grow(this.#blocks.certainOf(block));
    return table.element;
  }

  #paintCode(block: Code, parent: Element, before: Node | null): Element {
    let code = this.#codes.get(block);
    if (code === undefined || code.element !== behind(parent, before)) {
      code = new GrowingCode(this.#replace(codeElement(block.language), parent, before));
      this.#codes.set(block, code);
    }
    code.grow(block.lines);
    return code.element;
  }

  readonly #render = (text: string): Wanted[] => renderInline(readInlines(text, this.#blocks.definitions));

  #stateOf(block: Block | Document, element: Element, kept: Node | null = null): Painted {
    const known = this.#painted.get(block);
    if (known?.element === element) return known;
    const state = { element, count: 0, kept };
    this.#painted.set(block, state);
    return state;
  }

  /** Makes the node behind `before` equal to `wanted`. */
  #put(wanted: WantedElement, parent: Element, before: Node | null): Element {
    const at = behind(parent, before);
    if (!isOf(at, wanted)) return this.#replace(wanted, parent, before);
    this.removed += morph(at, wanted);
    return at;
  }

  /** Puts what is wanted in the place of the node behind `before`. */
  #replace(wanted: WantedElement, parent: Element, before: Node | null): Element {
    const made = make(wanted);
    const at = behind(parent, before);
    if (at === null) parent.appendChild(made);
    else {
      parent.replaceChild(made, at);
      this.removed += 1;
    }
    return made;
  }
}

/** Whether what an element holds may be made what belongs into the wanted one: boxes of tasks stay where they are. */
function canBecome(at: Node | null, wanted: WantedElement): at is Element {
  if (!isOf(at, wanted)) return false;
  if (wanted.name !== "li") return true;
  const [box] = wanted.children;
  if (at.className !== (wanted.attributes.class ?? "")) return false;
  return box === undefined || at.firstChild?.isEqualNode(make(box)) === true;
}

function behind(parent: Element, node: Node | null): Node | null {
  return node === null ? parent.firstChild : node.nextSibling;
}

/** The child of `parent` that is `count` behind `from`. */
function advance(parent: Element, from: Node | null, count: number): Node | null {
  let node = from;
  for (let left = count; left > 0; left -= 1) node = behind(parent, node);
  return node;
}
