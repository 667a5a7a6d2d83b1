// Leaves that one line begins: headings, fences and rules.

import type { Leaf } from "./tree.js";

const HEADING = /^(#{1,6})(?:[ \t]+|$)(.*)$/;
const FENCE = /^(?:(`{3,})([^`]*)|(~{3,})(.*))$/;
const RULE = /^(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$/;

/** The leaf of one line that begins with `rest`, or the code that it opens. */
export function leafOf(rest: string, indent: number): Leaf | null {
  const heading = HEADING.exec(rest);
  if (heading !== null) {
    const text = (heading[2] ?? "").replace(/(?:^|[ \t]+)#+[ \t]*$/, "").trim();
    return { kind: "heading", depth: heading[1]?.length ?? 1, text };
  }
  const fence = FENCE.exec(rest);
  if (fence !== null) {
    const run = fence[1] ?? fence[3] ?? "";
    return {
      kind: "code",
      fence: { run, indent },
      language: languageOf(fence[2] ?? fence[4] ?? ""),
      lines: [],
    };
  }
  return RULE.test(rest) ? { kind: "rule" } : null;
}

/** Whether a line closes the fence that such a run opened. */
export function closesFence(rest: string, run: string): boolean {
  const text = rest.trimEnd();
  return text.startsWith(run) && text === run.charAt(0).repeat(text.length);
}

/** The language word of a fence's info string, in lower case. */
function languageOf(info: string): string {
  return (/^[^\s{]*/.exec(info.trim())?.[0] ?? "").toLowerCase();
}
