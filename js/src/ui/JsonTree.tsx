// Any JSON value as rows that open and close.

import { useState } from "preact/hooks";
import { isObject } from "../protocol.js";
import { useWords } from "./context.js";
import { LongText, Revealed } from "./Revealed.js";

const SHOWN_AT_ONCE = 40;

/** Values less than `depth` levels down are open at first; on the last of these levels only small ones are. */
export function JsonTree({ value, depth = 2 }: { value: unknown; depth?: number }) {
  return (
    <div class="bnb-json">
      <Value value={value} depth={depth} />
    </div>
  );
}

function Value({ value, depth }: { value: unknown; depth: number }) {
  const words = useWords();
  if (Array.isArray(value)) {
    return <Entries entries={value.map((item, index) => [String(index), item])} depth={depth} isList />;
  }
  if (isObject(value)) return <Entries entries={Object.entries(value)} depth={depth} />;
  if (typeof value === "string") {
    return (
      <span class="bnb-json-string">{value === "" ? <i>{words.empty}</i> : <LongText text={value} />}</span>
    );
  }
  return <span class={`bnb-json-${value === null ? "null" : typeof value}`}>{String(value)}</span>;
}

interface EntriesProps {
  entries: [string, unknown][];
  depth: number;
  isList?: boolean;
}

function Entries({ entries, depth, isList = false }: EntriesProps) {
  const words = useWords();
  const [limit, setLimit] = useState(SHOWN_AT_ONCE);
  if (entries.length === 0) return <span class="bnb-json-null">{isList ? "[ ]" : "{ }"}</span>;
  const rest = entries.length - limit;
  return (
    <>
      <dl class={isList ? "bnb-json-list" : "bnb-json-object"}>
        {entries.slice(0, limit).map(([name, value]) => (
          <Entry key={name} name={name} value={value} depth={depth} />
        ))}
      </dl>
      {rest > 0 && (
        <button type="button" class="bnb-text-button" onClick={() => setLimit(limit + 10 * SHOWN_AT_ONCE)}>
          {words.more(rest)}
        </button>
      )}
    </>
  );
}

function Entry({ name, value, depth }: { name: string; value: unknown; depth: number }) {
  const words = useWords();
  const [open, setOpen] = useState(depth > 1 || (depth > 0 && size(value) <= 3));
  if (size(value) === 0) {
    return (
      <div class="bnb-json-row">
        <dt>
          <Revealed text={name} />
        </dt>
        <dd>
          <Value value={value} depth={0} />
        </dd>
      </div>
    );
  }
  return (
    <div class="bnb-json-row bnb-json-nested">
      <dt>
        <button type="button" class="bnb-json-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Revealed text={name} />{" "}
          <span class="bnb-faint">
            {Array.isArray(value) ? words.items(value.length) : words.fields(size(value))}
          </span>
        </button>
      </dt>
      {open && (
        <dd>
          <Value value={value} depth={depth - 1} />
        </dd>
      )}
    </div>
  );
}

/** How many members a value has; 0 for what fits on its row. */
function size(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}
