import { afterEach, describe, expect, test, vi } from "vitest";
import { FakeModel } from "../dev/fake_model.js";
import { AGENT, chat, choice, invocation, step, turn } from "../dev/views.js";
import { httpMessage } from "../src/http_message.js";
import type { ChatView, InvocationState, InvocationView, TurnView } from "../src/protocol.js";
import { en } from "../src/text/en.js";
import widget from "../src/widget.js";
import { CORPUS, expectHarmless } from "./hostile.js";
import { drawn, rendered, soon } from "./patience.js";

interface Shown {
  model: FakeModel;
  el: HTMLElement;
  close: () => void;
  module: ReturnType<typeof widget>;
}

let open: (() => void)[] = [];

function show(view: ChatView | null, model = new FakeModel(view)): Shown {
  document.documentElement.lang = "en";
  const module = widget();
  module.initialize({ model });
  const el = document.createElement("div");
  document.body.append(el);
  const close = module.render({ model, el });
  open.push(close, () => model.fire("destroy"));
  return { model, el, close, module };
}

/** Lets the page draw what has changed. */
function withCard(change: Partial<InvocationView>): ChatView {
  const view = invocation({ key: "k", ...change });
  const phase = view.state === "pending" ? "awaiting" : "done";
  return chat({
    turns: [turn({ phase, steps: [step({ text: "Text **before**.", calls: ["k"] })] })],
    invocations: { k: view },
  });
}

function button(el: Element, action: string): HTMLButtonElement {
  const found = el.querySelector<HTMLButtonElement>(`[data-bnb-action="${action}"]`);
  if (found === null) throw new Error(`no ${action} button in ${el.textContent}`);
  return found;
}

function type(area: HTMLTextAreaElement | HTMLInputElement, text: string): void {
  area.value = text;
  area.dispatchEvent(new Event("input", { bubbles: true }));
}

function press(target: Element, key: string, change: KeyboardEventInit = {}): void {
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...change }));
}

function composer(el: Element): HTMLTextAreaElement {
  const area = el.querySelector<HTMLTextAreaElement>(".bnb-composer-text");
  if (area === null) throw new Error("no composer");
  return area;
}

afterEach(() => {
  for (const close of open) close();
  open = [];
  document.body.replaceChildren();
  sessionStorage.clear();
});

describe("the module", () => {
  test("initialize returns nothing to wait for and has its listener by then", () => {
    const model = new FakeModel(null);
    const on = vi.spyOn(model, "on");
    expect(widget().initialize({ model })).toBeUndefined();
    expect(on.mock.calls.map(([name]) => name)).toContain("msg:custom");
  });

  test("two views of one chat show the same from one store", async () => {
    const { model, el, module } = show(withCard({}));
    const second = document.createElement("div");
    open.push(module.render({ model, el: second }));
    expect(model.asked("resync")).toHaveLength(1); // unanswered it is asked again in time
    model.happen({ type: "text_delta", turn: 1, step: 1, text: " More." });
    await drawn();
    expect(second.innerHTML).toContain("More.");
    expect(el.querySelector(".bnb-turns")?.textContent).toBe(second.querySelector(".bnb-turns")?.textContent);
  });

  test("two chats of one module do not know each other", async () => {
    const [first, second] = [widget(), widget()];
    const one = new FakeModel(chat({ chat: "one" }));
    const two = new FakeModel(chat({ chat: "two" }));
    const [a, b] = [document.createElement("div"), document.createElement("div")];
    first.initialize({ model: one });
    second.initialize({ model: two });
    open.push(first.render({ model: one, el: a }), second.render({ model: two, el: b }));
    open.push(
      () => one.fire("destroy"),
      () => two.fire("destroy"),
    );
    expect(a.querySelector("[data-bnb-chat]")?.getAttribute("data-bnb-chat")).toBe("one");
    expect(b.querySelector("[data-bnb-chat]")?.getAttribute("data-bnb-chat")).toBe("two");
  });

  test("without a snapshot it says that it connects", () => {
    expect(show(null).el.textContent).toContain(en.connection.connecting);
  });

  test("showing a chat asks for nothing but a snapshot and a beat", async () => {
    const { model } = show(withCard({ state: "pending" }));
    await drawn();
    expect(new Set(model.sent.map((request) => request.type))).toEqual(new Set(["resync"]));
  });

  test("nothing is sent to any other host", async () => {
    const requests = [vi.spyOn(globalThis, "fetch"), vi.spyOn(XMLHttpRequest.prototype, "open")];
    show(
      withCard({
        result: { data: { url: "https://evil.example", image: "![x](https://evil.example/p.png)" } },
      }),
    );
    await drawn();
    for (const request of requests) expect(request).not.toHaveBeenCalled();
    expect(document.querySelectorAll("img, iframe, script, link, object, embed, video, audio")).toHaveLength(
      0,
    );
  });
});

describe("cards", () => {
  const STATES = Object.keys(en.states) as InvocationState[];
  for (const state of STATES) {
    test(`${state} is said in words, with what was asked, and text and card stay in order`, () => {
      const { el } = show(withCard({ state, args: { city: "Lisbon" }, method: "POST", path: "/a/{b}" }));
      const card = el.querySelector(".bnb-card");
      expect(card?.querySelector(".bnb-card-state")?.textContent).toBe(en.states[state]);
      expect(card?.textContent).toContain("POST");
      expect(card?.textContent).toContain("/a/{b}");
      if (state !== "pending") expect(card?.textContent).toContain("Lisbon");
      const texts = [...el.querySelectorAll(".bnb-step > *")].map((node) => node.className.split(" ")[0]);
      expect(texts).toEqual(["bnb-markdown", "bnb-card"]);
      expect(card?.querySelector('[data-bnb-action="approve"]') !== null).toBe(state === "pending");
    });
  }

  test("arguments are shown as they stream, and cannot be approved", async () => {
    const { model, el } = show(withCard({ state: "streaming", args: null, args_text: "" }));
    model.happen({ type: "args_delta", key: "k", text: '{"city":"Lis' });
    await drawn();
    expect(el.querySelector(".bnb-json")?.textContent).toBe("cityLis");
    model.happen({ type: "args_delta", key: "k", text: 'bon","days":3' });
    await drawn();
    expect(el.querySelector(".bnb-json")?.textContent).toBe("cityLisbondays3");
    expect(el.querySelector('[data-bnb-action="approve"]')).toBeNull();
  });

  for (const data of [0, false, "", null, [], {}]) {
    test(`a result of ${JSON.stringify(data)} is a result`, () => {
      const { el } = show(withCard({ result: { data } }));
      expect(el.querySelector(".bnb-result")).not.toBeNull();
      expect(el.querySelector(".bnb-error")).toBeNull();
    });
  }

  test("an error is shown as the tool wrote it", () => {
    const { el } = show(withCard({ state: "failed", result: { error: "HTTP 422: no such city" } }));
    expect(el.querySelector(".bnb-error-text")?.textContent).toBe("HTTP 422: no such city");
  });

  test("an error as long as a book shows its start until all of it is asked for", async () => {
    const { el } = show(withCard({ state: "failed", result: { error: "no ".repeat(300_000) } }));
    const text = () => el.querySelector(".bnb-error-text")?.textContent ?? "";
    expect(text().length).toBeLessThan(700);
    el.querySelector<HTMLButtonElement>(".bnb-error-text button")?.click();
    await drawn();
    expect(text()).toHaveLength(900_000);
  });

  test("a call that was not run shows why, not an error", () => {
    const { el } = show(
      withCard({ state: "denied", reason: "Wrong colour.", result: { error: "Told to the model." } }),
    );
    expect(el.querySelector(".bnb-error")).toBeNull();
    expect(el.querySelector(".bnb-card-body")?.textContent).toContain(
      `${en.denials.person.note} ${en.becauseOf("Wrong colour.")}`,
    );
  });

  test("who allowed it is on the card", () => {
    const grant = { source: "rule" as const, rule: "read-only", actor: "", at: 1 };
    expect(show(withCard({ grant })).el.querySelector(".bnb-card-foot")?.textContent).toContain("read-only");
  });

  test("a call that only reads and was stopped is Stopped, not an error", () => {
    const error = "Stopped before the answer came; it only reads, nothing changed.";
    const stopped = { state: "failed" as const, cancel_requested: true, result: { error } };
    const card = show(withCard(stopped)).el.querySelector(".bnb-card");
    expect(card?.querySelector(".bnb-card-state")?.textContent).toBe(en.stopped);
    expect(card?.querySelector(".bnb-error")).toBeNull();
    expect(card?.classList.contains("bnb-state-failed")).toBe(false);
    expect(card?.querySelector(".bnb-note")?.textContent).toBe(error);
    const failed = show(withCard({ ...stopped, cancel_requested: false })).el.querySelector(".bnb-card");
    expect(failed?.querySelector(".bnb-card-state")?.textContent).toBe(en.states.failed);
    expect(failed?.querySelector(".bnb-error-text")?.textContent).toBe(error);
  });

  function withUndo(state: InvocationState, phase: TurnView["phase"] = "done"): ChatView {
    const undo = invocation({ key: "u", tool: "remove-note", state, compensates: "k", digest: "d" });
    return chat({
      turns: [turn({ phase, steps: [step({ calls: ["k"] })], actions: ["u"] })],
      invocations: { k: invocation({ key: "k", can_undo: true }), u: undo },
    });
  }

  for (const state of STATES) {
    const open = ["streaming", "proposed", "pending", "approved", "executing"].includes(state);
    test(`Undo ${open ? "is gone" : "can be asked for"} while an undo is ${state}`, () => {
      const { el } = show(withUndo(state));
      expect(el.querySelector('[data-bnb-action="undo"]') === null).toBe(open);
    });
  }

  test("an undo that waits is said under the composer, whichever turn it is of", () => {
    const view = withUndo("pending");
    for (const turns of [view.turns, [...view.turns, turn({ turn: 2 })]]) {
      const hint = show({ ...view, turns }).el.querySelector(".bnb-composer-hint");
      expect(hint?.textContent).toBe(en.composerUndo);
    }
  });

  test("while an undo waits a screen reader is not told that the answer is complete", async () => {
    const { model, el } = show(withUndo("cancelled", "streaming"));
    const said = () => el.querySelector('.bnb-sr[role="status"]')?.textContent;
    await drawn();
    const { steps: _steps, ...head } = turn({ actions: ["u"] });
    model.happen({ type: "turn", head });
    await soon(() => expect(said()).toBe(en.answered));
    const undo = invocation({ key: "u", state: "pending", compensates: "k" });
    model.happen({ type: "invocation", view: undo });
    await soon(() => expect(said()).toBe(en.awaiting));
    model.happen({ type: "invocation", view: { ...undo, state: "denied" } });
    await soon(() => expect(said()).toBe(""));
  });

  test("undo asks once", async () => {
    const { model, el } = show(withCard({ can_undo: true }));
    model.answers = false;
    button(el, "undo").click();
    button(el, "undo").click();
    await drawn();
    expect(model.asked("undo")).toEqual([expect.objectContaining({ key: "k" })]);
    expect(button(el, "undo").disabled).toBe(true);
  });
});

describe("approval", () => {
  const PENDING: Partial<InvocationView> = {
    state: "pending",
    method: "POST",
    url: "http://127.0.0.1/x?y=1",
    headers: { "x-a": "1" },
    body: '{"a":1}',
    digest: "abc",
    version: 3,
  };

  test("it shows the exact request", () => {
    const text = show(withCard(PENDING)).el.querySelector(".bnb-approval")?.textContent ?? "";
    for (const part of ["POST", "http://127.0.0.1/x?y=1", "x-a", '"a": 1', "abc"])
      expect(text).toContain(part);
  });

  test("the request can be taken away as an HTTP message, and says when it left and what was answered", async () => {
    const sent = { ...PENDING, state: "succeeded" as const, sent_at: 1_764_500_000_000, status: 201 };
    const { el } = show(withCard({ ...sent, result: { data: 1 } }));
    el.querySelector<HTMLElement>(".bnb-card-more")?.click();
    await drawn();
    expect(el.querySelector(".bnb-request")?.textContent).toContain(`· ${en.answeredWith(201)}`);
    const label = `${en.copy} ${en.httpMessage}`;
    expect(el.querySelector(".bnb-request-line button")?.getAttribute("aria-label")).toBe(label);
    expect(httpMessage(invocation(PENDING))).toBe(
      'POST http://127.0.0.1/x?y=1 HTTP/1.1\nHost: 127.0.0.1\nx-a: 1\n\n{"a":1}',
    );
  });

  test("a double click sends one decision, on what was seen", async () => {
    const { model, el } = show(withCard(PENDING));
    model.answers = false;
    button(el, "approve").click();
    button(el, "approve").click();
    await drawn();
    button(el, "decline").click();
    expect(model.asked("decide")).toHaveLength(1);
    expect(model.asked("decide")[0]).toMatchObject({
      key: "k",
      digest: "abc",
      version: 3,
      decision: "approve",
    });
    expect(button(el, "approve").textContent).toContain(en.approving);
  });

  test("declining may give a reason", async () => {
    const { model, el } = show(withCard(PENDING));
    [...el.querySelectorAll("button")].find((one) => one.textContent === en.addReason)?.click();
    await drawn();
    const input = el.querySelector<HTMLInputElement>(`input[aria-label="${en.declineReason}"]`);
    if (input === null) throw new Error("no field for the reason");
    type(input, "wrong colour");
    await drawn();
    button(el, "decline").click();
    expect(model.asked("decide")[0]).toMatchObject({ decision: "deny", reason: "wrong colour" });
  });

  test("a refused decision says why and can be made again", async () => {
    const { model, el } = show(withCard(PENDING));
    model.answers = false;
    button(el, "approve").click();
    model.acknowledge(model.asked("decide")[0]?.mid ?? "", {
      ok: false,
      message: "The card changed: look again.",
    });
    await drawn();
    expect(el.querySelector(".bnb-refusal")?.textContent).toContain("The card changed: look again.");
    expect(button(el, "approve").matches(":disabled")).toBe(false);
  });

  test("a message to sign shows message, nonce, recipient and where it returns to", () => {
    const args = {
      message: "hello\nworld",
      nonce: "AAAA",
      recipient: "app.near",
      callbackUrl: "https://a.example/b",
    };
    const { el } = show(
      withCard({ ...PENDING, tool: "sign-message", executor: "wallet", method: "", url: "", args }),
    );
    const text = el.querySelector(".bnb-approval")?.textContent ?? "";
    for (const part of Object.values(args)) expect(text).toContain(part);
  });

  const REVIEW = {
    title: "Approve spending",
    summary: "",
    chain: { name: "Base" },
    severity: "danger",
    approval: "second_act",
    digest: "abc",
    raw: "{}",
    rows: [{ id: "to", label: "To", value: "0xabc", raw: "", kind: "address", note: "" }],
    amounts: [{ direction: "out", human: "0.1", raw: "100000", symbol: "ETH" }],
    warnings: [{ id: "approve_unlimited", severity: "danger", sentence: "All of it.", path: "" }],
    calls: [],
    unchecked: ["Not simulated."],
  };

  test("a review shows chain, rows, both amounts, warnings and what was not checked", () => {
    const text =
      show(withCard({ ...PENDING, review: REVIEW })).el.querySelector(".bnb-review")?.textContent ?? "";
    for (const part of [
      "Base",
      "0xabc",
      "0.1 ETH",
      "100000 base units",
      "Danger All of it.",
      "Not simulated.",
    ]) {
      expect(text).toContain(part);
    }
  });

  const gist = (change: Partial<InvocationView>) =>
    show(withCard({ ...PENDING, ...change })).el.querySelector(".bnb-decision .bnb-gist");

  test("beside the buttons stands what they are about", () => {
    const wallet = { executor: "wallet" as const, url: "", method: "" };
    expect(gist({})?.textContent).toBe("POST http://127.0.0.1/x?y=1");
    expect(gist({ ...wallet, review: { ...REVIEW, warnings: [] } })?.textContent).toBe("Approve spending");
    const review = { ...REVIEW, warnings: [], summary: "Let 0xabc spend 0.1 ETH" };
    expect(gist({ ...wallet, review })?.textContent).toBe("Let 0xabc spend 0.1 ETH");
  });

  test("the worst warning is beside the buttons, and what blocks is said there once", () => {
    const warnings = [
      { id: "a", severity: "info", sentence: "Good to know.", path: "" },
      ...REVIEW.warnings,
      { id: "b", severity: "danger", sentence: "Nor this.", path: "" },
    ];
    const worst = gist({ review: { ...REVIEW, warnings } });
    expect(worst?.querySelectorAll(".bnb-warning")).toHaveLength(1);
    expect(worst?.querySelector(".bnb-warning")?.textContent).toBe("Danger All of it.");
    const block = { id: "c", severity: "block", sentence: "Wrong chain.", path: "" };
    const blocked = { ...REVIEW, approval: "blocked", warnings: [...warnings, block] };
    expect(gist({ review: blocked })?.querySelector(".bnb-warning")).toBeNull();
  });

  test("an amount has no sign after the words that say where it goes", () => {
    const amounts = [
      { direction: "out", human: "0.1", raw: "", symbol: "NEAR" },
      { direction: "in", human: "2", raw: "", symbol: "USDC" },
    ];
    const { el } = show(withCard({ ...PENDING, review: { ...REVIEW, amounts } }));
    expect([...el.querySelectorAll(".bnb-amount")].map((one) => one.textContent)).toEqual([
      `${en.directions.out}0.1 NEAR`,
      `${en.directions.in}2 USDC`,
    ]);
  });

  test("danger takes a second act", async () => {
    const { model, el } = show(withCard({ ...PENDING, review: REVIEW }));
    expect(button(el, "approve").disabled).toBe(true);
    el.querySelector<HTMLInputElement>(".bnb-second-act input")?.click();
    await drawn();
    button(el, "approve").click();
    expect(model.asked("decide")).toHaveLength(1);
  });

  test("a new version forgets the second act", async () => {
    const { model, el } = show(withCard({ ...PENDING, review: REVIEW }));
    el.querySelector<HTMLInputElement>(".bnb-second-act input")?.click();
    await drawn();
    expect(button(el, "approve").disabled).toBe(false);
    const view = invocation({ ...PENDING, key: "k", version: 4, review: REVIEW });
    model.happen({ type: "invocation", view });
    await drawn();
    expect(button(el, "approve").disabled).toBe(true);
  });

  test("a click on its way to the old request does not approve the new one", async () => {
    const { model, el } = show(withCard(PENDING));
    model.happen({
      type: "invocation",
      view: invocation({ ...PENDING, key: "k", version: 4, body: "other" }),
    });
    await rendered();
    expect(el.textContent).toContain("other");
    button(el, "approve").click();
    expect(model.asked("decide")).toHaveLength(0);
    await soon(() => expect(button(el, "approve").disabled).toBe(false));
    button(el, "approve").click();
    expect(model.asked("decide")[0]).toMatchObject({ version: 4 });
  });

  for (const [name, review] of Object.entries({
    blocked: {
      ...REVIEW,
      severity: "block",
      approval: "blocked",
      warnings: [{ id: "x", severity: "block", sentence: "Wrong chain.", path: "" }],
    },
    unreadable: { title: "?" },
  })) {
    test(`a ${name} review cannot be approved but can be declined`, () => {
      const { el } = show(withCard({ ...PENDING, review }));
      expect(button(el, "approve").disabled).toBe(true);
      expect(el.querySelector(".bnb-blocked")?.textContent).toContain(
        name === "blocked" ? "Wrong chain." : en.blocked,
      );
      expect(button(el, "decline").disabled).toBe(false);
    });
  }

  test("hidden characters are made visible", () => {
    const { el } = show(withCard({ ...PENDING, body: "pay \u202eevil", url: "http://a/\u200bb" }));
    expect([...el.querySelectorAll(".bnb-hidden-character")].map((one) => one.textContent)).toEqual([
      "U+200B",
      "U+202E",
      "U+200B", // the address once more, beside the buttons
    ]);
  });

  test("one that expires while it is looked at can only be declined from then on", async () => {
    vi.useFakeTimers({ toFake: ["Date"] }); // it stands still until the card is drawn
    const { el } = show(withCard({ ...PENDING, expires_at: Date.now() + 150 }));
    expect(button(el, "approve").disabled).toBe(false);
    vi.useRealTimers();
    await soon(() => expect(button(el, "approve").disabled).toBe(true));
  });

  test("an expired one can only be declined", () => {
    const { el } = show(withCard({ ...PENDING, expires_at: 1 }));
    expect(button(el, "approve").disabled).toBe(true);
    expect(button(el, "decline").disabled).toBe(false);
  });

  test("a result may be given in words where the card says so", async () => {
    const { model, el } = show(withCard({ ...PENDING, responds: true }));
    const area = el.querySelector<HTMLTextAreaElement>(`textarea[aria-label="${en.respondLabel}"]`);
    if (area === null) throw new Error("no field for the result");
    type(area, "ed25519:sig");
    await drawn();
    button(el, "respond").click();
    expect(model.asked("respond")[0]).toMatchObject({
      key: "k",
      digest: "abc",
      version: 3,
      text: "ed25519:sig",
    });
  });
});

describe("inside Markdown", () => {
  const CODE = "```js\nlet a = 1;\n```\n\n![chart](https://track.example/p.png)";

  test("code is copied as it is", async () => {
    const write = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
    const { el } = show(chat({ turns: [turn({ steps: [step({ text: CODE })] })] }));
    const copy = el.querySelector<HTMLButtonElement>(".bnb-code-copy");
    copy?.click();
    await drawn();
    expect(write).toHaveBeenCalledWith("let a = 1;");
    expect(copy?.getAttribute("data-bnb-copy")).toBe("done");
  });

  test("code goes into a new cell below the chat, where the front end has a notebook", async () => {
    const plain = show(chat({ turns: [turn({ steps: [step({ text: CODE })] })] })).el;
    expect(plain.querySelector(".bnb")?.hasAttribute("data-bnb-notebook")).toBe(false);
    const insertCell = vi.fn();
    const model = new FakeModel(chat({ turns: [turn({ steps: [step({ text: CODE })] })] }));
    model.widget_manager = { context: { model: { sharedModel: { cells: [0, 1, 2], insertCell } } } };
    const { el } = show(null, model);
    const cell = document.createElement("div");
    cell.className = "jp-Notebook-cell";
    cell.setAttribute("data-windowed-list-index", "1");
    document.body.append(cell);
    cell.append(el);
    expect(el.querySelector(".bnb")?.hasAttribute("data-bnb-notebook")).toBe(true);
    el.querySelector<HTMLButtonElement>("[data-bnb-insert]")?.click();
    expect(insertCell).toHaveBeenCalledWith(2, { cell_type: "code", source: "let a = 1;" });
    expect(model.sent.every((request) => request.type === "resync" || request.type === "ping")).toBe(true);
  });

  test("a remote image is fetched only when asked for, and not told from where", () => {
    const { el } = show(chat({ turns: [turn({ steps: [step({ text: CODE })] })] }));
    expect(el.querySelector("img")).toBeNull();
    el.querySelector<HTMLButtonElement>(".bnb-image-ask")?.click();
    const image = el.querySelector("img");
    expect(image?.getAttribute("src")).toBe("https://track.example/p.png");
    expect(image?.referrerPolicy).toBe("no-referrer");
    expect(image?.alt).toBe("chart");
  });

  test("its buttons speak the page's language", () => {
    const { el } = show(chat({}));
    expect(el.querySelector<HTMLElement>(".bnb")?.style.getPropertyValue("--bnb-word-copy")).toBe('"Copy"');
  });
});

describe("the keyboard", () => {
  test("a decision made by key leaves the focus on the card", async () => {
    const { model, el } = show(withCard({ state: "pending", digest: "d" }));
    button(el, "approve").focus();
    button(el, "approve").click();
    await drawn();
    expect(document.activeElement).toBe(button(el, "approve"));
    model.happen({ type: "invocation", view: invocation({ key: "k", state: "executing" }) });
    await drawn();
    expect(document.activeElement).toBe(el.querySelector(".bnb-card"));
  });

  const SAVE = { ctrlKey: true };
  for (const [name, key, change, passes] of [
    ["Ctrl+S", "s", SAVE, true],
    ["Cmd+S", "s", { metaKey: true }, true],
    ["Ctrl+S with Caps Lock", "S", SAVE, true],
    ["S", "s", {}, false],
    ["Ctrl+Shift+S", "S", { ...SAVE, shiftKey: true }, false],
    ["Ctrl+Alt+S", "s", { ...SAVE, altKey: true }, false],
    ["Ctrl+B", "b", SAVE, false],
  ] as const) {
    test(`${name} in the chat is ${passes ? "the notebook's" : "not the notebook's"}`, async () => {
      const { el } = show(chat({}));
      await drawn();
      const root = el.querySelector(".bnb");
      // Older versions of JupyterLab listen on the key's way down, newer ones on its way up.
      const seen: string[] = [];
      const look = ({ eventPhase }: Event) => {
        if (root?.hasAttribute("data-lm-suppress-shortcuts") === false)
          seen.push(eventPhase === Event.CAPTURING_PHASE ? "down" : "up");
      };
      for (const isDown of [true, false]) {
        document.addEventListener("keydown", look, isDown);
        open.push(() => document.removeEventListener("keydown", look, isDown));
      }
      press(composer(el), key, change);
      expect(seen).toEqual(passes ? ["down", "up"] : []);
      await drawn();
      expect(root?.getAttribute("data-lm-suppress-shortcuts")).toBe("true");
    });
  }

  test("saving elsewhere, or when the chat is gone, is none of its business", async () => {
    const { el, close } = show(chat({}));
    const root = el.querySelector(".bnb");
    const removed = vi.spyOn(root as Element, "removeAttribute");
    const remove = vi.spyOn(window, "removeEventListener");
    await drawn();
    press(document.body, "s", SAVE);
    expect(removed).not.toHaveBeenCalled();
    close();
    expect(remove.mock.calls.map(([name]) => name)).toContain("keydown");
  });

  test("the sheet of keys names each key and what it does, and closes", async () => {
    const { el } = show(chat({}));
    press(el.querySelector(".bnb-transcript") as Element, "?");
    await drawn();
    const rows = [...el.querySelectorAll(".bnb-sheet dd")].map((row) => row.textContent);
    expect(rows).toEqual(Object.values(en.keyFor));
    el.querySelector<HTMLButtonElement>(`.bnb-sheet [aria-label="${en.close}"]`)?.click();
    await drawn();
    expect(el.querySelector(".bnb-sheet")).toBeNull();
  });

  test("keys move between messages, to the decision and to the composer; in a field they are text", async () => {
    const view = withCard({ state: "pending", digest: "d" });
    const { el } = show({ ...view, turns: [turn({ turn: 0 }), ...view.turns] });
    const log = el.querySelector(".bnb-transcript") as Element;
    const focus = () => document.activeElement?.getAttribute("data-bnb-turn");
    press(log, "k");
    expect(focus()).toBe("1");
    press(log, "ArrowUp", { altKey: true });
    expect(focus()).toBe("0");
    press(log, "j");
    expect(focus()).toBe("1");
    press(log, "d");
    expect(document.activeElement?.getAttribute("data-bnb-call")).toBe("k");
    press(log, "/");
    expect(document.activeElement).toBe(composer(el));
    press(composer(el), "?");
    press(composer(el), "k");
    await drawn();
    expect(document.activeElement).toBe(composer(el));
    expect(el.querySelector(".bnb-sheet")).toBeNull();
  });

  test("the arrow up brings the last message back", async () => {
    const { el } = show(chat({ turns: [turn({ text: "again" })] }));
    press(composer(el), "ArrowUp");
    await drawn();
    expect(composer(el).value).toBe("again");
  });
});

describe("turns", () => {
  test("a failed turn says why and offers Retry", () => {
    const failed = turn({
      turn: 4,
      phase: "failed",
      cause: "timeout",
      can_retry: true,
      attempt: 3,
      outcome: null,
    });
    const { model, el } = show(chat({ turns: [failed] }));
    expect(el.querySelector('[role="alert"]')?.textContent).toContain(en.causes.timeout);
    expect(el.querySelector('[role="alert"]')?.textContent).toContain("attempt 3 of 3");
    button(el, "retry").click();
    expect(model.asked("retry")).toEqual([expect.objectContaining({ turn: 4 })]);
    expect(el.querySelector(".bnb-spinner")).toBeNull();
  });

  test("a capped turn offers Continue", () => {
    const { model, el } = show(chat({ turns: [turn({ turn: 2, outcome: "capped", can_continue: true })] }));
    button(el, "continue").click();
    expect(model.asked("continue")).toEqual([expect.objectContaining({ turn: 2 })]);
  });

  test("phase and attempt are shown while it goes on", () => {
    const { el } = show(chat({ turns: [turn({ phase: "connecting", attempt: 2, outcome: null })] }));
    expect(el.querySelector(".bnb-going")?.textContent).toContain("Connecting… attempt 2 of 3");
    expect(el.querySelector('[role="log"]')?.getAttribute("aria-busy")).toBe("true");
  });

  test("a choice is shown by its label alone, and by its tool where it has none", () => {
    const offers = [choice({ label: "Show who I am" }), choice({ label: "" })];
    const { el } = show(chat({ turns: [turn({ steps: [step({ offers })] })] }));
    const shown = [...el.querySelectorAll(".bnb-offer")].map((one) => one.textContent);
    expect(shown).toEqual(["Show who I am", "get-user"]);
  });

  test("a choice is said in words", () => {
    const offers = [choice({ tool: "get-user", args: { full: true, name: 'a"b' } })];
    const { model, el } = show(chat({ turns: [turn({ steps: [step({ offers })] })] }));
    el.querySelector<HTMLButtonElement>(".bnb-offer")?.click();
    expect(model.asked("send")[0]?.text).toBe('use get-user with full=true, name="a\\"b"');
  });

  test("a choice that lacks arguments opens a form first", async () => {
    const fields = { value: { type: "string" }, count: { type: "integer" }, big: { type: "integer" } };
    const offers = [choice({ tool: "set", args: { name: "x" }, missing: ["value", "count", "big"], fields })];
    const { model, el } = show(chat({ turns: [turn({ steps: [step({ offers })] })] }));
    el.querySelector<HTMLButtonElement>(".bnb-offer")?.click();
    await drawn();
    expect(model.asked("send")).toHaveLength(0);
    const inputs = [...el.querySelectorAll<HTMLInputElement>(".bnb-form input")];
    expect(inputs.map((input) => [input.value, input.required])).toEqual([
      ["x", false],
      ["", true],
      ["", true],
      ["", true],
    ]);
    for (const [index, text] of ["teal", "3", "123456789012345678901234567890"].entries()) {
      const input = inputs[index + 1];
      if (input !== undefined) type(input, text);
      await drawn();
    }
    el.querySelector("form")?.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
    expect(model.asked("send")[0]?.text).toBe(
      'use set with name="x", value="teal", count=3, big="123456789012345678901234567890"',
    );
  });

  test("an empty chat offers first messages", () => {
    const { model, el } = show(chat({ suggestions: ["Who am I?"] }));
    el.querySelector<HTMLButtonElement>(".bnb-suggestion")?.click();
    expect(model.asked("send")[0]?.text).toBe("Who am I?");
  });

  test("while one message streams no other is drawn again", async () => {
    const turns = [
      turn({ turn: 1, steps: [step({ text: "done" })] }),
      turn({ turn: 2, phase: "streaming", steps: [step({ text: "a", finished: false })] }),
    ];
    const { model, el } = show(chat({ turns }));
    const changed = vi.fn();
    const first = el.querySelector('[data-bnb-turn="1"]');
    if (first === null) throw new Error("no turn");
    new MutationObserver(changed).observe(first, {
      childList: true,
      subtree: true,
      attributes: true,
      characterData: true,
    });
    for (let index = 0; index < 20; index += 1)
      model.happen({ type: "text_delta", turn: 2, step: 1, text: " word" });
    await drawn();
    expect(el.querySelector('[data-bnb-turn="2"] .bnb-markdown')?.textContent).toContain("word word");
    expect(changed).not.toHaveBeenCalled();
  });

  test("a long chat opens at its end and draws the rest by itself, in order", async () => {
    const turns = Array.from({ length: 120 }, (_, index) => turn({ turn: index, text: `message ${index}` }));
    const { el } = show(chat({ turns }));
    expect(el.querySelectorAll(".bnb-turn").length).toBe(20);
    expect(el.textContent).toContain("message 119");
    await soon(() => expect(el.querySelectorAll(".bnb-turn").length).toBe(120));
    const numbers = [...el.querySelectorAll(".bnb-turn")].map((one) => one.getAttribute("data-bnb-turn"));
    expect(numbers).toEqual(turns.map((one) => String(one.turn)));
    expect(el.querySelector(".bnb-earlier")).toBeNull();
  });

  test("while a tool runs it is said which, in the tool's own words where there are some", () => {
    for (const [tool, words] of [
      ["generate-evm-tx", en.using["generate-evm-tx"]],
      ["get-weather", en.usingTool("get-weather")],
      ["constructor", en.usingTool("constructor")],
    ] as const) {
      const view = invocation({ key: "k", tool, state: "executing" });
      const turns = [turn({ phase: "awaiting", outcome: null, steps: [step({ calls: ["k"] })] })];
      const { el } = show(chat({ turns, invocations: { k: view } }));
      expect(el.querySelector(".bnb-going")?.textContent).toContain(words);
    }
  });

  test("reasoning is folded, and says that it goes on and then how long it took", async () => {
    const open = step({ model: "a model", thinking: "Hm.", finished: false });
    const { model, el } = show(chat({ turns: [turn({ phase: "streaming", outcome: null, steps: [open] })] }));
    const summary = () => el.querySelector(".bnb-thinking summary")?.textContent;
    expect([summary(), el.querySelector<HTMLDetailsElement>(".bnb-thinking")?.open]).toEqual([
      en.thinkingNow,
      false,
    ]);
    model.happen({ type: "step", turn: 1, view: { ...open, text: "So", thought_ms: 2_500 } });
    await drawn();
    expect(summary()).toBe("Reasoned for 2.5 s");
    const unknown = show(chat({ turns: [turn({ steps: [{ ...open, text: "So" }] })] })).el;
    expect(unknown.querySelector(".bnb-thinking summary")?.textContent).toBe(en.thinking);
  });

  test("the offline model reasons about nothing: it says how it matched, and no time", () => {
    for (const thought_ms of [0, 4_600]) {
      const said = step({ thinking: "“who” fits get-user.", text: "You.", thought_ms });
      const { el } = show(chat({ turns: [turn({ steps: [said] })] }));
      expect(el.querySelector(".bnb-thinking summary")?.textContent).toBe(en.matched);
    }
  });

  test("what an answer cost is said where the price is known, and only there", () => {
    const done = step({ text: "Hi.", input_tokens: 10_000, output_tokens: 2_000 });
    const agents = [{ ...AGENT, price: { input: 0.15, output: 0.6, currency: "USD" } }];
    const turns = [turn({ steps: [done] })];
    expect(show(chat({ agents, turns })).el.querySelector(".bnb-turn-foot")?.textContent).toContain(
      "$0.0027",
    );
    expect(show(chat({ turns })).el.querySelector(".bnb-turn-foot")?.textContent).not.toContain("$");
  });

  test("below an answer stand its time, its tokens and how to take it away", () => {
    const done = step({ text: "Hi.", input_tokens: 1200, output_tokens: 34 });
    const foot = show(chat({ turns: [turn({ ran_ms: 1_500, steps: [done] })] })).el.querySelector(
      ".bnb-turn-foot",
    );
    expect(foot?.textContent).toContain("1.5 s · 1,200 tokens in, 34 out");
    expect(foot?.querySelector("time")?.dateTime).toBe("2025-11-30T10:53:20.000Z");
    expect(foot?.querySelector(".bnb-copy")).not.toBeNull();
  });

  test("agents are told apart by name and initials", () => {
    const agents = ["one agent", "Zoë"].map((name, index) => ({ ...AGENT, agent: `a${index}`, name }));
    const turns = [turn({ turn: 1, agent: "a0" }), turn({ turn: 2, agent: "a1" })];
    const { el } = show(chat({ agents, turns }));
    const authors = [...el.querySelectorAll(".bnb-author")].map((one) => one.textContent);
    expect(authors).toEqual(["OAone agent", "ZZoë"]);
  });

  test("what came while the page was out of sight stands under a line", async () => {
    const { model, el } = show(chat({ turns: [turn({})] }));
    await drawn();
    const hide = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
    document.dispatchEvent(new Event("visibilitychange"));
    await drawn();
    const { steps: _steps, ...head } = turn({ turn: 2, text: "from code" });
    model.happen({ type: "turn", head });
    await drawn();
    hide.mockReturnValue(false);
    document.dispatchEvent(new Event("visibilitychange"));
    await drawn();
    expect(el.querySelector(".bnb-new")?.closest(".bnb-turn")?.getAttribute("data-bnb-turn")).toBe("2");
    expect(el.querySelectorAll(".bnb-new")).toHaveLength(1);
  });

  test("what came during a reload stands under a line, which a further reload keeps", async () => {
    const two = chat({ turns: [turn({}), turn({ turn: 2 })] });
    const first = show(two);
    first.model.snapshot(two);
    await drawn();
    first.close();
    // The notebook's copy is older than what was seen.
    const slow = new FakeModel(chat({ turns: [turn({})] }));
    slow.answers = false;
    const again = show(null, slow);
    await drawn();
    expect(again.el.querySelector(".bnb-new")).toBeNull();
    again.model.snapshot(chat({ turns: [...two.turns, turn({ turn: 3 }), turn({ turn: 4 })] }));
    await drawn();
    const places = (el: Element) =>
      [...el.querySelectorAll(".bnb-new")].map((line) =>
        line.closest(".bnb-turn")?.getAttribute("data-bnb-turn"),
      );
    expect(places(again.el)).toEqual(["3"]);
    again.close();
    const third = show(chat({ turns: [...two.turns, turn({ turn: 3 }), turn({ turn: 4 })] }));
    third.model.snapshot(chat({ turns: [...two.turns, turn({ turn: 3 }), turn({ turn: 4 })] }));
    await drawn();
    expect(places(third.el)).toEqual(["3"]);
  });

  test("another chat in the place of this one takes nothing over: no open editor, no line, no place", async () => {
    const { model, el } = show(chat({ chat: "a", turns: [turn({ text: "of a" })] }));
    button(el, "edit").click();
    await drawn();
    expect(el.querySelector(".bnb-editor")).not.toBeNull();
    model.boot = "boot-2";
    model.snapshot(chat({ chat: "b", turns: [turn({ text: "of b" }), turn({ turn: 2 })] }));
    await drawn();
    expect(el.querySelector(".bnb-editor")).toBeNull();
    expect(el.querySelector(".bnb-new")).toBeNull();
  });

  test("the whole chat can be taken away as Markdown", async () => {
    const write = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
    const { el } = show(withCard({ args: { a: 1 } }));
    el.querySelector<HTMLButtonElement>(`[aria-label="${en.copyChat}"]`)?.click();
    await drawn();
    expect(write).toHaveBeenCalledWith(
      '**You:**\n\nWho am I?\n\n**Demo agent:**\n\nText **before**.\n\n> `get-user` {"a":1}: succeeded\n',
    );
  });
});

describe("composer", () => {
  test("Enter sends, Shift+Enter does not, and the field is empty after", async () => {
    const { model, el } = show(chat({}));
    type(composer(el), "hello");
    await drawn();
    press(composer(el), "Enter", { shiftKey: true });
    expect(model.asked("send")).toHaveLength(0);
    press(composer(el), "Enter");
    await drawn();
    expect(model.asked("send").map((one) => one.text)).toEqual(["hello"]);
    expect(composer(el).value).toBe("");
    expect(el.querySelector(".bnb-user-pending")?.textContent).toContain("hello");
  });

  test("an empty message is not sent", () => {
    const { model, el } = show(chat({}));
    press(composer(el), "Enter");
    expect(button(el, "send").disabled).toBe(true);
    expect(model.asked("send")).toHaveLength(0);
  });

  test("Stop is there from the moment of sending, and Esc is the same", async () => {
    const { model, el } = show(chat({}));
    model.answers = false;
    type(composer(el), "hello");
    await drawn();
    press(composer(el), "Enter");
    await drawn();
    expect(button(el, "stop").disabled).toBe(false);
    press(composer(el), "Escape");
    button(el, "stop").click();
    expect(model.asked("stop")).toHaveLength(1);
  });

  test("a refused message comes back to be changed", async () => {
    const { model, el } = show(chat({}));
    model.answers = false;
    type(composer(el), "hello");
    await drawn();
    press(composer(el), "Enter");
    await drawn();
    model.acknowledge(model.asked("send")[0]?.mid ?? "", { ok: false, message: "Busy." });
    await drawn();
    expect(composer(el).value).toBe("hello");
    expect(el.textContent).toContain("Busy.");
  });

  test("the place to write is not measured while it is out of sight, and is once it comes into sight", async () => {
    let size = 0;
    let resized = () => {};
    class Observer {
      constructor(private readonly told: () => void) {}
      observe(seen: Element) {
        if (seen.classList.contains("bnb-composer-text")) resized = this.told;
      }
      unobserve() {}
      disconnect() {}
    }
    vi.stubGlobal("ResizeObserver", Observer);
    vi.spyOn(HTMLTextAreaElement.prototype, "scrollHeight", "get").mockImplementation(() => size);
    vi.spyOn(HTMLTextAreaElement.prototype, "clientWidth", "get").mockImplementation(() => size);
    const { el } = show(chat({}));
    await drawn();
    expect(composer(el).style.height).toBe("auto");
    size = 44;
    resized();
    expect(composer(el).style.height).toBe("44px");
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  test("a lost kernel is said, and nothing can be sent", async () => {
    const { model, el } = show(chat({}));
    model.gone = true;
    type(composer(el), "hello");
    model.fire("comm_live_update");
    await drawn();
    expect(el.querySelector(".bnb-line")?.textContent).toContain(en.connection.lost);
    expect(button(el, "send").disabled).toBe(true);
    expect(composer(el).disabled).toBe(false);
    expect(el.querySelector(".bnb-composer-hint")?.textContent).toBe(en.composerLost);
  });

  test("an answer that a lost kernel was giving is unfinished, not under way", async () => {
    const going = chat({
      turns: [turn({ phase: "streaming", steps: [step({ text: "Half", finished: false })] })],
    });
    const { model, el } = show(going);
    await drawn();
    expect(el.querySelector(".bnb-going")).not.toBeNull();
    model.fire("comm:close");
    await drawn();
    expect(el.querySelector(".bnb-going, .bnb-turns .bnb-spinner")).toBeNull();
    expect(el.querySelector(".bnb-turn-note")?.textContent).toContain(en.unfinished);
  });

  test("a silent kernel is waited for, by the second; after long the line that goes on is offered too", async () => {
    vi.useFakeTimers();
    try {
      const { model, el } = show(chat({ chat: "c7" }));
      model.snapshot(chat({ chat: "c7" }));
      model.answers = false;
      await vi.advanceTimersByTimeAsync(6_000);
      const line = () => el.querySelector(".bnb-line");
      const time = () => line()?.querySelector('[role="timer"]')?.textContent ?? "";
      const seconds = () => Number(/\d+/.exec(time())?.[0]);
      expect(line()?.querySelector('[role="status"]')?.textContent).toBe(en.connection.waiting);
      expect(time()).toBe("");
      await vi.advanceTimersByTimeAsync(6_000);
      const before = seconds();
      expect(time()).toBe(en.silentFor(`${before} s`));
      await vi.advanceTimersByTimeAsync(1_000);
      expect(seconds()).toBe(before + 1);
      expect(line()?.querySelector("code")).toBeNull();
      await vi.advanceTimersByTimeAsync(40_000);
      expect(line()?.textContent).toContain(en.lostMaybe);
      expect(line()?.querySelector("code")?.textContent).toContain('load("c7")');
      model.acknowledge("any");
      await vi.advanceTimersByTimeAsync(100);
      expect(line()).toBeNull();
    } finally {
      vi.useRealTimers();
    }
  });

  test("a lost kernel leaves the line that goes on with the chat, to copy", async () => {
    const write = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
    const { model, el } = show(chat({ chat: "c7" }));
    model.gone = true;
    model.fire("comm_live_update");
    await drawn();
    const line = el.querySelector(".bnb-line");
    expect(line?.textContent).toContain(en.lostKept);
    expect(line?.querySelector("code")?.textContent).toBe(
      'import bitte_nb as bn; chat = bn.Chat.load("c7"); chat',
    );
    line?.querySelector<HTMLButtonElement>(".bnb-copy")?.click();
    expect(write).toHaveBeenCalledWith('import bitte_nb as bn; chat = bn.Chat.load("c7"); chat');
  });
});

describe("hostile text in any place runs nothing and loads nothing", () => {
  const agentOf = (text: string, index: number) => ({
    ...AGENT,
    agent: `a${index}`,
    name: text,
    description: text,
    model: text,
    document: text,
    account: text,
  });
  const cardOf = (text: string, index: number) => {
    const args = { [text]: text, message: text };
    const card = invocation({ key: `p${index}`, tool: text, path: text, url: text, method: "POST", args });
    const review = {
      title: text,
      approval: "plain",
      rows: [{ id: text, label: text, value: text, raw: text, note: text, kind: "message" }],
      warnings: [{ id: text, severity: "warn", sentence: text, path: text }],
      raw: text,
    };
    const pending = {
      ...card,
      state: "pending" as const,
      headers: { [text]: text },
      body: text,
      reason: text,
      rule: text,
      review,
    };
    const failed = { ...card, key: `f${index}`, state: "failed" as const, result: { error: text } };
    const done = { ...card, key: `d${index}`, result: { data: { [text]: [text] } } };
    return [pending, failed, done];
  };

  for (const [kind, texts] of Object.entries(CORPUS)) {
    test(`${kind}: messages, tools, arguments, results, errors, documents and choices`, async () => {
      const cards = texts.flatMap(cardOf);
      const turns = texts.map((text, index) =>
        turn({
          turn: index + 1,
          text,
          agent: `a${index}`,
          reason: text,
          phase: index % 2 === 0 ? "failed" : "cancelled",
          steps: [
            step({
              text,
              thinking: text,
              calls: [`p${index}`, `f${index}`, `d${index}`],
              offers: [choice({ tool: text, label: text, args: { [text]: text } })],
            }),
          ],
        }),
      );
      const [first = ""] = texts;
      const requests = [vi.spyOn(globalThis, "fetch"), vi.spyOn(XMLHttpRequest.prototype, "open")];
      const { el } = show(
        chat({
          title: first,
          notice: texts.join(" "),
          agents: texts.map(agentOf),
          turns,
          invocations: Object.fromEntries(cards.map((card) => [card.key, card])),
        }),
      );
      await soon(() => expect(el.querySelectorAll(".bnb-turn")).toHaveLength(texts.length));
      expectHarmless(el);
      const empty = show(chat({ suggestions: texts, agents: texts.map(agentOf) })).el;
      expect(empty.querySelectorAll(".bnb-suggestion")).toHaveLength(texts.length);
      expectHarmless(empty);
      for (const request of requests) expect(request).not.toHaveBeenCalled();
    });
  }
});
