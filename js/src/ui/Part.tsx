// What surrounds the messages of one cell in their chat: those before them, folded, and a word where they are left out.

import { useState } from "preact/hooks";
import type { PartView } from "../protocol.js";
import { useSurface } from "./context.js";

export function Earlier({ part }: { part: PartView }) {
  const { link, words } = useSurface();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState("");
  if (part.gone) return <p class="bnb-note">{words.partGone}</p>;
  if (part.earlier === 0) return null;
  const fold = () => {
    setBusy(true);
    setFault("");
    link
      .question({ type: "unfold", unfolded: !part.unfolded })
      .catch((error: Error) => setFault(error.message || words.noAnswer))
      .finally(() => setBusy(false));
  };
  return (
    <>
      <button
        type="button"
        class="bnb-text-button bnb-earlier"
        data-bnb-action="unfold"
        aria-expanded={part.unfolded}
        disabled={busy}
        onClick={fold}
      >
        {part.unfolded ? words.hideEarlier : words.earlierMessages(part.earlier)}
      </button>
      {fault !== "" && <p role="alert">{fault}</p>}
    </>
  );
}
