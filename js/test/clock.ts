// A clock that moves only when told, for everything that waits.

import type { Surroundings } from "../src/link.js";

export class Clock implements Surroundings {
  #now = 1_000;
  #ids = 0;
  #timers: { at: number; run: () => void }[] = [];
  hidden = false;

  now(): number {
    return this.#now;
  }

  later(run: () => void, milliseconds: number): () => void {
    const timer = { at: this.#now + milliseconds, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }

  newId(): string {
    this.#ids += 1;
    return `mid-${this.#ids}`;
  }

  newPage(): string {
    return "page-1";
  }

  isHidden(): boolean {
    return this.hidden;
  }

  readonly store = new Map<string, string>();

  kept(name: string): string {
    return this.store.get(name) ?? "";
  }

  keep(name: string, text: string): void {
    this.store.set(name, text);
  }

  /** Lets time pass; timers fire in their order, also those set meanwhile. */
  pass(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const next = this.#timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = next.at;
      next.run();
    }
    this.#now = end;
  }
}
