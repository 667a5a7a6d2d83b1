// What a transaction or message would do: amounts, facts, warnings, calls, and the exact bytes.

import {
  explorerPage,
  type Review,
  type ReviewAmount,
  type ReviewCall,
  type ReviewRow,
  type ReviewWarning,
  type Severity,
} from "../review.js";
import type { Strings } from "../text/en.js";
import { CopyButton } from "./CopyButton.js";
import { useWords } from "./context.js";
import { DerivationView } from "./Derivation.js";
import { Icon, type IconName } from "./icons.js";
import { Revealed } from "./Revealed.js";

/** `of` is the key of the call that it belongs to. */
export function ReviewBody({ review, of }: { review: Review; of: string }) {
  const words = useWords();
  // The request itself is long: it has its own place below the facts.
  const exact = review.rows.filter((row) => row.name === "raw");
  return (
    <section class="bnb-review">
      <ReviewHead review={review} />
      {review.summary !== "" && review.summary !== review.title && (
        <p class="bnb-review-summary">
          <Revealed text={review.summary} />
        </p>
      )}
      {review.warnings.map((warning, index) => (
        <Warning key={`${warning.name}${index}`} warning={warning} />
      ))}
      {review.amounts.length > 0 && (
        <ul class="bnb-amounts">
          {review.amounts.map((amount, index) => (
            <Amount key={`${amount.direction}${index}`} amount={amount} />
          ))}
        </ul>
      )}
      <Rows rows={review.rows.filter((row) => !exact.includes(row))} explorer={review.explorer} />
      {review.calls.map((call, index) => (
        <Call key={`${call.title}${index}`} call={call} explorer={review.explorer} />
      ))}
      {review.unchecked.length > 0 && (
        <div class="bnb-unchecked">
          <strong>{words.unchecked}</strong>
          <ul>
            {review.unchecked.map((sentence) => (
              <li key={sentence}>
                <Revealed text={sentence} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {review.raw !== "" && (
        <details class="bnb-exact">
          <summary>{words.rawRequest}</summary>
          <Rows rows={exact.map((row) => ({ ...row, raw: "" }))} explorer="" />
          <pre class="bnb-pre">
            <Revealed text={review.raw} />
          </pre>
          <CopyButton text={review.raw} label={words.rawRequest} />
        </details>
      )}
      <DerivationView of={of} />
    </section>
  );
}

/** What it is and where, in one line. */
export function ReviewHead({ review }: { review: Review }) {
  return (
    <header class="bnb-review-head">
      <strong>
        <Revealed text={review.title} />
      </strong>
      {review.chain !== "" && (
        <span class="bnb-chip">
          <Revealed text={review.chain} />
          {review.testnet && " · testnet"}
        </span>
      )}
    </header>
  );
}

const WARNING_ICONS: Record<Severity, IconName> = {
  none: "info",
  info: "info",
  warn: "warning",
  danger: "warning",
  block: "stop",
};

export function Warning({ warning }: { warning: ReviewWarning }) {
  const words = useWords();
  return (
    <div class={`bnb-warning bnb-severity-${warning.severity}`} data-bnb-warning={warning.name}>
      <Icon name={WARNING_ICONS[warning.severity]} />
      <span>
        <strong>{words.severities[warning.severity]}</strong>{" "}
        {warning.path !== "" && (
          <>
            <code>{warning.path}</code>{" "}
          </>
        )}
        <Revealed text={warning.sentence} />
      </span>
    </div>
  );
}

function Amount({ amount }: { amount: ReviewAmount }) {
  const words = useWords();
  return (
    <li class={`bnb-amount bnb-amount-${/^\w+$/.test(amount.direction) ? amount.direction : "other"}`}>
      <span class="bnb-faint">{directionOf(amount.direction, words)}</span>
      <span class="bnb-amount-human">
        <Revealed text={amount.human === "" ? "?" : amount.human} /> <Revealed text={amount.symbol} />
      </span>
      {amount.raw !== "" && (
        <span class="bnb-faint bnb-mono">
          <Revealed text={words.amountRaw(amount.raw)} />
        </span>
      )}
    </li>
  );
}

function directionOf(direction: string, words: Strings): string {
  const known: Record<string, string> = words.directions;
  return known[direction] ?? direction;
}

const EXACT_KINDS = new Set(["address", "code", "hash"]);
// What else is shown exactly below its readable form; the raw form of plain words says nothing more.
const RAW_KINDS = new Set([...EXACT_KINDS, "amount", "time", "url"]);

function Rows({ rows, explorer }: { rows: ReviewRow[]; explorer: string }) {
  if (rows.length === 0) return null;
  return (
    <dl class="bnb-rows">
      {rows.map((row, index) => (
        <div class="bnb-row" key={`${row.name}${index}`} data-bnb-row={row.name}>
          <dt>
            <Revealed text={row.label} />
          </dt>
          <dd class={EXACT_KINDS.has(row.kind) ? "bnb-mono" : undefined}>
            {row.kind === "message" ? (
              <pre class="bnb-pre">
                <Revealed text={row.value} />
              </pre>
            ) : (
              <Revealed text={row.value} />
            )}
            <RowActs row={row} explorer={explorer} />
            {row.raw !== "" && row.raw !== row.value && RAW_KINDS.has(row.kind) && (
              <div class="bnb-faint bnb-mono">
                <Revealed text={row.raw} />
              </div>
            )}
            {row.note !== "" && (
              <div class="bnb-faint">
                <Revealed text={row.note} />
              </div>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Copying the exact value, and its page at the chain's explorer; nothing is asked of it before a click. */
function RowActs({ row, explorer }: { row: ReviewRow; explorer: string }) {
  const words = useWords();
  if (!EXACT_KINDS.has(row.kind) && row.kind !== "amount") return null;
  const page = explorerPage(explorer, row);
  return (
    <span class="bnb-row-acts">
      <CopyButton
        text={row.kind === "amount" && row.raw !== "" ? row.raw : row.value}
        label={row.label}
        quiet
      />
      {page !== null && (
        <a
          class="bnb-quiet-icon"
          href={page}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={words.explorer(row.label)}
        >
          <Icon name="open" />
        </a>
      )}
    </span>
  );
}

function Call({ call, explorer }: { call: ReviewCall; explorer: string }) {
  const words = useWords();
  return (
    <details class="bnb-call" open>
      <summary>
        {words.decodedCall}: <Revealed text={call.title} />
        {call.operation !== "" && call.operation !== "call" && (
          <>
            {" "}
            <span class="bnb-chip">{call.operation}</span>
          </>
        )}
      </summary>
      {call.signature !== "" && (
        <code class="bnb-signature">
          <Revealed text={call.signature} />
        </code>
      )}
      <Rows rows={call.rows} explorer={explorer} />
      {call.calls.map((inner, index) => (
        <Call key={`${inner.title}${index}`} call={inner} explorer={explorer} />
      ))}
    </details>
  );
}
