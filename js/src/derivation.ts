// How a review was read, as the kernel's `explain` says it, read with care and laid out for the teaching view. Pure.

import { isObject } from "./protocol.js";

interface Range {
  start: number;
  end: number;
}

export interface DerivedRow {
  name: string;
  label: string;
  value: string;
  where: string;
  taken: string;
  how: string;
  /** The bytes of the call's data, where it was read from these. */
  range: Range | null;
}

/** The card itself (`path` empty) or a call in it. */
interface Level {
  path: string;
  rows: DerivedRow[];
  /** Hex without 0x; empty where there is none. */
  data: string;
}

export interface Derivation {
  levels: Level[];
}

/** The derivation in `value`; what is not there is left out. */
export function readDerivation(value: unknown): Derivation {
  const box = isObject(value) ? value : {};
  const data = isObject(box.data) ? box.data : {};
  const levels: Level[] = [];
  for (const step of Array.isArray(box.steps) ? box.steps.filter(isObject) : []) {
    const path = text(step.path);
    let level = levels.find((known) => known.path === path);
    if (level === undefined) {
      level = { path, rows: [], data: text(data[path]).replace(/^0x/, "") };
      levels.push(level);
    }
    const where = text(step.where);
    level.rows.push({
      name: text(step.row),
      label: text(step.label),
      value: text(step.value),
      where,
      taken: text(step.taken),
      how: text(step.how),
      range: rangeOf(where),
    });
  }
  return { levels };
}

export interface Word extends Range {
  hex: string;
  /** Labels of the rows that were read from it. */
  labels: string[];
}

const SELECTOR = 4;
const WORD = 32;

/** The selector and then the words of 32 bytes that the data is made of. */
export function wordsOf(data: string, rows: readonly DerivedRow[]): Word[] {
  const size = Math.ceil(data.length / 2);
  const lines: Word[] = [];
  for (let start = 0; start < size; ) {
    const end = Math.min(size, start === 0 ? SELECTOR : start + WORD);
    const held = rows.filter((row) => row.range !== null && row.range.start < end && start < row.range.end);
    const labels = [...new Set(held.map((row) => row.label))];
    lines.push({ start, end, hex: data.slice(start * 2, end * 2), labels });
    start = end;
  }
  return lines;
}

function rangeOf(where: string): Range | null {
  const found = /^data\[(\d+):(\d+)\]$/.exec(where);
  return found === null ? null : { start: Number(found[1]), end: Number(found[2]) };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
