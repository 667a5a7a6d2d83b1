// A chat that another kernel writes, and how the session of an answer went.

import { render } from "preact";
import { afterEach, describe, expect, test } from "vitest";
import { FakeModel } from "../dev/fake_model.js";
import { chat, step, turn } from "../dev/views.js";
import { Link } from "../src/link.js";
import type { ChatView, Phase, SessionPart, ToKernel } from "../src/protocol.js";
import { en } from "../src/text/en.js";
import { ptBR } from "../src/text/pt-br.js";
import { App } from "../src/ui/App.js";
import { Clock } from "./clock.js";
import { soon } from "./patience.js";

/** A kernel that answers questions by the test's word. */
class Kernel extends FakeModel {
  answer: { ok?: boolean; message?: string; data?: unknown } = {};

  override send(content: unknown): void {
    const request = content as ToKernel;
    this.sent.push(request);
    if (this.answers) this.acknowledge(request.mid, this.answer);
  }
}

let leave: () => void = () => undefined;
afterEach(() => leave());

function show(view: ChatView, words = en): { model: Kernel; el: HTMLElement; clock: Clock } {
  const model = new Kernel(view);
  const clock = new Clock();
  const el = document.createElement("div");
  document.body.append(el);
  render(<App link={new Link(model, clock)} words={words} />, el);
  model.snapshot(view);
  leave = () => render(null, el);
  return { model, el, clock };
}

const takeOver = (el: Element) => el.querySelector<HTMLButtonElement>('[data-bnb-action="take-over"]');

describe("a chat that another kernel writes", () => {
  const HELD = chat({ chat: "c1", notice: "The chat is written by another kernel now.", elsewhere: true });

  test.each([
    [en, "Take over here"],
    [ptBR, "Assumir aqui"],
  ])("says so and offers to go on here", async (words, label) => {
    const { el } = show(HELD, words);
    await soon(() => expect(takeOver(el)?.textContent).toBe(label));
    expect(el.querySelector(".bnb-notice")?.textContent).toContain(HELD.notice);
  });

  test("asks the kernel once, and the notice goes with its snapshot", async () => {
    const { model, el } = show(HELD);
    model.answers = false;
    await soon(() => expect(takeOver(el)).not.toBeNull());
    takeOver(el)?.click();
    await soon(() => expect(takeOver(el)?.disabled).toBe(true));
    takeOver(el)?.click();
    expect(model.asked("take_over").map((one) => one.chat)).toEqual(["c1"]);
    expect(takeOver(el)?.textContent).toBe(en.takingOver);
    model.snapshot(chat({ chat: "c1" }));
    model.acknowledge(model.asked("take_over")[0]?.mid ?? "");
    await soon(() => expect(el.querySelector(".bnb-notice")).toBeNull());
  });

  test("shows why it could not, and lets the person try again", async () => {
    const { model, el } = show(HELD);
    model.answer = { ok: false, message: "The history cannot be written." };
    await soon(() => expect(takeOver(el)).not.toBeNull());
    takeOver(el)?.click();
    await soon(() =>
      expect(el.querySelector(".bnb-notice [role=alert]")?.textContent).toContain("cannot be written"),
    );
    expect(takeOver(el)?.disabled).toBe(false);
  });

  test("no other notice offers it", async () => {
    const { el } = show(chat({ notice: "The disk is full." }));
    await soon(() => expect(el.querySelector(".bnb-notice")).not.toBeNull());
    expect(takeOver(el)).toBeNull();
  });
});

describe("how the session of an answer went", () => {
  const part = (change: Partial<SessionPart>): SessionPart => ({
    at: 1_000,
    event: "start",
    phase: "connecting",
    attempt: 1,
    cause: null,
    reason: "",
    ...change,
  });
  const PARTS = [
    part({}),
    part({ at: 1_350, event: "connected", phase: "streaming" }),
    part({ at: 2_600, event: "disconnect", phase: "retrying", reason: "The line broke." }),
    part({ at: 2_950, event: "retry", phase: "connecting", attempt: 2, reason: "The line broke." }),
    part({ at: 4_000, event: "complete", phase: "done", attempt: 2 }),
  ];
  const answered = (phase: Phase, rough: boolean) =>
    chat({ turns: [turn({ turn: 3, phase, rough, steps: [step({ text: "Text." })] })] });
  const details = (el: Element) => el.querySelector<HTMLDetailsElement>(".bnb-session");

  function unfold(el: Element): void {
    const found = details(el);
    if (found === null) throw new Error("no session");
    found.open = true;
    found.dispatchEvent(new Event("toggle"));
  }

  test.each(["done", "failed", "cancelled"] as const)(
    "is offered after one that was not smooth (%s)",
    async (phase) => {
      const { model, el } = show(answered(phase, true));
      await soon(() => expect(details(el)).not.toBeNull());
      expect(details(el)?.open).toBe(false);
      expect(model.asked("session_log")).toEqual([]);
    },
  );

  test.each([
    ["done", false],
    ["retrying", true],
  ] as const)("is not offered otherwise (%s)", async (phase, rough) => {
    const { el } = show(answered(phase, rough));
    await soon(() => expect(el.querySelector(".bnb-turn")).not.toBeNull());
    expect(details(el)).toBeNull();
  });

  test("is asked for when it is unfolded, and says phase, attempt, reason and milliseconds", async () => {
    const { model, el } = show(answered("done", true), ptBR);
    model.answer = { data: [...PARTS, null, { at: "x" }] };
    await soon(() => expect(details(el)).not.toBeNull());
    unfold(el);
    await soon(() => expect(el.querySelectorAll(".bnb-session tbody tr")).toHaveLength(PARTS.length));
    expect(model.asked("session_log").map((one) => one.turn)).toEqual([3]);
    const rows = [...el.querySelectorAll(".bnb-session tbody tr")].map((row) =>
      [...row.querySelectorAll("td")].map((cell) => cell.textContent),
    );
    expect(rows[3]).toEqual(["1.950", "Conectando retry", "2", "The line broke."]);
    expect(rows.map((row) => row[0])).toEqual(["0", "350", "1.600", "1.950", "3.000"]);
  });

  test("says why there is none", async () => {
    const { model, el } = show(answered("failed", true));
    model.answer = { ok: false, message: "There is no turn 3 in this chat." };
    await soon(() => expect(details(el)).not.toBeNull());
    unfold(el);
    await soon(() => expect(details(el)?.textContent).toContain("There is no turn 3"));
  });

  test("has words for every phase in every language", () => {
    expect(Object.keys(ptBR.log.phases)).toEqual(Object.keys(en.log.phases));
  });
});
