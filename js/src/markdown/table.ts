// GFM tables: where one begins, and its rows.

import type { Table } from "./tree.js";

/** The table that the last line of a paragraph heads when `line` stands under it, and the lines above; null for none. */
export function tableUnder(paragraph: string, line: string): { above: string; table: Table } | null {
  const aligns = readAligns(line);
  if (aligns === null) return null;
  const cut = paragraph.lastIndexOf("\n");
  const last = paragraph.slice(cut + 1);
  const head = splitRow(last);
  if (head.length !== aligns.length || !(last.includes("|") || line.includes("|"))) return null;
  return { above: paragraph.slice(0, Math.max(cut, 0)), table: { kind: "table", aligns, head, rows: [] } };
}

/** The alignment of each column when `line` is the one under a table's head, else null. */
function readAligns(line: string): string[] | null {
  if (!/^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/.test(line) || !/[|:]/.test(line))
    return null;
  return splitRow(line).map((cell) => {
    const left = cell.startsWith(":");
    const right = cell.endsWith(":");
    return left && right ? "center" : right ? "right" : left ? "left" : "";
  });
}

/** The cells of a line, of which a backslash in front of a pipe is removed. */
function splitRow(line: string): string[] {
  const text = line.trim().replace(/^\|/, "");
  const cells: string[] = [];
  let cell = "";
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === "\\" && text.charAt(at + 1) === "|") {
      cell += "|";
      at += 1;
    } else if (character === "|") {
      cells.push(cell.trim());
      cell = "";
    } else {
      cell += character;
    }
  }
  if (cell.trim() !== "" || cells.length === 0) cells.push(cell.trim());
  return cells;
}

/** The cells of a row of a table with so many columns: what is too much is left out, what lacks is empty. */
export function readRow(line: string, columns: number): string[] {
  const cells = splitRow(line);
  return Array.from({ length: columns }, (_, index) => cells[index] ?? "");
}
