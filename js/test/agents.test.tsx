// Several agents in one chat: who speaks, handing over, pictures that ask nobody, and what was left out.

import { afterEach, expect, test } from "vitest";
import { FakeModel } from "../dev/fake_model.js";
import { AGENT, chat, invocation, step, turn } from "../dev/views.js";
import { formatAgentId } from "../src/format.js";
import type { AgentView, ChatView } from "../src/protocol.js";
import { en } from "../src/text/en.js";
import widget from "../src/widget.js";

const PICTURE = "data:image/png;base64,iVBORw0KGgo=";
const NOTES: AgentView = { ...AGENT, agent: "notes", name: "My Notes", handle: "my-notes" };
const MONEY: AgentView = { ...AGENT, agent: "money", name: "Money", handle: "money", image: PICTURE };

let open: (() => void)[] = [];

function show(view: ChatView): HTMLElement {
  document.documentElement.lang = "en";
  const model = new FakeModel(view);
  const module = widget();
  module.initialize({ model });
  const el = document.createElement("div");
  document.body.append(el);
  open.push(module.render({ model, el }), () => model.fire("destroy"));
  return el;
}

afterEach(() => {
  for (const close of open) close();
  open = [];
  document.body.replaceChildren();
});

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
