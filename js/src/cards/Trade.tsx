// A swap or a transfer as the person thinks of it: how much of what goes, and what comes.

import type { ComponentChildren } from "preact";
import { isObject } from "../protocol.js";
import { useWords } from "../ui/context.js";
import { Revealed } from "../ui/Revealed.js";
import { fullValue } from "./chart/format.js";
import { Facts } from "./Facts.js";
import { lenient, number, object, oneOf, quantity, type Read, text } from "./shape.js";

interface TokenInfo {
  name: string | null;
  symbol: string;
  amount: string;
  usdValue: number | null;
  contractAddress: string | null;
}

const token: Read<TokenInfo> = object<TokenInfo>({
  name: lenient(text),
  symbol: text,
  amount: quantity,
  usdValue: lenient(number),
  contractAddress: lenient(text),
});
const network = lenient(object({ name: text }));

export type TradeData =
  | { type: "swap"; network: string | null; fee: string | null; tokenIn: TokenInfo; tokenOut: TokenInfo }
  | {
      type: "transfer-ft";
      network: string | null;
      sender: string | null;
      receiver: string;
      token: TokenInfo;
    };

/** The part of a result that describes a swap or transfer: its `ui`, its `data` beside a `type`, or itself. */
export function tradeIn(data: unknown): unknown {
  if (!isObject(data)) return null;
  if (isObject(data.ui)) return isTrade(data.ui.type) ? data.ui : null;
  if (!isTrade(data.type)) return null;
  return isObject(data.data) ? { type: data.type, ...data.data } : data;
}

function isTrade(type: unknown): boolean {
  return type === "swap" || type === "transfer-ft";
}

export function readTrade(data: unknown): TradeData {
  const { type } = object({ type: oneOf("swap", "transfer-ft") })(data, "");
  if (type === "swap") {
    const read = object({ network, fee: lenient(quantity), tokenIn: token, tokenOut: token })(data, "");
    return { type, ...read, network: read.network?.name ?? null };
  }
  const read = object({ network, sender: lenient(text), receiver: text, token })(data, "");
  return { type, ...read, network: read.network?.name ?? null };
}

export function Trade({ data, tree }: { data: TradeData; tree: ComponentChildren }) {
  const { cards: words } = useWords();
  return (
    <div class="bnb-trade" data-bnb-trade={data.type}>
      {data.network !== null && (
        <span class="bnb-chip">
          <Revealed text={data.network} />
        </span>
      )}
      {data.type === "swap" ? (
        <div class="bnb-trade-sides">
          <Side label={words.sell} token={data.tokenIn} />
          <span class="bnb-trade-arrow" aria-hidden="true">
            →
          </span>
          <Side label={words.buy} token={data.tokenOut} />
        </div>
      ) : (
        <Side label={words.send} token={data.token} />
      )}
      {data.type === "swap" ? (
        <Facts facts={[{ label: words.fee, value: data.fee }]} />
      ) : (
        <Facts
          facts={[
            { label: words.from, value: data.sender, isExact: true },
            { label: words.to, value: data.receiver, isExact: true },
          ]}
        />
      )}
      <details class="bnb-exact">
        <summary>{words.details}</summary>
        {tree}
      </details>
    </div>
  );
}

function Side({ label, token: given }: { label: string; token: TokenInfo }) {
  const { language } = useWords();
  return (
    <div class="bnb-trade-side">
      <div class="bnb-faint">{label}</div>
      <div class="bnb-trade-amount">
        <Revealed text={given.amount} /> <Revealed text={given.symbol} />
      </div>
      <div class="bnb-faint">
        {given.name !== null && given.name !== given.symbol && <Revealed text={given.name} />}{" "}
        {given.usdValue !== null && `≈ ${fullValue(given.usdValue, "currency", language)}`}
      </div>
    </div>
  );
}
