// What a model thought before it answered: folded, and for how long.

import { useEffect, useRef, useState } from "preact/hooks";
import { duration } from "../format.js";
import { useSurface } from "./context.js";
import { Markdown } from "./Markdown.js";

interface ReasoningProps {
  text: string;
  /** No more of it comes. */
  complete: boolean;
}

export function Reasoning({ text, complete }: ReasoningProps) {
  const { words } = useSurface();
  const took = useDuration(complete);
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

/** Milliseconds that something took which began before this page's eyes; 0 for what was complete when it came. */
function useDuration(complete: boolean): number {
  const began = useRef(complete ? 0 : performance.now());
  const [took, setTook] = useState(0);
  useEffect(() => {
    if (complete && began.current > 0) setTook((known) => known || performance.now() - began.current);
  }, [complete]);
  return took;
}
