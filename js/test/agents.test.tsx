// Several agents in one chat: who speaks, handing over, pictures that ask nobody, and what was left out.

import { afterEach, describe, expect, test } from "vitest";
import { FakeModel } from "../dev/fake_model.js";
import { AGENT, chat, invocation, step, turn } from "../dev/views.js";
import { formatAgentId } from "../src/format.js";
import type { AgentView, ChatView } from "../src/protocol.js";
import { en } from "../src/text/en.js";
import { mounted, unmount } from "./mounted.js";

const PICTURE = "data:image/png;base64,iVBORw0KGgo=";
const NOTES: AgentView = { ...AGENT, agent: "notes", name: "My Notes", handle: "my-notes" };
const MONEY: AgentView = { ...AGENT, agent: "money", name: "Money", handle: "money", image: PICTURE };

function show(view: ChatView): HTMLElement {
  document.documentElement.lang = "en";
  const model = new FakeModel(view);
  return mounted(model);
}

afterEach(unmount);

function handedOver(): ChatView {
  const view = invocation({
    key: "k",
    tool: "hand-off",
    kind: "handoff",
    executor: "local",
    agent: "notes",
    state: "succeeded",
    args: { agent: "money", reason: "It is about money." },
    result: { data: { agent: "money", name: "Money", reason: "It is about money." } },
  });
  const steps = [
    step({ step: 1, agent: "notes", text: "Let me see.", calls: ["k"] }),
    step({ step: 2, agent: "money", text: "It is 7." }),
    step({ step: 3, agent: "money", text: "And 8." }),
  ];
  return chat({ agents: [NOTES, MONEY], turns: [turn({ agent: "notes", steps })], invocations: { k: view } });
}

test("a hand-over is a line with its reason, and whoever goes on is named", () => {
  const el = show(handedOver());
  expect(el.querySelector(".bnb-handoff")?.textContent?.trim()).toBe(
    en.handedOver("My Notes", "Money", "It is about money."),
  );
  expect(el.querySelector(".bnb-card")).toBeNull();
  const speakers = [...el.querySelectorAll(".bnb-author")].map((one) => one.getAttribute("data-bnb-agent"));
  expect(speakers).toEqual(["notes", "money"]);
});

test("a hand-over that failed is a card like any other", () => {
  const view = handedOver();
  const failed = invocation({
    key: "k",
    tool: "hand-off",
    kind: "handoff",
    state: "failed",
    result: { error: "No." },
  });
  const el = show({ ...view, invocations: { k: failed } });
  expect(el.querySelector(".bnb-card")?.textContent).toContain("No.");
});

test("the head names everybody, and how to address the others", () => {
  const head = show(handedOver()).querySelector(".bnb-head-name");
  expect(head?.textContent).toBe("My Notes · Money");
  expect(head?.querySelector(".bnb-head-other")?.getAttribute("title")).toBe("@money");
});

test("a picture is drawn only where the kernel sent it along", () => {
  const el = show(handedOver());
  const images = [...el.querySelectorAll<HTMLImageElement>(".bnb-author img")];
  expect(images.map((one) => one.getAttribute("src"))).toEqual([PICTURE]);
  const remote = { ...MONEY, image: "https://evil.example/pixel.png" };
  const other = show({ ...handedOver(), agents: [NOTES, remote] });
  expect(other.querySelector("img")).toBeNull();
});

test("an agent without a name is shown by its id, as Bitte shows it", () => {
  expect(formatAgentId("a.vercel.app.vercel.app")).toBe("a.vercel.app");
  const view = chat({
    agents: [],
    turns: [turn({ agent: "coin.vercel.app", steps: [step({ text: "Hi." })] })],
  });
  expect(show(view).querySelector(".bnb-author-name")?.textContent).toBe("coin");
});

test("what the model was not given is said where it begins and where it changes", () => {
  const steps = [
    step({ step: 1, left_out: 12 }),
    step({ step: 2, left_out: 12 }),
    step({ step: 3, left_out: 13, shortened: 1 }),
  ];
  const lines = [...show(chat({ turns: [turn({ steps })] })).querySelectorAll(".bnb-left-out")];
  expect(lines.map((one) => one.textContent?.trim())).toEqual([
    "The first 12 turns were left out for the model.",
    "The first 13 turns were left out for the model. One long text was shortened for it.",
  ]);
});

describe("after @ at the beginning of a message", () => {
  const TWO = chat({ agents: [NOTES, MONEY] });
  const box = (el: Element) =>
    el.querySelector<HTMLTextAreaElement>(".bnb-composer-text") as HTMLTextAreaElement;
  const options = (el: Element) => [...el.querySelectorAll(".bnb-mention")].map((one) => one.textContent);
  const drawn = () => new Promise((resolve) => setTimeout(resolve, 40));
  const write = async (el: Element, text: string) => {
    box(el).value = text;
    box(el).dispatchEvent(new Event("input", { bubbles: true }));
    await drawn();
  };
  const press = async (el: Element, key: string) => {
    const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
    box(el).dispatchEvent(event);
    await drawn();
    return event.defaultPrevented;
  };

  test("the agents that fit are offered, and one is chosen by keys", async () => {
    const el = show(TWO);
    await write(el, "@");
    expect(options(el)).toEqual(["MNMy Notes@my-notes", "Money@money"]);
    expect(box(el).getAttribute("aria-activedescendant")).toBe(el.querySelector(".bnb-mention")?.id);
    await press(el, "ArrowDown");
    expect(el.querySelector('[aria-selected="true"]')?.textContent).toBe("Money@money");
    expect(await press(el, "Enter")).toBe(true);
    expect(box(el).value).toBe("@money ");
    expect(options(el)).toEqual([]);
  });

  test("a name's words count too, a pointer chooses, and Esc leaves it as it is", async () => {
    const el = show(TWO);
    await write(el, "@no");
    expect(options(el)).toEqual(["MNMy Notes@my-notes"]);
    await press(el, "Escape");
    expect([options(el), box(el).value]).toEqual([[], "@no"]);
    await write(el, "@not");
    el.querySelector<HTMLElement>(".bnb-mention")?.click();
    await drawn();
    expect(box(el).value).toBe("@my-notes ");
  });

  test.each([
    ["a whole handle", TWO, "@money"],
    ["a name in the middle", TWO, "ask @mo"],
    ["nobody", TWO, "@zzz"],
    ["one agent alone", chat({ agents: [NOTES] }), "@"],
  ])("%s offers nothing", async (_what, view, text) => {
    const el = show(view);
    await write(el, text);
    expect(options(el)).toEqual([]);
  });
});
