// What of an unfinished text can be painted now without being taken back by the next token.
//
// Two rules. An ending that may become a marker (`**`, `#`, "```", a table head) is held back: it is painted once it
// is certain. What is open is closed (`**bold` is painted bold): it has been painted so from its first letter on.

import { holdBlock, mayBecomeInline, readInline } from "./math.js";

/** `source` without the last lines that may still turn out to be markers of a block. */
export function holdBack(source: string): string {
  const open = source.slice(source.lastIndexOf("\n") + 1);
  const isMarker = MARKERS_ONLY.test(open) || FENCE_INFO.test(open) || TASK_BOX.test(open);
  return holdBlock(holdTableHead(isMarker ? source.slice(0, source.length - open.length) : source));
}

/** An unfinished block with the marks in its last line or leaf closed, or held back where they are in doubt. */
export function closeMarks(block: string): string {
  if (endsInsideFence(block)) return block;
  const start = leafStart(block);
  return block.slice(0, start) + closeInline(block.slice(start));
}

const MARKERS_ONLY = /^[ \t]*(?:[-=*+#>|:`~_ \t]+|\d{1,9}[.)]?[ \t]*)$/;
const TASK_BOX = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[[ xX]?\]?[ \t]*$/;
const FENCE_INFO = /^[ \t>]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(?:`{3,}[^`]*|~{3,}.*)$/;

/** A line that starts with a pipe under a line without one is a table head or nothing: wait for the line below it. */
function holdTableHead(text: string): string {
  const end = text.endsWith("\n") ? text.length - 1 : text.length;
  const start = text.lastIndexOf("\n", end - 1) + 1;
  if (!/^ {0,3}\|/.test(text.slice(start, end))) return text;
  const above = text.slice(text.lastIndexOf("\n", start - 2) + 1, Math.max(start - 1, 0));
  return above.includes("|") ? text : text.slice(0, start);
}

function endsInsideFence(text: string): boolean {
  let fence = "";
  for (const [, marker, rest] of text.matchAll(
    /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}|~{3,})(.*)$/gm,
  )) {
    if (marker === undefined) continue;
    if (fence === "") fence = marker;
    else if (marker.startsWith(fence) && (rest ?? "").trim() === "") fence = "";
  }
  return fence !== "";
}

const BLANK_OR_RULE = /^[ \t>]*(?:[-=*_ \t]*|(?:`{3,}|~{3,})[ \t]*)$/;
const LEAF_MARKER = /^[ \t]*(?:(?:#{1,6}|>|[-*+]|\d{1,9}[.)])[ \t]+)+(?:\[[ xX]\][ \t]+)?/;

/** Where the last paragraph, item, heading or table cell of `text` starts, past its own marker. */
function leafStart(text: string): number {
  let start = text.lastIndexOf("\n") + 1;
  for (;;) {
    const marker = LEAF_MARKER.exec(text.slice(start));
    if (marker !== null) return start + marker[0].length;
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end === -1 ? undefined : end);
    if (/^ {0,3}\|/.test(line)) return start + line.lastIndexOf("|") + 1;
    if (start === 0) return 0;
    const above = text.lastIndexOf("\n", start - 2) + 1;
    if (BLANK_OR_RULE.test(text.slice(above, start - 1))) return start;
    start = above;
  }
}

interface Delimiter {
  mark: string;
  count: number;
}

interface Bracket {
  at: number;
  depth: number;
}

/** Reads one leaf and returns it with its doubtful ending held back and its open marks closed. */
function closeInline(leaf: string): string {
  const held = /(?:\\|&#?\w{0,10}|[\ud800-\udbff]|^\[[ xX]?\]?)$/.exec(leaf);
  const text = held === null ? leaf : leaf.slice(0, held.index);
  const open: Delimiter[] = [];
  const brackets: Bracket[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    const formula = character === "$" || character === "\\" ? readInline(text.slice(at)) : null;
    if (formula !== null) {
      at += formula.raw.length;
    } else if ((character === "$" || character === "\\") && mayBecomeInline(text.slice(at))) {
      return close(text.slice(0, at), open, brackets);
    } else if (character === "\\") {
      at += 2;
    } else if (character === "`") {
      const mark = runAt(text, at);
      const after = at + mark.length;
      if (after === text.length) return close(text.slice(0, at), open, brackets);
      const end = codeEnd(text, after, mark.length);
      if (end === -1) return closeCode(text, mark, open, brackets);
      at = end;
    } else if (character === "!" && (at + 1 === text.length || text.charAt(at + 1) === "[")) {
      const end = linkEnd(text, text.indexOf("](", at));
      if (end === -1) return close(text.slice(0, at), open, brackets);
      at = end;
    } else if (character === "[") {
      brackets.push({ at, depth: open.length });
      at += 1;
    } else if (character === "]" && brackets.length > 0) {
      if (at + 1 === text.length) return close(text.slice(0, at), open, brackets);
      if (text.charAt(at + 1) === "(") {
        const end = linkEnd(text, at);
        if (end === -1) return close(text.slice(0, at), open, brackets);
        at = end;
      } else {
        at += 1;
      }
      brackets.pop();
    } else if (character === "*" || character === "_" || character === "~") {
      const mark = runAt(text, at);
      if (at + mark.length === text.length) return close(text.slice(0, at), open, brackets);
      readDelimiter(text, at, mark, open);
      at += mark.length;
    } else {
      at += 1;
    }
  }
  return close(text, open, brackets);
}

function readDelimiter(text: string, at: number, mark: string, open: Delimiter[]): void {
  const before = text.charAt(at - 1);
  const after = text.charAt(at + mark.length);
  const character = mark.charAt(0);
  let count = mark.length;
  const mayClose = before !== "" && !/\s/.test(before) && (character !== "_" || !/\w/.test(after));
  while (mayClose && count > 0) {
    const index = open.findLastIndex((delimiter) => delimiter.mark === character);
    const delimiter = open[index];
    if (delimiter === undefined) break;
    const used = Math.min(delimiter.count, count);
    delimiter.count -= used;
    count -= used;
    open.length = delimiter.count === 0 ? index : index + 1;
  }
  // Inside a word a mark opens too (`5*3`), but painting that before it is closed would be a guess.
  if (count > 0 && count <= 3 && !/\s/.test(after) && !/\w/.test(before))
    open.push({ mark: character, count });
}

function close(text: string, open: Delimiter[], brackets: Bracket[]): string {
  let kept = text;
  for (const { at } of [...brackets].reverse()) kept = kept.slice(0, at) + kept.slice(at + 1);
  if (open.length === 0) return kept;
  return (
    kept.trimEnd() +
    [...open]
      .reverse()
      .map(({ mark, count }) => mark.repeat(count))
      .join("")
  );
}

function closeCode(text: string, mark: string, open: Delimiter[], brackets: Bracket[]): string {
  const run = /`*$/.exec(text)?.[0] ?? "";
  return close(
    text.slice(0, text.length - run.length),
    [...open, { mark: "`", count: mark.length }],
    brackets,
  );
}

function runAt(text: string, at: number): string {
  const character = text.charAt(at);
  let end = at + 1;
  while (text.charAt(end) === character) end += 1;
  return text.slice(at, end);
}

/** Past the run of `length` backticks that ends a code span, or -1; a run at the very end may still grow. */
function codeEnd(text: string, from: number, length: number): number {
  for (let at = text.indexOf("`", from); at !== -1; at = text.indexOf("`", at)) {
    const run = runAt(text, at);
    at += run.length;
    if (run.length === length && at < text.length) return at;
  }
  return -1;
}

/** Past the `)` of a link whose `](` is at `bracket`, or -1 when it has not come yet. */
function linkEnd(text: string, bracket: number): number {
  if (bracket === -1) return -1;
  let depth = 0;
  for (let at = bracket + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === "\\") at += 1;
    else if (character === "(") depth += 1;
    else if (character === ")") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}
