// Markdown painted while it arrives: what is certain is frozen, only the open end is read again.
//
// What is in `#past` is painted for good and never lexed again. The tail after it is one open block:
//   - a fence is not lexed at all, its lines are appended as text and coloured once when it closes;
//   - a list or table keeps its element, and its finished items or rows are cut off the tail (`#grown`);
//   - anything else is lexed, built and morphed onto what is painted.
// The nodes after the last delta are those of a single render of the whole text, however it was cut.

import type { Token, Tokens } from "marked";
import {
  codeElement,
  hasLooseItem,
  isLoose,
  LOOSE,
  languageOf,
  renderBlock,
  renderItem,
  renderRow,
} from "./dom.js";
import { lex } from "./lexer.js";
import { morphChildren } from "./morph.js";
import { closeMarks, holdBack } from "./repair.js";

/** A list or table at the end of the text, part of which is frozen. */
interface Grown {
  kind: "list" | "table";
  /** The last frozen item or row, none when null. */
  kept: Node | null;
  /** Source that the tail needs in front of it to be read as part of the same block. */
  head: string;
  loose: boolean;
}

interface Fence {
  closes: RegExp;
  code: Element;
  /** How much of the tail is painted, the info line included. */
  painted: number;
  /** Where the next line to look at starts. */
  line: number;
}

const FENCE_OPENS = /^( {0,3})(`{3,}(?=[^`\n]*\n)|~{3,}(?=[^\n]*\n))([^\n]*)\n/;
// Long text nodes are slow to lay out again; a fence grows by a node per few kilobytes.
const TEXT_NODE_LIMIT = 4096;

export class MarkdownStream {
  readonly #root: Element;
  readonly #past: string[] = [];
  #tail = "";
  /** The last frozen child of the root, none when null. */
  #kept: Node | null = null;
  #grown: Grown | null = null;
  #fence: Fence | null = null;
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
    if ([...this.#past, this.#tail].join("").includes("]:")) this.#restart();
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
    const opensFence = !this.#finished && FENCE_OPENS.test(source.slice(before.length));
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

  /** The first child that is not frozen. */
  #first(): Node | null {
    return this.#kept === null ? this.#root.firstChild : this.#kept.nextSibling;
  }

  /** Freezes the next `count` children. */
  #keep(count: number): void {
    for (let left = count; left > 0; left -= 1) this.#kept = this.#first();
  }

  /** Paints the unfrozen items or rows of the block that is already in the page. */
  #paintGrown(token: Token, grown: Grown): void {
    const element = this.#first();
    if (!(element instanceof Element)) return;
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
    if (!(element instanceof Element)) return;
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
    const opening = FENCE_OPENS.exec(this.#tail);
    if (opening === null) return false;
    const [line, , marker = "", info = ""] = opening;
    const wanted = codeElement(languageOf(info), []);
    this.#removed += morphChildren(this.#root, this.#kept, [wanted]);
    const element = this.#first();
    if (!(element instanceof Element)) return false;
    this.#fence = {
      closes: new RegExp(`^ {0,3}${marker}[~\`]* *$`),
      code: element.querySelector("code") ?? element,
      painted: line.length,
      line: line.length,
    };
    return true;
  }

  /** Appends what is new in an open fence; true once the fence is closed and frozen. */
  #growFence(fence: Fence): boolean {
    const tail = this.#tail;
    for (;;) {
      const end = tail.indexOf("\n", fence.line);
      const line = tail.slice(fence.line, end === -1 ? undefined : end);
      if (fence.closes.test(line) && (end !== -1 || this.#finished)) {
        this.#closeFence(end === -1 ? tail.length : end + 1);
        return true;
      }
      if (end === -1) break;
      fence.line = end + 1;
    }
    if (this.#finished) {
      this.#closeFence(tail.length);
      return true;
    }
    const partial = tail.slice(fence.line);
    // The last line break is not part of the code until another line follows it.
    const certain = partial === "" || /^ {0,3}[`~]*[`~ ]*$/.test(partial) ? fence.line - 1 : tail.length;
    if (certain > fence.painted) {
      appendText(fence.code, tail.slice(fence.painted, certain));
      fence.painted = certain;
    }
    return false;
  }

  #closeFence(end: number): void {
    this.#fence = null;
    const token = lexed(this.#tail.slice(0, end), false).find((candidate) => candidate.type === "code");
    const block = this.#first();
    const [coloured] = token === undefined ? [] : renderBlock(token);
    if (block !== null && coloured !== undefined) {
      this.#removed += morphChildren(block, null, [...coloured.childNodes]);
    }
    this.#cut(end);
    this.#keep(1);
  }
}

/** Renders a whole text at once. */
export function renderMarkdown(root: Element, text: string): void {
  const stream = new MarkdownStream(root);
  stream.push(text);
  stream.finish();
}

/** The tokens of `source`; nesting too deep for the lexer's stack is shown as plain text. */
function lexed(source: string, withDefinitions: boolean): Token[] {
  try {
    return lex(source, withDefinitions);
  } catch {
    return source === "" ? [] : [{ type: "plain", raw: source }];
  }
}

/** The tokens with the marks that the last one leaves open closed, where that keeps it the block that it is. */
function withMarksClosed(tokens: Token[]): Token[] {
  const last = tokens.findLastIndex((token) => token.type !== "space");
  const open = tokens[last];
  if (open === undefined) return tokens;
  // A row is one line: no mark reaches from one to the next.
  const head = open.type === "table" ? open.raw.trimEnd().lastIndexOf("\n") : 0;
  const source = open.raw.slice(0, head) + closeMarks(open.raw.slice(head));
  if (source === open.raw) return tokens;
  const closed = lexed(source, false).filter((token) => token.type !== "space");
  const [only] = closed;
  if (closed.length !== 1 || only === undefined || only.type !== open.type) return tokens;
  return [...tokens.slice(0, last), only];
}

/**
 * How many leading tokens nothing that follows can change: those before a block whose first line is whole.
 * None when the lexer did not keep the source as it is, which a cut needs.
 */
function countClosed(tokens: Token[], source: string): number {
  let closed = tokens.findLastIndex((token) => token.type !== "space");
  while (closed > 0) {
    const before = joined(tokens.slice(0, closed));
    if (!source.startsWith(before)) return 0;
    if (source.includes("\n", before.length) && tokens[closed]?.type !== "space") return closed;
    closed -= 1;
  }
  return 0;
}

/** The child of `parent` that is `count` behind `from`. */
function advance(parent: Element, from: Node | null, count: number): Node | null {
  let node = from;
  for (let left = count; left > 0; left -= 1) node = node === null ? parent.firstChild : node.nextSibling;
  return node;
}

function joined(tokens: readonly { raw: string }[]): string {
  return tokens.map((token) => token.raw).join("");
}

function appendText(code: Element, text: string): void {
  const last = code.lastChild;
  if (last instanceof Text && last.length < TEXT_NODE_LIMIT) last.appendData(text);
  else code.append(document.createTextNode(text));
}
