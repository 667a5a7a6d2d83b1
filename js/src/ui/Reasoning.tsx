// What a model thought before it answered: folded, and for how long.

import { duration } from "../format.js";
import { useSurface } from "./context.js";
import { Markdown } from "./Markdown.js";

interface ReasoningProps {
  text: string;
  /** No more of it comes. */
  complete: boolean;
  /** Milliseconds that it took, 0 where nobody knows. */
  took: number;
}

export function Reasoning({ text, complete, took }: ReasoningProps) {
  const { words } = useSurface();
  const label = !complete
    ? words.thinkingNow
    : took === 0
      ? words.thinking
      : words.thoughtFor(duration(took));
  return (
    <details class="bnb-thinking" data-bnb-thinking={complete ? "complete" : "open"}>
      <summary>{label}</summary>
      <Markdown text={text} complete={complete} />
    </details>
  );
}
