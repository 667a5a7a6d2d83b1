// The panel of chats: list, search, open, rename, export, delete, by pointer and by keyboard.

import { afterEach, expect, test, vi } from "vitest";
import { FakeModel } from "../dev/fake_model.js";
import { chat, turn } from "../dev/views.js";
import type { ListedChat, ToKernel } from "../src/protocol.js";
import { en } from "../src/text/en.js";
import { mounted, unmount } from "./mounted.js";
import { drawn, soon } from "./patience.js";

/** A kernel with a history. */
class Kernel extends FakeModel {
  rows: ListedChat[] = [];
  refusal = "";

  override send(content: unknown): void {
    const request = content as ToKernel;
    this.sent.push(request);
    if (this.refusal !== "" && request.type === "open_chat")
      this.acknowledge(request.mid, { ok: false, message: this.refusal });
    else this.acknowledge(request.mid, { data: this.#answer(request) });
  }

  #answer(request: ToKernel): unknown {
    if (request.type === "export_chat") return { name: "notes.md", media: "text/markdown", text: "# Notes" };
    if (request.type === "rename_chat")
      this.rows = this.rows.map((row) =>
        row.chat === request.chat ? { ...row, title: request.title } : row,
      );
    if (request.type === "delete_chat") this.rows = this.rows.filter((row) => row.chat !== request.chat);
    if (request.type !== "list_chats") return null;
    const fitting = this.rows.filter((row) => row.title.includes(request.query));
    return {
      chats: fitting.slice(request.offset, request.offset + request.limit),
      more: fitting.length > request.offset + request.limit,
    };
  }
}

const row = (number: number, change: Partial<ListedChat> = {}): ListedChat => ({
  chat: `c${number}`,
  title: `Chat ${number}`,
  agent: "Demo",
  updated: 1_790_000_000_000,
  turns: number,
  pending: 0,
  snippet: "",
  ...change,
});

async function show(rows: ListedChat[]): Promise<{ el: HTMLElement; model: Kernel }> {
  document.documentElement.lang = "en";
  const model = new Kernel(chat({ chat: "c1", turns: [turn({ text: "Hi", phase: "done" })] }));
  model.rows = rows;
  const el = mounted(model);
  await drawn();
  find(el, '[data-bnb-action="history"]').focus();
  find(el, '[data-bnb-action="history"]').click();
  await soon(() => find(el, ".bnb-drawer"));
  await drawn();
  return { el, model };
}

function find<T extends HTMLElement>(el: Element, selector: string): T {
  const found = el.querySelector<T>(selector);
  if (found === null) throw new Error(`no ${selector} in ${el.textContent}`);
  return found;
}

function press(target: Element, key: string, change: KeyboardEventInit = {}): void {
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...change }));
}

const listed = (el: Element) =>
  [...el.querySelectorAll(".bnb-drawer-title")].map((title) => title.textContent);

afterEach(() => {
  unmount();
  sessionStorage.clear();
});

test("nothing is asked for before the panel is opened, and then one page of it", async () => {
  const { el, model } = await show(Array.from({ length: 70 }, (_, index) => row(index + 1)));
  expect(model.asked("list_chats")).toHaveLength(1);
  expect(listed(el)).toHaveLength(30);
  find(el, '[data-bnb-action="more-chats"]').click();
  await drawn();
  find(el, '[data-bnb-action="more-chats"]').click();
  await drawn();
  expect(listed(el)).toHaveLength(70);
  expect(el.querySelector('[data-bnb-action="more-chats"]')).toBeNull();
  expect(model.asked("list_chats").map((ask) => ask.offset)).toEqual([0, 30, 60]);
});

test("a row says who answered, how much was said, what waits, and which one is open", async () => {
  const { el } = await show([row(1), row(2, { pending: 2 })]);
  const [first, second] = [...el.querySelectorAll(".bnb-drawer-row")];
  expect(first?.getAttribute("aria-current")).toBe("true");
  expect(first?.textContent).toContain(en.openHere);
  expect(second?.textContent).toContain("Demo");
  expect(second?.textContent).toContain(en.turns(2));
  expect(second?.textContent).toContain(en.pendingApprovals(2));
});

test("what is typed is looked for once it rests", async () => {
  const { el, model } = await show([row(1), row(2, { title: "Bread" })]);
  const field = find<HTMLInputElement>(el, ".bnb-drawer-search");
  for (const text of ["B", "Br", "Bre"]) {
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  await soon(() => expect(listed(el)).toEqual(["Bread"]));
  expect(model.asked("list_chats").map((ask) => ask.query)).toEqual(["", "Bre"]);
  field.value = "nowhere";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await soon(() => expect(el.textContent).toContain(en.noneFound));
});

test("a chat is opened here, and the panel closes; one that cannot be says why", async () => {
  const { el, model } = await show([row(1), row(2)]);
  model.refusal = "It is not there any more.";
  find(el, '[data-bnb-listed="c2"] [data-bnb-action="open-chat"]').click();
  await drawn();
  expect(find(el, '.bnb-drawer [role="alert"]').textContent).toContain("not there any more");
  model.refusal = "";
  find(el, '[data-bnb-listed="c2"] [data-bnb-action="open-chat"]').click();
  await drawn();
  expect(model.asked("open_chat").at(-1)?.chat).toBe("c2");
  expect(el.querySelector(".bnb-drawer")).toBeNull();
  expect(document.activeElement?.getAttribute("data-bnb-action")).toBe("history");
});

test("a chat is renamed in its place by Enter, and left alone by Esc", async () => {
  const { el, model } = await show([row(1)]);
  find(el, '[data-bnb-action="rename-chat"]').click();
  await drawn();
  press(find(el, ".bnb-drawer-rename input"), "Escape");
  await drawn();
  expect(find(el, ".bnb-drawer")).toBeTruthy();
  find(el, '[data-bnb-action="rename-chat"]').click();
  await drawn();
  const field = find<HTMLInputElement>(el, ".bnb-drawer-rename input");
  expect(document.activeElement).toBe(field);
  field.value = "Shopping";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await drawn();
  press(field, "Enter");
  await drawn();
  expect(model.asked("rename_chat").map((ask) => ask.title)).toEqual(["Shopping"]);
  expect(listed(el)).toEqual(["Shopping"]);
});

test("a chat is deleted only after a second yes, and Keep has the focus", async () => {
  const { el, model } = await show([row(1), row(2)]);
  find(el, '[data-bnb-listed="c2"] [data-bnb-action="delete-chat"]').click();
  await drawn();
  expect(document.activeElement?.getAttribute("data-bnb-action")).toBe("keep-chat");
  find(el, '[data-bnb-action="keep-chat"]').click();
  await drawn();
  expect(model.asked("delete_chat")).toEqual([]);
  find(el, '[data-bnb-listed="c2"] [data-bnb-action="delete-chat"]').click();
  await drawn();
  find(el, '[data-bnb-action="confirm-delete"]').click();
  await drawn();
  expect(model.asked("delete_chat").map((ask) => ask.chat)).toEqual(["c2"]);
  expect(listed(el)).toEqual(["Chat 1"]);
  expect(find(el, ".bnb-drawer").contains(document.activeElement)).toBe(true);
});

test("a chat leaves as a file by the browser's own download", async () => {
  const { el, model } = await show([row(1)]);
  const made: Blob[] = [];
  vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => {
    made.push(blob as Blob);
    return "blob:x";
  });
  const names: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    names.push(this.download);
  });
  const select = find<HTMLSelectElement>(el, ".bnb-drawer-export");
  select.value = "markdown";
  select.dispatchEvent(new Event("change", { bubbles: true }));
  await drawn();
  expect(model.asked("export_chat").map(({ chat, form }) => [chat, form])).toEqual([["c1", "markdown"]]);
  expect(names).toEqual(["notes.md"]);
  expect(await made[0]?.text()).toBe("# Notes");
  vi.restoreAllMocks();
});

test("a new chat begins in this place", async () => {
  const { el, model } = await show([]);
  expect(el.textContent).toContain(en.noChats);
  const press = find(el, '[data-bnb-action="new-chat"]');
  press.click();
  await Promise.resolve();
  press.click(); // a double click begins one chat
  await drawn();
  expect(model.asked("new_chat")).toHaveLength(1);
  expect(el.querySelector(".bnb-drawer")).toBeNull();
});

test("the focus stays inside, and Esc gives it back", async () => {
  const { el } = await show([row(1)]);
  const panel = find(el, ".bnb-drawer");
  expect(panel.getAttribute("aria-modal")).toBe("true");
  expect(document.activeElement).toBe(find(el, ".bnb-drawer-search"));
  const stops = [...panel.querySelectorAll<HTMLElement>("button:enabled, input, select")];
  stops.at(-1)?.focus();
  press(document.activeElement ?? panel, "Tab");
  expect(document.activeElement).toBe(stops[0]);
  press(document.activeElement ?? panel, "Tab", { shiftKey: true });
  expect(document.activeElement).toBe(stops.at(-1));
  press(document.activeElement ?? panel, "Escape");
  await drawn();
  expect(el.querySelector(".bnb-drawer")).toBeNull();
  expect(document.activeElement).toBe(find(el, '[data-bnb-action="history"]'));
});

test("what a history says is text", async () => {
  const evil = '<img src="https://evil.test/x.png" onerror="alert(1)">';
  const { el } = await show([row(1, { title: evil, agent: evil, snippet: evil })]);
  expect(el.querySelector(".bnb-drawer img")).toBeNull();
  expect(listed(el)).toEqual([evil]);
});
