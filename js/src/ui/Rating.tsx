// What the person thinks of an answer: two buttons, of which one may be down.

import type { TurnView } from "../protocol.js";
import { useAsked } from "./asking.js";
import { useSurface } from "./context.js";
import { Icon } from "./icons.js";
import { Refusal } from "./Refusal.js";

export function Rating({ turn }: { turn: TurnView }) {
  const { link, words } = useSurface();
  const { waiting, refusal } = useAsked((ask) => ask.type === "rate" && ask.turn === turn.turn);
  const rating = waiting?.type === "rate" ? waiting.rating : turn.rating;
  return (
    <>
      {(["good", "bad"] as const).map((kind) => (
        <button
          key={kind}
          type="button"
          class={`bnb-rate ${rating === kind ? "" : "bnb-quiet"}`}
          data-bnb-action={`rate-${kind}`}
          aria-label={words[kind]}
          title={words[kind]}
          aria-pressed={rating === kind}
          onClick={(event) => {
            // The second press of a double click does not take the first one back.
            if (event.detail < 2)
              link.ask({ type: "rate", turn: turn.turn, rating: rating === kind ? "" : kind });
          }}
        >
          <Icon name="thumb" />
        </button>
      ))}
      <Refusal refusal={refusal} />
    </>
  );
}
