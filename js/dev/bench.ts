// What the page costs in a real browser, beside other ways to paint a streamed answer. `benchmarks/widget_page.py` drives
// it and reads the browser's own count of thread time around each `bench.*` call. What `benchmarks/peers` brings is in it
// where that was installed.

import DOMPurify from "dompurify";
import hljs from "highlight.js/lib/common";
import MarkdownIt from "markdown-it";
import { marked } from "marked";
import * as smd from "streaming-markdown";
import { loadColour } from "../src/markdown/late.js";
import { MarkdownStream } from "../src/markdown/stream.js";
import type { ChatView } from "../src/protocol.js";
import { placeStyle } from "../src/styles/place.js";
import widget from "../src/widget.js";
import { FakeModel } from "./fake_model.js";
import { chat, invocation, step, turn } from "./views.js";

const PARAGRAPH = (line: number) =>
  `Paragraph ${line} with **bold**, *em*, \`code\` and a [link](https://example.org/${line}). `;

const WORDS = (line: number) =>
  `and then ${line} more words with **bold**, \`code\` and *em* in one paragraph, `;

const KINDS: Record<string, (line: number) => string> = {
  mixed: (line) =>
    [
      `## Part ${line}\n\n`,
      `${PARAGRAPH(line).repeat(3)}\n\n`,
      `- one ${line} with **bold**\n- two\n  - nested \`x\`\n- three\n\n`,
      `| a | b |\n|---|---|\n| row ${line} | **${line}** |\n| more | \`x\` |\n\n`,
      `\`\`\`python\nvalue_${line} = compute(${line})\nprint(value_${line})\n\`\`\`\n\n`,
    ][line % 5] ?? "",
  prose: (line) => `${PARAGRAPH(line)}\n\n`,
  table: (line) =>
    line === 0 ? "| a | b | c |\n|---|---|---|\n" : `| row ${line} | **${line}** | \`x${line}\` |\n`,
  list: (line) => `- item ${line} with **bold** words and \`code\`\n`,
  "loose list": (line) => `${line + 1}. item with **bold** words\n\n   and a second paragraph ${line}\n\n`,
  "nested list": (line) =>
    line === 0 ? "- outer\n  - inner\n" : `    - item ${line} with **bold** and \`code\`\n`,
  quote: (line) => `> ${PARAGRAPH(line)}\n>\n> - item ${line}\n>\n`,
  paragraph: WORDS,
  "open strong": (line) => (line === 0 ? "**begun " : WORDS(line)),
  "open link": (line) => (line === 0 ? "[begun " : WORDS(line)),
  fence: (line) => (line === 0 ? "```python\n" : `value_${line} = compute(${line}, name="x")  # comment\n`),
};

function grown(kind: string, characters: number): string {
  const lineOf = KINDS[kind] ?? PARAGRAPH;
  let text = "";
  for (let line = 0; text.length < characters; line += 1) text += lineOf(line);
  return text.slice(0, characters);
}

type Paint = (delta: string, whole: string) => unknown;

const it = new MarkdownIt({ linkify: true });

declare global {
  /** Ways of `benchmarks/peers`. */
  var peers: typeof RENDERERS | undefined;
}

/** Ways to paint, each given the new words and all of them; before that, all that it will be given. */
const RENDERERS: Record<string, (root: HTMLElement, wholes: string[]) => Paint> = {
  ours: (root) => {
    const stream = new MarkdownStream(root);
    return (delta) => {
      stream.push(delta);
      stream.flush();
    };
  },
  "text only": (root) => (delta) => root.append(delta),
  "marked + DOMPurify": (root) => (_, whole) => {
    root.innerHTML = DOMPurify.sanitize(marked.parse(whole, { async: false }));
  },
  "marked + DOMPurify + highlight.js": (root) => (_, whole) => {
    root.innerHTML = DOMPurify.sanitize(marked.parse(whole, { async: false }));
    for (const code of root.querySelectorAll<HTMLElement>("pre code")) hljs.highlightElement(code);
  },
  "markdown-it + DOMPurify": (root) => (_, whole) => {
    root.innerHTML = DOMPurify.sanitize(it.render(whole));
  },
  "streaming-markdown": (root) => {
    const parser = smd.parser(smd.default_renderer(root));
    return (delta) => smd.parser_write(parser, delta);
  },
  // The server sends the HTML of the whole message: what it costs there is not counted.
  "Panel's ChatMessage, emulated": (root, wholes) => {
    const pages = new Map(wholes.map((whole) => [whole, it.render(whole)]));
    return (_, whole) => {
      root.innerHTML = pages.get(whole) ?? "";
    };
  },
  ...globalThis.peers,
};

interface Painting {
  /** The new words of each flush, and all of them. */
  flushes: [string, string][];
  frame: HTMLElement;
  root: HTMLElement;
  paint: Paint;
}

let painting: Painting | null = null;

/**
 * Begins a text of a kind that grows to `to` characters by `width` per flush, with the first `from` of them painted and
 * laid out.
 */
async function begin(renderer: string, kind: string, from: number, to: number, width: number): Promise<void> {
  painting?.frame.remove();
  const root = document.createElement("div");
  root.className = "bnb-markdown";
  const frame = document.createElement("div");
  frame.className = "bnb";
  frame.style.maxHeight = "none";
  document.body.append(frame);
  placeStyle(frame);
  frame.append(root);
  const text = grown(kind, to);
  const flushes: [string, string][] = from > 0 ? [[text.slice(0, from), text.slice(0, from)]] : [];
  for (let at = from; at < text.length; at += width)
    flushes.push([text.slice(at, at + width), text.slice(0, at + width)]);
  const paint = RENDERERS[renderer]?.(
    root,
    flushes.map(([, whole]) => whole),
  );
  if (paint === undefined) throw new Error(`no renderer ${renderer}`);
  painting = { flushes: from > 0 ? flushes.slice(1) : flushes, frame, root, paint };
  if (from > 0) await paint(text.slice(0, from), text.slice(0, from));
  void root.offsetHeight;
}

/** Paints the rest, flush by flush; layout is forced after each. */
async function grow(): Promise<void> {
  if (painting === null) throw new Error("nothing was begun");
  const { flushes, root, paint } = painting;
  for (const [delta, whole] of flushes) {
    const painted = paint(delta, whole);
    if (painted instanceof Promise) await painted;
    void root.offsetHeight;
  }
  if (root.textContent === "") throw new Error("nothing was painted");
}

/** Paints one flush and leaves its layout to `draw`. */
function flush(): void {
  const next = painting?.flushes.shift();
  if (next !== undefined) painting?.paint(...next);
}

function draw(): void {
  void painting?.root.offsetHeight;
}

interface Opened {
  model: FakeModel;
  el: HTMLElement;
}

let opened: (Opened & { close: () => void }) | null = null;

function open(view: ChatView): Opened {
  opened?.close();
  opened?.el.remove();
  const model = new FakeModel(view);
  const el = document.createElement("div");
  document.body.append(el);
  const module = widget();
  module.initialize({ model });
  opened = { model, el, close: module.render({ model, el }) };
  return opened;
}

function messages(count: number, answer: string): ChatView {
  const turns = Array.from({ length: count / 2 }, (_, index) =>
    turn({ turn: index + 1, text: `message ${index + 1}`, steps: [step({ text: answer })] }),
  );
  return chat({ turns });
}

const nextFrame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
const painted = async () => {
  await nextFrame();
  await new Promise((resolve) => setTimeout(resolve));
};

/** The longest time in which the page could not have answered, while `run` goes on and `wait` milliseconds after it. */
async function longestStall(run: () => unknown, wait: number): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 4);
  await run();
  await new Promise((resolve) => setTimeout(resolve, wait));
  clearInterval(timer);
  return longest;
}

const bench = {
  renderers: Object.keys(RENDERERS),
  kinds: Object.keys(KINDS),
  begin,
  grow,
  flush,
  draw,

  /** Milliseconds from nothing to a chat of `count` messages that shows its end and takes a key. */
  async rehydrate(count: number): Promise<{ ready: number; all: number; stall: number }> {
    const view = messages(count, grown("mixed", 700));
    const start = performance.now();
    let ready = 0;
    let all = 0;
    const stall = await longestStall(async () => {
      const { el } = open(view);
      el.querySelector<HTMLTextAreaElement>("textarea")?.focus();
      await painted();
      ready = performance.now() - start;
      while (el.querySelectorAll(".bnb-turn").length < count / 2) await nextFrame();
      all = performance.now() - start;
    }, 50);
    return { ready, all, stall };
  },

  /** The longest stall while an answer of `characters` is drawn at once. */
  async longAnswer(kind: string, characters: number): Promise<{ stall: number; first: number }> {
    const text = grown(kind, characters);
    let first = 0;
    const stall = await longestStall(async () => {
      const start = performance.now();
      const { el } = open(chat({ turns: [turn({ steps: [step({ text })] })] }));
      await painted();
      first = performance.now() - start;
      const wanted = text.length * 0.5;
      while ((el.querySelector(".bnb-markdown")?.textContent ?? "").length < wanted) await painted();
    }, 300);
    return { stall, first };
  },

  /** The longest stall while a turn of `count` cards is drawn, and another one changes. */
  async cards(count: number): Promise<{ stall: number; change: number }> {
    const keys = Array.from({ length: count }, (_, index) => `1.1.${index}`);
    const result = {
      data: { rows: Array.from({ length: 20 }, (_, index) => ({ index, name: `row ${index}` })) },
    };
    const invocations = Object.fromEntries(
      keys.map((key) => [key, invocation({ key, args: { key }, result })]),
    );
    let change = 0;
    const stall = await longestStall(async () => {
      const view = chat({ turns: [turn({ steps: [step({ calls: keys })] })], invocations });
      const { model } = open(view);
      await painted();
      const start = performance.now();
      model.happen({
        type: "invocation",
        view: invocation({ key: "1.1.0", state: "failed", result: { error: "x" } }),
      });
      await painted();
      change = performance.now() - start;
    }, 300);
    return { stall, change };
  },

  /** Opens a chat of `count` messages whose last answer streams a flush of 64 characters every 33 ms. */
  async streaming(count: number): Promise<void> {
    const view = messages(count, grown("mixed", 700));
    const number = count / 2 + 1;
    view.turns.push(
      turn({ turn: number, phase: "streaming", outcome: null, steps: [step({ finished: false })] }),
    );
    const { model } = open(view);
    const text = grown("mixed", 60_000);
    let at = 0;
    setInterval(() => {
      model.happen({ type: "text_delta", turn: number, step: 1, text: text.slice(at, at + 64) });
      at += 64;
    }, 33);
    while (document.querySelectorAll(".bnb-turn").length < number) await nextFrame();
  },

  /** Milliseconds from a key in the composer to the frame after it, for `count` keys. */
  async keys(count: number): Promise<number[]> {
    const area = document.querySelector<HTMLTextAreaElement>("textarea");
    if (area === null) throw new Error("no composer");
    const times: number[] = [];
    for (let index = 0; index < count; index += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20 + ((index * 7) % 30)));
      const start = performance.now();
      area.value += "x";
      area.dispatchEvent(new Event("input", { bubbles: true }));
      await painted();
      times.push(performance.now() - start);
    }
    return times;
  },
};

void loadColour().then(() => Object.assign(window, { bench }));
