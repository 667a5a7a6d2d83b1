// A card that can be changed and always allowed, calls whose outcome is unknown, two agents, and what was left out.

import type { AgentView, ChatView, RuleView } from "../src/protocol.js";
import { AGENT, chat, invocation, step, turn } from "./views.js";

/** What the kernel answers to the question for a card's form. */
export const FORM = {
  type: "object",
  properties: {
    text: { type: "string", description: "What to remember." },
    color: { type: "string", enum: ["yellow", "green"] },
    tags: { type: "array", items: { type: "string" }, description: "Words to find it by." },
  },
  required: ["text"],
};

const NOTES: AgentView = { ...AGENT, agent: "notes", name: "My Notes", handle: "my-notes" };
const MONEY: AgentView = { ...AGENT, agent: "money", name: "Money", handle: "money" };
const RULE: RuleView = {
  rule: "always-1.1.0",
  agent: "notes",
  tool: "add-note",
  method: "POST",
  origin: "http://127.0.0.1:8787",
  at: 1_790_000_000_000,
};
const REQUEST = {
  tool: "add-note",
  method: "POST",
  path: "/api/notes",
  url: "http://127.0.0.1:8787/api/notes",
  digest: "2f1d0c",
  agent: "notes",
};

export const DECIDING: ChatView = chat({
  agents: [NOTES, MONEY],
  rules: [RULE, { ...RULE, rule: "always-1.2.0", tool: "remove-note", method: "DELETE" }],
  turns: [
    turn({
      turn: 1,
      text: "@my-notes remember milk, and pay for it",
      agent: "notes",
      phase: "awaiting",
      outcome: null,
      steps: [
        step({ step: 1, agent: "notes", text: "Let me see.", calls: ["1.1.0"] }),
        step({
          step: 2,
          agent: "money",
          text: "I go on.",
          calls: ["1.2.0", "1.2.1", "1.2.2"],
          left_out: 12,
          shortened: 2,
        }),
      ],
    }),
  ],
  invocations: {
    "1.1.0": invocation({
      key: "1.1.0",
      tool: "hand-off",
      kind: "handoff",
      agent: "notes",
      result: { data: { agent: "money", name: "Money", reason: "It is about money." } },
    }),
    "1.2.0": invocation({
      ...REQUEST,
      key: "1.2.0",
      state: "pending",
      version: 2,
      args: { text: "bread", tags: ["food"] },
      original_args: { text: "milk", tags: ["food"] },
      always: RULE,
      rule: "ask-by-default",
      expires_at: 4_000_000_000_000,
    }),
    "1.2.1": invocation({
      ...REQUEST,
      key: "1.2.1",
      state: "unknown",
      checks: true,
      can_retry: true,
      result: null,
    }),
    "1.2.2": invocation({
      ...REQUEST,
      key: "1.2.2",
      state: "failed",
      can_retry: true,
      doubt: true,
      result: { error: "HTTP 409: there is such a note." },
    }),
  },
});
