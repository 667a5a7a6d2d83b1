import { afterEach, expect, test } from "vitest";
import { FakeModel } from "../dev/fake_model.js";
import { chat, turn } from "../dev/views.js";
import { readSaved } from "../lab/saved.js";
import { type ChatView, PROTOCOL } from "../src/protocol.js";
import { mounted, unmount } from "./mounted.js";
import { soon } from "./patience.js";

afterEach(unmount);

function show(view: unknown): HTMLElement {
  document.documentElement.lang = "en";
  const model = new FakeModel(view as ChatView);
  return mounted(model);
}

test.each([
  {},
  { chat: "c" },
  { ...chat({}), turns: null },
  { ...chat({}), turns: [null] },
  { ...chat({}), agents: 3 },
])("a chat that is not one says so: %j", async (view) => {
  const el = show(view);
  await soon(() => expect(el.textContent).toContain("cannot be drawn"));
});

test("a message that cannot be drawn leaves the others", async () => {
  const bad = { ...turn({ turn: 1 }), steps: 7 };
  const el = show({ ...chat({}), turns: [bad, turn({ turn: 2, text: "A good question" })] });
  await soon(() => expect(el.textContent).toContain("This message cannot be drawn"));
  expect(el.textContent).toContain("A good question");
  expect(el.querySelector(".bnb-composer-text")).not.toBeNull();
});

function reopen(protocol: number, language: string): { el: HTMLElement; model: FakeModel } {
  document.documentElement.lang = language;
  const snapshot = { type: "snapshot", boot: "b", seq: 4, protocol, chat: chat({}) };
  const model = new FakeModel(null, { snapshot });
  return { el: mounted(model), model };
}

test.each([
  ["en", "saved by another version of bitte_nb"],
  ["pt-BR", "salva por outra versão do bitte_nb"],
])(
  "an output of another version says so, and lets the transcript beside it be: %s",
  async (language, sentence) => {
    const { el, model } = reopen(PROTOCOL + 1, language);
    await soon(() => expect(el.textContent).toContain(sentence));
    // static.css hides the transcript only where a chat is drawn.
    expect(document.querySelector(".bnb[data-bnb-chat]")).toBeNull();
    model.fire("comm:close");
    await soon(() => expect(el.querySelector('[data-bnb-connection="lost"]')).not.toBeNull());
    expect(el.textContent).toContain(sentence);
  },
);

test("once a kernel of this version answers, its chat is drawn in the place of the one that could not be", async () => {
  const { el, model } = reopen(PROTOCOL + 1, "en");
  model.snapshot(chat({ chat: "here" }));
  await soon(() => expect(el.querySelector('[data-bnb-chat="here"]')).not.toBeNull());
  expect(el.textContent).not.toContain("another version");
});

const SAVED = { type: "snapshot", boot: "saved", seq: 0, protocol: PROTOCOL, chat: {} };

test.each([
  ["{not json", "not valid JSON"],
  ["", "not valid JSON"],
  ["null", "not a chat"],
  ["[]", "not a chat"],
  [JSON.stringify({ ...SAVED, chat: null }), "not a chat"],
  [JSON.stringify({ ...SAVED, type: "events" }), "not a chat"],
  [JSON.stringify({ ...SAVED, protocol: PROTOCOL + 1 }), "another release"],
  [undefined, "not a chat"],
])("a file that is no saved chat of this release says why: %s", (data, why) => {
  expect(readSaved(data)).toContain(why);
});

test("a saved chat is read as text and as data", () => {
  expect(readSaved(JSON.stringify(SAVED))).toEqual(SAVED);
  expect(readSaved(SAVED)).toEqual(SAVED);
});
