// Markdown painted while it arrives: a line is read once, what is certain is painted once.
//
// Whole lines go to the block parser. The line that is still written is read for the time of a flush, unless it may yet
// become a marker, and taken back. The nodes after the last delta are those of a single render of the whole text, however
// it was cut.

import { Blocks } from "./blocks.js";
import { mayDefine } from "./definitions.js";
import { Painter } from "./paint.js";
import { isDoubtful } from "./repair.js";

export class MarkdownStream {
  readonly #root: Element;
  readonly #all: string[] = [];
  #blocks = new Blocks({ readsDefinitions: false });
  #painter: Painter;
  /** The line that has no end yet. */
  #line = "";
  #carriageReturn = false;
  #finished = false;

  constructor(root: Element) {
    this.#root = root;
    this.#painter = new Painter(root, this.#blocks);
    root.replaceChildren();
  }

  /** How many nodes were taken out of the page since the start: a measure of how calm painting is. */
  get removed(): number {
    return this.#painter.removed;
  }

  /** Adds text without painting it. */
  push(delta: string): void {
    // A carriage return at the very end may be half of a line break.
    const text = (this.#carriageReturn ? "\r" : "") + delta;
    this.#carriageReturn = text.endsWith("\r");
    this.#add((this.#carriageReturn ? text.slice(0, -1) : text).replace(/\r\n?/g, "\n"));
  }

  /** Paints what is certain of the text so far. */
  flush(): void {
    if (this.#finished) return;
    const isShown = this.#line !== "" && !isDoubtful(this.#line);
    if (isShown) this.#blocks.glance(this.#line);
    this.#painter.paint();
    if (isShown) this.#blocks.lookAway();
  }

  /** Paints everything: no more text comes. */
  finish(): void {
    if (this.#finished) return;
    if (this.#line !== "") this.#blocks.add(this.#line);
    this.#finished = true;
    this.#blocks.end();
    this.#define();
    this.#painter.paint();
  }

  #add(text: string): void {
    this.#all.push(text);
    let from = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      this.#blocks.add(this.#line + text.slice(from, end));
      this.#line = "";
      from = end + 1;
    }
    this.#line += text.slice(from);
  }

  /** Link definitions act backwards: with them, and only then, the whole text is read once more at its end. */
  #define(): void {
    const text = this.#all.join("");
    if (!mayDefine(text)) return;
    const blocks = new Blocks({ readsDefinitions: true });
    for (const line of text.split("\n")) blocks.add(line);
    blocks.end();
    if (blocks.definitions.size === 0) return;
    this.#blocks = blocks;
    const { removed } = this.#painter;
    this.#painter = new Painter(this.#root, blocks);
    this.#painter.removed = removed;
  }
}

/** Renders a whole text at once. */
export function renderMarkdown(root: Element, text: string): void {
  const stream = new MarkdownStream(root);
  stream.push(text);
  stream.finish();
}
