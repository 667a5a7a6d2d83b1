// The markers that list items begin with: bullets, numbers, and the boxes of tasks.

import type { Line } from "./line.js";
import type { Item, List } from "./tree.js";

const MARKER = /^(?:([-+*])|(\d{1,9})([.)]))(?=[ \t]|$)/;
const TASK = /^\[([ xX])\][ \t]+(?=\S)/;

/** An item that begins, and what its list has to be. */
export type Marked = Pick<List, "ordered" | "start" | "marker"> & { item: Item };

/** Walks over the marker that the line begins with; null when there is none, or none that ends a paragraph. */
export function takeMarker(line: Line, interrupts: boolean): Marked | null {
  const indent = line.indent;
  const rest = line.trimmed;
  const found = MARKER.exec(rest);
  if (found === null) return null;
  const [marker, bullet, number, behind] = found;
  const isEmpty = rest.slice(marker.length).trim() === "";
  if (interrupts && (isEmpty || (number !== undefined && Number(number) !== 1))) return null;
  line.take(marker.length);
  const spaces = line.indent > 4 || isEmpty ? 1 : line.indent;
  line.skip(spaces);
  const task = TASK.exec(line.rest);
  if (task !== null) line.take(task[0].length);
  return {
    ordered: bullet === undefined,
    start: Number(number ?? 1),
    marker: bullet ?? behind ?? "",
    item: { kind: "item", indent: indent + marker.length + spaces, task: task?.[1] ?? "", children: [] },
  };
}
