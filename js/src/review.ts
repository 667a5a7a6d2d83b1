// The review card as `ReviewCard.to_json()` writes it, read with care: it is data from the kernel about untrusted data.

import { isObject } from "./protocol.js";

export type Severity = "none" | "info" | "warn" | "danger" | "block";

export interface ReviewRow {
  name: string;
  label: string;
  value: string;
  raw: string;
  kind: string;
  note: string;
}

export interface ReviewWarning {
  name: string;
  severity: Severity;
  sentence: string;
  path: string;
}

export interface ReviewAmount {
  direction: string;
  human: string;
  raw: string;
  symbol: string;
}

export interface ReviewCall {
  title: string;
  to: string;
  signature: string;
  operation: string;
  rows: ReviewRow[];
  calls: ReviewCall[];
}

export interface Review {
  title: string;
  summary: string;
  chain: string;
  testnet: boolean;
  /** Address of the chain's explorer, or empty. */
  explorer: string;
  severity: Severity;
  approval: "plain" | "second_act" | "blocked";
  rows: ReviewRow[];
  warnings: ReviewWarning[];
  amounts: ReviewAmount[];
  calls: ReviewCall[];
  digest: string;
  raw: string;
  unchecked: string[];
  /** Who carries it out once it is approved. */
  signer: string;
  /** Why nothing would be signed or sent, or empty. */
  signerNote: string;
}

const SEVERITIES: readonly Severity[] = ["none", "info", "warn", "danger", "block"];

/** The review in `value`, or null when there is none. What cannot be read makes it blocked, never harmless. */
export function readReview(value: unknown): Review | null {
  if (!isObject(value)) return null;
  const chain = isObject(value.chain) ? value.chain : {};
  return {
    title: text(value.title),
    summary: text(value.summary),
    chain: text(chain.name),
    testnet: chain.testnet === true,
    explorer: text(chain.explorer),
    severity: severity(value.severity),
    approval: approval(value.approval),
    rows: list(value.rows).map(readRow),
    warnings: list(value.warnings).map(readWarning),
    amounts: list(value.amounts).map(readAmount),
    calls: list(value.calls).map(readCall),
    digest: text(value.digest),
    raw: text(value.raw),
    unchecked: Array.isArray(value.unchecked) ? value.unchecked.map(text) : [],
    signer: text(value.signer),
    signerNote: text(value.signer_note),
  };
}

/** Where the chain's explorer shows the account of a row; null where there is no such page. */
export function explorerPage(explorer: string, row: ReviewRow): string | null {
  const account = row.value;
  const isAccount = /^0x[0-9a-fA-F]{40}$/.test(account) || /^[a-z0-9._-]{2,64}$/.test(account);
  return row.kind === "address" && explorer.startsWith("https://") && isAccount
    ? `${explorer}/address/${account}`
    : null;
}

function readRow(row: Record<string, unknown>): ReviewRow {
  return {
    name: text(row.id),
    label: text(row.label),
    value: text(row.value),
    raw: text(row.raw),
    kind: text(row.kind),
    note: text(row.note),
  };
}

/** The first of the worst warnings. */
export function worstWarning(review: Review): ReviewWarning | null {
  const rank = (warning: ReviewWarning) => SEVERITIES.indexOf(warning.severity);
  return review.warnings.reduce<ReviewWarning | null>(
    (worst, warning) => (worst === null || rank(warning) > rank(worst) ? warning : worst),
    null,
  );
}

function readWarning(warning: Record<string, unknown>): ReviewWarning {
  return {
    name: text(warning.id),
    severity: severity(warning.severity),
    sentence: text(warning.sentence),
    path: text(warning.path),
  };
}

function readAmount(amount: Record<string, unknown>): ReviewAmount {
  return {
    direction: text(amount.direction),
    human: text(amount.human),
    raw: text(amount.raw),
    symbol: text(amount.symbol),
  };
}

function readCall(call: Record<string, unknown>): ReviewCall {
  return {
    title: text(call.title),
    to: text(call.to),
    signature: text(call.function),
    operation: text(call.operation),
    rows: list(call.rows).map(readRow),
    calls: list(call.calls).map(readCall),
  };
}

function approval(value: unknown): Review["approval"] {
  return value === "plain" || value === "second_act" ? value : "blocked";
}

function severity(value: unknown): Severity {
  return SEVERITIES.find((known) => known === value) ?? "block";
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function text(value: unknown): string {
  if (typeof value === "string") return value;
  return value === null || value === undefined ? "" : JSON.stringify(value);
}
