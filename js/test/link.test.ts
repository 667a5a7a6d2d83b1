import { beforeEach, describe, expect, test } from "vitest";
import { FakeModel } from "../dev/fake_model.js";
import { chat, invocation, step, turn } from "../dev/views.js";
import { Link, TIMES } from "../src/link.js";
import type { PageEvent } from "../src/protocol.js";
import { Clock } from "./clock.js";

const CHAT = chat({
  turns: [turn({ phase: "streaming", steps: [step({ text: "a", finished: false })] })],
  invocations: { k: invocation({ key: "k", state: "pending" }) },
});
const DELTA: PageEvent = { type: "text_delta", turn: 1, step: 1, text: "b" };
const APPROVE = {
  type: "decide",
  key: "k",
  digest: "d",
  version: 1,
  decision: "approve",
  reason: "",
  always: false,
} as const;

let clock: Clock;
let model: FakeModel;
let link: Link;

function open(with_chat = true): void {
  clock = new Clock();
  model = new FakeModel(with_chat ? CHAT : null);
  link = new Link(model, clock);
  link.start();
}

function text(): string | undefined {
  return link.state.value?.chat.turns[0]?.steps[0]?.text;
}

beforeEach(() => open());

describe("first paint", () => {
  test("the saved snapshot is there at once and a newer one is asked for", () => {
    expect(text()).toBe("a");
    expect(model.asked("resync")).toHaveLength(1);
  });

  test("nothing is called live before the kernel has said a word", () => {
    model = new FakeModel(CHAT);
    model.answers = false;
    link = new Link(model, clock);
    expect(link.connection.value).toBe("connecting");
    model.happen(DELTA);
    expect(link.connection.value).toBe("live");
  });

  test("without a saved snapshot it waits for one, and asks again until it comes", () => {
    open(false);
    clock.pass(TIMES.resync);
    expect(model.asked("resync")).toHaveLength(2);
    model.snapshot(CHAT);
    clock.pass(60_000);
    expect(model.asked("resync")).toHaveLength(2);
    expect(text()).toBe("a");
  });

  test("a hello goes out shortly after the first view, then a beat", () => {
    expect(model.asked("ping")).toHaveLength(0);
    clock.pass(TIMES.hello);
    expect(model.asked("ping")).toHaveLength(1);
    clock.pass(TIMES.ping);
    expect(model.asked("ping")).toHaveLength(2);
  });

  test("a second view starts no second beat", () => {
    link.start();
    clock.pass(TIMES.hello);
    expect(model.asked("ping")).toHaveLength(1);
  });
});

describe("gaps", () => {
  beforeEach(() => {
    model.snapshot(CHAT);
    model.sent.length = 0;
  });

  test("a lost event asks for one snapshot, however many events follow", () => {
    model.lose(1);
    model.happen(DELTA);
    model.happen(DELTA);
    model.happen(DELTA);
    expect(model.asked("resync")).toHaveLength(1);
    expect(text()).toBe("a");
  });

  test("events that overtook the snapshot are applied after it", () => {
    model.lose(1);
    model.happen(DELTA);
    const before = chat({ ...CHAT, turns: [turn({ steps: [step({ text: "a+lost" })] })] });
    model.say({ type: "snapshot", boot: "boot-1", seq: 1, protocol: 1, chat: before });
    expect(text()).toBe("a+lostb");
    expect(model.asked("resync")).toHaveLength(1);
  });

  test("an acknowledgement that knows of more events than came asks after a moment", () => {
    model.lose(2);
    model.acknowledge("any");
    expect(model.asked("resync")).toHaveLength(0);
    clock.pass(TIMES.behind);
    expect(model.asked("resync")).toHaveLength(1);
  });

  test("events that are only late ask for nothing", () => {
    model.say({ type: "ack", mid: "any", boot: "boot-1", seq: 1, ok: true, code: "", message: "" });
    model.happen(DELTA);
    clock.pass(TIMES.behind);
    expect(model.asked("resync")).toHaveLength(0);
    expect(text()).toBe("ab");
  });

  test("another kernel run asks for its snapshot", () => {
    model.boot = "boot-2";
    model.acknowledge("any");
    expect(model.asked("resync")).toHaveLength(1);
  });

  test("what is not of this contract is ignored", () => {
    for (const message of [
      null,
      1,
      "x",
      [],
      {},
      { type: "snapshot" },
      { type: "events", boot: "b" },
      { type: "eval" },
    ]) {
      link.receive(message);
    }
    expect(text()).toBe("a");
  });
});

describe("requests", () => {
  beforeEach(() => {
    model.snapshot(CHAT);
    model.answers = false;
  });

  test("a request is pending until its effect is here, not only until it is acknowledged", () => {
    link.ask(APPROVE);
    const [sent] = model.asked("decide");
    expect(link.pending.value).toHaveLength(1);
    model.acknowledge(sent?.mid ?? "");
    expect(link.pending.value).toHaveLength(1);
    model.happen({ type: "invocation", view: invocation({ key: "k", state: "executing" }) });
    expect(link.pending.value).toHaveLength(0);
  });

  test("asking twice sends once", () => {
    link.ask(APPROVE);
    link.ask(APPROVE);
    link.ask({ ...APPROVE, decision: "deny" });
    expect(model.asked("decide")).toHaveLength(1);
  });

  test("the same message pressed twice is said once, another one is not held back", () => {
    link.ask({ type: "send", text: "hello" });
    link.ask({ type: "send", text: "hello" });
    link.ask({ type: "send", text: "and more" });
    expect(model.asked("send").map((one) => one.text)).toEqual(["hello", "and more"]);
  });

  test("a new version of the card is another matter", () => {
    link.ask(APPROVE);
    link.ask({ ...APPROVE, version: 2 });
    expect(model.asked("decide")).toHaveLength(2);
  });

  test("a refused request says why and may be asked again", () => {
    link.ask(APPROVE);
    model.acknowledge(model.asked("decide")[0]?.mid ?? "", { ok: false, message: "The card changed." });
    expect(link.pending.value[0]?.refused).toBe("The card changed.");
    link.ask(APPROVE);
    expect(model.asked("decide")).toHaveLength(2);
    expect(link.pending.value).toHaveLength(1);
  });

  test("an unanswered request is repeated under the same name", () => {
    link.ask(APPROVE);
    clock.pass(TIMES.repeat * 2);
    expect(new Set(model.asked("decide").map((one) => one.mid)).size).toBe(1);
    expect(model.asked("decide").length).toBe(3);
  });

  test("an accepted request whose effect never shows is forgotten", () => {
    link.ask({ type: "stop" });
    model.acknowledge(model.asked("stop")[0]?.mid ?? "");
    expect(link.pending.value).toHaveLength(1);
    clock.pass(TIMES.forget);
    expect(link.pending.value).toHaveLength(0);
  });

  test("a message is shown as being sent until its turn is here", () => {
    link.ask({ type: "send", text: "hello" });
    model.acknowledge(model.asked("send")[0]?.mid ?? "");
    expect(link.pending.value).toHaveLength(1);
    const { steps: _, ...head } = turn({ turn: 2, text: "hello" });
    model.happen({ type: "turn", head });
    expect(link.pending.value).toHaveLength(0);
  });
});

describe("questions", () => {
  const FORM = { type: "arguments_form", key: "k" } as const;

  test("wait for a kernel that is busy, however long, and are answered then", async () => {
    model.answers = false;
    model.widget_manager = { kernel: { status: "busy" } };
    let answer: unknown = null;
    void link.question(FORM).then((data) => {
      answer = data;
    });
    clock.pass(120_000);
    expect(link.connection.value).toBe("busy");
    const asked = model.asked("arguments_form");
    expect(new Set(asked.map((one) => one.mid)).size).toBe(1);
    model.acknowledge(asked[0]?.mid ?? "", { data: { ready: true } });
    await Promise.resolve();
    expect(answer).toEqual({ ready: true });
  });

  test("end when the kernel is gone", async () => {
    model.answers = false;
    const asked = expect(link.question(FORM)).rejects.toThrow();
    model.fire("comm:close");
    clock.pass(TIMES.repeat);
    await asked;
  });

  test("end when a kernel that answers everything else never answers them", async () => {
    const deaf = (content: unknown) => (content as { type: string }).type === "arguments_form";
    const send = model.send.bind(model);
    model.send = (content) => (deaf(content) ? undefined : send(content));
    const asked = expect(link.question(FORM)).rejects.toThrow();
    clock.pass(60_000);
    await asked;
  });
});

test("an act says which run of numbers it is about, also when it is repeated, and a wallet's answer none", () => {
  model.answers = false;
  link.ask(APPROVE);
  model.boot = "boot-2";
  model.snapshot(CHAT);
  clock.pass(TIMES.repeat);
  expect(model.asked("decide").map((one) => one.boot)).toEqual(["boot-1", "boot-1"]);
  link.ask({ type: "stop" });
  expect(model.asked("stop")[0]?.boot).toBe("boot-2");
  link.ask({ type: "wallet_answer", key: "k", nonce: "n", result: {}, error: null });
  expect(model.asked("wallet_answer")[0]).not.toHaveProperty("boot");
});

describe("the line to the kernel", () => {
  beforeEach(() => model.snapshot(CHAT));

  test("it is live once anything came", () => {
    expect(link.connection.value).toBe("live");
  });

  test("a kernel that has answered is waited for, however long; a word makes the line live again", () => {
    model.answers = false;
    clock.pass(TIMES.hello + TIMES.patience);
    expect(link.connection.value).toBe("waiting");
    clock.pass(TIMES.lost * 10);
    expect(link.connection.value).toBe("waiting");
    expect(link.silence()).toBeGreaterThan(TIMES.lost * 10);
    model.happen(DELTA);
    expect(link.connection.value).toBe("live");
    expect(link.silence()).toBe(0);
  });

  test("a click that the end of the one before had just called idle is kept while a cell runs", () => {
    model.answers = false;
    const cells = [{ executionState: "idle" }, { executionState: "running" }, {}];
    const sharedModel = { cells, insertCell: () => {} };
    model.widget_manager = { kernel: { status: "idle" }, context: { model: { sharedModel } } };
    link.ask(APPROVE);
    clock.pass(TIMES.lost * 2);
    expect(link.connection.value).toBe("busy");
    cells.pop();
    cells.pop();
    clock.pass(TIMES.ping * 2);
    expect(link.connection.value).toBe("waiting");
    model.acknowledge(model.asked("decide")[0]?.mid ?? "");
    expect(link.connection.value).toBe("live");
  });

  test("one that the front end calls gone is lost at once", () => {
    model.answers = false;
    model.widget_manager = { kernel: null };
    clock.pass(TIMES.hello + TIMES.patience);
    expect(link.connection.value).toBe("lost");
  });

  test("one that never answered a page is given time before it counts as lost", () => {
    clock = new Clock();
    model = new FakeModel(CHAT);
    model.answers = false;
    link = new Link(model, clock);
    link.start();
    clock.pass(TIMES.hello + TIMES.patience);
    expect(link.connection.value).toBe("waiting");
    clock.pass(TIMES.lost + TIMES.ping);
    expect(link.connection.value).toBe("lost");
  });

  test("a send that throws is a lost line", () => {
    model.gone = true;
    model.fire("comm_live_update");
    expect(link.connection.value).toBe("lost");
  });

  test("a closed comm is a lost line and ends the beat", () => {
    model.fire("destroy");
    model.sent.length = 0;
    clock.pass(60_000);
    expect(link.connection.value).toBe("lost");
    expect(model.sent).toEqual([]);
  });

  test("another version of the contract is said, not guessed at", () => {
    model.say({ type: "snapshot", boot: "boot-1", seq: 9, protocol: 2, chat: chat({ chat: "other" }) });
    expect(link.connection.value).toBe("mismatch");
    expect(link.state.value?.chat.chat).toBe("c1");
  });
});
