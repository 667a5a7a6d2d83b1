// Waiting by what happens and not by a clock: on a busy machine each step takes long, and they still come in their order.

import { vi } from "vitest";

const FRAMES = 6;

/** Lets the page draw what it was told: some frames, and after each the effects that it set going. */
export async function drawn(): Promise<void> {
  for (let frame = 0; frame < FRAMES; frame += 1) {
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  }
}

/** Lets the page draw what it was told and nothing more: no timer of it begins. */
export async function rendered(): Promise<void> {
  for (let turn = 0; turn < FRAMES; turn += 1) await Promise.resolve();
}

/** Waits until the check passes, however long a chunk or a timer of the page takes; gives what the check gave. */
export function soon<T>(check: () => T): Promise<T> {
  return vi.waitFor(check, { timeout: 120_000, interval: 10 });
}
