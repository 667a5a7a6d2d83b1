// What the model was given for a step: asked for when it is looked at, and drawn as text.

import { render } from "preact";
import { afterEach, describe, expect, test } from "vitest";
import { FakeModel } from "../dev/fake_model.js";
import { chat, step, turn } from "../dev/views.js";
import { Link } from "../src/link.js";
import type { Phase, StepGiven, ToKernel } from "../src/protocol.js";
import { en, type Strings } from "../src/text/en.js";
import { ptBR } from "../src/text/pt-br.js";
import { App } from "../src/ui/App.js";
import { Clock } from "./clock.js";
import { expectHarmless, HOSTILE } from "./hostile.js";
import { drawn, soon } from "./patience.js";

const GIVEN: StepGiven = {
  system: "You are Demo agent.\n\nThe user's wallet: {}",
  messages: [
    { role: "user", content: "flip a coin" },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I flip it." },
        { type: "tool-call", toolCallId: "c1", toolName: "flip-coin", args: { sides: 2 } },
      ],
    },
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "c1", toolName: "flip-coin", result: { data: "heads" } }],
    },
  ],
  tools: [
    {
      name: "flip.coin",
      sent_as: "flip_coin",
      description: "Flips a coin. Fairly.",
      input_schema: { type: "object", properties: { sides: { type: "integer" } } },
    },
  ],
  system_tokens: 1_000,
  message_tokens: 200,
  tool_tokens: 34,
  changed: false,
};

/** A kernel that answers what it is asked about steps. */
class Kernel extends FakeModel {
  given: unknown = GIVEN;
  refusal = "";

  override send(content: unknown): void {
    const request = content as ToKernel;
    this.sent.push(request);
    if (request.type !== "step_request") this.acknowledge(request.mid);
    else if (this.refusal !== "") this.acknowledge(request.mid, { ok: false, message: this.refusal });
    else
      this.acknowledge(request.mid, { data: request.raw ? '{"amount": 12345678901234567890}' : this.given });
  }
}

let leave: (() => void)[] = [];
afterEach(() => {
  for (const one of leave) one();
  leave = [];
});

function show(words: Strings = en, phase: Phase = "done", steps = 2): { model: Kernel; el: HTMLElement } {
  const made = Array.from({ length: steps }, (_, index) => step({ step: index + 1, text: "Words." }));
  const view = chat({ turns: [turn({ turn: 4, phase, steps: made })] });
  const model = new Kernel(view);
  const el = document.createElement("div");
  document.body.append(el);
  const link = new Link(model, new Clock());
  render(<App link={link} words={words} />, el);
  model.snapshot(view);
  leave.push(() => {
    render(null, el);
    el.remove();
    link.close();
  });
  return { model, el };
}

const opener = (el: Element) => el.querySelector<HTMLButtonElement>('[data-bnb-action="given"]');
const panel = (el: Element) => el.querySelector<HTMLElement>(".bnb-given");
const option = (el: Element, name: string) =>
  [...el.querySelectorAll<HTMLButtonElement>(".bnb-given-option")].find((one) => one.textContent === name);

async function open(el: Element): Promise<HTMLElement> {
  await soon(() => expect(opener(el)).not.toBeNull());
  opener(el)?.click();
  await soon(() => expect(panel(el)?.querySelector("summary, .bnb-note") ?? null).not.toBeNull());
  return panel(el) as HTMLElement;
}

function unfold(details: Element | undefined | null): void {
  (details as HTMLDetailsElement).open = true;
  details?.dispatchEvent(new Event("toggle"));
}

describe("what the model was given", () => {
  test("is asked of nobody before a person wants it, and leaves with what shows it", async () => {
    const { model, el } = show();
    await soon(() => expect(opener(el)?.getAttribute("aria-expanded")).toBe("false"));
    expect(model.asked("step_request")).toEqual([]);
    await open(el);
    expect(opener(el)?.getAttribute("aria-expanded")).toBe("true");
    opener(el)?.click();
    await soon(() => expect(panel(el)).toBeNull());
  });

  test("is that of the last step first, and of any other by its button", async () => {
    const { model, el } = show();
    const shown = await open(el);
    expect(model.asked("step_request")).toMatchObject([{ turn: 4, step: 2, raw: false }]);
    option(shown, en.given.step(1))?.click();
    await soon(() => expect(model.asked("step_request").at(-1)).toMatchObject({ turn: 4, step: 1 }));
    expect(option(shown, en.given.step(1))?.getAttribute("aria-pressed")).toBe("true");
  });

  test("is system text, messages with calls and results, and tools with their arguments", async () => {
    const { el } = show();
    const shown = await open(el);
    expect(shown.querySelector("pre")?.textContent).toBe(GIVEN.system);
    const messages = [...shown.querySelectorAll(".bnb-given-messages > li")].map((one) => one.textContent);
    expect(messages).toEqual([
      `${en.given.roles.user}flip a coin`,
      `${en.given.roles.assistant}I flip it.${en.given.call} flip-coinsides2`,
      `${en.given.roles.tool}${en.given.result} flip-coindataheads`,
    ]);
    unfold([...shown.querySelectorAll("details")].at(-1));
    await soon(() => expect(shown.textContent).toContain("flip.coin (sent as flip_coin)"));
    expect(shown.textContent).not.toContain("Fairly.");
    unfold(shown.querySelector("details details"));
    await soon(() => expect(shown.textContent).toContain("Fairly."));
    expect(shown.textContent).toContain("integer");
  });

  test.each([
    [en, "About 1,234 tokens"],
    [ptBR, "Cerca de 1.234 tokens"],
  ])("says about how large it is", async (words, size) => {
    const { el } = show(words);
    expect((await open(el)).textContent).toContain(size);
  });

  test("says how many tokens were counted where a server did", async () => {
    const view = chat({ turns: [turn({ steps: [step({ text: "Words.", input_tokens: 987 })] })] });
    const { model, el } = show();
    model.snapshot(view);
    await drawn();
    expect((await open(el)).textContent).toContain("987 tokens, as the model’s server counted them");
  });

  test("says that the agent is another one by now", async () => {
    const { model, el } = show();
    model.given = { ...GIVEN, changed: true };
    expect((await open(el)).textContent).toContain(en.given.changed);
  });

  test("is raw JSON as the kernel wrote it, every digit of it", async () => {
    const { model, el } = show();
    const shown = await open(el);
    option(shown, "JSON")?.click();
    await soon(() => expect(shown.querySelector("pre")?.textContent).toContain("12345678901234567890"));
    expect(model.asked("step_request").at(-1)).toMatchObject({ step: 2, raw: true });
    expect(shown.querySelector(".bnb-copy")?.getAttribute("aria-label")).toBe("Copy the whole request");
  });

  test("is there while an answer waits or is made, and stays what it was when a further step begins", async () => {
    const { model, el } = show(en, "awaiting", 1);
    await open(el);
    model.happen({ type: "step", turn: 4, view: step({ step: 2, text: "More." }) });
    await drawn();
    expect(option(el, en.given.step(1))?.getAttribute("aria-pressed")).toBe("true");
    expect(model.asked("step_request")).toHaveLength(1);
  });

  test("is not announced to a screen reader as if it had been said", async () => {
    expect((await open(show().el)).getAttribute("aria-live")).toBe("off");
  });

  test("says why it is not there: by the kernel's sentence, or that there is no kernel", async () => {
    const { model, el } = show();
    model.refusal = "Turn 4 has no step 2; it has 1.";
    expect((await open(el)).textContent).toContain(model.refusal);
    const lost = show();
    lost.model.gone = true;
    lost.model.fire("comm:close");
    expect((await open(lost.el)).textContent).toContain(en.given.noKernel);
  });

  test("is text, whatever it holds", async () => {
    const { model, el } = show();
    const named = (toolName: string) => ({ type: "tool-result", toolName, result: { [toolName]: toolName } });
    model.given = {
      ...GIVEN,
      system: HOSTILE.join("\n"),
      messages: [
        ...HOSTILE.slice(0, 10).map((text) => ({ role: text, content: text })),
        { role: "constructor", content: [...HOSTILE, null, ...HOSTILE.map((text) => ({ type: text }))] },
        { role: "assistant", content: HOSTILE.map((text) => ({ type: "text", text })) },
        { role: "tool", content: HOSTILE.map(named) },
      ],
      tools: HOSTILE.map((text) => ({
        name: text,
        sent_as: text,
        description: text,
        input_schema: { [text]: text },
      })),
    };
    const shown = await open(el);
    unfold([...shown.querySelectorAll("details")].at(-1));
    await soon(() => expect(shown.querySelectorAll("details details")).toHaveLength(HOSTILE.length));
    for (const details of shown.querySelectorAll("details details")) unfold(details);
    await drawn();
    expectHarmless(shown);
  });
});
