// A table on the page. Its rows are painted once; they come in groups, which a long table lays out one by one.
//
// The browser lays a table out as a whole for every row that comes. So a long one keeps the widths that its columns have
// when the second group begins: from then on a row costs the layout of its group. It stays one table for a screen reader.

import { type Render, rowElement } from "./dom.js";
import { morphChildren } from "./morph.js";
import { closeMarks } from "./repair.js";
import type { Table } from "./tree.js";

const GROUP = 64;
/** Pixels that a column keeps on a page that becomes narrow: the table scrolls instead. */
const NARROWEST = 72;
const HELD = "bnb-table-held";

export class GrowingTable {
  /** What `tableElement` describes. */
  readonly element: Element;
  readonly #block: Table;
  readonly #render: Render;
  readonly #table: HTMLElement;
  /** Rows that are painted for good. */
  #count = 0;
  /** The widths of the columns in percent; none while the browser finds them. */
  #widths: string[] = [];

  constructor(element: Element, block: Table, render: Render) {
    this.element = element;
    this.#block = block;
    this.#render = render;
    this.#table = element.firstElementChild as HTMLElement;
  }

  /** Paints the rows that came, of which those before `certain` stay as they are; how many nodes were removed. */
  grow(certain: number): number {
    let removed = 0;
    const groups = Math.max(1, Math.ceil(this.#block.rows.length / GROUP));
    for (let group = Math.floor(this.#count / GROUP); group < groups; group += 1)
      removed += this.#paint(group, certain);
    for (; this.#table.childElementCount > groups + 1; removed += 1) this.#table.lastElementChild?.remove();
    this.#count = certain;
    return removed;
  }

  #paint(group: number, certain: number): number {
    const { rows } = this.#block;
    const start = group * GROUP;
    const from = Math.max(this.#count, start);
    const body = this.#table.children[group + 1] ?? this.#add(group);
    const kept = from === start ? null : (body.children[from - start - 1] ?? null);
    const wanted = rows.slice(from, start + GROUP).map((row, index) => {
      const cells = from + index < certain ? row : withMarksClosed(row);
      return rowElement(cells, this.#block, this.#render);
    });
    const removed = morphChildren(body, kept, wanted);
    if (kept === null) this.#size(body);
    return removed;
  }

  #add(group: number): Element {
    if (group > 0 && this.#widths.length === 0) this.#hold();
    return this.#table.appendChild(document.createElement("tbody"));
  }

  /** Lets the columns keep their widths; not where nothing is laid out. */
  #hold(): void {
    const widths = [...this.#table.querySelectorAll("th")].map((cell) => cell.getBoundingClientRect().width);
    const sum = widths.reduce((total, width) => total + width, 0);
    if (sum === 0) return;
    this.#widths = widths.map((width) => `${((100 * width) / sum).toFixed(3)}%`);
    this.#table.style.minWidth = `${Math.round(sum * Math.min(1, NARROWEST / Math.min(...widths)))}px`;
    this.element.classList.add(HELD);
    for (const part of this.#table.children) this.#size(part);
  }

  /** Widths are those of the first row of a group. */
  #size(group: Element): void {
    const cells = group.firstElementChild?.children ?? [];
    this.#widths.forEach((width, index) => {
      const cell = cells[index];
      if (cell instanceof HTMLElement) cell.style.width = width;
    });
  }
}

/** A row that is still written: its last cell has its marks closed. */
function withMarksClosed(row: string[]): string[] {
  const last = row.findLastIndex((cell) => cell !== "");
  return row.map((cell, index) => (index === last ? closeMarks(cell) : cell));
}
