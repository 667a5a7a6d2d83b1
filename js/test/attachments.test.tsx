// Files of messages on the page: offered where a tool takes some, sent in pieces, shown with their message.

import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { FakeModel } from "../dev/fake_model.js";
import { chat, step, turn } from "../dev/views.js";
import { fits, fromBase64, toBase64 } from "../src/attachments.js";
import { fileSize } from "../src/format.js";
import type { AttachView, ChatView, ToKernel } from "../src/protocol.js";
import { en } from "../src/text/en.js";
import { mounted, unmount } from "./mounted.js";
import { drawn, soon } from "./patience.js";

const ATTACH: AttachView = { accept: ["image/*", "application/pdf"], largest: 1_000_000, most: 2 };

/** A kernel that keeps what it is sent. */
class Kernel extends FakeModel {
  got: Record<string, Uint8Array[]> = {};
  kept = new Uint8Array();
  refusal = "";
  /** Whether uploads are left unanswered. */
  holds = false;

  override send(content: unknown): void {
    const request = content as ToKernel;
    this.sent.push(request);
    if (request.type === "upload" && this.holds) return;
    if (request.type === "upload") {
      this.got[request.draft] = [...(this.got[request.draft] ?? []), fromBase64(request.data)];
      this.acknowledge(request.mid, { data: { received: request.offset } });
    } else if (request.type === "fetch_file") {
      const piece = this.kept.subarray(request.offset, request.offset + 100_000);
      this.acknowledge(request.mid, { data: { data: toBase64(piece), size: this.kept.length } });
    } else if (request.type === "send" && this.refusal !== "") {
      this.acknowledge(request.mid, { ok: false, message: this.refusal });
    } else if (this.answers) this.acknowledge(request.mid);
  }
}

function show(view: ChatView): { el: HTMLElement; model: Kernel } {
  document.documentElement.lang = "en";
  const model = new Kernel(view);
  return { el: mounted(model), model };
}

function find<T extends HTMLElement>(el: Element, selector: string): T {
  const found = el.querySelector<T>(selector);
  if (found === null) throw new Error(`no ${selector} in ${el.textContent}`);
  return found;
}

const file = (name: string, bytes: number | Uint8Array<ArrayBuffer>, type = "image/png") =>
  new File([typeof bytes === "number" ? new Uint8Array(bytes) : bytes], name, { type });

async function attach(el: Element, ...files: File[]): Promise<void> {
  const field = find<HTMLInputElement>(el, 'input[type="file"]');
  Object.defineProperty(field, "files", { value: files, configurable: true });
  field.dispatchEvent(new Event("change", { bubbles: true }));
  await soon(() => {
    expect(el.querySelectorAll(".bnb-tray li").length).toBeGreaterThanOrEqual(files.length);
    expect(el.querySelector('[data-bnb-file="sending"]')).toBeNull();
  });
}

afterEach(() => {
  unmount();
  sessionStorage.clear();
  vi.restoreAllMocks();
});

test("nothing is offered where no tool takes a file", () => {
  const { el } = show(chat({ turns: [] }));
  expect(el.querySelector('[data-bnb-action="attach"]')).toBeNull();
  expect(el.querySelector('input[type="file"]')).toBeNull();
});

test("a file goes to the kernel in pieces and with the message that is sent", async () => {
  const { el, model } = show(chat({ attach: ATTACH }));
  expect(find<HTMLInputElement>(el, 'input[type="file"]').accept).toBe("image/*,application/pdf");
  const bytes = Uint8Array.from({ length: 500_000 }, (_, index) => index % 251);
  await attach(el, file("a.png", bytes));
  const [draft] = Object.keys(model.got);
  expect(model.asked("upload").length).toBe(3);
  expect(new Uint8Array(await new Blob(model.got[draft ?? ""] as BlobPart[]).arrayBuffer())).toEqual(bytes);
  find(el, '[data-bnb-action="send"]').click(); // a file alone is a message
  await drawn();
  expect(model.asked("send").map(({ text, files }) => [text, files])).toEqual([["", [draft]]]);
  expect(el.querySelector(".bnb-tray")).toBeNull();
});

test("an unfit file says why and is not sent", async () => {
  const { el, model } = show(chat({ attach: ATTACH }));
  await attach(el, file("a.exe", 10, "application/x-msdownload"), file("big.png", 1_000_001));
  expect(model.asked("upload")).toEqual([]);
  expect(find<HTMLButtonElement>(el, '[data-bnb-action="send"]').disabled).toBe(true);
  await attach(el, file("one.png", 10), file("two.png", 10), file("third.png", 10));
  expect(model.asked("upload").map((piece) => piece.name)).toEqual(["one.png", "two.png"]);
  const tray = find(el, ".bnb-tray");
  expect(tray.textContent).toContain(en.fileKind("image/*, application/pdf"));
  expect(tray.textContent).toContain(en.fileSize("1.0 MB"));
  expect(tray.textContent).toContain(en.fileMany(2));
  find(tray, '[data-bnb-action="remove-file"]').click();
  await drawn();
  expect(el.querySelectorAll(".bnb-tray li")).toHaveLength(4);
  expect(model.asked("drop_upload")).toEqual([]);
});

test("a file that is taken away while it is sent is sent no further, and the kernel lets go of it", async () => {
  const { el, model } = show(chat({ attach: ATTACH }));
  model.holds = true;
  const field = find<HTMLInputElement>(el, 'input[type="file"]');
  Object.defineProperty(field, "files", { value: [file("a.png", 900_000)], configurable: true });
  field.dispatchEvent(new Event("change", { bubbles: true }));
  await soon(() => expect(model.asked("upload")).toHaveLength(1));
  find(el, '[data-bnb-action="remove-file"]').click();
  await soon(() => expect(model.asked("drop_upload")).toHaveLength(1));
  expect(model.asked("drop_upload")[0]?.draft).toBe(model.asked("upload")[0]?.draft);
  model.acknowledge(model.asked("upload")[0]?.mid ?? "");
  await drawn();
  expect(model.asked("upload")).toHaveLength(1);
});

test("a dropped and a pasted file are taken, and the notebook does not get them", async () => {
  const { el, model } = show(chat({ attach: ATTACH }));
  const outside = vi.fn();
  el.addEventListener("drop", outside);
  const box = find(el, ".bnb-composer-box");
  const drop = new Event("drop", { bubbles: true, cancelable: true });
  Object.defineProperty(drop, "dataTransfer", { value: { types: ["Files"], files: [file("d.png", 3)] } });
  box.dispatchEvent(drop);
  const paste = new Event("paste", { bubbles: true, cancelable: true });
  Object.defineProperty(paste, "clipboardData", { value: { files: [file("p.png", 4)] } });
  box.dispatchEvent(paste);
  await drawn();
  expect(drop.defaultPrevented).toBe(true);
  expect(outside).not.toHaveBeenCalled();
  expect(model.asked("upload").map((piece) => piece.name)).toEqual(["d.png", "p.png"]);
});

test("the files of a refused message come back", async () => {
  const { el, model } = show(chat({ attach: ATTACH }));
  await attach(el, file("a.png", 5));
  model.refusal = "Not now.";
  find(el, '[data-bnb-action="send"]').click();
  await drawn();
  expect(find(el, ".bnb-tray").textContent).toContain("a.png");
});

const withFile = (media: string, name = "a.png") =>
  chat({
    turns: [
      turn({
        text: "",
        phase: "done",
        files: [{ digest: "d", name, media, size: 150_000 }],
        steps: [step({ text: "Seen." })],
      }),
    ],
  });

test("a picture is drawn from bytes of the kernel only", async () => {
  vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:here");
  const { el, model } = show(withFile("image/png"));
  model.kept = new Uint8Array(150_000).fill(7);
  model.snapshot(withFile("image/png"));
  await soon(() => find(el, ".bnb-file-picture"));
  expect(model.asked("fetch_file").map((part) => part.offset)).toEqual([0, 100_000]);
  expect(find<HTMLImageElement>(el, ".bnb-file-picture").src).toBe("blob:here");
  expect(find(el, ".bnb-files").textContent).toContain("150 kB");
});

test.each(["image/svg+xml", "text/html", "application/pdf"])("%s is named and never drawn", async (media) => {
  const name = '<img src="https://evil.test/x">.png';
  const { el, model } = show(withFile(media, name));
  model.snapshot(withFile(media, name));
  await drawn();
  expect(model.asked("fetch_file")).toEqual([]);
  expect(el.querySelector("img")).toBeNull();
  expect(find(el, ".bnb-files").textContent).toContain(name);
});

test("base64 carries any bytes there and back", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect([...fromBase64(toBase64(bytes))]).toEqual([...bytes]);
    }),
  );
});

test.each([
  ["image/png", ["image/*"], true],
  ["image/png", ["image/jpeg"], false],
  ["IMAGE/PNG; x=y", ["image/png"], true],
  ["", ["image/png"], true],
  ["text/plain", ["*/*"], true],
  ["imagex/png", ["image/*"], false],
])("%s fits %j: %s", (type, accept, expected) => {
  expect(fits({ type }, accept)).toBe(expected);
});

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1_500, "1.5 kB"],
  [999_600, "1.0 MB"],
  [20_000_000, "20 MB"],
])("%d bytes are %s", (bytes, expected) => {
  expect(fileSize(bytes)).toBe(expected);
});
