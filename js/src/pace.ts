// Tells the kernel when this page falls behind with painting and when it has caught up; else nothing, so that a slow
// line costs nothing and a page that does not paint, being hidden, is not waited for.

import type { ReadonlySignal } from "@preact/signals";
import type { Surroundings } from "./host.js";
import type { Painted } from "./protocol.js";
import type { ChatState } from "./state.js";

// The kernel's own numbers: it stops reading above the one and reads again at the other.
const BEHIND = 16;
const CAUGHT_UP = 6;

export class Pace {
  readonly #say: (painted: Omit<Painted, "page">) => void;
  readonly #around: Surroundings;
  /** Texts with words that are not painted, each with the number of the newest event that is. */
  readonly #waiting = new Map<object, number>();
  #newest = 0;
  #isBehind = false;

  constructor(
    state: ReadonlySignal<ChatState | null>,
    around: Surroundings,
    say: (painted: Omit<Painted, "page">) => void,
  ) {
    this.#say = say;
    this.#around = around;
    state.subscribe((now) => {
      this.#newest = now?.seq ?? 0;
      if (!this.#isBehind && !around.isHidden() && this.#behind() > BEHIND) this.#tell();
    });
  }

  /** The text has words of the newest event that are painted later. */
  planned(text: object): void {
    if (!this.#waiting.has(text)) this.#waiting.set(text, this.#newest - 1);
  }

  /** All words of the text are painted, or it is gone. */
  painted(text: object): void {
    this.#waiting.delete(text);
    if (this.#isBehind) this.#tell();
  }

  #behind(): number {
    return Math.max(0, ...[...this.#waiting.values()].map((seq) => this.#newest - seq));
  }

  #tell(): void {
    const behind = this.#behind();
    this.#isBehind = behind > CAUGHT_UP;
    this.#say({ type: "painted", mid: this.#around.newId(), behind });
  }
}
