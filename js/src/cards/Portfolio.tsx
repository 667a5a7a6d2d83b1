// The tokens of an address: a table whose columns are those that hold something.

import type { ComponentChildren } from "preact";
import { useWords } from "../ui/context.js";
import { Revealed } from "../ui/Revealed.js";
import { change, fullValue, shortValue } from "./chart/format.js";
import { lenient, list, number, object, quantity, type Read, text } from "./shape.js";

export interface Holding {
  symbol: string;
  name: string | null;
  chains: string[];
  balance: string | null;
  price: number | null;
  value: number | null;
  volume: number | null;
  cap: number | null;
  /** In percent, of a day. */
  day: number | null;
  trend: number[];
}

export interface PortfolioData {
  total: number | null;
  summary: string;
  holdings: Holding[];
  spam: number;
}

const pair: Read<number> = (value, path) => number(Array.isArray(value) ? value[1] : value, path);
const changes = object({ day: lenient(number) });
const prices = object({ day: lenient(list(pair)), week: lenient(list(pair)), month: lenient(list(pair)) });

const asset = object({
  symbol: lenient(text),
  usdValue: lenient(number),
  chains: lenient(list(text)),
  balances: object({ balance: quantity, usdBalance: lenient(number), price: lenient(number) }),
  meta: lenient(
    object({
      name: lenient(text),
      symbol: lenient(text),
      isSpam: lenient((value: unknown) => value === true),
    }),
  ),
  priceChanges: lenient(changes),
  priceData: lenient(prices),
  volume24h: lenient(number),
  marketcap: lenient(number),
});

const portfolio = object({
  portfolioValue: lenient(number),
  actionableSummary: lenient(text),
  significantAssets: list(asset),
});

export function readPortfolio(data: unknown): PortfolioData {
  const read = portfolio(data, "");
  const real = read.significantAssets.filter((one) => one.meta?.isSpam !== true);
  return {
    total: read.portfolioValue,
    summary: read.actionableSummary ?? "",
    spam: read.significantAssets.length - real.length,
    holdings: real.map((one) => ({
      symbol: one.meta?.symbol ?? one.symbol ?? "?",
      name: one.meta?.name ?? null,
      chains: one.chains ?? [],
      balance: one.balances.balance,
      price: one.balances.price,
      value: one.usdValue ?? one.balances.usdBalance,
      volume: one.volume24h,
      cap: one.marketcap,
      day: one.priceChanges?.day ?? null,
      trend: one.priceData?.week ?? one.priceData?.month ?? one.priceData?.day ?? [],
    })),
  };
}

const coins = object({
  totalUsdValue: lenient(number),
  balances: list(
    object({
      symbol: text,
      name: lenient(text),
      balance: quantity,
      usdValue: lenient(number),
      coinType: lenient(text),
    }),
  ),
});

export function readCoins(data: unknown): PortfolioData {
  const read = coins(data, "");
  const none = { chains: [], price: null, volume: null, cap: null, day: null, trend: [] };
  return {
    total: read.totalUsdValue,
    summary: "",
    spam: 0,
    holdings: read.balances.map(({ symbol, name, balance, usdValue }) => ({
      ...none,
      symbol,
      name,
      balance,
      value: usdValue,
    })),
  };
}

export function Portfolio({ data, tree }: { data: PortfolioData; tree: ComponentChildren }) {
  const { cards: words, language } = useWords();
  const has = (read: (one: Holding) => unknown) =>
    data.holdings.some((one) => read(one) !== null && read(one) !== "");
  const money = (value: number | null) => (value === null ? "–" : fullValue(value, "currency", language));
  const short = (value: number | null) => (value === null ? "–" : shortValue(value, "currency", language));
  const columns: {
    label: string;
    cell: (one: Holding) => ComponentChildren;
    isNumber: boolean;
    isThere: boolean;
  }[] = [
    { label: words.token, cell: (one) => <Name holding={one} />, isNumber: false, isThere: true },
    { label: words.price, cell: (one) => money(one.price), isNumber: true, isThere: has((one) => one.price) },
    {
      label: words.balance,
      cell: (one) => amount(one.balance, language),
      isNumber: true,
      isThere: has((one) => one.balance),
    },
    { label: words.value, cell: (one) => money(one.value), isNumber: true, isThere: has((one) => one.value) },
    {
      label: words.day,
      cell: (one) => <Change percent={one.day} />,
      isNumber: true,
      isThere: has((one) => one.day),
    },
    {
      label: words.volume,
      cell: (one) => short(one.volume),
      isNumber: true,
      isThere: has((one) => one.volume),
    },
    { label: words.marketCap, cell: (one) => short(one.cap), isNumber: true, isThere: has((one) => one.cap) },
    {
      label: words.trend,
      cell: (one) => <Trend values={one.trend} />,
      isNumber: true,
      isThere: data.holdings.some((one) => one.trend.length > 1),
    },
  ];
  const shown = columns.filter(({ isThere }) => isThere);
  return (
    <div class="bnb-portfolio">
      {data.total !== null && (
        <div>
          <div class="bnb-faint">{words.portfolio}</div>
          <div class="bnb-total">{money(data.total)}</div>
        </div>
      )}
      {data.summary !== "" && (
        <p class="bnb-note">
          <Revealed text={data.summary} />
        </p>
      )}
      {data.holdings.length === 0 ? (
        <p class="bnb-faint">{words.noTokens}</p>
      ) : (
        // biome-ignore lint/a11y: a wide table scrolls, by keyboard too
        <div class="bnb-table-scroll" tabIndex={0} role="group" aria-label={words.balances}>
          <table>
            <thead>
              <tr>
                {shown.map(({ label, isNumber }) => (
                  <th key={label} scope="col" class={isNumber ? "bnb-right" : undefined}>
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.holdings.map((holding, row) => (
                <tr key={row}>
                  {shown.map(({ label, cell, isNumber }) => (
                    <td key={label} class={isNumber ? "bnb-right" : undefined}>
                      {cell(holding)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {data.spam > 0 && <p class="bnb-faint">{words.spam(data.spam)}</p>}
      <details class="bnb-exact">
        <summary>{words.details}</summary>
        {tree}
      </details>
    </div>
  );
}

function Name({ holding }: { holding: Holding }) {
  const { cards: words } = useWords();
  return (
    <>
      <strong>
        <Revealed text={holding.symbol} />
      </strong>
      <div class="bnb-faint bnb-token-note">
        {holding.name !== null && holding.name !== holding.symbol && <Revealed text={holding.name} />}{" "}
        {holding.chains.length > 0 && <Revealed text={words.chains(holding.chains.join(", "))} />}
      </div>
    </>
  );
}

function Change({ percent }: { percent: number | null }) {
  const { language } = useWords();
  if (percent === null) return <>–</>;
  return <span class={percent < 0 ? "bnb-falls" : "bnb-rises"}>{change(percent, language)}</span>;
}

/** A balance is text with all its digits; only what a double holds exactly is grouped. */
function amount(balance: string | null, language: string): string {
  if (balance === null) return "–";
  const read = Number(balance);
  const isExact = Number.isFinite(read) && Math.abs(read) < 2 ** 53 && /^-?\d+(\.\d{1,8})?$/.test(balance);
  return isExact ? new Intl.NumberFormat(language, { maximumFractionDigits: 8 }).format(read) : balance;
}

const [WIDE, HIGH] = [72, 22];

function Trend({ values }: { values: number[] }) {
  if (values.length < 2) return null;
  const [low, high] = [Math.min(...values.slice(0, 2_000)), Math.max(...values.slice(0, 2_000))];
  const points = values.slice(0, 2_000).map((value, index) => {
    const x = (index / (Math.min(values.length, 2_000) - 1)) * WIDE;
    return `${x.toFixed(1)} ${(HIGH - 2 - ((value - low) / (high - low || 1)) * (HIGH - 4)).toFixed(1)}`;
  });
  const falls = (values.at(-1) ?? 0) < (values[0] ?? 0);
  return (
    <svg
      class={falls ? "bnb-trend bnb-falls" : "bnb-trend bnb-rises"}
      width={WIDE}
      height={HIGH}
      aria-hidden="true"
    >
      <path d={`M${points.join("L")}`} />
    </svg>
  );
}
