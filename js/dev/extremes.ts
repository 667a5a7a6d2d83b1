// More, longer and larger than anybody would like: what a page must still draw.

import type { ChatView, InvocationView } from "../src/protocol.js";
import { chat, invocation, step, turn } from "./views.js";

const WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";
const TOOL = "listAllOutstandingCrossChainLiquidityPositionsOfTheConnectedAccountIncludingClosedOnes_v2";

function cards(count: number, change: (index: number) => Partial<InvocationView>): ChatView {
  const views = Array.from({ length: count }, (_, index) =>
    invocation({ key: `1.1.${index}`, tool: `tool-${index}`, ...change(index) }),
  );
  const waits = views.some((view) => view.state === "pending");
  return chat({
    turns: [
      turn({
        phase: waits ? "awaiting" : "done",
        outcome: waits ? null : "success",
        steps: [step({ text: "All of them.", calls: views.map((view) => view.key) })],
      }),
    ],
    invocations: Object.fromEntries(views.map((view) => [view.key, view])),
  });
}

const ROWS = Array.from({ length: 9_000 }, (_, index) => ({
  name: `row ${index}`,
  note: "x".repeat(60),
  values: [index, index / 3, null],
}));

export const EXTREMES: Record<string, ChatView> = {
  pending500: cards(500, (index) => ({
    state: "pending",
    method: "POST",
    digest: `d${index}`,
    args: { text: `note ${index}` },
    body: `{"text":"note ${index}"}`,
  })),
  finished500: cards(500, (index) => ({ args: { page: index }, result: { data: { index, ok: true } } })),
  /** Results of a megabyte each: rows, one text, one line of nesting, one error. */
  large: cards(4, (index) => {
    if (index === 0) return { tool: "rows", result: { data: ROWS } };
    if (index === 1) return { tool: "text", result: { data: "lorem ipsum ".repeat(90_000) } };
    if (index === 2) return { tool: "deep", result: { data: deep(900) } };
    return { tool: "error", state: "failed", result: { error: `HTTP 500: ${"no ".repeat(350_000)}` } };
  }),
  words: chat({
    title: WORD,
    agents: [
      {
        agent: "a".repeat(80),
        name: WORD,
        description: `${WORD} ${WORD}`,
        model: `${WORD}-instruct`,
        document: "",
        account: `${"a".repeat(60)}.near`,
        price: null,
        image: "",
        handle: "long",
      },
    ],
    turns: [
      turn({
        text: `${WORD} ${"9".repeat(90)} ${"w".repeat(200)}`,
        phase: "awaiting",
        outcome: null,
        steps: [
          step({
            text: `${WORD} \`${"code".repeat(40)}\` https://example.org/${"path/".repeat(40)}\n\n| ${WORD} | ${WORD} |\n|---|---|\n| ${"1".repeat(60)} | b |`,
            calls: ["1.1.0", "1.1.1", "1.1.2", "1.1.3"],
          }),
        ],
      }),
    ],
    invocations: {
      "1.1.0": invocation({
        key: "1.1.0",
        state: "pending",
        tool: TOOL,
        method: "DELETE",
        path: `/v1/${"segment/".repeat(20)}{positionIdentifier}`,
        url: `https://api.example.org/v1/${"segment/".repeat(20)}${"7".repeat(78)}`,
        headers: { "x-a-very-long-header-name-that-somebody-chose": "v".repeat(120) },
        body: `{"amount":"${"9".repeat(78)}","${WORD}":"${WORD}"}`,
        args: { [WORD]: WORD, amount: "9".repeat(78) },
        digest: "9b1c2f7f0e4a5a3f0c77c1c5de1f26b2f8b1f0ab7a5be1f3a9c0d4e5f6a7b8c9",
        rule: `${WORD}-rule`,
        responds: true,
        expires_at: 4_000_000_000_000,
        always: {
          rule: "r",
          agent: "demo",
          tool: TOOL,
          method: "DELETE",
          origin: `https://${"sub.".repeat(30)}example.org`,
          at: 1,
        },
      }),
      "1.1.1": invocation({
        key: "1.1.1",
        tool: TOOL,
        method: "GET",
        args: { [WORD]: "9".repeat(200) },
        result: { data: { [WORD]: { [WORD]: "9".repeat(300) }, number: 1.7976931348623157e308 } },
        grant: { source: "rule", rule: WORD, actor: "", at: 1 },
        ran_ms: 359999999,
        can_undo: true,
      }),
      "1.1.2": invocation({
        key: "1.1.2",
        tool: TOOL,
        state: "denied",
        decider: "rule",
        rule: WORD,
        reason: WORD,
      }),
      "1.1.3": invocation({
        key: "1.1.3",
        tool: TOOL,
        state: "unknown",
        method: "POST",
        checks: true,
        can_retry: true,
        reason: WORD.repeat(3),
      }),
    },
    suggestions: [],
    notice: `${WORD} ${WORD}`,
    attach: { accept: ["*/*"], largest: 20_000_000, most: 10 },
  }),
};

function deep(levels: number): unknown {
  let value: unknown = "the bottom";
  for (let level = 0; level < levels; level += 1) value = { [`level ${levels - level}`]: value };
  return value;
}
