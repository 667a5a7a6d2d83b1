// Files that go with the next message: sent to the kernel in pieces, one after another, while the person writes.

import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { AttachView, Question } from "./protocol.js";

/** Bytes of a piece; base64 makes a third more of it. */
const PIECE = 192 * 1024;

export interface Draft {
  readonly id: string;
  readonly file: File;
  /** Bytes that have arrived. */
  readonly sent: number;
  readonly done: boolean;
  /** Why it cannot go, or empty. */
  readonly fault: string;
}

/** What is wrong with a file before it is sent. */
export type Unfit = "kind" | "size" | "many";

export class Attachments {
  readonly drafts: Signal<readonly Draft[]> = signal([]);
  /** A file is still on its way. */
  readonly busy: ReadonlySignal<boolean>;

  readonly #ask: (question: Question) => Promise<unknown>;
  readonly #newId: () => string;
  readonly #gone = new Map<string, Draft>();

  constructor(ask: (question: Question) => Promise<unknown>, newId: () => string) {
    this.#ask = ask;
    this.#newId = newId;
    this.busy = computed(() => this.drafts.value.some((draft) => !draft.done && draft.fault === ""));
  }

  /** Takes files; what does not fit stays with its reason, and is not sent. */
  add(files: readonly File[], limits: AttachView, words: Record<Unfit, string>): void {
    for (const file of files) {
      const unfit = this.#unfit(file, limits);
      const fault = unfit === null ? "" : words[unfit];
      const draft: Draft = { id: this.#newId(), file, sent: 0, done: false, fault };
      this.drafts.value = [...this.drafts.value, draft];
      if (fault === "") void this.#upload(draft.id, file);
    }
  }

  /** Takes a file away, also while it is sent; the kernel lets go of what it has of it. */
  remove(id: string): void {
    const draft = this.drafts.value.find((one) => one.id === id);
    if (draft === undefined) return;
    this.drafts.value = this.drafts.value.filter((one) => one !== draft);
    if (draft.done || draft.fault === "")
      this.#ask({ type: "drop_upload", draft: id }).catch(() => undefined);
  }

  /** Takes all files away. */
  clear(): void {
    for (const { id } of this.drafts.value) this.remove(id);
  }

  /** Takes out the files that have arrived, for a message; returns their names. */
  take(): string[] {
    const done = this.drafts.value.filter((draft) => draft.done);
    for (const draft of done) this.#gone.set(draft.id, draft);
    this.drafts.value = this.drafts.value.filter((draft) => !draft.done);
    return done.map((draft) => draft.id);
  }

  /** Puts back the files of a message that was refused. */
  restore(ids: readonly string[]): void {
    const back = ids.flatMap((id) => this.#gone.get(id) ?? []);
    for (const id of ids) this.#gone.delete(id);
    this.drafts.value = [...back, ...this.drafts.value];
  }

  /** What the files of a message on its way are called. */
  namesOf(ids: readonly string[]): string {
    return ids.map((id) => this.#gone.get(id)?.file.name ?? "").join(", ");
  }

  #unfit(file: File, limits: AttachView): Unfit | null {
    if (this.drafts.value.filter((draft) => draft.fault === "").length >= limits.most) return "many";
    if (file.size > limits.largest) return "size";
    return fits(file, limits.accept) ? null : "kind";
  }

  async #upload(id: string, file: File): Promise<void> {
    let offset = 0;
    try {
      do {
        const piece = new Uint8Array(await file.slice(offset, offset + PIECE).arrayBuffer());
        if (!this.drafts.value.some((draft) => draft.id === id)) return;
        const { name, size } = file;
        const data = toBase64(piece);
        await this.#ask({ type: "upload", draft: id, name, media: file.type, size, offset, data });
        offset += piece.length;
        this.#change(id, { sent: offset });
      } while (offset < file.size);
      this.#change(id, { done: true });
    } catch (error) {
      this.#change(id, { fault: error instanceof Error && error.message !== "" ? error.message : "…" });
    }
  }

  #change(id: string, change: Partial<Draft>): void {
    this.drafts.value = this.drafts.value.map((draft) => (draft.id === id ? { ...draft, ...change } : draft));
  }
}

/** Whether a file is of a kind that some tool takes; one whose type the system does not know may be. */
export function fits(file: { type: string }, accept: readonly string[]): boolean {
  const type = file.type.split(";")[0]?.trim().toLowerCase() ?? "";
  return accept.some((kind) => {
    if (kind === "*/*" || type === "") return true;
    return kind.endsWith("/*") ? type.startsWith(kind.slice(0, -1)) : type === kind;
  });
}

export function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000)
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
