// What a decision is about, in a line and its worst warning.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { shortened } from "../format.js";
import type { InvocationView } from "../protocol.js";
import { type Review, worstWarning } from "../review.js";
import type { Strings } from "../text/en.js";
import { useWords } from "./context.js";
import { messageOf } from "./Request.js";
import { Revealed } from "./Revealed.js";
import { Warning } from "./Review.js";

/** What the buttons are about, in one line beside them, for whoever has scrolled past the rest. */
export function Gist({ id, view, review }: { id: string; view: InvocationView; review: Review | null }) {
  const words = useWords();
  const isRequest = view.executor === "http" && view.url !== "";
  const line = isRequest ? `${view.method} ${view.url}` : subjectOf(view, review, words);
  const worst = review === null ? null : worstWarning(review);
  // What scrolls has to be reachable by keyboard.
  const place = useRef<HTMLParagraphElement>(null);
  const [scrolls, setScrolls] = useState(false);
  useLayoutEffect(() => {
    const { scrollHeight = 0, clientHeight = 0 } = place.current ?? {};
    setScrolls(scrollHeight > clientHeight);
  }, [line]);
  // What blocks it is said in full below.
  const warning = review?.approval === "blocked" && worst?.severity === "block" ? null : worst;
  return (
    <div class="bnb-gist" id={id}>
      {line !== "" && (
        <p
          ref={place}
          class={isRequest || view.kind === "local" ? "bnb-gist-line bnb-mono" : "bnb-gist-line"}
          tabIndex={scrolls ? 0 : undefined}
        >
          <Revealed text={line} />
        </p>
      )}
      {warning !== null && <Warning warning={warning} />}
    </div>
  );
}

/** The summary, and of a message to sign the message itself: what it says is what would be signed. */
function subjectOf(view: InvocationView, review: Review | null, words: Strings): string {
  const summary = review?.summary || review?.title || view.body;
  const message = messageOf(view, review);
  return message === "" ? summary : `${summary.replace(/\.$/, "") || words.message}: “${shortened(message)}”`;
}
