// Versions of a chat on the page: edit and send, another answer, and the way between versions.

import { afterEach, describe, expect, test } from "vitest";
import { FakeModel } from "../dev/fake_model.js";
import { chat, step, turn } from "../dev/views.js";
import type { ChatView, PageEvent, TurnView } from "../src/protocol.js";
import { en } from "../src/text/en.js";
import { mounted, unmount } from "./mounted.js";
import { drawn, soon } from "./patience.js";

function show(view: ChatView): { el: HTMLElement; model: FakeModel } {
  document.documentElement.lang = "en";
  const model = new FakeModel(view);
  return { el: mounted(model), model };
}

function find<T extends HTMLElement>(el: Element, selector: string): T {
  const found = el.querySelector<T>(selector);
  if (found === null) throw new Error(`no ${selector} in ${el.textContent}`);
  return found;
}

function press(target: Element, key: string): void {
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
}

async function edit(el: Element, text: string): Promise<HTMLTextAreaElement> {
  find(el, '[data-bnb-action="edit"]').click();
  await drawn();
  const area = find<HTMLTextAreaElement>(el, ".bnb-editor-text");
  area.value = text;
  area.dispatchEvent(new Event("input", { bubbles: true }));
  await drawn();
  return area;
}

const said = (number: number, text: string, change: Partial<TurnView> = {}) =>
  turn({ turn: number, text, phase: "done", steps: [step({ text: `Answer ${number}.` })], ...change });

const path = (after: number, ...turns: TurnView[]): PageEvent => ({
  type: "path",
  after,
  turns,
  invocations: {},
});

afterEach(() => {
  unmount();
  sessionStorage.clear();
});

describe("a message", () => {
  test("is edited where it stands and sent by Enter, and what was written is shown at every frame", async () => {
    const { el, model } = show(chat({ turns: [said(1, "Oslo"), said(2, "More")] }));
    model.answers = false;
    const area = await edit(el, "Rome");
    const frames: string[] = [];
    const watch = new MutationObserver(() => frames.push(el.textContent ?? ""));
    watch.observe(el, { childList: true, subtree: true, characterData: true });
    press(area, "Enter");
    await drawn();
    expect(model.asked("edit_message").map(({ turn, text }) => [turn, text])).toEqual([[1, "Rome"]]);
    expect(find(el, ".bnb-bubble").textContent).toBe("Rome");
    expect(el.textContent).toContain(en.sending);
    model.happen(path(0, said(3, "Rome", { versions: [1, 3], phase: "streaming", steps: [] })));
    model.acknowledge(model.asked("edit_message")[0]?.mid ?? "");
    await drawn();
    watch.disconnect();
    expect(frames.length).toBeGreaterThan(1);
    for (const frame of frames) expect(frame).toContain("Rome");
    expect(el.querySelectorAll(".bnb-turn")).toHaveLength(1);
    expect(el.textContent).not.toContain("More");
    expect(el.textContent).toContain("2 / 2");
  });

  test("that the kernel does not take goes back to where it was written, with the reason", async () => {
    const { el, model } = show(chat({ turns: [said(1, "Oslo")] }));
    model.answers = false;
    press(await edit(el, "Rome"), "Enter");
    model.acknowledge(model.asked("edit_message")[0]?.mid ?? "", { ok: false, message: "No room." });
    await drawn();
    expect(find<HTMLTextAreaElement>(el, ".bnb-editor-text").value).toBe("Rome");
    expect(find(el, '[role="alert"]').textContent).toContain("No room.");
  });

  test("is left as it was by Esc, and the focus goes back to the button", async () => {
    const { el, model } = show(chat({ turns: [said(1, "Oslo")] }));
    press(await edit(el, "Rome"), "Escape");
    await drawn();
    expect(model.asked("edit_message")).toEqual([]);
    expect(find(el, ".bnb-bubble").textContent).toBe("Oslo");
    expect(document.activeElement?.getAttribute("data-bnb-action")).toBe("edit");
  });

  test("of nothing but spaces is not sent", async () => {
    const { el, model } = show(chat({ turns: [said(1, "Oslo")] }));
    press(await edit(el, "  "), "Enter");
    expect(model.asked("edit_message")).toEqual([]);
  });
});

describe("versions", () => {
  const two = () => chat({ turns: [said(1, "Hi"), said(3, "Rome", { versions: [2, 3, 5] })] });

  test("are counted, and the arrows ask for the one beside", async () => {
    const { el, model } = show(two());
    const group = find(el, ".bnb-versions");
    expect(group.textContent).toContain("2 / 3");
    expect(group.textContent).toContain(en.version(2, 3));
    find(group, '[data-bnb-step="-1"]').click();
    await drawn();
    expect(model.asked("choose").map((ask) => ask.turn)).toEqual([2]);
  });

  test.each([
    ["ArrowLeft", 2],
    ["ArrowRight", 5],
  ])("are reached by %s, and the focus stays on the arrow", async (key, to) => {
    const { el, model } = show(two());
    find(el, '.bnb-versions [data-bnb-step="1"]').focus();
    press(find(el, ".bnb-versions"), key);
    model.happen(path(1, said(to, "Oslo", { versions: [2, 3, 5] })));
    await drawn();
    expect(model.asked("choose").map((ask) => ask.turn)).toEqual([to]);
    await soon(() => {
      expect(find(el, `[data-bnb-turn="${to}"]`).contains(document.activeElement)).toBe(true);
    });
  });

  test("end at the first and the last", async () => {
    const { el, model } = show(chat({ turns: [said(3, "Rome", { versions: [2, 3] })] }));
    const next = find(el, '[data-bnb-step="1"]');
    expect(next.getAttribute("aria-disabled")).toBe("true");
    next.click();
    expect(model.asked("choose")).toEqual([]);
  });

  test("are not spoken of where there is one", () => {
    expect(show(chat({ turns: [said(1, "Hi")] })).el.querySelector(".bnb-versions")).toBeNull();
  });

  test("that do not fit what is shown ask for everything", async () => {
    const { model } = show(chat({ turns: [said(1, "Hi")] }));
    const before = model.asked("resync").length;
    model.acknowledge("x");
    model.snapshot(chat({ turns: [said(1, "Hi")] }));
    model.happen(path(9, said(10, "Elsewhere")));
    await drawn();
    expect(model.asked("resync").length).toBeGreaterThan(before);
  });
});

describe("an answer", () => {
  test("is asked for again, once", async () => {
    const { el, model } = show(chat({ turns: [said(1, "Hi")] }));
    model.answers = false;
    find(el, '[data-bnb-action="regenerate"]').click();
    await drawn();
    const button = find<HTMLButtonElement>(el, '[data-bnb-action="regenerate"]');
    expect(button.disabled).toBe(true);
    expect(button.textContent).toContain(en.regenerating);
    expect(model.asked("regenerate").map((ask) => ask.turn)).toEqual([1]);
  });

  test.each(["streaming", "awaiting", "failed"] as const)("that is %s is not asked for again", (phase) => {
    const { el } = show(chat({ turns: [said(1, "Hi", { phase, can_retry: phase === "failed" })] }));
    expect(el.querySelector('[data-bnb-action="regenerate"]')).toBeNull();
  });
});

describe("a rating", () => {
  test("is given, changed and taken back", async () => {
    const { el, model } = show(chat({ turns: [said(1, "Hi", { rating: "bad" })] }));
    const pressed = (kind: string) =>
      find(el, `[data-bnb-action="rate-${kind}"]`).getAttribute("aria-pressed");
    expect([pressed("good"), pressed("bad")]).toEqual(["false", "true"]);
    model.answers = false;
    find(el, '[data-bnb-action="rate-good"]').click();
    await drawn();
    expect([pressed("good"), pressed("bad")]).toEqual(["true", "false"]); // at once
    find(el, '[data-bnb-action="rate-good"]').click();
    await drawn();
    expect(model.asked("rate").map((ask) => ask.rating)).toEqual(["good", ""]);
  });
});
