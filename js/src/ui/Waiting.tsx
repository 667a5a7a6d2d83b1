// The message that waits for the answer before it: what it waits for, and how to send it now or take it back.

import type { Holds } from "../outbox.js";
import { useSurface } from "./context.js";
import { Icon } from "./icons.js";
import { Revealed } from "./Revealed.js";

interface WaitingProps {
  text: string;
  /** It was written as several. */
  together: boolean;
  holds: Holds | null;
  isDown: boolean;
  onSend: () => void;
  onTakeBack: () => void;
}

export function Waiting({ text, together, holds, isDown, onSend, onTakeBack }: WaitingProps) {
  const { words } = useSurface();
  return (
    <div class="bnb-queued" data-bnb-queued={holds ?? "none"}>
      <Icon name="clock" />
      <div class="bnb-queued-words">
        <p class="bnb-queued-text">
          <Revealed text={text} />
        </p>
        <p class="bnb-faint" role="status">
          {words.waitingFor[holds ?? "sending"]}
          {together && ` ${words.sentTogether}`}
        </p>
      </div>
      <button
        type="button"
        class="bnb-text-button"
        data-bnb-action="send-now"
        disabled={isDown}
        title="Ctrl+Enter"
        onClick={onSend}
      >
        {words.sendNow}
      </button>
      <button
        type="button"
        class="bnb-icon-button"
        data-bnb-action="take-back"
        aria-label={words.takeBack}
        title={`${words.takeBack} (Esc)`}
        onClick={onTakeBack}
      >
        <Icon name="cross" />
      </button>
    </div>
  );
}
