// What of an unfinished text can be painted now without being taken back by the next token.
//
// Two rules. An ending that may become a marker (`**`, `#`, "```", a table head) is held back: it is painted once it
// is certain. What is open is closed (`**bold` is painted bold): it has been painted so from its first letter on.

import { mayBecomeInline, readInline } from "./math.js";

/** Whether the beginning of a line may still turn out to be the marker of a block. */
export function isDoubtful(line: string): boolean {
  return MARKERS_ONLY.test(line) || FENCE_INFO.test(line) || TASK_BOX.test(line);
}

const MARKERS_ONLY = /^(?:[-=*+#>|:`~_ \t]+|[> \t]*\d{1,9}[.)]?[ \t]*)$/;
const TASK_BOX = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[[ xX]?\]?[ \t]*$/;
const FENCE_INFO = /^[ \t>]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(?:`{3,}[^`]*|~{3,}.*)$/;

/** A line that starts with a pipe under a line without one is a table head or nothing: wait for the line below it. */
export function holdTableHead(paragraph: string): string {
  if (!paragraph.includes("|")) return paragraph;
  const start = paragraph.lastIndexOf("\n") + 1;
  if (!paragraph.startsWith("|", start)) return paragraph;
  const above = paragraph.slice(paragraph.lastIndexOf("\n", start - 2) + 1, Math.max(start - 1, 0));
  return above.includes("|") ? paragraph : paragraph.slice(0, Math.max(start - 1, 0));
}

interface Delimiter {
  mark: string;
  count: number;
}

interface Bracket {
  at: number;
  depth: number;
}

/** The text of an unfinished block with its doubtful ending held back and its open marks closed. */
export function closeMarks(leaf: string): string {
  const held = /(?:\\|&#?\w{0,10}|[\ud800-\udbff]|^\[[ xX]?\]?)$/.exec(leaf);
  const text = held === null ? leaf : leaf.slice(0, held.index);
  const open: Delimiter[] = [];
  const brackets: Bracket[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    const formula = character === "$" || character === "\\" ? readInline(text.slice(at)) : null;
    if (formula !== null) {
      at += formula.length;
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
