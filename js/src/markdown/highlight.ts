// Source code to coloured DOM nodes, for twelve languages.

import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

const LANGUAGES = {
  bash,
  diff,
  go,
  javascript,
  json,
  markdown,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};
// Colouring is linear but not free; beyond this a block is read, not admired.
const MAX_CHARACTERS = 100_000;

for (const [name, grammar] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, grammar);

/** Nodes for `code`: plain text when the language is unknown or the text very long. */
export function highlight(code: string, language: string): Node[] {
  if (code.length > MAX_CHARACTERS || hljs.getLanguage(language) === undefined) {
    return [document.createTextNode(code)];
  }
  return toNodes(hljs.highlight(code, { language, ignoreIllegals: true }).value);
}

const PIECE = /<span class="([^"]*)">|<\/span>|&(amp|lt|gt|quot|#x27);|[^<&]+/g;
const ESCAPED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };

/** Reads the highlighter's own markup (spans and five escapes) without an HTML parser. */
function toNodes(markup: string): Node[] {
  const root = document.createDocumentFragment();
  let parent: Node = root;
  let text = "";
  const settle = () => {
    if (text !== "") parent.appendChild(document.createTextNode(text));
    text = "";
  };
  for (const [piece, className, escaped] of markup.matchAll(PIECE)) {
    if (className !== undefined) {
      settle();
      const span = document.createElement("span");
      span.className = className;
      parent = parent.appendChild(span);
    } else if (piece === "</span>") {
      settle();
      parent = parent.parentNode ?? root;
    } else {
      text += escaped === undefined ? piece : (ESCAPED[escaped] ?? piece);
    }
  }
  settle();
  return [...root.childNodes];
}
