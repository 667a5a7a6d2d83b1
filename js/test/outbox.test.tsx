// One message waits for the answer before it, and is never lost: neither dropped nor sent twice.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeModel } from "../dev/fake_model.js";
import { chat, invocation, step, turn } from "../dev/views.js";
import type { ChatView, InvocationView, TurnView } from "../src/protocol.js";
import { en } from "../src/text/en.js";
import widget from "../src/widget.js";
import { drawn } from "./patience.js";

const RUNNING = chat({ turns: [turn({ phase: "streaming", outcome: null })] });
const DECIDING = chat({
  turns: [turn({ phase: "awaiting", outcome: null, steps: [step({ calls: ["k"] })] })],
  invocations: { k: invocation({ key: "k", state: "pending" }) },
});
const CALLING: ChatView = {
  ...DECIDING,
  invocations: { k: invocation({ key: "k", state: "executing" }) },
};

let el: HTMLElement;
let model: FakeModel;
let close: () => void;

function show(view: ChatView): void {
  document.documentElement.lang = "en";
  model = new FakeModel(view);
  const module = widget();
  el = document.createElement("div");
  document.body.append(el);
  module.initialize({ model });
  close = module.render({ model, el });
  model.snapshot(view); // the kernel is there
}

function box(): HTMLTextAreaElement {
  const area = el.querySelector<HTMLTextAreaElement>(".bnb-composer-text");
  if (area === null) throw new Error("no composer");
  return area;
}

async function write(text: string, key = "Enter", change: KeyboardEventInit = {}): Promise<void> {
  box().value = text;
  box().dispatchEvent(new Event("input", { bubbles: true }));
  await drawn();
  await press(key, change);
}

async function press(key: string, change: KeyboardEventInit = {}): Promise<void> {
  box().dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...change }));
  await drawn();
}

async function click(action: string): Promise<void> {
  el.querySelector<HTMLButtonElement>(`[data-bnb-action="${action}"]`)?.click();
  await drawn();
}

async function goes(change: Partial<TurnView>): Promise<void> {
  const { steps: _steps, ...head } = turn(change);
  model.happen({ type: "turn", head });
  await drawn();
}

const sent = () => model.asked("send").map((one) => one.text);
const waiting = () => el.querySelector(".bnb-queued-text")?.textContent ?? null;
const says = () => el.querySelector(".bnb-queued [role=status]")?.textContent;

beforeEach(() => sessionStorage.clear());
afterEach(() => {
  close();
  model.fire("destroy");
  document.body.replaceChildren();
});

describe("a message typed while an answer runs", () => {
  for (const [name, view, sentence] of [
    ["an answer", RUNNING, en.waitingFor.answer],
    ["a decision", DECIDING, en.waitingFor.decision],
    ["a running call", CALLING, en.waitingFor.call],
  ] as const) {
    test(`waits for ${name}, visibly, and is sent once that turn is over`, async () => {
      show(view);
      await write("next");
      expect([sent(), waiting(), box().value, says()]).toEqual([[], "next", "", sentence]);
      await goes({ phase: "done" });
      expect([sent(), waiting()]).toEqual([["next"], null]);
      await goes({ phase: "done", reason: "again" });
      expect(sent()).toEqual(["next"]);
    });
  }

  test("waits while a paused turn goes on after the decision", async () => {
    show(DECIDING);
    await write("next");
    await goes({ phase: "streaming", outcome: null });
    expect([sent(), says()]).toEqual([[], en.waitingFor.answer]);
  });

  test("waits for a message that was not answered yet", async () => {
    show(chat({}));
    await write("one");
    await write("two");
    expect([sent(), waiting()]).toEqual([["one"], "two"]);
    await goes({ turn: 1, text: "one", phase: "streaming", outcome: null });
    expect(sent()).toEqual(["one"]);
    await goes({ turn: 1, text: "one", phase: "done" });
    expect(sent()).toEqual(["one", "two"]);
  });

  test("and a second one are one message of two paragraphs", async () => {
    show(RUNNING);
    await write("one");
    await write("two");
    expect(says()).toBe(`${en.waitingFor.answer} ${en.sentTogether}`);
    await goes({ phase: "done" });
    expect(sent()).toEqual(["one\n\ntwo"]);
    await goes({ phase: "streaming", outcome: null, turn: 2 });
    await write("three");
    expect(says()).toBe(en.waitingFor.answer);
  });

  for (const [name, act] of [
    ["Esc", () => press("Escape")],
    ["the arrow up", () => press("ArrowUp")],
    ["its cross", () => click("take-back")],
  ] as const) {
    test(`is taken back by ${name} to be changed, and not sent`, async () => {
      show(RUNNING);
      await write("next");
      await act();
      expect([waiting(), box().value, model.asked("stop")]).toEqual([null, "next", []]);
      await goes({ phase: "done" });
      expect(sent()).toEqual([]);
    });
  }

  test("goes in front of what was written since when it is taken back", async () => {
    show(RUNNING);
    await write("one");
    await write("two", "Escape");
    expect(box().value).toBe("one\n\ntwo");
  });

  test("is sent at once when asked to, by button or key", async () => {
    show(DECIDING);
    await write("next");
    await click("send-now");
    expect([sent(), waiting()]).toEqual([["next"], null]);
    close();
    show(RUNNING);
    await write("next", "Enter", { ctrlKey: true });
    expect([sent(), waiting()]).toEqual([["next"], null]);
  });

  test("is sent after a stop", async () => {
    show(RUNNING);
    await write("next");
    await click("stop");
    await goes({ phase: "cancelled", outcome: null });
    expect(sent()).toEqual(["next"]);
  });

  test("is kept when the answer fails, since that may be tried again first", async () => {
    show(RUNNING);
    await write("next");
    await goes({ phase: "failed", outcome: null, can_retry: true });
    expect([sent(), says()]).toEqual([[], en.waitingFor.failed]);
    await goes({ phase: "streaming", outcome: null });
    await goes({ phase: "done" });
    expect(sent()).toEqual(["next"]);
  });

  test("is written back after a reload of the page, and not sent by it", async () => {
    show(RUNNING);
    await write("waits");
    box().value = "half";
    box().dispatchEvent(new Event("input", { bubbles: true }));
    await drawn();
    close();
    show(chat({ turns: [turn({})] }));
    await drawn();
    expect([sent(), waiting(), box().value]).toEqual([[], null, "waits\n\nhalf"]);
  });

  test("keeps waiting while nobody is there to take it", async () => {
    show(RUNNING);
    await write("next");
    model.gone = true;
    model.fire("comm_live_update");
    await drawn();
    expect([sent(), waiting()]).toEqual([[], "next"]);
  });

  test("is sent once by two views of one chat", async () => {
    show(RUNNING);
    const module = widget();
    const second = document.createElement("div");
    const leave = module.render({ model, el: second });
    await write("next");
    await goes({ phase: "done" });
    expect(sent()).toEqual(["next"]);
    leave();
  });
});

describe("Esc in the field", () => {
  const call = (state: InvocationView["state"]) => invocation({ key: "k", state });
  const withCalls = (...states: InvocationView["state"][]): ChatView => ({
    ...DECIDING,
    turns: [
      turn({ phase: "awaiting", outcome: null, steps: [step({ calls: states.map((_, at) => `${at}`) })] }),
    ],
    invocations: Object.fromEntries(states.map((state, at) => [`${at}`, call(state)])),
  });
  for (const [name, view, stops] of [
    ["leaves it where only a decision is open, which stays open", withCalls("pending", "succeeded"), 0],
    ["leaves it where only the person can say what came of a call", withCalls("unknown"), 0],
    ["leaves it where nothing goes on", chat({ turns: [turn({})] }), 0],
    ["stops a call that runs beside a decision", withCalls("pending", "executing"), 1],
    ["stops a call that is about to run", withCalls("approved"), 1],
    ["stops an answer", RUNNING, 1],
    ["stops an answer that stalled", chat({ turns: [turn({ phase: "stalled", outcome: null })] }), 1],
    ["stops an attempt", chat({ turns: [turn({ phase: "retrying", outcome: null })] }), 1],
  ] as const) {
    test(name, async () => {
      show(view);
      box().focus();
      await press("Escape");
      expect(model.asked("stop")).toHaveLength(stops);
      expect(model.asked("decide")).toHaveLength(0);
      expect(document.activeElement === box()).toBe(stops === 1);
    });
  }

  test("and on a card declines nothing, and the button still stops what waits", async () => {
    show(DECIDING);
    const card = el.querySelector<HTMLElement>(".bnb-card");
    card?.focus();
    for (const place of [card, el.querySelector('[data-bnb-action="decline"]')])
      place?.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true }));
    await drawn();
    expect([model.asked("decide"), model.asked("stop")]).toEqual([[], []]);
    expect(el.querySelector<HTMLElement>('[data-bnb-action="stop"]')?.title).toBe(en.stop);
    await click("stop");
    expect(model.asked("stop")).toHaveLength(1);
  });
});

describe("what is written", () => {
  const A = chat({ chat: "a", turns: [turn({ phase: "streaming", outcome: null })] });

  test("is the same in every view, and a view that opens later does not lose it", async () => {
    show(A);
    await write("half", "Shift");
    const second = document.createElement("div");
    const leave = widget().render({ model, el: second });
    leave();
    expect(sessionStorage.getItem("bitte-nb:draft:a")).toBe("half");
    const module = widget();
    module.initialize({ model });
    const one = module.render({ model, el });
    const other = document.createElement("div");
    document.body.append(other);
    const two = module.render({ model, el: other });
    await write("both", "Shift");
    expect(other.querySelector<HTMLTextAreaElement>(".bnb-composer-text")?.value).toBe("both");
    one();
    two();
  });

  test("stays with its chat when another one is opened in its place, and is there again on the way back", async () => {
    show(A);
    await write("for a");
    expect(waiting()).toBe("for a");
    model.boot = "boot-2";
    model.snapshot(chat({ chat: "b", turns: [] }));
    await drawn();
    expect([sent(), waiting(), box().value]).toEqual([[], null, ""]);
    await write("for b", "Shift");
    model.boot = "boot-3";
    model.snapshot({ ...A, turns: [turn({})] });
    await drawn();
    expect([sent(), waiting(), box().value]).toEqual([[], null, "for a"]);
  });

  test("and refused comes back once, also with two views", async () => {
    model = new FakeModel(chat({}));
    show(chat({}));
    model.answers = false;
    await write("hello");
    const { mid } = model.asked("send")[0] ?? { mid: "" };
    model.acknowledge(mid, { ok: false, message: "No." });
    await drawn();
    expect(box().value).toBe("hello");
    await write("", "Shift");
    close();
    const module = widget();
    close = module.render({ model, el });
    await drawn();
    expect(box().value).toBe("");
  });
});

test("a new message after a failure goes ahead", async () => {
  show(chat({ turns: [turn({ phase: "failed", outcome: null, can_retry: true })] }));
  await write("other");
  expect(sent()).toEqual(["other"]);
});
