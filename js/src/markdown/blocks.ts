// Lines to blocks as CommonMark and GFM say, one line at a time: a line is read once, whatever comes behind it.
//
// Only the blocks on the open spine can change: `#stack`, each the last child of the one before it, and `#leaf`, the last
// child of the deepest. So a line that is not whole yet can be read for a look (`glance`) and taken back.

import { takeDefinitions } from "./definitions.js";
import { takeMarker } from "./items.js";
import { closesFence, leafOf } from "./leaves.js";
import { Line } from "./line.js";
import { blockTex, mayBeBlock } from "./math.js";
import { putBack, type Spine, spineOf } from "./spine.js";
import { readRow, tableUnder } from "./table.js";
import type { Block, Container, Document, Formula, Leaf, Table } from "./tree.js";

/** Beyond this nothing nests: a text of ten thousand `>` is a paragraph. */
const DEEPEST = 60;
const UNDERLINE = /^(?:(=+)|-+)[ \t]*$/;

export class Blocks {
  readonly document: Document = { kind: "document", children: [] };
  /** The labels that the text defines; empty unless definitions are read. */
  readonly definitions = new Map<string, string>();
  readonly #readsDefinitions: boolean;
  #stack: Container[] = [this.document];
  #leaf: Leaf | null = null;
  /** Whether the line before was blank, for the blocks that it belonged to. */
  #blank = false;
  /** The state before an open formula and the lines since: they are read again when it turns out to be none. */
  #doubt: { spine: Spine; lines: string[] } | null = null;
  #glance: Spine | null = null;

  constructor({ readsDefinitions }: { readsDefinitions: boolean }) {
    this.#readsDefinitions = readsDefinitions;
  }

  /** The leaf that the next line may still change. */
  get leaf(): Leaf | null {
    return this.#leaf;
  }

  /** How many children of a container, or rows of a table, stay as they are whatever follows. */
  certainOf(block: Container | Table): number {
    const spine = this.#doubt?.spine ?? this.#glance;
    if (block.kind === "table") return spine?.leaf === block ? spine.size : block.rows.length;
    const stack = spine?.stack ?? this.#stack;
    const leaf = spine === null ? this.#leaf : spine.leaf;
    const at = stack.indexOf(block);
    if (at === -1) return block.children.length;
    const isLastOpen = at < stack.length - 1 || leaf !== null;
    return (spine?.sizes[at] ?? block.children.length) - (isLastOpen ? 1 : 0);
  }

  /** Reads a whole line. */
  add(text: string): void {
    if (this.#doubt !== null) this.#addToFormula(text, this.#doubt);
    else this.#read(text, true);
  }

  /** Reads the beginning of a line until `lookAway`; nothing when it is not known yet what it begins. */
  glance(text: string): void {
    if (this.#doubt !== null && mayBeBlock(`${(this.#leaf as Formula).source}\n${text}`)) return;
    if (this.#doubt !== null) this.#giveUpFormula();
    this.#glance = this.#spine();
    if (!this.#read(text, true, true)) this.#restore(this.#glance);
  }

  lookAway(): void {
    if (this.#glance !== null) this.#restore(this.#glance);
    this.#glance = null;
  }

  /** Closes everything: no more lines come. */
  end(): void {
    while (this.#doubt !== null) this.#giveUpFormula();
    this.#closeTo(1);
  }

  /** Takes in a line; false when it is a glance that shows too little. */
  #read(text: string, mayOpenFormula: boolean, isGlance = false): boolean {
    const before = mayOpenFormula && !isGlance && /\$\$|\\\[/.test(text) ? this.#spine() : null;
    const line = new Line(text);
    let depth = this.#matched(line);
    const all = depth === this.#stack.length;
    if (all && this.#goesOn(line)) return true;
    let opened = false;
    for (;;) {
      const paragraph = all && !opened && this.#leaf?.kind === "paragraph" ? this.#leaf : null;
      const indent = line.indent;
      if (line.isBlank) break;
      if (indent >= 4) {
        if (this.#leaf?.kind === "paragraph" && !opened) break;
        line.skip(4);
        this.#open(depth, { kind: "code", fence: null, language: "", lines: [line.rest] });
        return true;
      }
      const rest = line.trimmed;
      if (paragraph !== null && this.#convert(paragraph, rest)) return true;
      const leaf = leafOf(rest, indent);
      if (leaf !== null) {
        this.#open(depth, leaf);
        if (leaf.kind !== "code") this.#leaf = null;
        return true;
      }
      if (mayOpenFormula && /^[$\\]/.test(rest)) {
        // The next character may make it a formula, or take that away.
        if (isGlance && mayBeBlock(rest)) return false;
        const tex = isGlance ? null : blockTex(rest);
        if (tex !== null) {
          this.#open(depth, { kind: "formula", source: rest, tex });
          if (tex !== "") this.#leaf = null;
          else if (before !== null) this.#doubt = { spine: before, lines: [text] };
          return true;
        }
      }
      if (depth >= DEEPEST) break;
      if (rest.startsWith(">")) {
        line.take(1);
        line.skip(1);
        depth = this.#nest(depth, { kind: "quote", children: [] });
      } else {
        const next = this.#openItem(line, depth, paragraph !== null);
        if (next === null) break;
        depth = next;
      }
      opened = true;
    }
    this.#addText(line, depth, opened);
    return true;
  }

  /** Walks through what the open containers ask of a line; how many of them it belongs to. */
  #matched(line: Line): number {
    let depth = 1;
    for (; depth < this.#stack.length; depth += 1) {
      const block = this.#stack[depth];
      if (block?.kind === "quote") {
        if (line.indent > 3 || !line.trimmed.startsWith(">")) break;
        line.take(1);
        line.skip(1);
      } else if (block?.kind === "item") {
        if (line.isBlank ? block.children.length === 0 : line.indent < block.indent) break;
        line.skip(block.indent);
      }
    }
    return depth;
  }

  /** Whether the line goes to open code as it stands. */
  #goesOn(line: Line): boolean {
    const code = this.#leaf;
    if (code?.kind !== "code") return false;
    if (code.fence !== null) {
      if (line.indent <= 3 && closesFence(line.trimmed, code.fence.run)) {
        this.#leaf = null;
      } else {
        line.skip(code.fence.indent);
        code.lines.push(line.rest);
      }
      this.#blank = false;
      return true;
    }
    if (line.indent < 4 && !line.isBlank) return false;
    line.skip(4);
    code.lines.push(line.rest);
    this.#blank = line.isBlank;
    return true;
  }

  /** Whether the line makes the paragraph above it a heading or its last line the head of a table. */
  #convert(paragraph: Extract<Leaf, { kind: "paragraph" }>, rest: string): boolean {
    const parent = this.#stack.at(-1) ?? this.document;
    const blocks: Block[] = parent.children;
    const underline = UNDERLINE.exec(rest);
    if (underline !== null) {
      if (this.#readsDefinitions) paragraph.text = takeDefinitions(paragraph.text, this.definitions);
      if (paragraph.text === "") return false;
      const depth = underline[1] === undefined ? 2 : 1;
      blocks[blocks.length - 1] = { kind: "heading", depth, text: paragraph.text.trimEnd() };
      this.#leaf = null;
      return true;
    }
    const found = tableUnder(paragraph.text, rest);
    if (found === null) return false;
    paragraph.text = found.above;
    this.#close(paragraph, parent);
    this.#leaf = found.table;
    blocks.push(found.table);
    return true;
  }

  /** Opens the item that the line begins with, and its list; the new depth, or null when it begins none. */
  #openItem(line: Line, depth: number, interrupts: boolean): number | null {
    const found = takeMarker(line, interrupts);
    if (found === null) return null;
    const { item, ...list } = found;
    const open = this.#stack[depth - 1];
    if (open?.kind === "list" && open.marker === list.marker) {
      this.#closeTo(depth);
      if (this.#blank) open.loose = true;
      open.children.push(item);
    } else {
      this.#nest(depth, { kind: "list", loose: false, children: [item], ...list });
    }
    this.#stack.push(item);
    return this.#stack.length;
  }

  #addText(line: Line, depth: number, opened: boolean): void {
    const leaf = this.#leaf;
    if (line.isBlank) {
      this.#closeTo(depth);
      const deepest = this.#stack.at(-1);
      this.#blank = deepest?.kind !== "quote" && !(deepest?.kind === "item" && deepest.children.length === 0);
      return;
    }
    const text = line.trimmed;
    // A paragraph goes on over containers that the line does not name.
    if (leaf?.kind === "paragraph" && !opened) leaf.text += leaf.text === "" ? text : `\n${text}`;
    else if (leaf?.kind === "table" && !opened && depth === this.#stack.length)
      leaf.rows.push(readRow(text, leaf.aligns.length));
    else this.#open(depth, { kind: "paragraph", text });
    this.#blank = false;
  }

  #open(depth: number, leaf: Leaf): void {
    this.#put(depth, leaf);
    this.#leaf = leaf;
    this.#blank = false;
  }

  /** Opens a container in the one of that depth; the new depth. */
  #nest(depth: number, block: Exclude<Container, Document>): number {
    this.#put(depth, block);
    this.#stack.push(block);
    return this.#stack.length;
  }

  /** Puts a block into the container of that depth, with everything in it closed. */
  #put(depth: number, block: Block): void {
    // A list holds nothing but its items.
    this.#closeTo(this.#stack[depth - 1]?.kind === "list" ? depth - 1 : depth);
    const [list, parent] = [this.#stack.at(-2), this.#stack.at(-1) ?? this.document];
    // A blank line between two blocks of an item makes its list a loose one.
    if (this.#blank && parent.kind === "item" && parent.children.length > 0 && list?.kind === "list")
      list.loose = true;
    (parent.children as Block[]).push(block);
  }

  #closeTo(depth: number): void {
    if (this.#leaf !== null) this.#close(this.#leaf, this.#stack.at(-1) ?? this.document);
    this.#leaf = null;
    this.#stack.length = depth;
  }

  #close(leaf: Leaf, parent: Container): void {
    if (leaf.kind !== "paragraph") return;
    if (this.#readsDefinitions) leaf.text = takeDefinitions(leaf.text, this.definitions);
    leaf.text = leaf.text.trimEnd();
    if (leaf.text === "") (parent.children as Block[]).pop();
  }

  #addToFormula(text: string, doubt: { spine: Spine; lines: string[] }): void {
    const formula = this.#leaf as Formula;
    const line = new Line(text);
    const goesOn = this.#matched(line) === this.#stack.length && !line.isBlank;
    const source = `${formula.source}\n${line.rest}`;
    const tex = goesOn ? blockTex(source) : null;
    doubt.lines.push(text);
    formula.source = source;
    if (tex === null) this.#giveUpFormula();
    if (tex === null || tex === "") return;
    formula.tex = tex;
    this.#leaf = null;
    this.#doubt = null;
  }

  /** What looked like a formula is text: its lines are read again. */
  #giveUpFormula(): void {
    const doubt = this.#doubt;
    if (doubt === null) return;
    this.#doubt = null;
    this.#restore(doubt.spine);
    const [first = "", ...others] = doubt.lines;
    this.#read(first, false);
    for (const line of others) this.add(line);
  }

  #spine(): Spine {
    return spineOf(this.#stack, this.#leaf, this.#blank);
  }

  #restore(spine: Spine): void {
    putBack(spine);
    this.#stack = [...spine.stack];
    this.#leaf = spine.leaf;
    this.#blank = spine.blank;
  }
}
