// Marks that are never closed reach a little way only, so that what is behind them can be certain: here, forty characters.

import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { readInlines, readSettled } from "../../src/markdown/inline.js";
import { streamed, whole } from "./drawn.js";

vi.mock("../../src/markdown/reach.js", () => ({ REACH: 40 }));

const WORD = fc.constantFrom(
  ...'some plain words and more of them ** * _ ~~ ` `` [ ] ( ) ![ ](x) ](< ](x" **a** *b* `c` ~~d~~ _e_ [l](https://a.example) https://b.example/[x] www.c.example]y me@d.example $x$ \\ \\* &amp; <br> \n'.split(
    " ",
  ),
);
const TEXT = fc
  .array(fc.tuple(WORD, fc.constantFrom(" ", " ", " ", "")), { minLength: 1, maxLength: 60 })
  .map((words) => words.flat().join(""));
const WIDTHS = fc.array(fc.integer({ min: 1, max: 25 }), { minLength: 1, maxLength: 5 });

test("a text with open marks that is cut anyhow has the nodes of one render", () => {
  fc.assert(
    fc.property(TEXT, WIDTHS, (text, widths) => {
      expect(streamed(text, widths).innerHTML).toBe(whole(text).innerHTML);
    }),
    { numRuns: 1_500, seed: 5 },
  );
});

test.each(["**", "*", "_", "~~", "`", "[", "![", "[a](", "[a](<b", "https://a.example/["])(
  "what is far enough behind an open %s is certain",
  (mark) => {
    const text = `begun ${mark}here and then some more words that go on without an end, as they may`;
    const { length } = readSettled(text);
    expect(length).toBeGreaterThan(text.length - 20);
  },
);

test.each([
  ["**", "strong"],
  ["*", "em"],
  ["~~", "del"],
  ["`", "code"],
])("%s is closed within its reach and not beyond it", (mark, kind) => {
  const marked = (count: number) =>
    readInlines(`${mark}${"ab ".repeat(count)}b${mark}`).map((one) => one.kind);
  expect(marked(10)).toEqual([kind]);
  expect(new Set(marked(20))).toEqual(new Set(["text"]));
});

test("a link's words and its address are within reach and not beyond it", () => {
  const kinds = (text: string) => readInlines(text).map((one) => one.kind);
  expect(kinds(`[${"ab ".repeat(10)}](x)`)).toEqual(["link"]);
  expect(kinds(`[${"ab ".repeat(20)}](x)`)).not.toContain("link");
  expect(kinds(`[a](${"b".repeat(30)})`)).toEqual(["link"]);
  expect(kinds(`[a](${"b".repeat(60)})`)).not.toContain("link");
});
