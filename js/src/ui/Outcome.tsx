// What a person can do about a call that failed, or of which nobody knows whether it happened.

import type { InvocationView } from "../protocol.js";
import { useApart, useAsked } from "./asking.js";
import { useSurface } from "./context.js";
import { Icon } from "./icons.js";
import { Refusal } from "./Refusal.js";

const TYPES: ReadonlySet<string> = new Set(["reconcile", "check_call", "retry_call"]);

export function Outcome({ view }: { view: InvocationView }) {
  const { link, words } = useSurface();
  const { waiting, refusal } = useAsked((ask) => TYPES.has(ask.type) && "key" in ask && ask.key === view.key);
  const apart = useApart();
  const unknown = view.state === "unknown";
  if (!unknown && !view.can_retry && refusal === null) return null;
  const { key } = view;
  const busy = waiting !== null;
  const disabled = busy || apart !== "";
  return (
    <fieldset class="bnb-outcome" aria-busy={busy}>
      <legend class={unknown ? "bnb-outcome-question" : "bnb-sr"}>
        {unknown ? words.whatHappened : words.tryAgain}
      </legend>
      <div class="bnb-buttons">
        {unknown && (
          <>
            <button
              type="button"
              class="bnb-button bnb-small"
              data-bnb-action="happened"
              disabled={disabled}
              onClick={() => link.ask({ type: "reconcile", key, happened: true, note: "" })}
            >
              <Icon name="check" /> {words.itHappened}
            </button>
            <button
              type="button"
              class="bnb-button bnb-small"
              data-bnb-action="did-not-happen"
              disabled={disabled}
              onClick={() => link.ask({ type: "reconcile", key, happened: false, note: "" })}
            >
              <Icon name="cross" /> {words.itDidNot}
            </button>
          </>
        )}
        {unknown && view.checks && (
          <button
            type="button"
            class="bnb-button bnb-small"
            data-bnb-action="check"
            disabled={disabled}
            onClick={() => link.ask({ type: "check_call", key })}
          >
            {waiting?.type === "check_call" ? words.lookingUp : words.checkOutcome}
          </button>
        )}
        {view.can_retry && (
          <button
            type="button"
            class="bnb-button bnb-small"
            data-bnb-action="retry-call"
            disabled={disabled}
            onClick={() => link.ask({ type: "retry_call", key })}
          >
            <Icon name="retry" /> {unknown ? words.tryAgainSame : words.tryAgain}
          </button>
        )}
      </div>
      {apart !== "" && <p class="bnb-note">{apart}</p>}
      <Refusal refusal={refusal} />
    </fieldset>
  );
}
