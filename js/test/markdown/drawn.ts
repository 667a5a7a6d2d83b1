// A text as the page draws it: in pieces as they arrive, and at once.

import { MarkdownStream, renderMarkdown } from "../../src/markdown/stream.js";

/** Streams a text cut into pieces whose lengths repeat `widths`. */
export function streamed(text: string, widths: number[]): HTMLElement {
  const element = document.createElement("div");
  const stream = new MarkdownStream(element);
  for (let at = 0, turn = 0; at < text.length; turn += 1) {
    const width = widths[turn % widths.length] ?? 1;
    stream.push(text.slice(at, at + width));
    stream.flush();
    at += width;
  }
  stream.finish();
  return element;
}

/** Draws a text in one render. */
export function whole(text: string): HTMLElement {
  const element = document.createElement("div");
  renderMarkdown(element, text);
  return element;
}
