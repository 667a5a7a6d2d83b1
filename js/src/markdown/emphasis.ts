// Which runs of `*`, `_` and `~` open and close what (CommonMark 0.31 section 6.2, GFM strikethrough).

import { REACH } from "./reach.js";
import type { Inline } from "./tree.js";

/** A part in the chain of a line's parts. */
export interface Piece {
  part: Inline;
  /** How deep parts nest in it. */
  depth: number;
  before: Piece | null;
  after: Piece | null;
}

/** A line's parts in order, to put in and take out anywhere. */
export class Pieces {
  last: Piece | null = null;
  #first: Piece | null = null;

  add(part: Inline): Piece {
    const piece: Piece = { part, depth: 0, before: this.last, after: null };
    if (this.last === null) this.#first = piece;
    else this.last.after = piece;
    this.last = piece;
    return piece;
  }

  addAfter(piece: Piece, part: Inline, depth: number): void {
    const added: Piece = { part, depth, before: piece, after: piece.after };
    if (piece.after === null) this.last = added;
    else piece.after.before = added;
    piece.after = added;
  }

  /** How deep parts nest behind `piece`, up to but without `end`. */
  depthAfter(piece: Piece, end: Piece | null = null): number {
    let depth = 0;
    for (let one = piece.after; one !== end && one !== null; one = one.after)
      depth = Math.max(depth, one.depth);
    return depth;
  }

  /** Takes what is behind `piece`, up to but without `end`. */
  takeAfter(piece: Piece, end: Piece | null = null): Inline[] {
    const parts: Inline[] = [];
    for (let one = piece.after; one !== end && one !== null; one = one.after) parts.push(one.part);
    piece.after = end;
    if (end === null) this.last = piece;
    else end.before = piece;
    return parts.filter((part) => part.kind !== "text" || part.text !== "");
  }

  /** The parts from the first to `piece`. */
  upTo(piece: Piece | null): Inline[] {
    const parts: Inline[] = [];
    if (piece === null) return parts;
    for (let one = this.#first; one !== null; one = one === piece ? null : one.after) {
      if (one.part.kind !== "text" || one.part.text !== "") parts.push(one.part);
    }
    return parts;
  }
}

interface Delimiter {
  piece: Piece;
  /** Where it stands in the text. */
  at: number;
  mark: string;
  number: number;
  count: number;
  /** How long the run was. */
  length: number;
  opens: boolean;
  closes: boolean;
}

/** Marks that nest deeper are text: nobody sees a difference, and a page survives it. */
const DEEPEST = 40;
const SPACE = /^\s?$/u;
const PUNCTUATION = /^[\p{P}\p{S}]$/u;

export class Delimiters {
  readonly #pieces: Pieces;
  readonly #open: Delimiter[] = [];
  /** Those before it have been looked at as closers. */
  #matched = 0;
  #count = 0;
  /** For each kind of closer: no run before this one opens it. */
  readonly #floors = new Map<string, number>();

  constructor(pieces: Pieces) {
    this.#pieces = pieces;
  }

  get size(): number {
    return this.#open.length;
  }

  /** Notes a run, which is a piece of text so far, at its place between two characters. */
  add(piece: Piece, at: number, run: string, before: string, after: string): void {
    const mark = run.charAt(0);
    const behindText = !SPACE.test(before);
    const beforeText = !SPACE.test(after);
    const left = beforeText && (!PUNCTUATION.test(after) || !behindText || PUNCTUATION.test(before));
    const right = behindText && (!PUNCTUATION.test(before) || !beforeText || PUNCTUATION.test(after));
    const opens = left && (mark !== "_" || !right || PUNCTUATION.test(before));
    const closes = right && (mark !== "_" || !left || PUNCTUATION.test(after));
    if ((!opens && !closes) || (mark === "~" && run.length > 2)) return;
    this.#count += 1;
    const { length } = run;
    this.#open.push({ piece, at, mark, number: this.#count, count: length, length, opens, closes });
  }

  /** Lets the runs from `bottom` on that can close do so; those left can only open. */
  match(bottom = 0): void {
    let at = Math.max(bottom, this.#matched);
    for (let closer = this.#open[at]; closer !== undefined; closer = this.#open[at]) {
      if (!closer.closes) {
        at += 1;
        continue;
      }
      const size = closer.mark === "~" ? closer.count : closer.length % 3;
      const kind = `${closer.mark}${closer.opens}${size}`;
      const floor = this.#floors.get(kind) ?? 0;
      let opener = at - 1;
      while (
        opener >= bottom &&
        (this.#open[opener]?.number ?? 0) > floor &&
        !fits(this.#open[opener], closer)
      )
        opener -= 1;
      if (opener >= bottom && fits(this.#open[opener], closer)) {
        at = this.#join(opener, at);
        continue;
      }
      if (bottom === 0) this.#floors.set(kind, this.#open[at - 1]?.number ?? 0);
      if (closer.opens) at += 1;
      else this.#open.splice(at, 1);
    }
    if (bottom === 0) this.#matched = this.#open.length;
  }

  /** Forgets the runs before the place: nothing behind this one closes them. Only where no link is open. */
  forget(place: number): void {
    const kept = this.#open.findIndex((one) => one.at >= place);
    const gone = kept === -1 ? this.#open.length : kept;
    this.#open.splice(0, gone);
    this.#matched = Math.max(0, this.#matched - gone);
  }

  /** Forgets the runs from `bottom` on: they are text. */
  drop(bottom: number): void {
    this.#open.length = bottom;
    this.#matched = Math.min(this.#matched, bottom);
  }

  /** Wraps what is between the two runs; where to go on. */
  #join(openerAt: number, closerAt: number): number {
    const opener = this.#open[openerAt];
    const closer = this.#open[closerAt];
    if (opener === undefined || closer === undefined) return closerAt + 1;
    const depth = this.#pieces.depthAfter(opener.piece, closer.piece) + 1;
    if (depth > DEEPEST) {
      this.#open.splice(closerAt, 1);
      return closerAt;
    }
    const used = opener.mark === "~" ? opener.count : opener.count >= 2 && closer.count >= 2 ? 2 : 1;
    const children = this.#pieces.takeAfter(opener.piece, closer.piece);
    const kind = opener.mark === "~" ? "del" : used === 2 ? "strong" : "em";
    this.#pieces.addAfter(opener.piece, { kind, children }, depth);
    this.#open.splice(openerAt + 1, closerAt - openerAt - 1);
    let at = openerAt + 1;
    shorten(opener, used);
    shorten(closer, used);
    if (closer.count === 0) this.#open.splice(at, 1);
    if (opener.count === 0) {
      this.#open.splice(openerAt, 1);
      at -= 1;
    }
    return at;
  }
}

function shorten(delimiter: Delimiter, by: number): void {
  delimiter.count -= by;
  delimiter.piece.part = { kind: "text", text: delimiter.mark.repeat(delimiter.count) };
}

function fits(opener: Delimiter | undefined, closer: Delimiter): boolean {
  if (opener === undefined || !opener.opens || opener.mark !== closer.mark) return false;
  if (closer.at - opener.at > REACH) return false;
  if (opener.mark === "~") return opener.count === closer.count;
  const both = opener.closes || closer.opens;
  return (
    !both || (opener.length + closer.length) % 3 !== 0 || (opener.length % 3 === 0 && closer.length % 3 === 0)
  );
}
