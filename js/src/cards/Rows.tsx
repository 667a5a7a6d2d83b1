// A table of values: a data frame of Python's, or the list of objects in the answer to a query.

import type { ComponentChildren } from "preact";
import { isObject, own } from "../protocol.js";
import { useWords } from "../ui/context.js";
import { Table } from "./Table.js";

export interface RowsData {
  columns: { name: string; type: string }[];
  rows: unknown[][];
  total: number;
}

export function Rows({ data, tree }: { data: RowsData; tree: ComponentChildren }) {
  const { cards: words, language } = useWords();
  const numbers = data.columns.map((_, column) => {
    const values = data.rows
      .slice(0, 100)
      .map((row) => row[column] ?? null)
      .filter((value) => value !== null);
    return values.length > 0 && values.every((value) => typeof value === "number");
  });
  return (
    <>
      <Table
        columns={data.columns.map(({ name, type }, index) => ({
          name,
          note: type,
          isNumber: numbers[index] ?? false,
        }))}
        count={data.rows.length}
        total={Math.max(data.total, data.rows.length)}
        cell={(row, column) => written(data.rows[row]?.[column], language)}
      />
      {tree !== null && (
        <details class="bnb-exact">
          <summary>{words.details}</summary>
          {tree}
        </details>
      )}
    </>
  );
}

function written(value: unknown, language: string): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number")
    return Math.abs(value) < 1e15
      ? new Intl.NumberFormat(language, { maximumFractionDigits: 6 }).format(value)
      : String(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const DEEPEST = 4;

/** The longest list of flat objects in an answer, as rows; null where there is none. */
export function rowsIn(data: unknown, depth = 0): RowsData | null {
  if (Array.isArray(data)) {
    const isFlat =
      data.length > 0 && data.every((one) => isObject(one) && Object.values(one).every(isFlatValue));
    return isFlat ? ofObjects(data as Record<string, unknown>[]) : null;
  }
  if (!isObject(data) || depth > DEEPEST || Array.isArray(data.errors)) return null;
  let best: RowsData | null = null;
  for (const value of Object.values(data)) {
    const found = rowsIn(value, depth + 1);
    if (found !== null && found.rows.length > (best?.rows.length ?? 0)) best = found;
  }
  return best;
}

function isFlatValue(value: unknown): boolean {
  return value === null || typeof value !== "object" || (isObject(value) && Object.keys(value).length <= 2);
}

function ofObjects(objects: Record<string, unknown>[]): RowsData {
  const names = [...new Set(objects.flatMap((one) => Object.keys(one)))].slice(0, 30);
  return {
    columns: names.map((name) => ({ name, type: "" })),
    rows: objects.map((one) => names.map((name) => own(one, name))),
    total: objects.length,
  };
}
