// Blocks and their text to DOM nodes. Every node is made by name and every text set as text: no HTML is ever parsed.

import { readInlines } from "./inline.js";
import { codeContent, mathNodes } from "./late.js";
import { disguisedHost, inlineImage, remoteImage, safeLink } from "./links.js";
import type { Block, Code, Definitions, Heading, Inline, Item, List, Table } from "./tree.js";

/** The nodes of one block; none for a formula that has no end yet. */
export function renderBlock(block: Block, definitions: Definitions): Node[] {
  const inline = (text: string) => renderInline(readInlines(text, definitions));
  const inside = (children: Block[]) => children.flatMap((child) => renderBlock(child, definitions));
  switch (block.kind) {
    case "paragraph":
      return [element("p", {}, inline(block.text))];
    case "heading":
      return [headingElement(block, inline(block.text))];
    case "quote":
    case "list":
    case "item": {
      const made = containerElement(block);
      made.append(...inside(block.children));
      return [made];
    }
    case "code":
      return [codeBlock(block)];
    case "table":
      return [
        tableElement(
          block,
          inline,
          block.rows.map((row) => rowElement(row, block, inline)),
        ),
      ];
    case "rule":
      return [element("hr")];
    case "formula":
      return block.tex === "" ? [] : [element("p", { class: "bnb-math-block" }, mathNodes(block.tex, true))];
  }
}

/**
 * A quote, list or item without what is in it. The same nodes for an item whether its list is tight or loose: a blank line
 * further down must not change items that were already painted. Spacing is a class on the list.
 */
export function containerElement(block: Extract<Block, { children: unknown }>): HTMLElement {
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

export type RenderText = (text: string) => Node[];

/** A table around given rows, so that a growing table can keep the rows it has. */
export function tableElement(table: Table, inline: RenderText, rows: Node[]): HTMLElement {
  const head = element(
    "tr",
    {},
    table.head.map((cell, index) => tableCell("th", inline(cell), table.aligns[index])),
  );
  return element("div", { class: "bnb-table", tabindex: "0" }, [
    element("table", {}, [element("thead", {}, [head]), element("tbody", {}, rows)]),
  ]);
}

export function rowElement(row: string[], { aligns }: Table, inline: RenderText): HTMLElement {
  return element(
    "tr",
    {},
    row.map((cell, index) => tableCell("td", inline(cell), aligns[index])),
  );
}

/**
 * A code block; `content` is what goes inside, already coloured or with a `mark` that says it is not. The words of its button come from the style
 * sheet, in the page's language and out of the way of a selection.
 */
export function codeElement(
  language: string,
  content: Node[],
  mark: Record<string, string> = {},
): HTMLElement {
  const name = language === "" ? "text" : language;
  return element("div", { class: "bnb-code" }, [
    element("div", { class: "bnb-code-head" }, [
      element("span", { class: "bnb-code-language" }, [text(name)]),
      codeButton("insert", name),
      codeButton("copy", name),
    ]),
    // Long lines scroll, by key too.
    element("pre", { tabindex: "0" }, [element("code", mark, content)]),
  ]);
}

function codeButton(what: "copy" | "insert", name: string): HTMLElement {
  const attributes = { type: "button", class: `bnb-code-${what}`, [`data-bnb-${what}`]: "" };
  return element("button", attributes, [element("span", { class: "bnb-sr" }, [text(name)])]);
}

function codeBlock({ fence, lines, language }: Code): HTMLElement {
  const code = lines.join("\n");
  // Blank lines behind indented code are not part of it.
  const { nodes, mark } = codeContent(fence === null ? code.replace(/(?:\n[ \t]*)+$/, "") : code, language);
  return codeElement(language, nodes, mark);
}

export function headingElement({ depth }: Heading, content: Node[]): HTMLElement {
  // A message is not the page: its first level starts below the notebook's own headings.
  return element(`h${Math.min(depth + 2, 6)}`, { class: `bnb-h${depth}` }, content);
}

function tableCell(name: "td" | "th", content: Node[], align = ""): HTMLElement {
  return element(name, align === "" ? {} : { class: `bnb-align-${align}` }, content);
}

/** The nodes of a line's parts; inside a link no other one. */
export function renderInline(parts: Inline[], inLink = false): Node[] {
  const nodes: Node[] = [];
  for (const node of parts.flatMap((part) => renderPart(part, inLink))) {
    const last = nodes.at(-1);
    // One text node per run of text, so that the same words give the same nodes however they were cut.
    if (node instanceof Text && last instanceof Text) last.data += node.data;
    else nodes.push(node);
  }
  return nodes;
}

function renderPart(part: Inline, inLink: boolean): Node[] {
  switch (part.kind) {
    case "text":
      return [text(part.text)];
    case "strong":
    case "em":
    case "del":
      return [element(part.kind, {}, renderInline(part.children, inLink))];
    case "code":
      return [element("code", {}, [text(part.text)])];
    case "break":
      return [element("br")];
    case "math":
      return mathNodes(part.tex, part.display);
    case "link":
      return link(renderInline(part.children, true), inLink ? null : safeLink(part.href));
    case "image":
      return [image(part.href, part.alt)];
  }
}

function link(inner: Node[], href: string | null): Node[] {
  if (href === null) return inner;
  const attributes = { href, title: href, target: "_blank", rel: "noopener noreferrer nofollow" };
  const anchor = element("a", attributes, inner);
  const host = disguisedHost(anchor.textContent ?? "", href);
  return host === null
    ? [anchor]
    : [anchor, element("span", { class: "bnb-link-host" }, [text(` (${host})`)])];
}

function image(href: string, alt: string): Node {
  const inline = inlineImage(href);
  if (inline !== null) return element("img", { src: inline, alt, class: "bnb-image" });
  const remote = remoteImage(href);
  if (remote === null) return text(alt);
  const label = alt === "" ? remote.host : `${alt} (${remote.host})`;
  return element(
    "button",
    { type: "button", class: "bnb-image-ask", "data-bnb-image": remote.href, "data-bnb-alt": alt },
    [text(label)],
  );
}

function checkbox({ task }: Item): HTMLElement {
  const box = element("input", { type: "checkbox", disabled: "" });
  if (task !== " ") box.setAttribute("checked", "");
  return box;
}

function element(name: string, attributes: Record<string, string> = {}, children: Node[] = []): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function text(value: string): Text {
  return document.createTextNode(value);
}
