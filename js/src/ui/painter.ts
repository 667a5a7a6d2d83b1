// When a streaming text is painted: at most once per frame, and less often where painting is dear.

import { completeLater } from "../markdown/late.js";
import { MarkdownStream } from "../markdown/stream.js";
import type { Pace } from "../pace.js";

// A block that cannot be frozen in parts (one endless paragraph) costs more with every word. Painting then rests three
// times as long as it took, so that the page keeps most of its time for the person.
const REST = 3;
// A text that is longer than this is painted piece by piece, so that none of them holds the page.
const PIECE = 24_000;

export class Painter {
  readonly #root: Element;
  readonly #pace: Pace | undefined;
  #stream: MarkdownStream;
  #text = "";
  #finished = false;
  #planned: (() => void) | null = null;
  #restsUntil = 0;

  constructor(root: Element, pace?: Pace) {
    this.#root = root;
    this.#pace = pace;
    this.#stream = new MarkdownStream(root);
  }

  /** Shows `text`; a complete one now, a growing one soon. */
  show(text: string, complete: boolean): void {
    if (this.#finished && text === this.#text) return;
    const first = this.#text === "";
    // A step that was reset, or words that came after the end: begin again.
    const begins = this.#finished || !text.startsWith(this.#text);
    if (begins) this.#begin();
    // Blocks of a long text are laid out where they are looked at.
    if (text.length > PIECE) this.#root.setAttribute("data-bnb-long", "");
    if (text.length - this.#text.length > PIECE) {
      this.#showInPieces(text, complete);
      return;
    }
    this.#stream.push(text.slice(this.#text.length));
    this.#text = text;
    if (complete) {
      this.stop();
      this.#stream.finish();
      this.#finished = true;
      completeLater(this.#root);
    } else if (first || begins) {
      this.#stream.flush();
      completeLater(this.#root);
    } else {
      this.#plan();
    }
  }

  /** The first piece now, the rest with the frames to come. */
  #showInPieces(text: string, complete: boolean): void {
    this.stop();
    const piece = text.slice(0, this.#text.length + PIECE);
    this.show(piece, false);
    this.stop();
    const frame = requestAnimationFrame(() => {
      this.#planned = null;
      this.#stream.flush();
      this.show(text, complete);
    });
    this.#planned = () => cancelAnimationFrame(frame);
  }

  /** Takes back a planned paint. */
  stop(): void {
    this.#planned?.();
    this.#planned = null;
    this.#pace?.painted(this);
  }

  #begin(): void {
    this.stop();
    this.#stream = new MarkdownStream(this.#root);
    this.#text = "";
    this.#finished = false;
  }

  #plan(): void {
    if (this.#planned !== null) return;
    this.#pace?.planned(this);
    const rest = this.#restsUntil - performance.now();
    if (rest > 0) {
      const timer = setTimeout(() => this.#onFrame(), rest);
      this.#planned = () => clearTimeout(timer);
    } else {
      this.#onFrame();
    }
  }

  #onFrame(): void {
    const frame = requestAnimationFrame(() => {
      this.#planned = null;
      const start = performance.now();
      this.#stream.flush();
      completeLater(this.#root);
      const end = performance.now();
      this.#restsUntil = end + REST * (end - start);
      this.#pace?.painted(this);
    });
    this.#planned = () => cancelAnimationFrame(frame);
  }
}
