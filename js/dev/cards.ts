// One call for each component, with data of the shape that it draws.

import type { InvocationView } from "../src/protocol.js";
import { invocation } from "./views.js";

const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1);

function wave(count: number, low: number, high: number, turns: number): number[] {
  return Array.from({ length: count }, (_, index) => {
    const at = index / count;
    const swing = Math.sin(at * turns * Math.PI * 2) * 0.5 + Math.sin(at * 37) * 0.12 + at * 0.6;
    return low + (high - low) * (0.35 + swing * 0.45);
  });
}

interface ChartChange {
  title?: string;
  description?: string;
  chartType?: string;
  dataFormat?: string;
  columns?: Record<string, (number | null)[]>;
  times?: unknown[];
  changes?: (number | null)[];
}

/** The result of render-chart. */
export function chartData(change: ChartChange): Record<string, unknown> {
  const columns = change.columns ?? { BTC: wave(90, 88_000, 105_000, 2), ETH: wave(90, 52_000, 71_000, 3) };
  const names = Object.keys(columns);
  const count = Object.values(columns)[0]?.length ?? 0;
  const times = change.times ?? Array.from({ length: count }, (_, index) => START + index * DAY);
  const isCandle = change.chartType === "candle";
  const keys = isCandle ? names : names.map((_, index) => `x-${index + 1}`);
  return {
    title: change.title ?? "Prices since January",
    description: change.description ?? "Daily closing prices in US dollars.",
    chartType: change.chartType ?? "line",
    dataFormat: change.dataFormat ?? "currency",
    metricLabels: ["Day", ...names],
    chartConfig: {
      time: { label: "Day" },
      ...Object.fromEntries(keys.map((key, index) => [key, { label: names[index], color: "red" }])),
    },
    chartData: times.map((time, index) => ({
      time,
      ...Object.fromEntries(keys.map((key, place) => [key, columns[names[place] ?? ""]?.[index] ?? null])),
    })),
    metricData: names.map((metric, index) => ({
      metric,
      percentageChange: (change.changes ?? [12.34, -3.4])[index] ?? null,
      isPositive: true,
      isCandle,
    })),
  };
}

let counter = 0;

/** A finished call of a primitive. */
export function primitive(tool: string, data: unknown, change: Partial<InvocationView> = {}): InvocationView {
  counter += 1;
  const place = { method: "", path: "", url: "", args: {} };
  return invocation({
    key: `p${counter}`,
    tool,
    kind: "primitive",
    executor: "local",
    ...place,
    result: { data },
    ...change,
  });
}

function candles(count: number): Record<string, number[]> {
  const close = wave(count, 2.1, 4.2, 2);
  const open = close.map((value, index) => close[index - 1] ?? value * 0.98);
  return {
    open,
    high: close.map((value, index) => Math.max(value, open[index] ?? value) * 1.02),
    low: close.map((value, index) => Math.min(value, open[index] ?? value) * 0.975),
    close,
  };
}

const token = (symbol: string, name: string, amount: string, usdValue: number) => ({
  symbol,
  name,
  amount,
  usdValue,
  decimals: 18,
});

const asset = (
  symbol: string,
  name: string,
  balance: string,
  price: number,
  day: number,
  isSpam = false,
) => ({
  symbol,
  usdValue: Number(balance) * price,
  chains: ["base", "ethereum"],
  icon: "https://icons.example/x.png",
  balances: { balance, usdBalance: Number(balance) * price, price },
  meta: { name, symbol, decimals: 18, icon: "https://icons.example/x.png", isSpam },
  priceChanges: { day, week: 1, month: 2 },
  priceData: {
    week: wave(40, price * 0.9, price * 1.1, day).map((value, index) => [START + index * DAY, value]),
  },
  volume24h: price * 1_234_567,
  marketcap: price * 98_765_432,
});

// A red dot of 1 by 1 pixel.
const DOT =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8Dwn4EIAAAyTAP/Rf1f1gAAAABJRU5ErkJggg==";

export const PORTFOLIO = {
  portfolioValue: 18_204.55,
  chainsWithGas: ["base"],
  actionableSummary: "Most of the value is in ETH. USDC lies idle on Base.",
  significantAssets: [
    asset("ETH", "Ether", "4.1200", 3_912.4, -2.13),
    asset("USDC", "USD Coin", "1540.55", 1, 0),
    asset("NEAR", "NEAR", "205.004217", 2.71, 5.6),
    asset("FREE", "Claim at evil.example", "1", 0, 0, true),
  ],
};

export const SWAP = {
  evmSignRequest: { method: "eth_sendTransaction", chainId: 8453, params: [] },
  ui: {
    type: "swap",
    network: { name: "Base", icon: "" },
    fee: "0.3%",
    tokenIn: token("ETH", "Ether", "0.5", 1_956.2),
    tokenOut: token("USDC", "USD Coin", "1948.114503", 1_948.11),
  },
};

export const TRANSFER = {
  type: "transfer-ft",
  data: {
    network: { name: "NEAR", icon: "" },
    sender: "alice.near",
    receiver: "bob.near",
    token: token("USDC", "USD Coin", "12.5", 12.5),
  },
};

export const FRAME = {
  columns: [
    { name: "coin", type: "str" },
    { name: "price", type: "float64" },
    { name: "listed", type: "datetime64[us]" },
  ],
  row_count: 2_000,
  rows: Array.from({ length: 40 }, (_, index) => [
    ["BTC", "ETH", "NEAR"][index % 3],
    index % 7 ? 1_234.5 * index : null,
    "2026-01-01T00:00:00",
  ]),
};

export const CHARTS: InvocationView[] = [
  primitive("render-chart", chartData({})),
  primitive(
    "render-chart",
    chartData({
      chartType: "area",
      dataFormat: "percentage",
      title: "Share of yield",
      description: "",
      columns: {
        stNEAR: wave(60, -0.05, 0.14, 2).map((value, index) => (index > 20 && index < 27 ? null : value)),
      },
    }),
  ),
  primitive(
    "render-chart",
    chartData({
      chartType: "bar",
      title: "Flows by month",
      columns: { In: [420, 530, 180, 760, 640, 910], Out: [-310, -220, -480, -150, -700, -260] },
      times: [0, 31, 59, 90, 120, 151].map((day) => START + day * DAY),
    }),
  ),
  primitive(
    "render-chart",
    chartData({
      chartType: "candle",
      title: "NEAR / USD",
      description: "Four weeks, daily.",
      columns: candles(28),
    }),
  ),
  primitive(
    "render-chart",
    chartData({
      chartType: "bar",
      dataFormat: "number",
      title: "Holders by chain",
      description: "",
      columns: { Holders: [1_240_000, 880_000, 120_500, 90_000] },
      times: ["Ethereum", "Base", "NEAR Protocol", "Gnosis"],
      changes: [null],
    }),
  ),
  primitive("render-chart", chartData({ title: "Nothing yet", columns: { Price: [] } })),
];

export const CARDS: InvocationView[] = [
  primitive(
    "generate-image",
    { url: "https://arweave.example/abc", hash: "abc123def" },
    { args: { prompt: "A lighthouse at night" } },
  ),
  primitive("generate-image", { url: DOT, hash: null }, { args: { prompt: "A red dot" } }),
  primitive("create-drop", "my-drop-by-alice:x1y2z"),
  primitive("get-portfolio", PORTFOLIO),
  invocation({ key: "swap", tool: "build-swap", result: { data: SWAP } }),
  invocation({ key: "transfer", tool: "build-transfer", result: { data: TRANSFER } }),
  primitive("submit-query", {
    data: {
      nft_tokens: [
        { token_id: "1", owner: "alice.near", title: "Dawn" },
        { token_id: "2", owner: "bob.near", title: "Dusk" },
      ],
    },
  }),
  primitive(
    "generate-evm-tx",
    {
      evmSignRequest: { method: "eth_sendTransaction", chainId: 8453, params: [] },
      status: "succeeded",
      hash: `0x${"ab".repeat(32)}`,
    },
    { executor: "wallet" },
  ),
  primitive(
    "sign-message",
    {
      accountId: "alice.near",
      publicKey: "ed25519:9QyKFw",
      signature: "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQ",
      message: "Sign in to demo.example",
      nonce: "q83vEjRW",
      recipient: "demo.example",
    },
    { executor: "wallet" },
  ),
  primitive("prices", FRAME, { kind: "local" }),
  primitive("figure", { type: "Figure", text: "<Figure>", display: DOT }, { kind: "local" }),
  primitive(
    "styled",
    {
      type: "Styler",
      text: "<Styler>",
      display: `data:text/html;base64,${btoa("<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>")}`,
    },
    { kind: "local" },
  ),
  primitive("render-chart", { ...chartData({}), chartType: "pie" }),
];

/** A Python function that waits for a decision. */
export const PYTHON: InvocationView = primitive("save_prices", null, {
  kind: "local",
  state: "pending",
  result: null,
  args: { coin: "btc", path: "prices.csv", days: 30 },
  body: "save_prices(coin='btc', path='prices.csv', days=30)",
  digest: "5f2a8c5b7e1d4c3b2a1908f7e6d5c4b3a29180f7e6d5c4b3a29180f7e6d5c4b3",
  rule: "ask-by-default",
});
