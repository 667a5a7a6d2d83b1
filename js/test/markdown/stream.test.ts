import fc from "fast-check";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { loadColour, loadTypeset } from "../../src/markdown/late.js";
import { MarkdownStream, renderMarkdown } from "../../src/markdown/stream.js";
import { SAMPLES } from "./samples.js";

beforeAll(async () => {
  await loadColour();
  await loadTypeset();
});

function root(): HTMLElement {
  return document.createElement("div");
}

function whole(text: string): string {
  const element = root();
  renderMarkdown(element, text);
  return element.innerHTML;
}

/** Cuts `text` into pieces whose lengths repeat `widths`. */
function cut(text: string, widths: number[]): string[] {
  const pieces: string[] = [];
  for (let at = 0, turn = 0; at < text.length; turn += 1) {
    const width = widths[turn % widths.length] ?? 1;
    pieces.push(text.slice(at, at + width));
    at += width;
  }
  return pieces;
}

function streamed(pieces: string[], finish: boolean): string {
  const element = root();
  const stream = new MarkdownStream(element);
  for (const piece of pieces) {
    stream.push(piece);
    stream.flush();
  }
  if (finish) stream.finish();
  return element.innerHTML;
}

const FRAGMENTS = fc.constantFrom(
  ..."*_`~#>|-+=[]()!<>\\ \n\n\n:&".split(""),
  ..."a bc word 1. 2) ## **bold** `x` ``` ~~~ ```py".split(" "),
  "- ",
  "- item\n",
  "1. one\n",
  "  - sub\n",
  "| a | b |\n",
  "|---|---|\n",
  "| 1 |\n",
  "> q\n",
  "\n\n",
  "    ",
  "---\n",
  "```\n",
  "```js\n",
  "[a](https://b.example)",
  "[a]: https://c.example\n",
  "<div>",
  "é",
  "🙂",
  "\r\n",
  "===\n",
  "[x] ",
  "[ ] ",
  "$",
  "$$",
  "$x$",
  "$$\n",
  "\\(",
  "\\)",
  "\\[",
  "\\]",
  "[^1]",
  "[^1]: note\n",
  "\u202e",
  "שלום ",
);
const TEXTS = fc.array(FRAGMENTS, { maxLength: 40 }).map((pieces) => pieces.join(""));
const WIDTHS = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 });

describe("the nodes after the last delta are those of one render of the whole text", () => {
  for (const [name, text] of Object.entries(SAMPLES)) {
    test(`${name}, for every width of 1 to 40 characters`, () => {
      const expected = whole(text);
      for (let width = 1; width <= 40; width += 1) {
        expect(streamed(cut(text, [width]), true), `width ${width}`).toBe(expected);
      }
    });
  }

  test("any text, cut anyhow", () => {
    fc.assert(
      fc.property(TEXTS, WIDTHS, (text, widths) => {
        expect(streamed(cut(text, widths), true)).toBe(whole(text));
      }),
      { numRuns: 1500, seed: 20_481 },
    );
  });
});

describe("an unfinished text looks the same however it was cut", () => {
  test("every prefix of every sample", () => {
    for (const [name, text] of Object.entries(SAMPLES)) {
      const element = root();
      const stream = new MarkdownStream(element);
      for (let end = 1; end <= text.length; end += 1) {
        stream.push(text.charAt(end - 1));
        stream.flush();
        expect(element.innerHTML, `${name} up to ${end}`).toBe(streamed([text.slice(0, end)], false));
      }
    }
  });
});

/** What a person sees: text, and which marks it carries. */
function textOf(element: Element): string {
  return element.textContent ?? "";
}

describe("painting is calm", () => {
  const MARKS: [string, string][] = [
    ["bold", "Some **bold words** here."],
    ["italic", "Some *italic words* here."],
    ["both", "Some ***strong em*** here."],
    ["code", "Run `npm test` now."],
    ["strike", "Not ~~that one~~ this."],
    ["link", "See [the page](https://example.org/a) now."],
    ["fence", "Do:\n\n```sh\nls\n```\ndone"],
    ["heading", "Text\n\n## Title\n\nText"],
    ["list", "Text\n- one\n- two\n"],
    ["rule", "Text\n\n---\n\nText"],
    ["table", "Text\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"],
    ["task", "- [x] done\n- [ ] open\n"],
    ["formula", "So \\(x_1\\) and $y$ hold.\n\n\\[\nz\n\\]\n\nEnd"],
  ];
  for (const [name, text] of MARKS) {
    test(`no marker of a ${name} is ever on the page`, () => {
      const element = root();
      const stream = new MarkdownStream(element);
      for (const character of text) {
        stream.push(character);
        stream.flush();
        const shown = textOf(element);
        expect(shown, `after ${JSON.stringify(character)}`).not.toMatch(/[*`~#|[\]$\\]|--|\]\(|https/);
      }
    });
  }

  test("closed blocks keep their nodes and at most two nodes go per flush", () => {
    const text = Object.values(SAMPLES).slice(0, 6).join("\n\n");
    const element = root();
    const stream = new MarkdownStream(element);
    stream.push("First paragraph.\n\nSecond.\n\n");
    stream.flush();
    stream.push("Third\n\n");
    stream.flush();
    const first = element.firstChild;
    for (const piece of cut(text, [4])) {
      const before = stream.removed;
      stream.push(piece);
      stream.flush();
      expect(stream.removed - before).toBeLessThanOrEqual(2);
    }
    expect(element.firstChild).toBe(first);
  });

  test("whatever is written, finished blocks keep their nodes, and what a person has read is not taken back", () => {
    // Blocks as models write them, each whole; in front of each of them the earlier ones are finished.
    const BLOCKS = fc.constantFrom(
      "A paragraph with **bold**, *em* and `code`.\n\n",
      "## A heading\n\n",
      "- one\n- two\n  - nested\n- three\n\n",
      "1. one\n\n2. two\n\n",
      "| a | b |\n|---|---|\n| 1 | **2** |\n| 3 | 4 |\n\n",
      "```python\nprint(1)\nprint(2)\n```\n\n",
      "> a quote\n> of two lines\n\n",
      "$$\nx + y\n$$\n\n",
      "A claim[^1] with [a link](https://a.example) and $z^2$.\n\n",
      "שלום **עולם** and <b>text</b>.\n\n",
      "---\n\n",
    );
    fc.assert(
      fc.property(fc.array(BLOCKS, { minLength: 2, maxLength: 12 }), WIDTHS, (blocks, widths) => {
        const element = root();
        const stream = new MarkdownStream(element);
        const kept: Node[] = [];
        const ends = blocks.map((_, index) => blocks.slice(0, index + 1).join("").length);
        let end = 0;
        let done = 0;
        for (const piece of cut(blocks.join(""), widths)) {
          const before = stream.removed;
          stream.push(piece);
          stream.flush();
          end += piece.length;
          // A fence that closes is coloured: its lines are made anew, once.
          if (!piece.includes("`")) expect(stream.removed - before).toBeLessThanOrEqual(2);
          kept.forEach((node, index) => {
            expect(element.childNodes[index]).toBe(node);
          });
          const count = ends.filter((one) => one <= end).length;
          if (count > done) {
            done = count;
            // The newest block may still grow by what follows it.
            kept.splice(
              0,
              kept.length,
              ...[...element.childNodes].slice(0, Math.max(0, element.childNodes.length - 2)),
            );
          }
        }
      }),
      { numRuns: 300, seed: 4_711 },
    );
  });

  const LONG: [string, (line: number) => string][] = [
    ["list", (line) => `- item ${line} with **bold** and \`code\`\n`],
    ["table", (line) => (line === 0 ? "| a | b |\n|---|---|\n" : `| row ${line} | **${line}** |\n`)],
    ["fence", (line) => (line === 0 ? "```python\n" : `print(${line})\n`)],
  ];
  for (const [name, lineOf] of LONG) {
    test(`a long ${name} removes nothing that is finished and keeps its first nodes`, () => {
      const element = root();
      const stream = new MarkdownStream(element);
      let first: Node | null = null;
      for (let line = 0; line < 400; line += 1) {
        for (const piece of cut(lineOf(line), [5])) {
          stream.push(piece);
          stream.flush();
        }
        if (line === 5) first = element.querySelector("li, tbody tr, code")?.firstChild ?? null;
      }
      expect(stream.removed).toBeLessThanOrEqual(4);
      expect(element.querySelector("li, tbody tr, code")?.firstChild).toBe(first);
    });
  }

  const GROWING: [string, string, (line: number) => string][] = [
    ["paragraph on one line", "", (line) => `and ${line} more **bold words**, \`code\` and *em*, `],
    ["paragraph of lines", "", (line) => `line ${line} with **bold words** and \`code\`\n`],
    ["quoted paragraph", "> ", (line) => `and ${line} more **bold words** and \`code\`, `],
    ["list", "", (line) => `- item ${line} with **bold**\n`],
    ["loose list", "", (line) => `${line + 1}. item ${line} with **bold**\n\n   and more\n\n`],
    ["nested list", "- a\n  1. b\n", (line) => `     - item ${line} with **bold**\n`],
    ["list in a quote", "> - a\n", (line) => `> - item ${line} with **bold**\n`],
    ["quote of paragraphs", "", (line) => `> paragraph ${line} with **bold**\n>\n`],
    ["table", "| a | b |\n|---|---|\n", (line) => `| row ${line} | **${line}** |\n`],
    ["table in an item", "- | a | b |\n  |---|---|\n", (line) => `  | row ${line} | **${line}** |\n`],
    ["fence in an item", "- x\n\n  ```python\n", (line) => `  print(${line})\n`],
    ["prose", "", (line) => `Paragraph ${line} with **bold** words.\n\n`],
  ];
  for (const [name, begin, lineOf] of GROWING) {
    test(`a flush of a ${name} makes as few nodes late as early`, () => {
      const makes = [vi.spyOn(document, "createElement"), vi.spyOn(document, "createTextNode")] as {
        mock: { calls: unknown[] };
      }[];
      const made = () => makes.reduce((sum, { mock }) => sum + mock.calls.length, 0);
      const element = root();
      const stream = new MarkdownStream(element);
      const costs: number[] = [];
      let text = begin;
      stream.push(begin);
      for (let line = 0; line < 300; line += 1) {
        for (const piece of cut(lineOf(line), [16])) {
          const before = made();
          stream.push(piece);
          stream.flush();
          costs.push(made() - before);
        }
        text += lineOf(line);
      }
      const early = Math.max(...costs.slice(0, 60));
      const late = Math.max(...costs.slice(-60));
      expect(late).toBeLessThanOrEqual(early * 1.5);
      stream.finish();
      const once = root();
      renderMarkdown(once, text);
      // Whatever was frozen when, not even text nodes are cut otherwise.
      expect(name.includes("fence") || element.isEqualNode(once)).toBe(true);
    });
  }

  test("a fence is coloured once, when it closes", () => {
    const element = root();
    const stream = new MarkdownStream(element);
    stream.push("```python\nimport os\n");
    stream.flush();
    expect(element.querySelector("code [class^=hljs]")).toBeNull();
    stream.push("```\n");
    stream.flush();
    expect(element.querySelector("code .hljs-keyword")?.textContent).toBe("import");
  });
});
