// Views with every field there, for the gallery and for tests: a case says only what it is about.

import type { AgentView, ChatView, ChoiceView, InvocationView, StepView, TurnView } from "../src/protocol.js";

export const AGENT: AgentView = {
  agent: "demo",
  name: "Demo agent",
  description: "Builds NEAR and EVM payloads, flips coins, and shows who you are.",
  model: "offline model",
  document: "http://127.0.0.1:8787/openapi.json",
  account: "alice.near",
  price: null,
  image: "",
  handle: "demo",
};

export function invocation(change: Partial<InvocationView>): InvocationView {
  return {
    key: "1.1.0",
    tool: "get-user",
    kind: "operation",
    executor: "http",
    agent: "demo",
    state: "succeeded",
    method: "GET",
    path: "/api/tools/get-user",
    url: "http://127.0.0.1:8787/api/tools/get-user",
    headers: {},
    body: "",
    args_text: "",
    args: {},
    original_args: null,
    digest: "",
    version: 1,
    review: null,
    responds: false,
    rule: "",
    reason: "",
    decider: "",
    grant: null,
    expires_at: null,
    attempt: 1,
    cancel_requested: false,
    progress: "",
    result: null,
    always: null,
    checks: false,
    can_retry: false,
    doubt: false,
    can_undo: false,
    undone_by: "",
    compensates: "",
    sent_at: null,
    ran_ms: 0,
    status: null,
    ...change,
  };
}

export function step(change: Partial<StepView>): StepView {
  return {
    step: 1,
    model: "offline model",
    text: "",
    thinking: "",
    offers: [],
    calls: [],
    finished: true,
    input_tokens: 0,
    output_tokens: 0,
    agent: "",
    left_out: 0,
    shortened: 0,
    thought_ms: 0,
    ...change,
  };
}

export function turn(change: Partial<TurnView>): TurnView {
  return {
    turn: 1,
    text: "Who am I?",
    agent: "demo",
    at: 1_764_500_000_000,
    ran_ms: 0,
    phase: "done",
    attempt: 1,
    max_attempts: 3,
    outcome: "success",
    cause: null,
    reason: "",
    can_retry: false,
    can_continue: false,
    rough: false,
    actions: [],
    versions: [],
    rating: "",
    files: [],
    steps: [],
    ...change,
  };
}

export function choice(change: Partial<ChoiceView>): ChoiceView {
  return { tool: "get-user", label: "Show who I am", args: {}, missing: [], fields: {}, ...change };
}

export function chat(change: Partial<ChatView>): ChatView {
  return {
    chat: "c1",
    title: "",
    agents: [AGENT],
    turns: [],
    invocations: {},
    suggestions: [],
    attach: null,
    rules: [],
    notice: "",
    elsewhere: false,
    part: null,
    ...change,
  };
}
