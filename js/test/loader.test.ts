import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FakeModel } from "../dev/fake_model.js";
import { chat } from "../dev/views.js";
import { Files, PATIENCE } from "../src/loader/files.js";
import { Clock } from "./clock.js";
import { drawn, soon } from "./patience.js";

/** A page whose modules are `{ text }`, and the files that its kernels were asked for. */
function page() {
  const clock = new Clock();
  const linked: string[] = [];
  const files = new Files({
    later: (run, milliseconds) => clock.later(run, milliseconds),
    address: (text) => `blob:${text}`,
    link: async (address) => {
      linked.push(address);
      return { text: address };
    },
  });
  return { clock, files, linked };
}

describe("the files of a page", () => {
  test("what the kernel sends unasked is never asked for", async () => {
    const { clock, files } = page();
    const asked: unknown[] = [];
    files.join((names) => asked.push(names));
    const core = files.load(["core.js"]);
    files.take({ "core.js": "text" });
    expect(await core).toEqual({ text: "blob:text" });
    clock.pass(60_000);
    expect(asked).toEqual([]);
  });

  test("twenty widgets of one page ask once, and each gets the same module", async () => {
    const { clock, files, linked } = page();
    const asked: unknown[] = [];
    const loads = Array.from({ length: 20 }, () => {
      files.join((names) => asked.push(names));
      return files.load(["shared.js", "core.js"]);
    });
    clock.pass(PATIENCE.first);
    expect(asked).toEqual([["shared.js", "core.js"]]);
    files.take({ "core.js": 'import a from"./shared.js"', "shared.js": "a" });
    const modules = await Promise.all(loads);
    expect(new Set(modules).size).toBe(1);
    expect(linked).toContain('blob:import a from"blob:a"');
  });

  test("a kernel that is gone is passed over, and one that is silent is asked again, less and less often", () => {
    const { clock, files } = page();
    const asked: string[] = [];
    files.join(() => asked.push("silent"));
    files.join(() => {
      asked.push("gone");
      throw new Error("Cannot send");
    });
    void files.load(["core.js"]);
    clock.pass(PATIENCE.first);
    clock.pass(PATIENCE.again);
    expect(asked).toEqual(["gone", "silent"]);
    clock.pass(PATIENCE.again * 2);
    clock.pass(PATIENCE.again * 4);
    expect(asked).toEqual(["gone", "silent", "gone", "silent"]);
  });

  test("whoever spoke last is asked first", () => {
    const { clock, files } = page();
    const asked: string[] = [];
    const alive = () => asked.push("alive");
    files.join(alive);
    files.join(() => asked.push("dead"));
    files.heard(alive);
    void files.load(["core.js"]);
    clock.pass(PATIENCE.first);
    expect(asked).toEqual(["alive"]);
  });

  test("a chunk is linked to the core's own pieces and only what is missing is asked for", async () => {
    const { clock, files } = page();
    const asked: unknown[] = [];
    files.join((names) => asked.push(names));
    files.take({ "shared.js": "s" });
    await files.load(["shared.js"]);
    const chunk = files.load(["shared.js", "charts.js"]);
    clock.pass(PATIENCE.first);
    expect(asked).toEqual([["charts.js"]]);
    files.take({ "charts.js": 'import{a}from"./shared.js";import"./unknown.js"' });
    expect(await chunk).toEqual({ text: 'blob:import{a}from"blob:s";import"./unknown.js"' });
  });
});

describe("the loader", () => {
  let files: Files;

  beforeEach(() => {
    document.documentElement.lang = "en";
    files = new Files({
      later: (run, milliseconds) => {
        const timer = setTimeout(run, milliseconds);
        return () => clearTimeout(timer);
      },
      address: () => "blob:core",
      link: () => import("../src/widget.js"),
    });
    (globalThis as unknown as Record<symbol, Files>)[Symbol.for("bitte_nb/1")] = files;
  });

  afterEach(() => document.body.replaceChildren());

  async function loader() {
    vi.resetModules();
    const module = await import("../src/loader/loader.js");
    return module.default() as unknown as {
      initialize(props: { model: FakeModel; signal?: AbortSignal }): void;
      render(props: { model: FakeModel; el: HTMLElement }): () => void;
    };
  }

  test("draws the chat once the core is there, with all that was said before", async () => {
    const model = new FakeModel(chat({ chat: "one" }));
    const widget = await loader();
    expect(widget.initialize({ model })).toBeUndefined();
    const el = document.createElement("div");
    document.body.append(el);
    const close = widget.render({ model, el });
    expect(el.textContent).toBe("");
    model.lose(1);
    model.snapshot(chat({ chat: "said early" }));
    model.say({ type: "files", files: { "core.js": "…" } });
    await soon(() => expect(el.querySelector('[data-bnb-chat="said early"]')).not.toBeNull());
    close();
    expect(el.childElementCount).toBe(0);
    model.fire("destroy");
  });

  test("a view that is closed before the core comes is never drawn", async () => {
    const model = new FakeModel(chat({}));
    const widget = await loader();
    widget.initialize({ model });
    const el = document.createElement("div");
    widget.render({ model, el })();
    model.say({ type: "files", files: { "core.js": "…" } });
    await files.load(["core.js"]);
    await drawn();
    expect(el.childElementCount).toBe(0);
    model.fire("destroy");
  });
});
