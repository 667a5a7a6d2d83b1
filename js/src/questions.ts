// What a page asks that changes nothing of a chat: repeated until it is answered, or until nobody is there to do it.

import type { Surroundings } from "./host.js";
import type { Ack, Question, Sent } from "./protocol.js";

/** How often a question is asked before nobody is taken to answer. */
const TRIES = 5;

/** What questions need of the line to the kernel. */
interface Line {
  send(question: Sent): void;
  /** Nothing has answered for a while. */
  isWaiting(): boolean;
  /** Nobody will ever answer. */
  isOver(): boolean;
}

export class Questions {
  readonly #open = new Map<string, (ack: Ack) => void>();
  readonly #around: Surroundings;
  readonly #repeat: number;
  readonly #line: Line;

  /** Unanswered questions are asked again after `repeat` milliseconds. */
  constructor(around: Surroundings, repeat: number, line: Line) {
    this.#around = around;
    this.#repeat = repeat;
    this.#line = line;
  }

  /** Resolves with the answer, rejects with the kernel's sentence, or with none when nobody answers. */
  ask(ask: Question): Promise<unknown> {
    const mid = this.#around.newId();
    return new Promise((resolve, reject) => {
      const send = (left: number) => {
        if (!this.#open.has(mid)) return;
        if (left === 0 || this.#line.isOver()) {
          this.#open.delete(mid);
          reject(new Error(""));
          return;
        }
        this.#line.send({ ...ask, mid } as Sent);
        // A kernel that is busy answers in the end; only one that answers other things is not waited for.
        this.#around.later(() => send(this.#line.isWaiting() ? left : left - 1), this.#repeat);
      };
      this.#open.set(mid, (ack) => (ack.ok ? resolve(ack.data) : reject(new Error(ack.message))));
      send(TRIES);
    });
  }

  answer(ack: Ack): void {
    this.#open.get(ack.mid)?.(ack);
    this.#open.delete(ack.mid);
  }
}
