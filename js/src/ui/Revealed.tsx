// Text from outside, with what hides in it made visible.

import { useState } from "preact/hooks";
import { reveal } from "../reveal.js";
import { useWords } from "./context.js";

export function Revealed({ text }: { text: string }) {
  const words = useWords();
  return (
    <bdi>
      {reveal(text).map((piece, index) =>
        piece.kind === "text" ? (
          piece.text
        ) : (
          <span
            key={index}
            class="bnb-hidden-character"
            title={words.hiddenCharacter(piece.code, piece.name)}
          >
            {piece.code}
          </span>
        ),
      )}
    </bdi>
  );
}

const PREVIEW = 600;

/** A long text of which the start is shown until the person asks for all of it. */
export function LongText({ text }: { text: string }) {
  const words = useWords();
  const [open, setOpen] = useState(false);
  if (open || text.length <= PREVIEW) return <Revealed text={text} />;
  return (
    <>
      <Revealed text={text.slice(0, PREVIEW)} />…{" "}
      <button type="button" class="bnb-text-button" onClick={() => setOpen(true)}>
        {words.showAll} ({text.length.toLocaleString(words.language)})
      </button>
    </>
  );
}
