// What surrounds the messages of one cell: those before them, folded, and a word where they are left out.

import { afterEach, describe, expect, test } from "vitest";
import { FakeModel } from "../dev/fake_model.js";
import { chat, step, turn } from "../dev/views.js";
import type { PartView } from "../src/protocol.js";
import { en } from "../src/text/en.js";
import { mounted, unmount } from "./mounted.js";
import { drawn } from "./patience.js";

function show(change: Partial<PartView>): { el: HTMLElement; model: FakeModel } {
  document.documentElement.lang = "en";
  const part: PartView = { earlier: 0, unfolded: false, ended: false, gone: false, ...change };
  const said = turn({ text: "Hi", phase: "done", steps: [step({ text: "Hello." })] });
  const model = new FakeModel(chat({ part, turns: part.gone ? [] : [said] }));
  return { el: mounted(model), model };
}

const unfold = (el: Element) => el.querySelector<HTMLButtonElement>('[data-bnb-action="unfold"]');

afterEach(unmount);

describe("a cell", () => {
  test("has no head, and a box to write in until another cell goes on", () => {
    const { el } = show({});
    expect(el.querySelector(".bnb-head")).toBeNull();
    expect(el.querySelector(".bnb-composer-text")).not.toBeNull();
    expect(unfold(el)).toBeNull();
    expect(show({ ended: true }).el.querySelector(".bnb-composer-text")).toBeNull();
  });

  test("says that its messages are in another version, and offers no earlier ones", () => {
    const { el } = show({ gone: true, earlier: 2 });
    expect(el.textContent).toContain(en.partGone);
    expect(unfold(el)).toBeNull();
  });

  test.each([
    [1, false],
    [3, false],
    [3, true],
  ])("counts what came before and asks for it, or for less: %s, unfolded %s", async (earlier, unfolded) => {
    const { el, model } = show({ earlier, unfolded });
    model.answers = false;
    const button = unfold(el);
    expect(button?.textContent).toBe(unfolded ? en.hideEarlier : en.earlierMessages(earlier));
    expect(button?.getAttribute("aria-expanded")).toBe(String(unfolded));
    button?.click();
    await drawn();
    button?.click(); // a second click meets a button that waits
    await drawn();
    expect(button?.disabled).toBe(true);
    expect(model.asked("unfold").map((ask) => ask.unfolded)).toEqual([!unfolded]);
    model.acknowledge(model.asked("unfold")[0]?.mid ?? "");
    await drawn();
    expect(button?.disabled).toBe(false);
    expect(el.querySelector('[role="alert"]')).toBeNull();
  });

  test("says why the earlier messages do not come, and takes the next click", async () => {
    const { el, model } = show({ earlier: 2 });
    model.answers = false;
    unfold(el)?.click();
    model.acknowledge(model.asked("unfold")[0]?.mid ?? "", { ok: false, message: "Not <now>." });
    await drawn();
    expect(el.querySelector('[role="alert"]')?.textContent).toBe("Not <now>.");
    unfold(el)?.click();
    await drawn();
    expect(el.querySelector('[role="alert"]')).toBeNull();
    expect(model.asked("unfold")).toHaveLength(2);
  });
});
