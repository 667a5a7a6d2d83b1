// What came of a transaction or a signature: its state, its hashes, the signature to copy.

import type { ComponentChildren } from "preact";
import { isObject, own } from "../protocol.js";
import type { Strings } from "../text/en.js";
import { useWords } from "../ui/context.js";
import { type Fact, Facts } from "./Facts.js";
import { lenient, list, mapping, object, text } from "./shape.js";

export interface OutcomeData {
  facts: (words: Strings["cards"]) => Fact[];
  warnings: string[];
}

const read = object({
  status: lenient(text),
  network: lenient(text),
  hash: lenient(text),
  txHash: lenient(text),
  hashes: lenient(list(text)),
  signature: lenient(text),
  message: lenient(text),
  accountId: lenient(text),
  publicKey: lenient(text),
  recipient: lenient(text),
  nonce: lenient(text),
});

/** Of `{transactions, status, hashes}`, `{evmSignRequest, status, hash}` and the result of sign-message. */
export function readOutcome(data: unknown): OutcomeData | null {
  const given = read(mapping(data, ""), "");
  const hashes = [given.hash, given.txHash, ...(given.hashes ?? [])].filter((one) => one !== null);
  const isSigned = given.signature !== null;
  if (hashes.length === 0 && !isSigned && given.status === null) return null;
  return {
    facts: (words) => [
      {
        label: words.status,
        value: given.status === null ? null : (own(words.statuses, given.status) ?? given.status),
      },
      ...[...new Set(hashes)].map((value) => ({ label: words.hashes, value, isExact: true })),
      { label: words.network, value: given.network },
      { label: words.message, value: isSigned ? given.message : null },
      { label: words.account, value: isSigned ? given.accountId : null, isExact: true },
      { label: words.signature, value: given.signature, isExact: true },
      { label: words.publicKey, value: isSigned ? given.publicKey : null, isExact: true },
      { label: words.recipient, value: isSigned ? given.recipient : null },
      { label: words.nonce, value: isSigned ? given.nonce : null, isExact: true },
    ],
    warnings: warningsOf(data),
  };
}

/** The runtime's warnings are texts, those of its page objects with a message; both count. */
function warningsOf(data: unknown): string[] {
  const given = isObject(data) && Array.isArray(data.warnings) ? data.warnings : [];
  return given
    .map((one) => (isObject(one) ? one.message : one))
    .filter((one): one is string => typeof one === "string" && one !== "");
}

export function Outcome({ data, tree }: { data: OutcomeData; tree: ComponentChildren }) {
  const { cards: words } = useWords();
  return (
    <div class="bnb-outcome">
      {data.warnings.map((warning) => (
        <p class="bnb-note" key={warning}>
          {warning}
        </p>
      ))}
      <Facts facts={data.facts(words)} />
      <details class="bnb-exact">
        <summary>{words.details}</summary>
        {tree}
      </details>
    </div>
  );
}
