// The sequences that the kernel's own tests write: what it sends, what a page makes of each, and what it shows at the end.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FakeModel } from "../dev/fake_model.js";
import type { ChatView, Events, Snapshot } from "../src/protocol.js";
import { readMessage } from "../src/protocol.js";
import { applyEvents, applySnapshot, type ChatState } from "../src/state.js";
import widget from "../src/widget.js";
import { drawn } from "./patience.js";

interface Sequence {
  rule: string;
  steps: { message: Snapshot | Events; then: "applied" | "stale" | "gap" }[];
  shows: ChatView;
}

const FOLDER = join(import.meta.dirname, "../../tests/golden");
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));

function read(name: string): Sequence {
  return JSON.parse(readFileSync(join(FOLDER, name), "utf8"));
}

/** Everything drawn for a chat, with what belongs to one drawing taken out. */
function html(el: Element): string {
  return el.innerHTML.replace(/ (?:id|for|aria-describedby)="[^"]*"/g, "");
}

test("there are sequences to hold to", () => {
  expect(NAMES.length).toBeGreaterThan(5);
});

describe.each(NAMES)("%s", (name) => {
  const sequence = read(name);

  test(`every message is taken as the contract says: ${sequence.rule}`, () => {
    let state: ChatState | null = null;
    for (const [index, { message, then }] of sequence.steps.entries()) {
      expect(readMessage(message)).toBe(message);
      const result: ReturnType<typeof applyEvents> =
        message.type === "snapshot"
          ? applySnapshot(state, message)
          : state === null
            ? { kind: "gap" }
            : applyEvents(state, message);
      expect(result.kind, `step ${index}`).toBe(then);
      if (result.kind === "applied") state = result.state;
    }
    expect(state?.chat).toEqual(sequence.shows);
  });

  test("a page that saw it all shows what a page that opens at its end shows", async () => {
    const [early, late] = [new FakeModel(null), new FakeModel(sequence.shows)];
    const pages = [early, late].map((model) => {
      const el = document.createElement("div");
      const module = widget();
      module.initialize({ model });
      return { el, close: module.render({ model, el }), model };
    });
    for (const { message, then } of sequence.steps) if (then !== "gap") early.say(message);
    await drawn();
    const [first, second] = pages.map(({ el }) => el.querySelector(".bnb-turns"));
    expect(html(first ?? document.body)).toBe(html(second ?? document.body));
    for (const { close, model } of pages) {
      close();
      model.fire("destroy");
    }
  });
});
