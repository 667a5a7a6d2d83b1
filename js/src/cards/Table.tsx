// Rows and columns, as many as are asked for.

import { useState } from "preact/hooks";
import { useWords } from "../ui/context.js";
import { Revealed } from "../ui/Revealed.js";

interface Column {
  name: string;
  isNumber: boolean;
  /** Said below the name, for example the type of its values. */
  note?: string;
}

interface TableProps {
  columns: Column[];
  count: number;
  cell: (row: number, column: number) => string;
  /** How many rows there are in all, where that is more than `count`. */
  total?: number;
}

const AT_FIRST = 12;
const AND_MORE = 100;
const LONGEST = 200;

export function Table({ columns, count, cell, total = count }: TableProps) {
  const { cards: words, language } = useWords();
  const [limit, setLimit] = useState(AT_FIRST);
  const shown = Math.min(count, limit);
  const notes = columns.some((column) => column.note !== undefined && column.note !== "");
  return (
    <div class="bnb-grid-table">
      {/* biome-ignore lint/a11y: a wide table scrolls, by keyboard too */}
      <div class="bnb-table-scroll" tabIndex={0} role="group" aria-label={words.table}>
        <table>
          <thead>
            <tr>
              {columns.map((column, index) => (
                <th key={index} scope="col" class={column.isNumber ? "bnb-right" : undefined}>
                  <Revealed text={column.name} />
                  {notes && <div class="bnb-table-note">{column.note ?? ""}</div>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {Array.from({ length: shown }, (_, row) => (
              <tr key={row}>
                {columns.map((column, index) => (
                  <td key={index} class={column.isNumber ? "bnb-right" : undefined}>
                    <Cell text={cell(row, index)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="bnb-table-foot bnb-faint">
        {shown < total && words.rowsOf(shown.toLocaleString(language), total.toLocaleString(language))}
        {shown < count && (
          <button type="button" class="bnb-text-button" onClick={() => setLimit(limit + AND_MORE)}>
            {words.moreRows}
          </button>
        )}
      </div>
    </div>
  );
}

function Cell({ text }: { text: string }) {
  if (text === "") return <span class="bnb-faint">–</span>;
  return text.length > LONGEST ? (
    <span title={text.slice(0, 2_000)}>
      <Revealed text={text.slice(0, LONGEST)} />…
    </span>
  ) : (
    <Revealed text={text} />
  );
}
