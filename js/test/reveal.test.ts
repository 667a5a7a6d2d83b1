import fc from "fast-check";
import { expect, test } from "vitest";
import { reveal } from "../src/reveal.js";

function shown(text: string): string {
  return reveal(text)
    .map((piece) => (piece.kind === "text" ? piece.text : `<${piece.code}>`))
    .join("");
}

test.each([
  ["plain\ttext\n", "plain\ttext\n"],
  ["a\u202eb", "a<U+202E>b"],
  ["\u2066x\u2069", "<U+2066>x<U+2069>"],
  ["pay\u200bpal", "pay<U+200B>pal"],
  ["\u0000\u001b[31m", "<U+0000><U+001B>[31m"],
  ["a\rb", "a<U+000D>b"],
  ["\u{e0041}tag", "<U+E0041>tag"],
  ["half \ud83d", "half <U+D83D>"],
  ["👩‍👩‍👧 family", "👩‍👩‍👧 family"],
  ["a\u200db", "a<U+200D>b"],
  ["日本語 é", "日本語 é"],
])("%j is shown as %j", (text, wanted) => {
  expect(shown(text)).toBe(wanted);
});

test("nothing else is changed and no bidirectional control gets through", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const pieces = reveal(text);
      const visible = pieces.map((piece) => (piece.kind === "text" ? piece.text : "")).join("");
      expect(visible).not.toMatch(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
      const length = pieces.reduce((sum, piece) => {
        return (
          sum +
          (piece.kind === "text"
            ? piece.text.length
            : String.fromCodePoint(Number.parseInt(piece.code.slice(2), 16)).length)
        );
      }, 0);
      expect(length).toBe(text.length);
    }),
    { numRuns: 500, seed: 3 },
  );
});
