// What the person said, as a bubble.

import { useSurface } from "./context.js";
import { LongText } from "./Revealed.js";

export function UserMessage({ text, note }: { text: string; note?: string }) {
  const { words } = useSurface();
  return (
    <div class={note === undefined ? "bnb-user" : "bnb-user bnb-user-pending"}>
      <span class="bnb-sr">{words.you}: </span>
      <div class="bnb-bubble">
        <LongText text={text} />
      </div>
      {note !== undefined && <span class="bnb-faint bnb-user-note">{note}</span>}
    </div>
  );
}
