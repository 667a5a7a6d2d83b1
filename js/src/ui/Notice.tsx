// A sentence about the chat as a whole; where another kernel has the chat, the way to go on with it here.

import { useState } from "preact/hooks";
import type { ChatView } from "../protocol.js";
import { useSurface } from "./context.js";
import { Icon } from "./icons.js";
import { Revealed } from "./Revealed.js";

export function Notice({ chat }: { chat: ChatView }) {
  const { link, words } = useSurface();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState("");
  if (chat.notice === "") return null;
  const takeOver = () => {
    setBusy(true);
    setFault("");
    link
      .question({ type: "take_over", chat: chat.chat })
      .catch((error: Error) => setFault(error.message || words.noAnswer))
      .finally(() => setBusy(false));
  };
  return (
    <div class="bnb-notice">
      <Icon name="info" />
      <span>
        <Revealed text={chat.notice} />
        {fault !== "" && (
          <strong role="alert">
            {" "}
            <Revealed text={fault} />
          </strong>
        )}
      </span>
      {chat.elsewhere && (
        <button
          type="button"
          class="bnb-button bnb-small"
          data-bnb-action="take-over"
          title={words.takeOverHint}
          disabled={busy}
          onClick={takeOver}
        >
          {busy ? words.takingOver : words.takeOver}
        </button>
      )}
    </div>
  );
}
