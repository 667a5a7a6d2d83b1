// Tokens to DOM nodes. Every node is made by name and every text set as text: no HTML is ever parsed.

import type { MarkedToken, Token, Tokens } from "marked";
import { decodeEntities } from "./entities.js";
import { codeContent, mathNodes } from "./late.js";
import { disguisedHost, inlineImage, remoteImage, safeLink } from "./links.js";
import type { MathToken } from "./math.js";

/** The nodes of one block; none for blank space and link definitions. */
export function renderBlock(token: Token): Node[] {
  const block = token as MarkedToken;
  switch (block.type) {
    case "paragraph":
      return [element("p", {}, renderInline(block.tokens))];
    case "text":
      return [element("p", {}, renderInline(block.tokens ?? [block]))];
    case "heading":
      return [heading(block)];
    case "blockquote":
      return [element("blockquote", {}, renderBlocks(block.tokens))];
    case "list":
      return [listElement(block, block.items.map(renderItem))];
    case "code":
      return [codeBlock(block)];
    case "table":
      return [tableElement(block, block.rows.map(renderRow))];
    case "hr":
      return [element("hr")];
    case "math" as MarkedToken["type"]:
      return [element("p", { class: "bnb-math-block" }, mathNodes(token as MathToken))];
    case "checkbox":
    case "space":
    case "def":
      return [];
    default:
      return [element("p", {}, [text(block.raw)])];
  }
}

export function renderBlocks(tokens: Token[]): Node[] {
  return tokens.flatMap(renderBlock);
}

/** A list around given items, so that a growing list can keep the items it has. */
export function listElement(list: Tokens.List, items: Node[]): HTMLElement {
  const start = Number(list.start);
  const attributes: Record<string, string> = list.ordered && start !== 1 ? { start: String(start) } : {};
  if (hasLooseItem(list)) attributes.class = LOOSE;
  return element(list.ordered ? "ol" : "ul", attributes, items);
}

/** The class of a list with space around its items. */
export const LOOSE = "bnb-loose";

/** Whether any of the items asks for space; the last one does so only by a blank line inside it. */
export function hasLooseItem(list: Tokens.List): boolean {
  return list.items.some((item, index) => isLoose(item, index < list.items.length - 1));
}

/**
 * Always the same nodes for an item, whether its list is tight or loose: a blank line further down
 * must not change items that were already painted. Spacing is a class on the list.
 */
export function renderItem(item: Tokens.ListItem): HTMLElement {
  const inner = renderBlocks(item.tokens);
  // The box comes from the item: where the lexer puts its token depends on the looseness of the list.
  return item.task
    ? element("li", { class: "bnb-task" }, [checkbox(item), ...inner])
    : element("li", {}, inner);
}

/** Whether an item asks for space around it: a blank line inside it, or after it when another follows. */
export function isLoose(item: Tokens.ListItem, followed: boolean): boolean {
  if (followed && /\n[ \t]*\n[ \t\n]*$/.test(item.raw)) return true;
  const last = item.tokens.findLastIndex((token) => token.type !== "space");
  return item.tokens.slice(0, Math.max(last, 0)).some((token) => token.type === "space");
}

/** A table around given rows, so that a growing table can keep the rows it has. */
export function tableElement(table: Tokens.Table, rows: Node[]): HTMLElement {
  const head = element(
    "tr",
    {},
    table.header.map((cell) => tableCell(cell, "th")),
  );
  return element("div", { class: "bnb-table", tabindex: "0" }, [
    element("table", {}, [element("thead", {}, [head]), element("tbody", {}, rows)]),
  ]);
}

export function renderRow(cells: Tokens.TableCell[]): HTMLElement {
  return element(
    "tr",
    {},
    cells.map((cell) => tableCell(cell, "td")),
  );
}

/** The language word of a fence's info string, in lower case. */
export function languageOf(info: string | undefined): string {
  return (/^[^\s{]*/.exec((info ?? "").trim())?.[0] ?? "").toLowerCase();
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

function codeBlock(token: Tokens.Code): HTMLElement {
  const language = languageOf(token.lang);
  const { nodes, mark } = codeContent(token.text, language);
  return codeElement(language, nodes, mark);
}

function heading(token: Tokens.Heading): HTMLElement {
  // A message is not the page: its first level starts below the notebook's own headings.
  const level = Math.min(token.depth + 2, 6);
  return element(`h${level}`, { class: `bnb-h${token.depth}` }, renderInline(token.tokens));
}

function tableCell(cell: Tokens.TableCell, name: "td" | "th"): HTMLElement {
  const attributes: Record<string, string> = cell.align ? { class: `bnb-align-${cell.align}` } : {};
  return element(name, attributes, renderInline(cell.tokens));
}

function renderInline(tokens: Token[]): Node[] {
  const nodes: Node[] = [];
  for (const node of tokens.flatMap(renderInlineToken)) {
    const last = nodes.at(-1);
    // One text node per run of text, so that the same words give the same nodes however they were cut.
    if (node instanceof Text && last instanceof Text) last.data += node.data;
    else nodes.push(node);
  }
  return nodes;
}

function renderInlineToken(token: Token): Node[] {
  const inline = token as MarkedToken;
  switch (inline.type) {
    case "text":
      return inline.tokens === undefined ? [text(decodeEntities(inline.text))] : renderInline(inline.tokens);
    case "escape":
      return [text(inline.text)];
    case "strong":
      return [element("strong", {}, renderInline(inline.tokens))];
    case "em":
      return [element("em", {}, renderInline(inline.tokens))];
    case "del":
      return [element("del", {}, renderInline(inline.tokens))];
    case "codespan":
      return [element("code", {}, [text(inline.text)])];
    case "br":
      return [element("br")];
    case "checkbox":
      return [];
    case "math" as MarkedToken["type"]:
      return mathNodes(token as MathToken);
    case "link":
      return link(inline);
    case "image":
      return [image(inline)];
    default:
      return [text(inline.raw)];
  }
}

function link(token: Tokens.Link): Node[] {
  const inner = renderInline(token.tokens);
  const href = safeLink(decodeEntities(token.href));
  if (href === null) return inner;
  const attributes = { href, title: href, target: "_blank", rel: "noopener noreferrer nofollow" };
  const anchor = element("a", attributes, inner);
  const host = disguisedHost(anchor.textContent ?? "", href);
  return host === null
    ? [anchor]
    : [anchor, element("span", { class: "bnb-link-host" }, [text(` (${host})`)])];
}

function image(token: Tokens.Image): Node {
  const href = decodeEntities(token.href);
  const alt = decodeEntities(token.text);
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

function checkbox(item: Tokens.ListItem): HTMLElement {
  const box = element("input", { type: "checkbox", disabled: "" });
  if (item.checked) box.setAttribute("checked", "");
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
