// Markdown painted while it arrives: what is certain is frozen, only the open end is read again.
//
// What is in `#past` is painted for good and never lexed again. The tail after it is one open block:
//   - a fence is not lexed at all, its lines are appended as text and coloured once when it closes;
//   - a list or table keeps its element, and its finished items or rows are cut off the tail (`#grown`);
//   - anything else is lexed, built and morphed onto what is painted.
// The nodes after the last delta are those of a single render of the whole text, however it was cut.

import type { Token, Tokens } from "marked";
import { codeElement, hasLooseItem, isLoose, LOOSE, renderBlock, renderItem, renderRow } from "./dom.js";
import { OpenFence, readOpening } from "./fence.js";
import { morphChildren } from "./morph.js";
import { holdBack } from "./repair.js";
import { countClosed, joined, lexed, withMarksClosed } from "./tokens.js";

/** What may be a link definition, at the start of a line or inside quotes and items. */
const DEFINITION = /^[ \t>*+-]*(?:\d{1,9}[.)][ \t]+)?[ \t>]*\[[^\]\n]*(?:\n[^\]\n]+){0,3}\]:/m;

/** A list or table at the end of the text, part of which is frozen. */
interface Grown {
  kind: "list" | "table";
  /** The last frozen item or row, none when null. */
  kept: Node | null;
  /** Source that the tail needs in front of it to be read as part of the same block. */
  head: string;
  loose: boolean;
}

export class MarkdownStream {
  readonly #root: Element;
  readonly #past: string[] = [];
  #tail = "";
  /** The last frozen child of the root, none when null. */
  #kept: Node | null = null;
  #grown: Grown | null = null;
  #fence: OpenFence | null = null;
  #carriageReturn = false;
  #finished = false;
  #removed = 0;

  constructor(root: Element) {
    this.#root = root;
    root.replaceChildren();
  }

  /** How many nodes were taken out of the page since the start: a measure of how calm painting is. */
  get removed(): number {
    return this.#removed;
  }

  /** Adds text without painting it. */
  push(delta: string): void {
    // A carriage return at the very end may be half of a line break.
    const text = (this.#carriageReturn ? "\r" : "") + delta;
    this.#carriageReturn = text.endsWith("\r");
    this.#tail += (this.#carriageReturn ? text.slice(0, -1) : text).replace(/\r\n?/g, "\n");
  }

  /** Paints what is certain of the text so far. */
  flush(): void {
    if (!this.#finished) this.#paint();
  }

  /** Paints everything: no more text comes. */
  finish(): void {
    if (this.#finished) return;
    if (this.#carriageReturn) this.#tail += "\n";
    this.#finished = true;
    if (DEFINITION.test([...this.#past, this.#tail].join(""))) this.#restart();
    this.#paint();
  }

  /** Link definitions act backwards: with them, and only then, the whole text is read once more at its end. */
  #restart(): void {
    this.#tail = [...this.#past, this.#tail].join("");
    this.#past.length = 0;
    this.#kept = null;
    this.#grown = null;
    this.#fence = null;
  }

  #paint(): void {
    for (;;) {
      if (this.#fence !== null && !this.#growFence(this.#fence)) return;
      if (this.#grown === null && !this.#finished && this.#openFence()) continue;
      if (!this.#paintTail()) return;
    }
  }

  /** Moves the first `length` characters of the tail to the past. */
  #cut(length: number): void {
    if (length === 0) return;
    this.#past.push(this.#tail.slice(0, length));
    this.#tail = this.#tail.slice(length);
  }

  /** Lexes the tail and paints it; true when the tail has to be looked at again. */
  #paintTail(): boolean {
    const source = (this.#grown?.head ?? "") + this.#tail;
    const tokens = this.#finished ? lexed(source, true) : lexed(holdBack(source), false);
    if (this.#grown !== null && tokens[0]?.type !== this.#grown.kind) {
      this.#restart();
      return true;
    }
    const closed = this.#finished ? tokens.length : countClosed(tokens, source);
    const before = joined(tokens.slice(0, closed));
    const opensFence = !this.#finished && readOpening(source.slice(before.length)) !== null;
    const open = tokens[closed];
    const shown = opensFence ? tokens.slice(0, closed) : this.#finished ? tokens : withMarksClosed(tokens);
    this.#paintTokens(shown, closed);
    if (closed > 0) {
      this.#cut(before.length - (this.#grown?.head.length ?? 0));
      this.#grown = null;
    }
    if (!opensFence && open !== undefined) this.#grow(open);
    return opensFence;
  }

  #paintTokens(tokens: Token[], closed: number): void {
    const grown = this.#grown;
    if (grown !== null && tokens[0] !== undefined) this.#paintGrown(tokens[0], grown);
    const rest = grown === null ? tokens : tokens.slice(1);
    const made = rest.map(renderBlock);
    // A grown block was painted in place: what follows it goes after its element.
    const offset = grown === null ? 0 : 1;
    this.#removed += morphChildren(this.#root, grown === null ? this.#kept : this.#first(), made.flat());
    if (closed > 0) this.#keep(offset + made.slice(0, closed - offset).flat().length);
  }

  /** The first child that is not frozen; every block is an element. */
  #first(): Element | null {
    const node = this.#kept === null ? this.#root.firstChild : this.#kept.nextSibling;
    return node instanceof Element ? node : null;
  }

  /** Freezes the next `count` children. */
  #keep(count: number): void {
    for (let left = count; left > 0; left -= 1) this.#kept = this.#first();
  }

  /** Paints the unfrozen items or rows of the block that is already in the page. */
  #paintGrown(token: Token, grown: Grown): void {
    const element = this.#first();
    if (element === null) return;
    if (token.type === "list") {
      const list = token as Tokens.List;
      this.#removed += morphChildren(element, grown.kept, list.items.map(renderItem));
      if (grown.loose || hasLooseItem(list)) element.classList.add(LOOSE);
      else element.removeAttribute("class");
    } else {
      const body = element.querySelector("tbody");
      const rows = (token as Tokens.Table).rows;
      if (body !== null) this.#removed += morphChildren(body, grown.kept, rows.map(renderRow));
    }
  }

  /** Cuts the finished items or rows of an open list or table off the tail. */
  #grow(open: Token): void {
    const element = this.#first();
    if (element === null) return;
    if (open.type === "list") {
      const { items } = open as Tokens.List;
      // As with blocks, an item is finished by the first whole line of the next one.
      const finished = items.slice(0, items.at(-1)?.raw.includes("\n") ? -1 : -2);
      if (finished.length === 0 || !this.#tail.startsWith(joined(finished))) return;
      const before = this.#grown;
      const loose = before?.loose === true || finished.some((item) => isLoose(item, true));
      const kept = advance(element, before?.kept ?? null, finished.length);
      this.#cut(joined(finished).length);
      this.#grown = { kind: "list", kept, head: "", loose };
    } else if (open.type === "table") {
      const finished = (open as Tokens.Table).rows.length - 1;
      const body = element.querySelector("tbody");
      if (finished < 1 || body === null) return;
      const lines = open.raw.split("\n");
      const head = `${lines.slice(0, 2).join("\n")}\n`;
      const rows = lines.slice(2, 2 + finished).join("\n").length + 1;
      const before = this.#grown;
      this.#cut(rows + (before === null ? head.length : 0));
      this.#grown = {
        kind: "table",
        kept: advance(body, before?.kept ?? null, finished),
        head,
        loose: false,
      };
    }
  }

  #openFence(): boolean {
    const opening = readOpening(this.#tail);
    if (opening === null) return false;
    this.#removed += morphChildren(this.#root, this.#kept, [codeElement(opening.language, [])]);
    const code = this.#first()?.querySelector("code");
    if (code === undefined || code === null) return false;
    this.#fence = new OpenFence(code, opening);
    return true;
  }

  /** Appends what is new in an open fence; true once the fence is closed and frozen. */
  #growFence(fence: OpenFence): boolean {
    const end = fence.grow(this.#tail, { finished: this.#finished });
    if (end === null) return false;
    this.#fence = null;
    const token = lexed(this.#tail.slice(0, end), false).find((candidate) => candidate.type === "code");
    const [coloured] = token === undefined ? [] : renderBlock(token);
    const block = this.#first();
    if (block !== null && coloured !== undefined) {
      this.#removed += morphChildren(block, null, [...coloured.childNodes]);
    }
    this.#cut(end);
    this.#keep(1);
    return true;
  }
}

/** Renders a whole text at once. */
export function renderMarkdown(root: Element, text: string): void {
  const stream = new MarkdownStream(root);
  stream.push(text);
  stream.finish();
}

/** The child of `parent` that is `count` behind `from`. */
function advance(parent: Element, from: Node | null, count: number): Node | null {
  let node = from;
  for (let left = count; left > 0; left -= 1) node = node === null ? parent.firstChild : node.nextSibling;
  return node;
}
