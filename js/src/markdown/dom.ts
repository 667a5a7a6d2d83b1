// Blocks and their text to the nodes that show them.

import { codeContent, mathNodes } from "./late.js";
import { disguisedHost, inlineImage, remoteImage, safeLink } from "./links.js";
import {
  type Block,
  type Code,
  type Heading,
  type Inline,
  type Item,
  type List,
  type Table,
  textOf,
} from "./tree.js";
import { element, type Wanted, type WantedElement } from "./wanted.js";

/**
 * A quote, list or item without what is in it. The same nodes for an item whether its list is tight or loose: a blank line
 * further down must not change items that were already painted. Spacing is a class on the list.
 */
export function containerElement(block: Extract<Block, { children: unknown }>): WantedElement {
  switch (block.kind) {
    case "quote":
      return element("blockquote");
    case "list":
      return element(block.ordered ? "ol" : "ul", listAttributes(block));
    case "item":
      return block.task === "" ? element("li") : element("li", { class: "bnb-task" }, [checkbox(block)]);
  }
}

function listAttributes({ ordered, start, loose }: List): Record<string, string> {
  return {
    ...(ordered && start !== 1 ? { start: String(start) } : {}),
    ...(loose ? { class: "bnb-loose" } : {}),
  };
}

/** The words of a cell to nodes. */
export type Render = (text: string) => Wanted[];

/** A table without rows, which grow in it. */
export function tableElement({ head, aligns }: Table, render: Render): WantedElement {
  const cells = head.map((cell, index) => tableCell("th", render(cell), aligns[index]));
  return element("div", { class: "bnb-table", tabindex: "0" }, [
    element("table", {}, [element("thead", {}, [element("tr", {}, cells)])]),
  ]);
}

export function rowElement(row: string[], { aligns }: Table, render: Render): WantedElement {
  return element(
    "tr",
    {},
    row.map((cell, index) => tableCell("td", render(cell), aligns[index])),
  );
}

/**
 * A code block; `content` is what goes inside, already coloured or with a `mark` that says it is not. The words of its
 * buttons come from the style sheet, in the page's language and out of the way of a selection.
 */
export function codeElement(
  language: string,
  content: Wanted[] = [],
  mark: Record<string, string> = {},
): WantedElement {
  const name = language === "" ? "text" : language;
  return element("div", { class: "bnb-code" }, [
    element("div", { class: "bnb-code-head" }, [
      element("span", { class: "bnb-code-language" }, [name]),
      codeButton("insert", name),
      codeButton("copy", name),
    ]),
    // Long lines scroll, by key too.
    element("pre", { tabindex: "0" }, [element("code", mark, content)]),
  ]);
}

function codeButton(what: "copy" | "insert", name: string): WantedElement {
  const attributes = { type: "button", class: `bnb-code-${what}`, [`data-bnb-${what}`]: "" };
  return element("button", attributes, [element("span", { class: "bnb-sr" }, [name])]);
}

/** A code block that has its end. */
export function codeBlock({ fence, lines, language }: Code): WantedElement {
  const code = lines.join("\n");
  // Blank lines behind indented code are not part of it.
  const { nodes, mark } = codeContent(fence === null ? code.replace(/(?:\n[ \t]*)+$/, "") : code, language);
  return codeElement(language, nodes, mark);
}

export function headingElement({ depth }: Heading, content: Wanted[]): WantedElement {
  // A message is not the page: its first level starts below the notebook's own headings.
  return element(`h${Math.min(depth + 2, 6)}`, { class: `bnb-h${depth}` }, content);
}

function tableCell(name: "td" | "th", content: Wanted[], align = ""): WantedElement {
  return element(name, align === "" ? {} : { class: `bnb-align-${align}` }, content);
}

export function formulaElement(tex: string): WantedElement {
  return element("p", { class: "bnb-math-block" }, mathNodes(tex, true));
}

/** The nodes of a line's parts; inside a link no other one. Words that meet are one text, however they were cut. */
export function renderInline(parts: readonly Inline[], inLink = false): Wanted[] {
  const nodes: Wanted[] = [];
  for (const part of parts) {
    for (const node of renderPart(part, inLink)) {
      const last = nodes.at(-1);
      if (node === "") continue;
      if (typeof node === "string" && typeof last === "string") nodes[nodes.length - 1] = last + node;
      else nodes.push(node);
    }
  }
  return nodes;
}

function renderPart(part: Inline, inLink: boolean): Wanted[] {
  switch (part.kind) {
    case "text":
      return [part.text];
    case "strong":
    case "em":
    case "del":
      return [element(part.kind, {}, renderInline(part.children, inLink))];
    case "code":
      return [element("code", {}, [part.text])];
    case "break":
      return [element("br")];
    case "math":
      return mathNodes(part.tex, part.display);
    case "link":
      return link(part.children, inLink ? null : safeLink(part.href));
    case "image":
      return [image(part.href, part.alt)];
  }
}

function link(parts: readonly Inline[], href: string | null): Wanted[] {
  const inner = renderInline(parts, true);
  if (href === null) return inner;
  const attributes = { href, title: href, target: "_blank", rel: "noopener noreferrer nofollow" };
  const anchor = element("a", attributes, inner);
  const host = disguisedHost(textOf(parts), href);
  return host === null ? [anchor] : [anchor, element("span", { class: "bnb-link-host" }, [` (${host})`])];
}

function image(href: string, alt: string): Wanted {
  const inline = inlineImage(href);
  if (inline !== null) return element("img", { src: inline, alt, class: "bnb-image" });
  const remote = remoteImage(href);
  if (remote === null) return alt;
  const label = alt === "" ? remote.host : `${alt} (${remote.host})`;
  return element(
    "button",
    { type: "button", class: "bnb-image-ask", "data-bnb-image": remote.href, "data-bnb-alt": alt },
    [label],
  );
}

function checkbox({ task }: Item): WantedElement {
  return element("input", { type: "checkbox", disabled: "", ...(task === " " ? {} : { checked: "" }) });
}
