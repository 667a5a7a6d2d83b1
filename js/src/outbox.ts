// What the person writes: sent at once, or one message that waits for the answer before it; and the half-written one.

import { computed, effect, type ReadonlySignal, type Signal, signal, untracked } from "@preact/signals";
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
export function holdsOf(chat: ChatView, pending: readonly Pending[]): Holds | null {
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
  /** What a message would have to wait for. */
  readonly holds: ReadonlySignal<Holds | null>;

  readonly #line: Line;
  readonly #around: Surroundings;
  readonly #files: Attachments;
  readonly #close: () => void;
  #restored = false;

  constructor(line: Line, around: Surroundings, files: Attachments) {
    this.#line = line;
    this.#around = around;
    this.#files = files;
    this.holds = computed(() => {
      const state = line.state.value;
      return state === null ? "sending" : holdsOf(state.chat, line.pending.value);
    });
    const isDue = computed(
      () =>
        this.waiting.value !== "" &&
        this.holds.value === null &&
        !files.busy.value &&
        line.connection.value === "live",
    );
    this.#close = effect(() => {
      if (isDue.value) untracked(() => this.sendWaiting());
    });
  }

  /** Sends a message, or lets it wait; what waits already gets one paragraph more. */
  say(text: string): void {
    const holds = this.holds.value;
    // After a failure a new message goes ahead; only one that waited already asks first.
    if (holds === null || (holds === "failed" && this.waiting.value === "")) {
      this.#send(text);
    } else {
      this.waiting.value = joined(this.waiting.value, text);
    }
  }

  /** Sends what waits now; the kernel cancels what is open. */
  sendWaiting(): void {
    const text = this.takeBack();
    if (text !== "") this.#send(text);
  }

  /** Says a text, with the files that are ready. */
  #send(text: string): void {
    const files = this.#files.take();
    this.#line.ask(files.length === 0 ? { type: "send", text } : { type: "send", text, files });
  }

  /** Takes out what waits, to be sent or to be changed. */
  takeBack(): string {
    const text = this.waiting.value;
    this.waiting.value = "";
    return text;
  }

  /** Keeps what is half-written for a reload of the page. */
  keep(written: string): void {
    this.#around.keep(this.#name, joined(this.waiting.value, written));
  }

  /** What was half-written, or waited, when the page went, once: a reload sends nothing by itself. */
  restore(): string {
    const text = this.#restored ? "" : this.#around.kept(this.#name);
    this.#restored = true;
    return text;
  }

  get #name(): string {
    return `bitte-nb:draft:${this.#line.state.value?.chat.chat ?? ""}`;
  }

  close(): void {
    this.#close();
  }
}

/** Two parts of a message as one; either may be empty. */
export function joined(first: string, second: string): string {
  return [first, second].filter((part) => part.trim() !== "").join("\n\n");
}
