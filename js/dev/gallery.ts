// One chat per thing worth looking at.

import type { ChatView, InvocationView } from "../src/protocol.js";
import { CARDS, CHARTS, PYTHON } from "./cards.js";
import { DECIDING } from "./deciding.js";
import { VERSIONS } from "./history.js";
import { chat, choice, invocation, step, turn } from "./views.js";

const ANSWER = `You are **alice.near**, on Base (chain \`8453\`). Here is what I can do for you:

1. Build a **NEAR transfer** and show you a review
2. Build an EVM transaction on one of these chains

| Chain | Id | Native token |
|:------|---:|:-------------|
| Base | 8453 | ETH |
| Optimism | 10 | ETH |
| Gnosis | 100 | xDAI |

\`\`\`python
import bitte_nb as bn

chat = bn.Chat(bn.Agent(document, model="offline"))
turn = chat.ask("send 0.1 NEAR to bob.near")  # returns at once
\`\`\`

> Nothing is sent before you approve it. See the [documentation](https://docs.example.org/review).
`;

const FORMULAS = `A payment $C$ each year for ever, at the rate \\(r\\), is worth

$$
PV = \\sum_{t=1}^{\\infty} \\frac{C}{(1+r)^t} = \\frac{C}{r}
$$

so $100 a year at $r = 5\\%$ is worth $2,000. With growth $g < r$:

\\[ PV = \\frac{C}{r - g}, \\qquad \\begin{aligned} g &= 2\\% \\\\ PV &= 3333.33 \\end{aligned} \\]

| symbol | meaning |
|:--|:--|
| $C$ | payment |
| $\\sqrt{r^2}$ | rate |
`;

const EVM_REVIEW = {
  kind: "evm_transaction",
  title: "Approve spending of USDC",
  summary: "Lets 0x1f98…F984 spend an unlimited amount of your USDC on Base.",
  chain: { namespace: "evm", id: "8453", name: "Base", testnet: false, explorer: "https://basescan.org" },
  severity: "danger",
  approval: "second_act",
  digest: "9b1c2f7f0e4a5a3f0c77c1c5de1f26b2f8b1f0ab7a5be1f3a9c0d4e5f6a7b8c9",
  raw: '{"chainId":8453,"method":"eth_sendTransaction","params":[{"to":"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"}]}',
  amounts: [
    {
      role: "allowance",
      direction: "allowance",
      human: "unlimited",
      raw: "115792089237316195423570985008687907853269984665640564039457584007913129639935",
      symbol: "USDC",
    },
  ],
  rows: [
    { id: "chain", label: "Chain", value: "Base (8453)", raw: "", kind: "text", note: "" },
    {
      id: "from",
      label: "From",
      value: "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
      raw: "",
      kind: "address",
      note: "your address",
    },
    {
      id: "to",
      label: "To",
      value: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
      raw: "",
      kind: "address",
      note: "USDC token contract",
    },
    { id: "value", label: "Value", value: "0 ETH", raw: "0", kind: "amount", note: "" },
  ],
  warnings: [
    {
      id: "approve_unlimited",
      severity: "danger",
      sentence: "The spender could take all of your USDC, now and later.",
      path: "",
    },
    {
      id: "first_time_recipient",
      severity: "info",
      sentence: "You have not dealt with this address before.",
      path: "",
    },
  ],
  calls: [
    {
      title: "approve(spender, amount)",
      to: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
      function: "approve(address,uint256)",
      operation: "call",
      rows: [
        {
          id: "arg.spender",
          label: "spender",
          value: "0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984",
          raw: "",
          kind: "address",
          note: "",
        },
        { id: "arg.amount", label: "amount", value: "unlimited", raw: "2^256 - 1", kind: "amount", note: "" },
      ],
      calls: [],
    },
  ],
  unchecked: ["The transaction was not simulated: no chain connection."],
};

const NEAR_REVIEW = {
  ...EVM_REVIEW,
  title: "Send 0.1 NEAR",
  summary: "Sends 0.1 NEAR from alice.near to bob.near.",
  chain: {
    namespace: "near",
    id: "mainnet",
    name: "NEAR mainnet",
    testnet: false,
    explorer: "https://nearblocks.io",
  },
  severity: "none",
  approval: "plain",
  amounts: [
    { role: "value", direction: "out", human: "0.1", raw: "100000000000000000000000", symbol: "NEAR" },
  ],
  rows: [
    { id: "from", label: "From", value: "alice.near", raw: "", kind: "address", note: "" },
    { id: "to", label: "To", value: "bob.near", raw: "", kind: "address", note: "" },
    {
      id: "fee",
      label: "Network fee",
      value: "about 0.0001 NEAR",
      raw: "",
      kind: "amount",
      note: "not checked",
    },
  ],
  warnings: [],
  calls: [],
};

const GRANT_RULE = { source: "rule" as const, rule: "read-only", actor: "", at: 1 };
const GRANT_HUMAN = { source: "human" as const, rule: "", actor: "", at: 1 };

const PENDING_POST = {
  state: "pending" as const,
  tool: "set-preference",
  method: "POST",
  path: "/api/tools/preferences/{name}",
  url: "http://127.0.0.1:8787/api/tools/preferences/colour?dry=false",
  headers: { "content-type": "application/json", "idempotency-key": "1f6c4d" },
  body: '{"value":"teal","reason":"asked\\u202eni"}',
  args: { name: "colour", value: "teal" },
  digest: "5f2a8c5b7e1d4c3b2a1908f7e6d5c4b3a29180f7e6d5c4b3a29180f7e6d5c4b3",
};

export const GALLERY: Record<string, ChatView> = {
  versions: VERSIONS,
  deciding: DECIDING,
  empty: chat({
    suggestions: ["Who am I?", "Which chains do you know?", "Flip a coin", "Send 0.1 NEAR to bob.near"],
  }),
  answer: withCards("Who am I, and what can you do?", ANSWER, [
    invocation({
      args: {},
      result: {
        data: {
          accountId: "alice.near",
          evmAddress: "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
          chainId: 8453,
        },
      },
      grant: GRANT_RULE,
      ran_ms: 213,
    }),
  ]),
  approvals: withCards(
    "Set my colour, approve USDC and sign in",
    "I need **three decisions** from you. Nothing has been sent.",
    [
      invocation({ ...PENDING_POST, key: "a" }),
      invocation({
        key: "b",
        state: "pending",
        tool: "generate-evm-tx",
        kind: "primitive",
        executor: "wallet",
        method: "",
        path: "",
        url: "",
        review: EVM_REVIEW,
        args: {},
        digest: EVM_REVIEW.digest,
      }),
      invocation({
        key: "c",
        state: "pending",
        tool: "sign-message",
        kind: "primitive",
        executor: "wallet",
        method: "",
        path: "",
        url: "",
        args: {
          message: "Sign in to demo.example\n\nThis proves that alice.near is yours.",
          nonce: "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=",
          recipient: "demo.example",
          callbackUrl: "https://demo.example/cb",
        },
        responds: true,
        digest: EVM_REVIEW.digest,
      }),
    ],
  ),
  transfer: withCards("Send 0.1 NEAR to bob.near", "Here is the transfer. Look at it before you approve.", [
    invocation({
      key: "b",
      state: "pending",
      tool: "generate-transaction",
      kind: "primitive",
      executor: "wallet",
      method: "",
      path: "",
      url: "",
      review: NEAR_REVIEW,
      args: {},
      digest: EVM_REVIEW.digest,
    }),
  ]),
  states: withCards("Every state", "", [
    invocation({ key: "s1", state: "streaming", args: null, args_text: '{"name":"alice","tags":["a","b' }),
    invocation({ key: "s2", state: "proposed", args: { name: "alice" } }),
    invocation({ key: "s3", state: "approved", args: { name: "alice" }, grant: GRANT_HUMAN }),
    invocation({
      key: "s4",
      state: "executing",
      args: { seconds: 30 },
      tool: "slow-report",
      progress: "12 of 40 rows",
      grant: GRANT_HUMAN,
      attempt: 2,
    }),
    invocation({
      key: "s5",
      state: "unknown",
      tool: "set-preference",
      method: "POST",
      args: { value: "teal" },
      grant: GRANT_HUMAN,
    }),
    invocation({
      key: "s6",
      state: "failed",
      tool: "broken",
      args: { city: "Atlantis" },
      result: { error: "HTTP 422: city: `Atlantis` is not a city that this service knows. Try `Lisbon`." },
      grant: GRANT_RULE,
      ran_ms: 1339,
    }),
    invocation({
      key: "s7",
      state: "denied",
      args: { value: "teal" },
      reason: "Wrong colour.",
      tool: "set-preference",
      method: "POST",
    }),
    invocation({ key: "s8", state: "expired", args: {} }),
    invocation({ key: "s9", state: "cancelled", args: {}, reason: "A new message came first." }),
    invocation({
      key: "s10",
      state: "undone",
      args: { value: "teal" },
      tool: "set-preference",
      method: "POST",
    }),
    invocation({
      key: "s11",
      state: "succeeded",
      tool: "set-preference",
      method: "POST",
      args: { value: "teal" },
      result: { data: { saved: true, version: 4, previous: null, history: ["red", "blue"] } },
      grant: GRANT_HUMAN,
      can_undo: true,
      ran_ms: 87,
    }),
    invocation({
      key: "s12",
      state: "succeeded",
      tool: "coin-flip",
      args: {},
      result: { data: 0 },
      grant: GRANT_RULE,
      ran_ms: 30,
    }),
  ]),
  charts: withCards("Draw", "", CHARTS),
  cards: withCards("Show", "", CARDS),
  python: withCards("Note it", "May I call this?", [PYTHON]),
  failed: chat({
    turns: [
      turn({
        steps: [step({ text: "Let me look that up" })],
        phase: "failed",
        outcome: null,
        cause: "timeout",
        attempt: 3,
        reason: "The model did not answer within 30 s, three times in a row.",
        can_retry: true,
      }),
    ],
  }),
  offers: chat({
    turns: [
      turn({
        text: "do the thing",
        steps: [
          step({
            text: "I am the offline model and not sure which operation you mean. Choose one:",
            offers: [
              choice({}),
              choice({
                tool: "set-preference",
                label: "Save a preference",
                args: { name: "colour" },
                missing: ["value"],
                fields: {
                  value: { type: "string", description: "The value to keep." },
                  name: { type: "string" },
                },
              }),
              choice({ tool: "coin-flip", label: "Flip a coin" }),
            ],
          }),
        ],
      }),
    ],
  }),
  capped: chat({
    turns: [
      turn({
        text: "Check all forty chains",
        outcome: "capped",
        can_continue: true,
        steps: [step({ text: "I looked at **seven** of the forty chains." })],
      }),
    ],
  }),
  streaming: chat({
    turns: [
      turn({
        phase: "streaming",
        outcome: null,
        attempt: 2,
        steps: [
          step({
            finished: false,
            thinking: "The person asks who they are.",
            text: "You are **alice.near**. I am looking at the chains th",
          }),
        ],
      }),
    ],
  }),
  math: chat({
    turns: [
      turn({
        text: "What is the value of a perpetuity?",
        steps: [
          step({
            thinking: "They want the **formula** and a number.",
            text: FORMULAS,
            input_tokens: 1_240,
            output_tokens: 310,
          }),
        ],
      }),
    ],
  }),
  // A long history, the last answer still coming.
  many: chat({
    turns: Array.from({ length: 2_000 }, (_, index) =>
      turn({
        turn: index,
        text: `message ${index}`,
        phase: index === 1_999 ? "streaming" : "done",
        steps: [step({ text: ANSWER, finished: index !== 1_999 })],
      }),
    ),
  }),
  // Two hundred turns, of which the last goes on.
  long: chat({
    turns: Array.from({ length: 200 }, (_, index) =>
      turn({
        turn: index + 1,
        text: `message number ${index + 1}.`,
        phase: index === 199 ? "streaming" : "done",
        outcome: index === 199 ? null : "success",
        steps: [step({ text: ANSWER, finished: index !== 199 })],
      }),
    ),
  }),
  notice: chat({
    notice: "This chat is read-only here: another kernel writes it.",
    elsewhere: true,
    turns: [turn({ text: "hello", phase: "cancelled", outcome: null, steps: [step({ text: "Hello, I" })] })],
  }),
};

function withCards(text: string, answer: string, views: InvocationView[]): ChatView {
  const awaiting = views.some((view) => view.state === "pending");
  return chat({
    turns: [
      turn({
        text,
        phase: awaiting ? "awaiting" : "done",
        outcome: awaiting ? null : "success",
        steps: [
          step({ calls: views.map((view) => view.key), text: awaiting ? answer : "" }),
          ...(awaiting ? [] : [step({ step: 2, text: answer })]),
        ],
      }),
    ],
    invocations: Object.fromEntries(views.map((view) => [view.key, view])),
  });
}
