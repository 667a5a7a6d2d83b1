// What the person writes: sent at once, or one message that waits for the answer before it; and the half-written one.

import {
  batch,
  computed,
  effect,
  type ReadonlySignal,
  type Signal,
  signal,
  untracked,
} from "@preact/signals";
import type { Attachments } from "./attachments.js";
import type { Connection, Surroundings } from "./link.js";
import type { Pending } from "./pending.js";
import type { Ask, ChatView } from "./protocol.js";
import { type ChatState, isDecisionOpen, isLivePhase } from "./state.js";

/** What a message has to wait for. */
export type Holds =
  | "sending"
  | "answer"
  /** The person has to decide something first. */
  | "decision"
  /** A call is still running. */
  | "call"
  /** The answer failed: it may be tried again first. */
  | "failed";

/** What keeps a waiting message from being sent now; null when nothing does. */
function holdsOf(chat: ChatView, pending: readonly Pending[]): Holds | null {
  if (pending.some((one) => one.ask.type === "send" && one.refused === undefined)) return "sending";
  const phase = chat.turns.at(-1)?.phase ?? "idle";
  if (phase === "failed") return "failed";
  if (!isLivePhase(phase)) return null;
  if (phase !== "awaiting") return "answer";
  return isDecisionOpen(chat) ? "decision" : "call";
}

/** What the outbox needs of the line to the kernel. */
export interface Line {
  readonly state: ReadonlySignal<ChatState | null>;
  readonly pending: ReadonlySignal<readonly Pending[]>;
  readonly connection: ReadonlySignal<Connection>;
  ask(ask: Ask): void;
}

export class Outbox {
  /** The message that waits, empty when there is none. */
  readonly waiting: Signal<string> = signal("");
  /** It was written as several, which are sent together. */
  readonly together: Signal<boolean> = signal(false);
  /** The half-written message. */
  readonly written: Signal<string> = signal("");
  /** What a message would have to wait for. */
  readonly holds: ReadonlySignal<Holds | null>;

  readonly #line: Line;
  readonly #around: Surroundings;
  readonly #files: Attachments;
  readonly #ends: (() => void)[];
  /** The chat that it is written for, once one is shown. */
  #chat: string | null = null;
  /** Refused messages that are where they were written again. */
  readonly #back = new Set<string>();

  constructor(line: Line, around: Surroundings, files: Attachments) {
    this.#line = line;
    this.#around = around;
    this.#files = files;
    const chat = computed(() => line.state.value?.chat.chat ?? null);
    this.holds = computed(() => {
      const state = line.state.value;
      return state === null ? "sending" : holdsOf(state.chat, line.pending.value);
    });
    const isDue = computed(
      () =>
        this.waiting.value !== "" &&
        chat.value === this.#chat &&
        this.holds.value === null &&
        !files.busy.value &&
        line.connection.value === "live",
    );
    this.#ends = [
      effect(() => {
        const shown = chat.value;
        if (shown !== null && shown !== this.#chat) untracked(() => this.#turnTo(shown));
      }),
      // What is half-written, or waits, is kept for a reload of the page, which sends nothing by itself.
      effect(() => {
        const text = joined(this.waiting.value, this.written.value);
        if (this.#chat !== null) around.keep(nameOf(this.#chat), text);
      }),
      effect(() => {
        if (isDue.value) untracked(() => this.sendWaiting());
      }),
      effect(() => {
        const refused = line.pending.value.filter((one) => one.refused !== undefined);
        untracked(() => this.#takeRefused(refused));
      }),
    ];
  }

  /** Sends a message, or lets it wait; what waits already gets one paragraph more. */
  say(text: string): void {
    const holds = this.holds.value;
    // After a failure a new message goes ahead; only one that waited already asks first.
    if (holds === null || (holds === "failed" && this.waiting.value === "")) {
      this.#send(text);
    } else {
      batch(() => {
        this.together.value = this.waiting.value !== "";
        this.waiting.value = joined(this.waiting.value, text);
      });
    }
  }

  /** Sends what waits now; the kernel cancels what is open. */
  sendWaiting(): void {
    const text = this.waiting.value;
    this.waiting.value = "";
    if (text !== "") this.#send(text);
  }

  /** Puts what waits back to where it was written, to be changed. */
  takeBack(): void {
    batch(() => {
      this.written.value = joined(this.waiting.value, this.written.value);
      this.waiting.value = "";
    });
  }

  /** Says a text, with the files that are ready. */
  #send(text: string): void {
    const files = this.#files.take();
    this.#line.ask(files.length === 0 ? { type: "send", text } : { type: "send", text, files });
  }

  /** Another chat is shown: what was written for the one before stays with that one, and is kept. */
  #turnTo(chat: string): void {
    const isFirst = this.#chat === null;
    batch(() => {
      this.#chat = chat;
      this.waiting.value = "";
      this.written.value = this.#around.kept(nameOf(chat));
      if (!isFirst) this.#files.clear();
    });
  }

  /** A message that the kernel refused goes back to where it was written, unless something else is there by now. */
  #takeRefused(refused: readonly Pending[]): void {
    for (const { mid, ask } of refused) {
      if (ask.type !== "send" || this.#back.has(mid)) continue;
      this.#back.add(mid);
      if (this.written.value === "") this.written.value = ask.text;
      this.#files.restore(ask.files ?? []);
    }
  }

  close(): void {
    for (const end of this.#ends) end();
  }
}

function nameOf(chat: string): string {
  return `bitte-nb:draft:${chat}`;
}

/** Two parts of a message as one; either may be empty. */
function joined(first: string, second: string): string {
  return [first, second].filter((part) => part.trim() !== "").join("\n\n");
}
