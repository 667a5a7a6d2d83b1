// Long blocks: what is painted for good stays, and whatever was frozen when, the nodes are those of one render.

import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { MarkdownStream } from "../../src/markdown/stream.js";
import { streamed, whole } from "./drawn.js";

afterEach(() => vi.restoreAllMocks());

/** Lets every cell be as wide as it has characters, times ten. */
function layOut(): void {
  vi.spyOn(HTMLElement.prototype, "getBoundingClientRect").mockImplementation(function (this: HTMLElement) {
    return { width: 10 * (this.textContent ?? "").length } as DOMRect;
  });
}

const WIDTHS = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 });
const CELL = fc.constantFrom(
  "a",
  "**b**",
  "`x`",
  "two words",
  "",
  "a \\| b",
  "*open",
  "[l](https://a.example)",
  "$x$",
);
const TABLE = fc
  .tuple(
    fc.array(fc.tuple(CELL, CELL), { minLength: 60, maxLength: 200 }),
    fc.constantFrom("", "\nEnd.", "\n\nEnd.\n"),
  )
  .map(
    ([rows, end]) =>
      `| head | h |\n|---|--:|\n${rows.map((row) => `| ${row.join(" | ")} |`).join("\n")}${end}`,
  );
const WORDS = fc.constantFrom(
  ..."words and **bold** `code` *em* \n [link](https://a.example) ** * _ ` [ ] ( $ $5 a_b \\* <br> & &amp; ![x](y) https://b.example".split(
    " ",
  ),
);
const PARAGRAPH = fc.array(WORDS, { minLength: 200, maxLength: 500 }).map((words) => words.join(" "));

describe("a long block cut anyhow has the nodes of one render", () => {
  test("table", () => {
    layOut();
    fc.assert(
      fc.property(TABLE, WIDTHS, (text, widths) => {
        expect(streamed(text, widths).isEqualNode(whole(text))).toBe(true);
      }),
      { numRuns: 25, seed: 7 },
    );
  });

  test("paragraph", () => {
    fc.assert(
      fc.property(PARAGRAPH, WIDTHS, (text, widths) => {
        expect(streamed(text, widths).isEqualNode(whole(text))).toBe(true);
      }),
      { numRuns: 40, seed: 11 },
    );
  });
});

describe("a table", () => {
  const rows = (count: number) =>
    `| name | id |\n|---|---|\n${Array.from({ length: count }, (_, at) => `| row ${at} | ${at} |\n`).join("")}`;

  test("is laid out by the browser while it fits into one group", () => {
    layOut();
    const element = streamed(rows(64), [16]);
    expect(element.querySelectorAll("tbody")).toHaveLength(1);
    expect(element.querySelector("[style], .bnb-table-held")).toBeNull();
  });

  test("keeps the widths that its columns have when the second group begins", () => {
    layOut();
    const element = streamed(rows(130), [16]);
    expect(element.querySelector(".bnb-table-held")).not.toBeNull();
    const groups = [...element.querySelectorAll("thead, tbody")];
    expect(groups.map((group) => group.childElementCount)).toEqual([1, 64, 64, 2]);
    for (const group of groups) {
      const cells = [...(group.firstElementChild?.children ?? [])] as HTMLElement[];
      expect(cells.map((cell) => cell.style.width)).toEqual(["66.667%", "33.333%"]);
    }
    // The narrower one has 20 pixels: it does not get narrower on a narrow page.
    expect(element.querySelector("table")?.style.minWidth).toBe("60px");
  });

  test.each(["", "> "])("is not long because of what its next line may have been, behind %j", (before) => {
    layOut();
    const text = `${rows(64)}12. item`.replace(/^/gm, before);
    expect(streamed(text, [1]).isEqualNode(whole(text))).toBe(true);
  });

  test("is left to the browser where nothing is laid out", () => {
    const element = streamed(rows(130), [16]);
    expect(element.querySelectorAll("tbody tr")).toHaveLength(130);
    expect(element.querySelector("[style], .bnb-table-held")).toBeNull();
  });

  test("is found anew when a definition at the end changes its links", () => {
    layOut();
    const text = `${rows(100)}| [l] | 1 |\n\n[l]: https://l.example\n`;
    const element = streamed(text, [16]);
    expect(element.querySelector("td a")?.getAttribute("href")).toBe("https://l.example/");
    expect(element.querySelectorAll("table")).toHaveLength(1);
    expect(element.isEqualNode(whole(text))).toBe(true);
  });
});

test("words are added to the text that is there", () => {
  const element = document.createElement("div");
  const stream = new MarkdownStream(element);
  stream.push("Some words ");
  stream.flush();
  const text = element.querySelector("p")?.firstChild;
  stream.push("and more");
  stream.flush();
  expect(element.querySelector("p")?.childNodes).toHaveLength(1);
  expect(element.querySelector("p")?.firstChild).toBe(text);
  expect(element.textContent).toBe("Some words and more");
});
