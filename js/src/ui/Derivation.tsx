// The teaching view of a review: for each row, the bytes or the field it was read from, and how.

import { useState } from "preact/hooks";
import { type Derivation, type DerivedRow, readDerivation, wordsOf } from "../derivation.js";
import { useSurface } from "./context.js";
import { Revealed } from "./Revealed.js";

/** What is marked in the data: the range that a row was read from. */
interface Mark {
  path: string;
  start: number;
  end: number;
}

export function DerivationView({ of }: { of: string }) {
  const { link, words } = useSurface();
  const [found, setFound] = useState<Derivation | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [mark, setMark] = useState<Mark | null>(null);
  const ask = () => {
    setTrouble(null);
    link
      .question({ type: "explain", key: of })
      .then((answer) => setFound(readDerivation(answer)))
      .catch((error: Error) => setTrouble(error.message || words.noAnswer));
  };
  return (
    <details
      class="bnb-exact bnb-derivation"
      onToggle={(event) => event.currentTarget.open && found === null && ask()}
    >
      <summary data-bnb-action="explain">{words.howRead}</summary>
      {trouble !== null && <p class="bnb-note">{trouble}</p>}
      {found?.levels.map((level) => (
        <section key={level.path} class="bnb-derived" aria-label={level.path || words.rawRequest}>
          {level.path !== "" && <code class="bnb-derived-path">{level.path}</code>}
          <ol class="bnb-derived-rows">
            {level.rows.map((row, index) => (
              <Row
                key={`${row.name}${index}`}
                row={row}
                onMark={() => row.range && setMark({ path: level.path, ...row.range })}
              />
            ))}
          </ol>
          {level.data !== "" && (
            <Words data={level.data} rows={level.rows} mark={mark?.path === level.path ? mark : null} />
          )}
        </section>
      ))}
    </details>
  );
}

function Row({ row, onMark }: { row: DerivedRow; onMark: () => void }) {
  return (
    <li data-bnb-derived={row.name} onPointerEnter={onMark} onFocusIn={onMark}>
      <strong>
        <Revealed text={row.label} />
      </strong>{" "}
      <span class="bnb-derived-value">
        <Revealed text={row.value} />
      </span>
      <div class="bnb-faint">
        {row.where !== "" &&
          (row.range === null ? (
            <code>
              <Revealed text={row.where} />
            </code>
          ) : (
            <button type="button" class="bnb-text-button bnb-mono" onClick={onMark}>
              {row.where}
            </button>
          ))}{" "}
        {row.taken !== "" && (
          <code class="bnb-derived-taken">
            <Revealed text={row.taken} />
          </code>
        )}{" "}
        <Revealed text={row.how} />
      </div>
    </li>
  );
}

/** The data of a call as words of 32 bytes behind the selector, each with the rows that were read from it. */
function Words({ data, rows, mark }: { data: string; rows: readonly DerivedRow[]; mark: Mark | null }) {
  const { words } = useSurface();
  const [all, setAll] = useState(false);
  const lines = wordsOf(data, rows);
  const shown = all ? lines : lines.slice(0, 48);
  return (
    <div class="bnb-words" role="img" aria-label={words.dataInWords(lines.length)}>
      {shown.map((line) => (
        <div
          key={line.start}
          class={
            mark !== null && line.start < mark.end && mark.start < line.end
              ? "bnb-word bnb-marked"
              : "bnb-word"
          }
        >
          <span class="bnb-faint">{line.start}</span>
          <code>{line.hex}</code>
          <span class="bnb-word-rows">
            <Revealed text={line.labels.join(", ")} />
          </span>
        </div>
      ))}
      {shown.length < lines.length && (
        <button type="button" class="bnb-text-button" onClick={() => setAll(true)}>
          {words.more(lines.length - shown.length)}
        </button>
      )}
    </div>
  );
}
