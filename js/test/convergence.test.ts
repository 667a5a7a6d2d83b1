import fc from "fast-check";
import { expect, test } from "vitest";
import { FakeModel } from "../dev/fake_model.js";
import { chat, invocation, step, turn } from "../dev/views.js";
import { Link } from "../src/link.js";
import type { ChatView, Events, PageEvent, ToKernel } from "../src/protocol.js";
import { applyEvents, type ChatState } from "../src/state.js";
import { Clock } from "./clock.js";

const START = chat({
  turns: [turn({ phase: "streaming", steps: [step({ text: "", finished: false })] })],
  invocations: { k: invocation({ key: "k", state: "streaming" }) },
});

/** A kernel behind a channel that loses, repeats and delays: it numbers events and answers every request. */
class Kernel extends FakeModel {
  state: ChatState = { boot: "boot-1", seq: 0, chat: START };
  #delayed: (() => void)[] = [];

  emit(event: PageEvent, fate: "arrives" | "lost" | "twice" | "late"): void {
    const message: Events = { type: "events", boot: this.boot, first: this.state.seq + 1, events: [event] };
    const next = applyEvents(this.state, message);
    if (next.kind !== "applied") throw new Error(`the kernel's own event is a ${next.kind}`);
    this.state = next.state;
    if (fate === "late") this.#delayed.push(() => this.say(message));
    else
      for (let copies = fate === "lost" ? 0 : fate === "twice" ? 2 : 1; copies > 0; copies -= 1)
        this.say(message);
  }

  restart(chatNow: ChatView): void {
    this.boot = `${this.boot}+`;
    this.state = { boot: this.boot, seq: 0, chat: chatNow };
    this.#delayed = [];
  }

  release(): void {
    for (const say of this.#delayed.splice(0)) say();
  }

  override send(content: unknown): void {
    const request = content as ToKernel;
    this.sent.push(request);
    if (request.type === "resync") this.say({ type: "snapshot", protocol: 1, ...this.state });
    this.say({
      type: "ack",
      mid: request.mid,
      boot: this.boot,
      seq: this.state.seq,
      ok: true,
      code: "",
      message: "",
    });
  }
}

const EVENT: fc.Arbitrary<PageEvent> = fc.oneof(
  fc.string({ maxLength: 4 }).map((text): PageEvent => ({ type: "text_delta", turn: 1, step: 1, text })),
  fc.string({ maxLength: 4 }).map((text): PageEvent => ({ type: "args_delta", key: "k", text })),
  fc
    .constantFrom("pending" as const, "executing" as const, "succeeded" as const)
    .map((state): PageEvent => ({ type: "invocation", view: invocation({ key: "k", state }) })),
);
const FATE = fc.constantFrom(
  "arrives" as const,
  "arrives" as const,
  "lost" as const,
  "twice" as const,
  "late" as const,
);
const ACT = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant("emit" as const), EVENT, FATE) },
  { weight: 1, arbitrary: fc.constant(["release"] as const) },
  { weight: 1, arbitrary: fc.constant(["pass"] as const) },
  { weight: 1, arbitrary: fc.constant(["restart"] as const) },
);

test("whatever the channel loses, repeats or delays, every page ends with the kernel's state", () => {
  fc.assert(
    fc.property(fc.array(ACT, { maxLength: 40 }), (acts) => {
      const clock = new Clock();
      const kernel = new Kernel(null);
      const early = new Link(kernel, clock);
      early.start();
      for (const act of acts) {
        if (act[0] === "emit") kernel.emit(act[1], act[2]);
        else if (act[0] === "release") kernel.release();
        else if (act[0] === "pass") clock.pass(2_000);
        else kernel.restart(kernel.state.chat);
      }
      kernel.release();
      clock.pass(20_000);
      expect(early.state.value).toEqual(kernel.state);
      const late = new Link(kernel, clock);
      expect(late.state.value).toEqual(kernel.state);
      early.close();
      late.close();
    }),
    { numRuns: 300, seed: 11 },
  );
});
