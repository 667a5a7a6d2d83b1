// The blocks that the next line may change, as they are at one moment, to go back to it.

import type { Container, Leaf } from "./tree.js";

export interface Spine {
  /** The open containers, each the last child of the one before it. */
  readonly stack: readonly Container[];
  /** How many children each of them has. */
  readonly sizes: readonly number[];
  readonly leaf: Leaf | null;
  /** The lines or rows of the leaf. */
  readonly size: number;
  /** Whether the line before was blank. */
  readonly blank: boolean;
  readonly loose: readonly boolean[];
  readonly text: string;
}

export function spineOf(stack: readonly Container[], leaf: Leaf | null, blank: boolean): Spine {
  return {
    stack: [...stack],
    sizes: stack.map(({ children }) => children.length),
    loose: stack.map((block) => block.kind === "list" && block.loose),
    leaf,
    size: leaf?.kind === "code" ? leaf.lines.length : leaf?.kind === "table" ? leaf.rows.length : 0,
    text: leaf?.kind === "paragraph" ? leaf.text : "",
    blank,
  };
}

/** Takes back what came to the blocks since. */
export function putBack({ stack, sizes, loose, leaf, size, text }: Spine): void {
  stack.forEach((block, index) => {
    block.children.length = sizes[index] ?? 0;
    if (block.kind === "list") block.loose = loose[index] ?? false;
  });
  if (leaf?.kind === "code") leaf.lines.length = size;
  else if (leaf?.kind === "table") leaf.rows.length = size;
  else if (leaf?.kind === "paragraph") leaf.text = text;
}
