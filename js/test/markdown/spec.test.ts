// The examples of the CommonMark specification: the same structure and text as its own HTML, save what is meant otherwise.

import * as spec from "commonmark-spec";
import { expect, test } from "vitest";
import { renderMarkdown } from "../../src/markdown/stream.js";

interface Example {
  markdown: string;
  html: string;
  section: string;
  number: number;
}

const EXAMPLES: Example[] = spec.tests ?? spec.default.tests;
/** HTML is text here, whatever it looks like. */
const HTML = /<(?:!|\?|\/?[a-z][a-z0-9-]*[ \n>/])/i;
/** `\[` opens a formula (12); an HTML comment between two lists, and tags around brackets, are text. */
const MEANT: ReadonlySet<number> = new Set([12, 201, 308, 309, 524, 536]);

/** A node as tags and text; spacing, addresses and how tight a list is are not looked at. */
function outline(node: Node): string {
  if (node instanceof Text) return node.data;
  if (!(node instanceof Element)) return "";
  const inner = () => [...node.childNodes].map(outline).join("");
  const name = node.localName;
  switch (name) {
    case "a":
    case "span":
      return inner();
    case "img":
      return node.getAttribute("alt") ?? "";
    case "button":
      return node.getAttribute("data-bnb-alt") ?? "";
    case "br":
    case "hr":
      return `<${name}>`;
    case "pre":
      return `<pre>${(node.textContent ?? "").replace(/\n+$/, "")}</pre>`;
    case "div":
      return [...node.querySelectorAll("pre")].map(outline).join("");
    case "p":
      return node.parentElement?.localName === "li" ? `${inner()} ` : `<p>${inner()}</p>`;
    default: {
      // The message's first level is the page's third.
      const [, level] = /^bnb-h(\d)$/.exec(node.className) ?? [];
      return level === undefined ? `<${name}>${inner()}</${name}>` : `<h${level}>${inner()}</h${level}>`;
    }
  }
}

function outlineOf(root: Element): string {
  const text = [...root.childNodes].map(outline).join("");
  return text
    .replace(/\s*(<[^>]*>)\s*/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
}

const examples = EXAMPLES.filter(({ markdown, number }) => !HTML.test(markdown) && !MEANT.has(number));

test(`reads all but the HTML of the specification's examples as it does (${examples.length})`, () => {
  expect(examples.length).toBeGreaterThan(500);
  for (const { markdown, html, number } of examples) {
    const ours = document.createElement("div");
    renderMarkdown(ours, markdown.replaceAll("→", "\t"));
    const theirs = document.createElement("div");
    theirs.innerHTML = html.replaceAll("→", "\t");
    expect(outlineOf(ours), `example ${number}: ${JSON.stringify(markdown)}`).toBe(outlineOf(theirs));
  }
});
