// The result of a call, given by the person in words.

import { useState } from "preact/hooks";
import type { InvocationView } from "../protocol.js";
import { useApart, useAsked } from "./asking.js";
import { useSurface } from "./context.js";
import { Refusal } from "./Refusal.js";

/** For calls whose result a person may give in words, such as a signature made elsewhere. */
export function Answer({ view }: { view: InvocationView }) {
  const { link, words } = useSurface();
  const [text, setText] = useState("");
  const { waiting, refusal } = useAsked((ask) => ask.type === "respond" && ask.key === view.key);
  const apart = useApart();
  const { key, digest, version } = view;
  return (
    <details class="bnb-exact">
      <summary>{words.respondLabel}</summary>
      <textarea
        class="bnb-input bnb-mono"
        rows={3}
        aria-label={words.respondLabel}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button
        type="button"
        class="bnb-button"
        data-bnb-action="respond"
        disabled={text.trim() === "" || waiting !== null || apart !== ""}
        onClick={() => link.ask({ type: "respond", key, digest, version, text })}
      >
        {words.respond}
      </button>
      <Refusal refusal={refusal} />
    </details>
  );
}
