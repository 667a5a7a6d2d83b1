// Changing what a card asks for, always allowing it, its time, and saying what came of it.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeModel } from "../dev/fake_model.js";
import { chat, invocation, step, turn } from "../dev/views.js";
import { clock } from "../src/format.js";
import type { ChatView, InvocationView, RuleView, ToKernel } from "../src/protocol.js";
import { en } from "../src/text/en.js";
import { ptBR } from "../src/text/pt-br.js";
import { mounted, unmount } from "./mounted.js";
import { drawn, soon } from "./patience.js";

const SCHEMA = {
  type: "object",
  properties: {
    title: { type: "string", description: "What it is called." },
    count: { type: "integer" },
    loud: { type: "boolean" },
    kind: { type: "string", enum: ["a", "b"] },
    tags: { type: "array", items: { type: "string" } },
    memo: { type: "string" },
  },
  required: ["title"],
};
const RULE: RuleView = {
  rule: "always-1.1.0",
  agent: "demo",
  tool: "add-note",
  method: "POST",
  origin: "https://a.example",
  at: 1,
};
const PENDING: Partial<InvocationView> = {
  state: "pending",
  tool: "add-note",
  method: "POST",
  url: "https://a.example/notes",
  digest: "abc",
  version: 2,
  args: { title: "Milk", count: 3, tags: ["x"], big: { deep: [1] } },
};

class Kernel extends FakeModel {
  /** What it says about the next act of each type; without one it accepts. */
  refusals: Record<string, string> = {};
  schema: unknown = SCHEMA;

  override send(content: unknown): void {
    const request = content as ToKernel;
    this.sent.push(request);
    const message = this.refusals[request.type];
    if (message !== undefined) this.acknowledge(request.mid, { ok: false, message });
    else this.acknowledge(request.mid, { data: request.type === "arguments_form" ? this.schema : null });
  }
}

function show(view: ChatView, language = "en"): { model: Kernel; el: HTMLElement } {
  document.documentElement.lang = language;
  const model = new Kernel(view);
  const el = mounted(model);
  return { model, el };
}

function withCard(change: Partial<InvocationView>, more: Partial<ChatView> = {}): ChatView {
  const view = invocation({ key: "k", ...change });
  const phase = view.state === "pending" ? "awaiting" : "done";
  return chat({
    turns: [turn({ phase, steps: [step({ calls: ["k"] })] })],
    invocations: { k: view },
    ...more,
  });
}

function button(el: Element, action: string): HTMLButtonElement {
  const found = el.querySelector<HTMLButtonElement>(`[data-bnb-action="${action}"]`);
  if (found === null) throw new Error(`no ${action} button in ${el.textContent}`);
  return found;
}

function has(el: Element, action: string): boolean {
  return el.querySelector(`[data-bnb-action="${action}"]`) !== null;
}

async function field(el: Element, label: string): Promise<HTMLInputElement> {
  return soon(() => {
    const named = [...el.querySelectorAll("label")].find((one) => one.textContent?.trim().startsWith(label));
    const found = named && el.querySelector(`[id="${named.getAttribute("for")}"]`);
    if (!found) throw new Error(`no field ${label}`);
    return found as HTMLInputElement;
  });
}

function write(target: HTMLInputElement, value: string): void {
  target.value = value;
  target.dispatchEvent(new Event("input", { bubbles: true }));
  target.dispatchEvent(new Event("change", { bubbles: true }));
}

function submit(el: Element): void {
  el.querySelector("form")?.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
}

beforeEach(() => {
  document.documentElement.lang = "en";
});

afterEach(unmount);

test("a form of the schema's fields changes the arguments, and what was not touched goes back exactly as it was", async () => {
  const { model, el } = show(withCard(PENDING));
  button(el, "edit-call").click();
  const title = await field(el, "title");
  await soon(() => expect(document.activeElement).toBe(title));
  expect((await field(el, "kind")).tagName).toBe("SELECT");
  expect((await field(el, "tags")).tagName).toBe("TEXTAREA");
  expect((await field(el, "big")).tagName).toBe("TEXTAREA");
  write(title, "Bread");
  write(await field(el, "count"), "12345678901234567890");
  write(await field(el, "tags"), '["y", "z"]');
  write(await field(el, "loud"), "false");
  await drawn();
  submit(el);
  expect(model.asked("edit_call")[0]).toMatchObject({
    key: "k",
    digest: "abc",
    version: 2,
    args: {
      title: "Bread",
      count: "12345678901234567890",
      tags: ["y", "z"],
      loud: false,
      big: { deep: [1] },
    },
  });
  expect(model.asked("decide")).toHaveLength(0);
});

test("an argument that is emptied is left out, one that is required stays", async () => {
  const { model, el } = show(withCard(PENDING));
  button(el, "edit-call").click();
  write(await field(el, "title"), "");
  write(await field(el, "count"), "");
  await drawn();
  submit(el);
  expect(model.asked("edit_call")[0]).toMatchObject({ args: { title: "", tags: ["x"], big: { deep: [1] } } });
  expect(model.asked("edit_call")[0]).not.toHaveProperty("args.count");
});

test("what is no JSON is said at its field and nothing is asked", async () => {
  const { model, el } = show(withCard(PENDING));
  button(el, "edit-call").click();
  const tags = await field(el, "tags");
  write(tags, "[1,");
  await drawn();
  submit(el);
  await drawn();
  expect(model.asked("edit_call")).toHaveLength(0);
  expect(tags.getAttribute("aria-invalid")).toBe("true");
  expect(el.querySelector(`[id="${tags.getAttribute("aria-describedby")}"]`)?.textContent).toBe(en.notJson);
});

for (const [name, words, language] of [
  ["English", en, "en"],
  ["Portuguese", ptBR, "pt-BR"],
] as const) {
  test(`what is no number, or missing, is said in our words in ${name}, by button and by Enter`, async () => {
    const { model, el } = show(withCard(PENDING), language);
    await soon(() => button(el, "edit-call").click());
    await soon(() => expect(button(el, "edit-call").textContent).toBe(words.changeArgs));
    const count = await field(el, "count");
    const title = await field(el, "title");
    write(count, "0x1F");
    write(title, "");
    await drawn();
    expect([count.validationMessage, title.validationMessage]).toEqual([
      words.notNumber(true),
      words.isRequired,
    ]);
    title.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
    button(el, "use-edit").click();
    expect(model.asked("edit_call")).toHaveLength(0);
    write(title, "Bread");
    for (const [text, fits] of [
      ["1.5", false],
      ["12.0", true],
      ["-7", true],
      ["", true],
    ] as const) {
      write(count, text);
      await drawn();
      expect([text, count.validity.valid]).toEqual([text, fits]);
    }
    title.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
    expect(model.asked("edit_call")).toHaveLength(1);
  });
}

test("Enter in the reason declines with it, but not while a word is composed", async () => {
  const { model, el } = show(withCard(PENDING));
  [...el.querySelectorAll<HTMLButtonElement>(".bnb-decision .bnb-text-button")]
    .find((one) => one.textContent === en.addReason)
    ?.click();
  await drawn();
  const reason = el.querySelector(".bnb-decision > input.bnb-input") as HTMLInputElement;
  write(reason, "Not today.");
  await drawn();
  const press = (more: KeyboardEventInit) =>
    reason.dispatchEvent(
      new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true, ...more }),
    );
  press({ isComposing: true });
  expect(model.asked("decide")).toHaveLength(0);
  press({});
  expect(model.asked("decide")).toMatchObject([
    { key: "k", digest: "abc", version: 2, decision: "deny", reason: "Not today.", always: false },
  ]);
});

test("arguments may have the names of what every object has", async () => {
  const args = JSON.parse('{"__proto__": {"polluted": true}, "toString": "shown"}');
  const schema = {
    properties: JSON.parse('{"constructor": {"type": "string"}, "valueOf": {"type": "object"}}'),
  };
  const { model, el } = show(withCard({ ...PENDING, args }));
  model.schema = schema;
  model.refusals.edit_call = "Body field constructor is wrong.";
  button(el, "edit-call").click();
  expect(((await field(el, "constructor")) as HTMLInputElement).value).toBe("");
  expect(((await field(el, "valueOf")) as HTMLInputElement).value).toBe("");
  expect(el.querySelectorAll(".bnb-fault")).toHaveLength(0);
  write(await field(el, "toString"), "changed");
  await drawn();
  submit(el);
  await drawn();
  const sent = JSON.stringify((model.asked("edit_call")[0] as { args: unknown }).args);
  expect(sent).toBe('{"__proto__":{"polluted":true},"toString":"changed"}');
  expect((await field(el, "constructor")).getAttribute("aria-invalid")).toBe("true");
});

test("each of the kernel's sentences stands at the field that it names, the others below", async () => {
  const { model, el } = show(withCard(PENDING));
  model.refusals.edit_call =
    "Body field title takes at most 3 characters, not 5.\nBody field count must be an integer.\nThe policy forbids this.";
  button(el, "edit-call").click();
  write(await field(el, "title"), "Bread");
  await drawn();
  submit(el);
  await drawn();
  const faultOf = async (name: string) =>
    el.querySelector(`[id="${(await field(el, name)).getAttribute("aria-describedby")}"]`)?.textContent;
  expect(await faultOf("title")).toBe("Body field title takes at most 3 characters, not 5.");
  expect(await faultOf("count")).toBe("Body field count must be an integer.");
  expect((await field(el, "tags")).getAttribute("aria-invalid")).toBe("false");
  const faults = [...el.querySelectorAll(".bnb-fault")].map((one) => one.textContent);
  expect(faults).toContain("The policy forbids this.");
});

test("Escape leaves the form, with the focus where it was opened", async () => {
  const { model, el } = show(withCard(PENDING));
  button(el, "edit-call").click();
  const title = await field(el, "title");
  title.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  await drawn();
  expect(el.querySelector("form.bnb-edit")).toBeNull();
  expect(document.activeElement).toBe(button(el, "edit-call"));
  expect(model.asked("stop")).toHaveLength(0);
});

test("while the form differs from the card nothing but declining can be decided, whatever is pressed", async () => {
  const { model, el } = show(withCard({ ...PENDING, always: RULE }));
  button(el, "edit-call").click();
  const title = await field(el, "title");
  expect(button(el, "approve").disabled).toBe(false);
  write(title, "Bread");
  await drawn();
  expect(button(el, "approve").disabled).toBe(true);
  const said = button(el, "approve").getAttribute("aria-describedby")?.split(" ") ?? [];
  expect(said.map((id) => el.querySelector(`[id="${id}"]`)?.textContent)).toContain(en.editFirst);
  expect(en.editFirst).toContain(en.useEdit);
  expect(ptBR.editFirst).toContain(ptBR.useEdit);
  button(el, "approve").click();
  button(el, "always").click();
  button(el, "edit-call").click();
  await drawn();
  expect((await field(el, "title")).value).toBe("Bread");
  expect(has(el, "approve-always")).toBe(false);
  expect(model.asked("decide")).toHaveLength(0);
  expect(button(el, "decline").disabled).toBe(false);
  write(title, "Milk");
  await drawn();
  expect(button(el, "approve").disabled).toBe(false);
  write(title, "Bread");
  await drawn();
  title.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  await drawn();
  expect(button(el, "approve").disabled).toBe(false);
  expect(el.textContent).not.toContain(en.editFirst);
});

test("where the kernel has no schema the arguments are changed as they stand", async () => {
  const { model, el } = show(withCard(PENDING));
  model.refusals.arguments_form = "There is no such tool.";
  button(el, "edit-call").click();
  write(await field(el, "title"), "Bread");
  await drawn();
  submit(el);
  expect(model.asked("edit_call")[0]).toMatchObject({ args: { ...PENDING.args, title: "Bread" } });
});

test("a changed card says what the model asked for, before and after it ran", () => {
  const original_args = { title: "Milk" };
  for (const state of ["pending", "succeeded"] as const) {
    const { el } = show(withCard({ ...PENDING, state, version: 3, original_args }));
    expect(el.querySelector(".bnb-original")?.textContent).toContain("Milk");
  }
});

test("always allowing shows its scope before it can be accepted", async () => {
  const { model, el } = show(withCard({ ...PENDING, always: RULE }));
  expect(has(el, "approve-always")).toBe(false);
  button(el, "always").click();
  await drawn();
  expect(el.querySelector(".bnb-always")?.textContent).toContain(
    "Always allow add-note (POST) at https://a.example, with any arguments, in this chat",
  );
  button(el, "approve-always").click();
  expect(model.asked("decide")[0]).toMatchObject({
    decision: "approve",
    always: true,
    digest: "abc",
    version: 2,
  });
});

test("approving alone allows nothing else", () => {
  const { model, el } = show(withCard({ ...PENDING, always: RULE }));
  button(el, "approve").click();
  expect(model.asked("decide")[0]).toMatchObject({ decision: "approve", always: false });
});

test("nothing is offered where the kernel offers nothing", () => {
  expect(has(show(withCard(PENDING)).el, "always")).toBe(false);
});

test("what is always allowed is listed and can be taken back", async () => {
  const { model, el } = show(
    withCard({}, { rules: [RULE, { ...RULE, rule: "always-2.1.0", tool: "plot" }] }),
  );
  const toggle = button(el, "rules");
  expect(toggle.textContent).toContain(en.rules(2));
  expect(toggle.getAttribute("aria-expanded")).toBe("false");
  expect(el.querySelector(".bnb-rules")).toBeNull();
  toggle.click();
  await drawn();
  expect(toggle.getAttribute("aria-expanded")).toBe("true");
  expect(el.querySelector(".bnb-head .bnb-rules")).toBeNull(); // a list has no room in the head
  const rows = [...el.querySelectorAll("[data-bnb-rule]")];
  expect(rows[0]?.textContent).toContain("Always allow add-note (POST) at https://a.example");
  rows[1]?.querySelector("button")?.click();
  await drawn();
  expect(model.asked("revoke")).toMatchObject([{ rule: "always-2.1.0" }]);
});

test("without a rule there is no list", () => {
  expect(has(show(withCard({})).el, "rules")).toBe(false);
});

test("the time left is counted down, and once it is over only approving goes", async () => {
  vi.useFakeTimers({ toFake: ["Date"] }); // it stands still until the card is drawn
  const { model, el } = show(withCard({ ...PENDING, always: RULE, expires_at: Date.now() + 1_400 }));
  expect(el.querySelector('[role="timer"]')?.textContent).toBe(en.timeLeft("0:02"));
  vi.useRealTimers();
  await soon(() => expect(button(el, "approve").disabled).toBe(true));
  expect(el.textContent).toContain(en.timeOver);
  for (const action of ["edit-call", "always"]) expect(has(el, action)).toBe(false);
  button(el, "decline").click();
  expect(model.asked("decide")[0]).toMatchObject({ decision: "deny" });
});

test("a long time is said as the time of day", () => {
  const { el } = show(withCard({ ...PENDING, expires_at: Date.now() + 3_600_000 }));
  expect(el.querySelector('[role="timer"]')?.textContent).toContain(en.expiresAt("").trim());
});

test.each([
  ["happened", { type: "reconcile", happened: true }],
  ["did-not-happen", { type: "reconcile", happened: false }],
  ["check", { type: "check_call" }],
  ["retry-call", { type: "retry_call" }],
])("of an unknown outcome the person says or asks: %s", (action, request) => {
  const { model, el } = show(withCard({ state: "unknown", checks: true, can_retry: true }));
  button(el, action).click();
  expect(model.sent.at(-1)).toMatchObject({ key: "k", ...request });
});

test("an unknown outcome offers neither a look-up nor a repetition that the tool does not have", () => {
  const { el } = show(withCard({ state: "unknown" }));
  expect(has(el, "happened") && has(el, "did-not-happen")).toBe(true);
  expect(has(el, "check") || has(el, "retry-call")).toBe(false);
});

test("a failed call can be tried again, one that could not be made cannot", () => {
  expect(
    has(show(withCard({ state: "failed", result: { error: "No." }, can_retry: true })).el, "retry-call"),
  ).toBe(true);
  expect(has(show(withCard({ state: "failed", result: { error: "No." } })).el, "retry-call")).toBe(false);
});

test("why a look-up found nothing is said on the card", async () => {
  const { model, el } = show(withCard({ state: "unknown", checks: true }));
  model.refusals.check_call = "It is still not known what came of it.";
  button(el, "check").click();
  await drawn();
  expect(el.querySelector(".bnb-outcome .bnb-refusal")?.textContent).toContain("still not known");
});

test.each(["pending", "denied", "expired", "cancelled"] as const)(
  "a doubt about an earlier attempt is said: %s",
  (state) => {
    expect(show(withCard({ ...PENDING, state, doubt: true })).el.textContent).toContain(en.doubt);
  },
);

test("what nobody answers is not shown as under way once the kernel is gone, and goes on when it is back", async () => {
  const { model, el } = show(withCard(PENDING));
  model.send = () => {
    throw new Error("the comm is closed");
  };
  button(el, "approve").click();
  await drawn();
  expect(button(el, "approve").textContent).toBe(en.approve);
  expect(el.querySelector(".bnb-refusal")?.textContent).toContain(en.unheard);
  for (const action of ["approve", "decline", "edit-call"]) expect(button(el, action).disabled).toBe(true);
  expect(el.querySelector(".bnb-decision")?.textContent).toContain(en.decideLost);
  model.snapshot(withCard(PENDING));
  await drawn();
  expect(el.textContent).not.toContain(en.unheard);
  expect(el.textContent).not.toContain(en.decideLost);
  for (const action of ["approve", "decline", "edit-call"]) expect(button(el, action).disabled).toBe(false);
});

test("without a kernel neither an outcome, a repetition nor an undo can be asked for, and it is said why", async () => {
  for (const [change, action] of [
    [{ state: "unknown" }, "happened"],
    [{ state: "failed", can_retry: true }, "retry-call"],
    [{ state: "succeeded", can_undo: true }, "undo"],
  ] as const) {
    const { model, el } = show(withCard(change));
    expect(button(el, action).disabled).toBe(false);
    model.send = () => {
      throw new Error("the comm is closed");
    };
    model.fire("comm_live_update");
    await drawn();
    expect(button(el, action).disabled).toBe(true);
    expect(el.querySelector(".bnb-card")?.outerHTML).toContain(en.decideLost);
  }
});

test("it speaks Portuguese", async () => {
  const { el } = show(withCard({ ...PENDING, always: RULE }), "pt-BR");
  expect(el.textContent).toBe("");
  await soon(() => expect(el.textContent).toContain(ptBR.approve));
  button(el, "always").click();
  await drawn();
  expect(el.textContent).toContain(ptBR.alwaysScope("add-note", "POST", "https://a.example", ""));
  expect(button(el, "edit-call").textContent).toBe(ptBR.changeArgs);
});

test("beside the buttons a message to sign stands in its own words, a long one without its middle", () => {
  const gist = (change: Partial<InvocationView>) =>
    show(withCard({ state: "pending", executor: "wallet", digest: "d", ...change })).el.querySelector(
      ".bnb-gist-line",
    )?.textContent;
  const message = (value: string, kind = "message") => ({
    title: "Sign a message",
    summary: "Sign a message of 9 characters.",
    rows: [{ id: "message", label: "Message", value, raw: "", kind, note: "" }],
  });
  expect(gist({ review: message("I am Alice") })).toBe("Sign a message of 9 characters: “I am Alice”");
  expect(gist({ review: message("0xab", "code") })).toBe("Sign a message of 9 characters.");
  expect(gist({ review: { title: "Send 1 NEAR", summary: "Sends 1 NEAR." } })).toBe("Sends 1 NEAR.");
  expect(gist({ tool: "sign-message", args: { message: "Hi there" } })).toBe("Message: “Hi there”");
  const long = gist({ tool: "sign-message", args: { message: `Begin ${"x".repeat(5_000)} and pay` } }) ?? "";
  expect(long.length).toBeLessThan(300);
  expect(long).toMatch(/^Message: “Begin x+ … x+ and pay”$/);
});

test("why it was asked, allowed or declined is said in a person's words, and the time is that of the run", () => {
  const said = (change: Partial<InvocationView>) =>
    show(withCard(change)).el.querySelector(".bnb-card")?.textContent;
  const grant = { source: "session", rule: "always-3.1.0", actor: "person", at: 31_000 } as const;
  expect(said({ ...PENDING, rule: "ask-by-default" })).toContain("Asked because no rule allows it");
  expect(said({ ...PENDING, rule: "payments" })).toContain("“payments”");
  expect(said({ state: "succeeded", grant })).toContain("Allowed: you said always");
  expect(said({ state: "succeeded", ran_ms: 2_000 })).toContain("Done · 2.0 s");
  expect(said({ state: "unknown", ran_ms: 2_000 })).not.toContain("2.0 s");
});

test.each([
  [
    "a person",
    { decider: "person", reason: "too secret" },
    "Declined",
    "You declined it. It was not run. Reason: too secret",
  ],
  ["code", { decider: "code" }, "Declined by code", "Code in the notebook declined it. It was not run."],
  [
    "a rule",
    { decider: "rule", rule: "no-lending", reason: "Not from here." },
    "Forbidden by a rule",
    "The rule “no-lending” forbids it: Not from here. It was not run.",
  ],
  [
    "the same request before",
    { decider: "rule", rule: "declined-before", reason: "x" },
    "Declined before",
    en.denials.before.note,
  ],
  [
    "a fault",
    { decider: "rule", rule: "internal-error", reason: "Oh." },
    "Not run",
    "It could not be judged, so it was not run. Reason: Oh.",
  ],
] as const)("a call that was not run because of %s says so", (_by, change, label, note) => {
  const { el } = show(withCard({ state: "denied", ...change }));
  expect(el.querySelector(".bnb-card-state")?.textContent).toBe(label);
  expect(el.querySelector(".bnb-note")?.textContent).toBe(note);
});

test("what a person answered counts as no run, and who answered is said", () => {
  const said = (decider: InvocationView["decider"]) =>
    show(withCard({ state: "succeeded", decider, result: { data: "x" } })).el.querySelector(".bnb-card");
  for (const decider of ["person", "code"] as const) {
    expect(said(decider)?.textContent).toContain(en.answeredBy(decider));
    expect(said(decider)?.querySelector(".bnb-card-state")?.textContent).toBe(en.states.succeeded);
  }
});

test("the request of a finished call says when it left and with which key", async () => {
  const { el } = show(
    withCard({
      ...PENDING,
      state: "succeeded",
      headers: { "Idempotency-Key": "k-123" },
      sent_at: 1_764_500_000_000,
      result: { data: 1 },
    }),
  );
  el.querySelector<HTMLButtonElement>(".bnb-card-more")?.click();
  await drawn();
  const request = el.querySelector(".bnb-request");
  expect(request?.textContent).toContain(en.sentAt(clock(1_764_500_000_000)));
  expect(request?.textContent).toContain("k-123");
  const open = show(withCard({ ...PENDING, headers: { "Idempotency-Key": "(made later)" } })).el;
  expect(open.querySelector(".bnb-request")?.textContent).not.toContain("Sent");
});

test("a changed form is there again once its folded card is unfolded", async () => {
  const { el } = show(withCard(PENDING));
  el.querySelector<HTMLButtonElement>('[data-bnb-action="edit-call"]')?.click();
  await soon(() => expect(el.querySelector(".bnb-edit input")).not.toBeNull());
  const field = el.querySelector<HTMLInputElement>(".bnb-edit input") as HTMLInputElement;
  field.value = "other";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  const fold = el.querySelector<HTMLButtonElement>(".bnb-card-fold") as HTMLButtonElement;
  fold.click();
  await drawn();
  expect(el.querySelector<HTMLElement>(".bnb-card-body")?.hidden).toBe(true);
  fold.click();
  await drawn();
  expect(el.querySelector<HTMLElement>(".bnb-card-body")?.hidden).toBe(false);
  expect(el.querySelector<HTMLInputElement>(".bnb-edit input")?.value).toBe("other");
});

test("the digest of a card is told apart from that of the request in its review", () => {
  const label = (change: Partial<InvocationView>) =>
    show(withCard({ ...PENDING, ...change })).el.querySelector(".bnb-digest")?.textContent;
  expect(label({})).toBe("Digest of this request: abc");
  expect(label({ review: { title: "Send", summary: "Sends." } })).toBe(
    "Digest of this card (the request and who carries it out): abc",
  );
});

test.each(["pending", "executing", "succeeded"] as const)(
  "what was said of an earlier attempt is marked as that while the call is tried again (%s)",
  async (state) => {
    const call = invocation({ key: "1.1.0", tool: "add-note", state, attempt: 2 });
    const failed = step({ step: 2, text: "It failed. Nothing was sent.", finished: true });
    const view = chat({
      turns: [turn({ steps: [step({ calls: [call.key], finished: true }), failed] })],
      invocations: { [call.key]: call },
    });
    const { el } = show(view);
    await soon(() => expect(el.textContent).toContain("Nothing was sent."));
    expect(el.textContent?.includes("About the earlier attempt:")).toBe(state !== "succeeded");
  },
);
