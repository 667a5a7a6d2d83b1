import { describe, expect, test } from "vitest";
import { chat, invocation, step, turn } from "../dev/views.js";
import type { Events, PageEvent, Snapshot, TurnHead } from "../src/protocol.js";
import { applyEvents, applySnapshot, type ChatState } from "../src/state.js";

function state(seq = 0): ChatState {
  return {
    boot: "b",
    seq,
    chat: chat({
      turns: [
        turn({ turn: 1, steps: [step({ text: "one" })] }),
        turn({ turn: 2, steps: [step({ text: "two", finished: false })] }),
      ],
      invocations: { k: invocation({ key: "k", args_text: '{"a"' }) },
    }),
  };
}

function events(first: number, ...list: PageEvent[]): Events {
  return { type: "events", boot: "b", first, events: list };
}

function applied(from: ChatState, message: Events): ChatState {
  const result = applyEvents(from, message);
  if (result.kind !== "applied") throw new Error(result.kind);
  return result.state;
}

function head(change: Partial<TurnHead>): TurnHead {
  const { steps, ...rest } = turn({});
  expect(steps).toEqual([]);
  return { ...rest, ...change };
}

const DELTA: PageEvent = { type: "text_delta", turn: 2, step: 1, text: "!" };

describe("events", () => {
  test("text goes to its step and only that turn changes", () => {
    const before = state();
    const after = applied(before, events(1, DELTA, DELTA));
    expect(after.seq).toBe(2);
    expect(after.chat.turns[1]?.steps[0]?.text).toBe("two!!");
    expect(after.chat.turns[0]).toBe(before.chat.turns[0]);
    expect(before.chat.turns[1]?.steps[0]?.text).toBe("two");
  });

  test("reasoning and arguments grow where they belong", () => {
    const after = applied(
      state(),
      events(
        1,
        { type: "thinking_delta", turn: 2, step: 1, text: "hm" },
        { type: "args_delta", key: "k", text: ":1}" },
      ),
    );
    expect(after.chat.turns[1]?.steps[0]?.thinking).toBe("hm");
    expect(after.chat.invocations.k?.args_text).toBe('{"a":1}');
  });

  test("a turn's head changes and its steps stay; an unknown turn is new", () => {
    const after = applied(
      state(),
      events(
        1,
        { type: "turn", head: head({ turn: 2, phase: "stalled" }) },
        { type: "turn", head: head({ turn: 3 }) },
      ),
    );
    expect(after.chat.turns.map((one) => [one.turn, one.phase, one.steps.length])).toEqual([
      [1, "done", 1],
      [2, "stalled", 1],
      [3, "done", 0],
    ]);
  });

  test("a step replaces the one of its number, so a new attempt never shows text twice", () => {
    const after = applied(
      state(),
      events(1, { type: "step", turn: 2, view: step({ text: "" }) }, DELTA, {
        type: "step",
        turn: 2,
        view: step({ step: 2 }),
      }),
    );
    expect(after.chat.turns[1]?.steps.map((one) => one.text)).toEqual(["!", ""]);
  });

  test("a card replaces the one of its key", () => {
    const after = applied(
      state(),
      events(1, { type: "invocation", view: invocation({ key: "k", state: "failed" }) }),
    );
    expect(after.chat.invocations.k?.state).toBe("failed");
  });

  test("a batch seen already changes nothing, and one that overlaps adds only what is new", () => {
    const seen = applied(state(), events(1, DELTA, DELTA));
    expect(applyEvents(seen, events(1, DELTA, DELTA)).kind).toBe("stale");
    expect(applied(seen, events(2, DELTA, DELTA)).chat.turns[1]?.steps[0]?.text).toBe("two!!!");
  });

  test("a missing number, another kernel run or an unknown target is a gap and changes nothing", () => {
    const before = state();
    expect(applyEvents(before, events(3, DELTA)).kind).toBe("gap");
    expect(applyEvents(before, { ...events(1, DELTA), boot: "other" }).kind).toBe("gap");
    expect(applyEvents(before, events(1, { ...DELTA, turn: 9 })).kind).toBe("gap");
    expect(applyEvents(before, events(1, { type: "args_delta", key: "none", text: "" })).kind).toBe("gap");
    expect(before.chat.turns[1]?.steps[0]?.text).toBe("two");
  });
});

describe("snapshots", () => {
  const snapshot: Snapshot = {
    type: "snapshot",
    boot: "b",
    seq: 5,
    protocol: 1,
    chat: chat({ chat: "fresh" }),
  };

  test("a snapshot is the state", () => {
    expect(applySnapshot(null, snapshot)).toEqual({
      kind: "applied",
      state: { boot: "b", seq: 5, chat: snapshot.chat },
    });
  });

  test("one that is older than what is known is stale", () => {
    expect(applySnapshot(state(6), snapshot).kind).toBe("stale");
    expect(applySnapshot(state(5), snapshot).kind).toBe("applied");
  });

  test("a restarted kernel counts anew", () => {
    expect(applySnapshot(state(600), { ...snapshot, boot: "next" }).kind).toBe("applied");
  });
});
