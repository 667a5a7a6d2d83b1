// What a model thought before it answered: folded, and for how long; of the offline model, how it matched the words.

import { duration } from "../format.js";
import type { Strings } from "../text/en.js";
import { useSurface } from "./context.js";
import { Markdown } from "./Markdown.js";

/** How the model that compares words calls itself: it reasons about nothing, and the time is that of writing the call. */
const OFFLINE = "offline model";

interface ReasoningProps {
  text: string;
  model: string;
  /** No more of it comes. */
  complete: boolean;
  /** Milliseconds that it took, 0 where nobody knows. */
  took: number;
}

export function Reasoning({ text, model, complete, took }: ReasoningProps) {
  const { words } = useSurface();
  const label = labelOf(words, model === OFFLINE, complete, took);
  return (
    <details class="bnb-thinking" data-bnb-thinking={complete ? "complete" : "open"}>
      <summary>{label}</summary>
      <Markdown text={text} complete={complete} />
    </details>
  );
}

function labelOf(words: Strings, isOffline: boolean, complete: boolean, took: number): string {
  if (isOffline) return words.matched;
  if (!complete) return words.thinkingNow;
  return took === 0 ? words.thinking : words.thoughtFor(duration(took));
}
