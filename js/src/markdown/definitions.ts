// Link definitions, which a text may give anywhere for all of it: `[label]: address "title"`.

import { decodeEntities } from "./entities.js";
import type { Definitions } from "./tree.js";

/** Whether `text` may hold a definition: at the start of a line, or inside quotes and items. */
export function mayDefine(text: string): boolean {
  return /^[ \t>*+-]*(?:\d{1,9}[.)][ \t]+)?[ \t>]*\[(?:\\.|[^\]\\\n])*(?:\n(?:\\.|[^\]\\\n])*){0,3}\]:/m.test(
    text,
  );
}

const DEFINITION =
  /^\[((?:[^[\]\\]|\\.)*)\]:[ \t]*\n?[ \t]*(<(?:[^<>\n\\]|\\.)*>|[^\s<]\S*)(?:(?:[ \t]+|[ \t]*\n[ \t]*)("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\)))?[ \t]*(?:\n|$)/s;
const WITHOUT_TITLE =
  /^\[((?:[^[\]\\]|\\.)*)\]:[ \t]*\n?[ \t]*(<(?:[^<>\n\\]|\\.)*>|[^\s<]\S*)[ \t]*(?:\n|$)/s;

/** Takes the definitions from the start of a paragraph; what is left of it. */
export function takeDefinitions(text: string, into: Map<string, string>): string {
  let rest = text;
  while (rest.startsWith("[")) {
    const found = DEFINITION.exec(rest) ?? WITHOUT_TITLE.exec(rest);
    const label = normalise(found?.[1] ?? "");
    if (found === null || label === "") break;
    if (!into.has(label)) into.set(label, destination(found[2] ?? ""));
    rest = rest.slice(found[0].length);
  }
  return rest;
}

/** Where a label leads, or null. */
export function definitionOf(label: string, definitions: Definitions): string | null {
  return definitions.size === 0 ? null : (definitions.get(normalise(label)) ?? null);
}

/** An address as written to the address it means. */
export function destination(written: string): string {
  const bare = written.startsWith("<") ? written.slice(1, -1) : written;
  return decodeEntities(bare.replace(/\\([!-/:-@[-`{-~])/g, "$1"));
}

function normalise(label: string): string {
  return label.trim().replace(/\s+/g, " ").toLowerCase().toUpperCase();
}
