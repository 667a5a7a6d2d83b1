// A kernel's end of the line in the page: it draws what it is given and remembers what it was asked.

import type { Model } from "../src/link.js";
import type { ChatView, PageEvent, ToKernel, ToPage } from "../src/protocol.js";

export class FakeModel implements Model {
  readonly sent: ToKernel[] = [];
  readonly #traits: Record<string, unknown>;
  readonly #listeners = new Map<string, ((...args: never[]) => void)[]>();
  #seq = 0;
  widget_manager: unknown = undefined;
  boot = "boot-1";
  /** Whether requests are acknowledged by themselves. */
  answers = true;
  /** Set to make `send` throw, as Jupyter does when the kernel is gone. */
  gone = false;

  constructor(chat: ChatView | null, traits: Record<string, unknown> = {}) {
    this.#traits = { ...traits };
    if (chat !== null) {
      this.#traits.snapshot = { type: "snapshot", boot: this.boot, seq: 0, protocol: 1, chat };
    }
  }

  get(name: string): unknown {
    return this.#traits[name];
  }

  on(name: string, callback: (...args: never[]) => void): void {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), callback]);
  }

  send(content: unknown): void {
    if (this.gone) throw new Error("Cannot send");
    const request = content as ToKernel;
    this.sent.push(request);
    if (this.answers) this.acknowledge(request.mid);
  }

  acknowledge(mid: string, change: { ok?: boolean; message?: string; data?: unknown } = {}): void {
    this.say({
      type: "ack",
      mid,
      boot: this.boot,
      seq: this.#seq,
      ok: true,
      code: "",
      message: "",
      ...change,
    });
  }

  /** Sends events with the next numbers. */
  happen(...events: PageEvent[]): void {
    this.say({ type: "events", boot: this.boot, first: this.#seq + 1, events });
    this.#seq += events.length;
  }

  /** Counts events that are lost on the way. */
  lose(count: number): void {
    this.#seq += count;
  }

  snapshot(chat: ChatView): void {
    this.say({ type: "snapshot", boot: this.boot, seq: this.#seq, protocol: 1, chat });
  }

  say(message: ToPage | Record<string, unknown>): void {
    this.fire("msg:custom", message);
  }

  fire(name: string, ...args: unknown[]): void {
    for (const callback of this.#listeners.get(name) ?? []) callback(...(args as never[]));
  }

  asked<T extends ToKernel["type"]>(type: T): Extract<ToKernel, { type: T }>[] {
    return this.sent.filter((request): request is Extract<ToKernel, { type: T }> => request.type === type);
  }
}
