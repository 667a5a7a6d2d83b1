import { beforeEach, describe, expect, test, vi } from "vitest";
import { FakeModel } from "../dev/fake_model.js";
import { chat, step, turn } from "../dev/views.js";
import { Link } from "../src/link.js";
import { Painter } from "../src/ui/painter.js";
import { Clock } from "./clock.js";

const CHAT = chat({ turns: [turn({ phase: "streaming", steps: [step({ text: "", finished: false })] })] });

let clock: Clock;
let model: FakeModel;
let link: Link;
let painter: Painter;
let frames: Map<number, FrameRequestCallback>;

/** A page whose frames come when a test says so. */
beforeEach(() => {
  frames = new Map();
  vi.spyOn(performance, "now").mockReturnValue(0); // painting takes no time, so that it never rests
  vi.stubGlobal("requestAnimationFrame", (run: FrameRequestCallback) => {
    frames.set(frames.size + 1, run);
    return frames.size;
  });
  vi.stubGlobal("cancelAnimationFrame", (frame: number) => frames.delete(frame));
  clock = new Clock();
  model = new FakeModel(CHAT);
  link = new Link(model, clock);
  model.snapshot(CHAT);
  painter = new Painter(document.createElement("div"), link.pace);
  return () => vi.unstubAllGlobals();
});

function frame(): void {
  const due = [...frames.values()];
  frames.clear();
  for (const run of due) run(0);
}

function stream(count: number, by: Painter = painter): void {
  for (let index = 0; index < count; index++) {
    model.happen({ type: "text_delta", turn: 1, step: 1, text: "word " });
    by.show(link.state.value?.chat.turns[0]?.steps[0]?.text ?? "", false);
  }
}

const told = () => model.asked("painted").map((one) => one.behind);

describe("a page that keeps up", () => {
  test("says nothing, however long the answer is", () => {
    for (let index = 0; index < 500; index++) {
      stream(1 + (index % 3));
      frame();
    }
    expect(told()).toEqual([]);
  });

  test("says nothing of 16 events that wait for a frame", () => {
    stream(1 + 16);
    expect(told()).toEqual([]);
  });

  test("says nothing of events that change no text", () => {
    stream(1);
    for (let index = 0; index < 100; index++) {
      model.happen({ type: "turn", head: turn({ phase: "streaming" }) });
    }
    expect(told()).toEqual([]);
  });
});

describe("a page that falls behind", () => {
  test("says so once above 16, and once more when it has painted", () => {
    stream(1 + 60); // the first words of a text are painted at once
    expect(told()).toEqual([17]);
    frame();
    expect(told()).toEqual([17, 0]);
    stream(5);
    frame();
    expect(told()).toEqual([17, 0]);
  });

  test("names itself and waits for no answer", () => {
    stream(20);
    expect(model.asked("painted")[0]).toMatchObject({ page: "page-1", mid: expect.any(String) });
    expect(link.pending.value).toEqual([]);
  });

  test("is as far as its slowest text", () => {
    const other = new Painter(document.createElement("div"), link.pace);
    stream(1, other);
    stream(1 + 20);
    other.show("word word ", false);
    expect(told()).toEqual([17]);
    painter.stop();
    expect(told()).toEqual([17, 1]);
    other.stop();
    expect(told()).toEqual([17, 1]);
  });

  test("has caught up when the text is gone or complete", () => {
    stream(20);
    painter.show("word ".repeat(30), true);
    expect(told()).toEqual([17, 0]);
  });

  test("says nothing while it is hidden, since it does not paint", () => {
    clock.hidden = true;
    stream(100);
    expect(told()).toEqual([]);
    clock.hidden = false;
    frame();
    stream(20);
    expect(told()).toEqual([17]);
  });

  test("counts anew with another run of the kernel", () => {
    stream(10);
    model.boot = "boot-2";
    model.say({ type: "snapshot", boot: "boot-2", seq: 2, protocol: 1, chat: CHAT });
    stream(3);
    frame();
    expect(told()).toEqual([]);
  });
});
