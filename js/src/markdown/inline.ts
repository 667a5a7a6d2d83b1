// A paragraph's text to its parts, by CommonMark's delimiter stack: linear, and certain from the left.
//
// With `settle` it also says up to where nothing that follows can change what was read, so that a growing paragraph is
// read again from there only.

import { angleLink, bareLink } from "./autolinks.js";
import { definitionOf, destination } from "./definitions.js";
import { Delimiters, type Piece, Pieces } from "./emphasis.js";
import { codeEnd, lastBoundary } from "./ends.js";
import { decodeEntities } from "./entities.js";
import { INLINE_LIMIT, readInline } from "./math.js";
import { REACH } from "./reach.js";
import { type Definitions, type Inline, textOf } from "./tree.js";

/** Letters and what else means nothing, an underscore inside a word included. */
const PLAIN = /(?:[^\\`*_~[\]!<&$\n]+|(?<=[\p{L}\p{N}])_+(?=[\p{L}\p{N}])|!(?!\[))+/uy;
const RUN = /`+|\*+|_+|~+/y;
const ENTITY = /&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});/iy;
const BREAK = /<br\s*\/?>/iy;
const ESCAPABLE = /[!-/:-@[-`{-~]/;
/** What stands behind the text of a link: address and title. */
const TARGET =
  /\([ \t\n]*(<(?:[^<>\n\\]|\\.)*>|(?:[^ \t\n()\\<]|\\.|\((?:[^ \t\n()\\]|\\.|\((?:[^ \t\n()\\]|\\.)*\))*\))(?:[^ \t\n()\\]|\\.|\((?:[^ \t\n()\\]|\\.|\((?:[^ \t\n()\\]|\\.)*\))*\))*)?(?:[ \t\n]+("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?[ \t\n]*\)/sy;
const LABEL = /\[((?:[^[\]\\]|\\.)*)\]/sy;
const NONE: Definitions = new Map();

interface Bracket {
  piece: Piece;
  isImage: boolean;
  /** Where the text inside begins. */
  from: number;
  /** The delimiters before it. */
  depth: number;
  isActive: boolean;
}

export interface Read {
  parts: Inline[];
  /** The length of the text that is certain, and its parts. */
  settled: { length: number; parts: Inline[] };
}

/** The parts of `text`. */
export function readInlines(text: string, definitions: Definitions = NONE): Inline[] {
  return new Reader(text, definitions, false).read().parts;
}

/** The parts of the beginning of `text` that nothing behind it can change. */
export function readSettled(text: string): Read["settled"] {
  return new Reader(text, NONE, true).read().settled;
}

class Reader {
  readonly #text: string;
  readonly #definitions: Definitions;
  readonly #pieces = new Pieces();
  readonly #delimiters = new Delimiters(this.#pieces);
  readonly #brackets: Bracket[] = [];
  /** Where the next place may settle; beyond the text when something in it may still get a meaning. */
  #doubtsUntil: number;
  #settled: { length: number; last: Piece | null } = { length: 0, last: null };
  #at = 0;

  constructor(text: string, definitions: Definitions, settles: boolean) {
    this.#text = text;
    this.#definitions = definitions;
    this.#doubtsUntil = settles ? 0 : Number.POSITIVE_INFINITY;
  }

  read(): Read {
    while (this.#at < this.#text.length) {
      this.#step(this.#text.charAt(this.#at));
    }
    const settled = { length: this.#settled.length, parts: this.#pieces.upTo(this.#settled.last) };
    this.#delimiters.match();
    return { parts: this.#pieces.upTo(this.#pieces.last), settled };
  }

  #step(character: string): void {
    if (character === "\\") this.#escape();
    else if (character === "`") this.#code();
    else if (character === "*" || character === "_" || character === "~") this.#delimiter(character);
    else if (character === "[") this.#bracket(1);
    else if (character === "!" && this.#text.charAt(this.#at + 1) === "[") this.#bracket(2);
    else if (character === "]") this.#close();
    else if (character === "<") this.#angle();
    else if (character === "&") this.#entity();
    else if (character === "\n") this.#newLine();
    else if (character !== "$" || !this.#formula()) this.#plain();
  }

  #plain(): void {
    const found = this.#match(PLAIN);
    const end = found === null ? this.#at + 1 : PLAIN.lastIndex;
    const link = found === null ? null : bareLink(this.#text, [this.#at, end], this.#clear);
    if (link === null) {
      this.#words(end);
      return;
    }
    if (link.at > this.#at) this.#words(link.at);
    this.#pieces.add({ kind: "link", href: link.href, children: [{ kind: "text", text: link.text }] });
    this.#at = link.at + link.length;
  }

  /** Adds plain text up to `end`; each word of it may be where the text settles. */
  #words(end: number): void {
    const from = Math.max(this.#doubtsUntil, this.#clear);
    if (from < end) {
      const space = lastBoundary(this.#text, this.#at, end);
      if (space > this.#at && space >= from) {
        this.#pieces.add({ kind: "text", text: this.#text.slice(this.#at, space) });
        this.#at = space;
        this.#settle();
      }
    }
    if (end > this.#at) this.#pieces.add({ kind: "text", text: this.#text.slice(this.#at, end) });
    this.#at = end;
  }

  /** Takes note that everything so far is certain, if it is. */
  #settle(): void {
    if (this.#at < this.#doubtsUntil || this.#at < this.#clear) return;
    this.#brackets.length = 0;
    this.#delimiters.match();
    this.#delimiters.forget(this.#at - REACH);
    if (this.#delimiters.size === 0) this.#settled = { length: this.#at, last: this.#pieces.last };
  }

  /** From where on no bracket is open that may still begin a link. */
  get #clear(): number {
    const last = this.#brackets.at(-1);
    return last === undefined ? 0 : last.from + REACH + 1;
  }

  /** What has been read may get another meaning by what follows; `until` where that ends. */
  #doubt(until = Number.POSITIVE_INFINITY): void {
    this.#doubtsUntil = Math.max(this.#doubtsUntil, until);
  }

  #newLine(): void {
    const last = this.#pieces.last?.part;
    const spaces = last?.kind === "text" ? (/ +$/.exec(last.text)?.[0].length ?? 0) : 0;
    if (last?.kind === "text" && spaces > 0) last.text = last.text.slice(0, -spaces);
    if (spaces >= 2) this.#pieces.add({ kind: "break" });
    else this.#write("\n");
    this.#at += 1;
    if (/\S/.test(this.#text.charAt(this.#at))) this.#settle();
  }

  #escape(): void {
    if (this.#formula()) return;
    const next = this.#text.charAt(this.#at + 1);
    if (next === "\n") this.#pieces.add({ kind: "break" });
    else this.#write(ESCAPABLE.test(next) ? next : `\\${next}`);
    this.#at += next === "" ? 1 : 2;
  }

  #code(): void {
    const run = this.#match(RUN) ?? "`";
    const from = this.#at + run.length;
    const end = codeEnd(this.#text.slice(from, from + REACH), run.length);
    if (end === -1) {
      this.#doubt(from + REACH);
      this.#write(run);
      this.#at = from;
      return;
    }
    const inner = this.#text.slice(from, from + end - run.length).replaceAll("\n", " ");
    const isPadded = /^ .* $/.test(inner) && inner.trim() !== "";
    this.#pieces.add({ kind: "code", text: isPadded ? inner.slice(1, -1) : inner });
    this.#at = from + end;
  }

  #delimiter(character: string): void {
    const run = this.#match(RUN) ?? character;
    const before = this.#text.slice(Math.max(0, this.#at - 2), this.#at).match(/.$/su)?.[0] ?? "";
    const end = this.#at + run.length;
    const piece = this.#write(run);
    this.#delimiters.add(
      piece,
      this.#at,
      run,
      before,
      String.fromCodePoint(this.#text.codePointAt(end) ?? 10),
    );
    this.#at = end;
  }

  #bracket(length: number): void {
    const piece = this.#write(this.#text.slice(this.#at, this.#at + length));
    this.#at += length;
    const depth = this.#delimiters.size;
    this.#brackets.push({ piece, isImage: length === 2, from: this.#at, depth, isActive: true });
  }

  /** A closing bracket: the end of a link or an image, or just that. */
  #close(): void {
    const isNear = this.#at < this.#clear;
    const opener = this.#brackets.pop();
    const label = opener === undefined ? "" : this.#text.slice(opener.from, this.#at);
    this.#at += 1;
    const href = isNear && opener?.isActive === true ? this.#target(label) : null;
    if (opener === undefined || href === null) {
      this.#write("]");
      return;
    }
    this.#delimiters.match(opener.depth);
    this.#delimiters.drop(opener.depth);
    opener.piece.depth = this.#pieces.depthAfter(opener.piece) + 1;
    const children = this.#pieces.takeAfter(opener.piece);
    if (opener.isImage) {
      opener.piece.part = { kind: "image", href, alt: textOf(children) };
      return;
    }
    opener.piece.part = { kind: "link", href, children };
    // No link inside another.
    for (const bracket of this.#brackets) bracket.isActive = bracket.isActive && bracket.isImage;
  }

  /** The address behind the text of a link, which is walked through; null when it is none. */
  #target(label: string): string | null {
    if (this.#text.charAt(this.#at) === "(") {
      TARGET.lastIndex = 0;
      const found = TARGET.exec(this.#text.slice(this.#at, this.#at + REACH));
      if (found !== null) {
        this.#at += TARGET.lastIndex;
        return destination(found[1] ?? "");
      }
      this.#doubt(this.#at + REACH);
    }
    const named = this.#definitions.size === 0 ? null : this.#matches(LABEL);
    const href = definitionOf(
      named === null || named[1] === "" ? label : (named[1] ?? ""),
      this.#definitions,
    );
    if (href !== null && named !== null) this.#at = LABEL.lastIndex;
    return href;
  }

  #angle(): void {
    if (this.#match(BREAK) !== null) {
      this.#pieces.add({ kind: "break" });
      this.#at = BREAK.lastIndex;
      return;
    }
    const link = angleLink(this.#text, this.#at);
    if (link === null) {
      if (/^<br\s*\/?$/i.test(this.#text.slice(this.#at, this.#at + 20))) this.#doubt();
      this.#write("<");
      this.#at += 1;
      return;
    }
    this.#pieces.add({ kind: "link", href: link.href, children: [{ kind: "text", text: link.text }] });
    this.#at += link.length;
  }

  #entity(): void {
    const entity = this.#match(ENTITY);
    this.#write(entity === null ? "&" : decodeEntities(entity));
    this.#at += entity?.length ?? 1;
  }

  /** Reads a formula, if there is one. */
  #formula(): boolean {
    const text = this.#text.slice(this.#at, this.#at + INLINE_LIMIT);
    const found = readInline(text);
    if (found === null) {
      const line = text.indexOf("\n");
      if (/^(?:\$|\\[([]|\\$)/.test(text))
        this.#doubt(
          line === -1 && text.length < INLINE_LIMIT
            ? undefined
            : this.#at + (line === -1 ? text.length : line),
        );
      return false;
    }
    this.#pieces.add({ kind: "math", tex: found.tex, display: found.display });
    this.#at += found.length;
    return true;
  }

  #write(text: string): Piece {
    return this.#pieces.add({ kind: "text", text });
  }

  #match(pattern: RegExp): string | null {
    return this.#matches(pattern)?.[0] ?? null;
  }

  #matches(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text);
  }
}
