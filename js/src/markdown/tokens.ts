// What of an unfinished text's tokens is certain.

import type { Token } from "marked";
import { lex } from "./lexer.js";
import { closeMarks } from "./repair.js";

/** The tokens of `source`; nesting too deep for the lexer's stack is shown as plain text. */
export function lexed(source: string, withDefinitions: boolean): Token[] {
  try {
    return lex(source, withDefinitions);
  } catch {
    return source === "" ? [] : [{ type: "plain", raw: source }];
  }
}

/** The tokens with the marks that the last one leaves open closed, where that keeps it the block that it is. */
export function withMarksClosed(tokens: Token[]): Token[] {
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
export function countClosed(tokens: Token[], source: string): number {
  let closed = tokens.findLastIndex((token) => token.type !== "space");
  while (closed > 0) {
    const before = joined(tokens.slice(0, closed));
    if (!source.startsWith(before)) return 0;
    if (source.includes("\n", before.length) && tokens[closed]?.type !== "space") return closed;
    closed -= 1;
  }
  return 0;
}

/** The source of tokens. */
export function joined(tokens: readonly { raw: string }[]): string {
  return tokens.map((token) => token.raw).join("");
}
