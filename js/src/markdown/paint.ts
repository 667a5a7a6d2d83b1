// Blocks into the page: what is certain is painted once and never looked at again, what is open is made equal to what it
// is by now.

import type { Blocks } from "./blocks.js";
import {
  codeElement,
  containerElement,
  headingElement,
  renderBlock,
  renderInline,
  rowElement,
  tableElement,
} from "./dom.js";
import { GrowingCode } from "./fence.js";
import { readInlines, readSettled } from "./inline.js";
import { morph, morphAttributes, morphChildren } from "./morph.js";
import { closeMarks, holdTableHead } from "./repair.js";
import type { Block, Code, Container, Document, Paragraph, Table } from "./tree.js";

/** How far a block that is still open is painted for good. */
interface Painted {
  element: Element;
  /** Children or rows. */
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
        if (block === this.#blocks.leaf) return this.#paintTable(block, parent, before);
        break;
      case "code":
        if (block === this.#blocks.leaf && block.fence !== null)
          return this.#paintCode(block, parent, before);
        break;
      case "heading":
        if (!isCertain)
          return this.#put(headingElement(block, inline(closeMarks(block.text))), parent, before);
    }
    let last = before;
    for (const node of renderBlock(block, this.#blocks.definitions)) last = this.#put(node, parent, last);
    return last;
  }

  #paintContainer(block: Exclude<Container, Document>, parent: Element, before: Node | null): Element {
    const at = behind(parent, before);
    let state = this.#painted.get(block);
    if (state === undefined || state.element !== at) {
      const made = containerElement(block);
      if (!(at instanceof Element) || !canBecome(at, made)) this.#replace(made, parent, before);
      const element = at instanceof Element && canBecome(at, made) ? at : made;
      state = this.#stateOf(block, element, made.firstChild === null ? null : element.firstChild);
    }
    if (block.kind !== "item") morphAttributes(state.element, containerElement(block));
    this.#paintChildren(block, state);
    return state.element;
  }

  #paintParagraph(block: Paragraph, parent: Element, before: Node | null): Node | null {
    const isOpen = block === this.#blocks.leaf;
    const text = isOpen ? holdTableHead(block.text).trimEnd() : block.text;
    if (text === "") return before;
    const element =
      this.#reuse("P", parent, before) ?? this.#replace(document.createElement("p"), parent, before);
    let state = this.#texts.get(element);
    if (state === undefined || !text.startsWith(state.settled)) {
      element.removeAttribute("class");
      state = { element, settled: "", kept: null, data: 0 };
      this.#texts.set(element, state);
    }
    const rest = text.slice(state.settled.length);
    if (!isOpen) {
      this.#paintText(state, [], renderInline(readInlines(rest, this.#blocks.definitions)));
      this.#texts.delete(element);
      return element;
    }
    const settled = readSettled(rest);
    this.#paintText(state, renderInline(settled.parts), inline(closeMarks(rest.slice(settled.length))));
    state.settled = text.slice(0, state.settled.length + settled.length);
    return element;
  }

  /** Paints words behind those that are certain, of which `certain` are more. */
  #paintText(state: Settled, certain: Node[], open: Node[]): void {
    const { element, kept } = state;
    // Words go on in the text that is there.
    const isText = kept instanceof Text;
    const base = isText ? kept.previousSibling : kept;
    const start = isText
      ? joined([document.createTextNode(kept.data.slice(0, state.data))], certain)
      : certain;
    const { length } = start;
    const last = start.at(-1);
    const data = last instanceof Text ? last.data.length : 0;
    this.removed += morphChildren(element, base, joined(start, open));
    if (certain.length === 0) return;
    state.kept = advance(element, base, length);
    state.data = data;
  }

  #paintTable(block: Table, parent: Element, before: Node | null): Element {
    let state = this.#painted.get(block);
    if (state === undefined || state.element !== behind(parent, before)) {
      state = this.#stateOf(block, this.#put(tableElement(block, inline, []), parent, before) as Element);
    }
    const body = state.element.querySelector("tbody");
    const certain = this.#blocks.certainOf(block);
    const rows = block.rows.slice(state.count).map((row, index) => {
      const cells = (state?.count ?? 0) + index < certain ? row : withMarksClosed(row);
      return rowElement(cells, block, inline);
    });
    if (body !== null) {
      this.removed += morphChildren(body, state.kept, rows);
      state.kept = advance(body, state.kept, certain - state.count);
      state.count = certain;
    }
    return state.element;
  }

  #paintCode(block: Code, parent: Element, before: Node | null): Element {
    let code = this.#codes.get(block);
    if (code === undefined || code.element !== behind(parent, before)) {
      code = new GrowingCode(this.#replace(codeElement(block.language, []), parent, before));
      this.#codes.set(block, code);
    }
    code.grow(block.lines);
    return code.element;
  }

  #stateOf(block: Block | Document, element: Element, kept: Node | null = null): Painted {
    const known = this.#painted.get(block);
    if (known?.element === element) return known;
    const state = { element, count: 0, kept };
    this.#painted.set(block, state);
    return state;
  }

  /** The node behind `before` where it is an element of that name. */
  #reuse(name: string, parent: Element, before: Node | null): Element | null {
    const at = behind(parent, before);
    return at instanceof Element && at.nodeName === name ? at : null;
  }

  /** Makes the node behind `before` equal to `wanted`. */
  #put(wanted: Node, parent: Element, before: Node | null): Node {
    const at = behind(parent, before);
    if (at === null || at.nodeName !== wanted.nodeName) return this.#replace(wanted, parent, before);
    this.removed += morph(at, wanted);
    return at;
  }

  /** Puts `made` in the place of the node behind `before`. */
  #replace<T extends Node>(made: T, parent: Element, before: Node | null): T {
    const at = behind(parent, before);
    if (at === null) parent.appendChild(made);
    else {
      parent.replaceChild(made, at);
      this.removed += 1;
    }
    return made;
  }
}

function inline(text: string): Node[] {
  return renderInline(readInlines(text));
}

/** A row that is still written: its last cell has its marks closed. */
function withMarksClosed(row: string[]): string[] {
  const last = row.findLastIndex((cell) => cell !== "");
  return row.map((cell, index) => (index === last ? closeMarks(cell) : cell));
}

/** Whether what an element holds may be made what belongs into the other one: boxes of tasks stay where they are. */
function canBecome(at: Element, made: Element): boolean {
  if (at.nodeName !== made.nodeName || at.className !== made.className)
    return made.nodeName !== "LI" && at.nodeName === made.nodeName;
  return made.firstChild === null || at.firstChild?.isEqualNode(made.firstChild) === true;
}

/** Two runs of nodes as one; a text that the second begins with goes on the last of the first. */
function joined(first: Node[], second: Node[]): Node[] {
  const last = first.at(-1);
  const [next, ...others] = second;
  if (!(last instanceof Text) || !(next instanceof Text)) return [...first, ...second];
  return [...first.slice(0, -1), document.createTextNode(last.data + next.data), ...others];
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
