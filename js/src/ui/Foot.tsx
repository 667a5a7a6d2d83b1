// Below an answer: its words to take away, how long it took, and what it used.

import { clock, duration } from "../format.js";
import type { TurnView } from "../protocol.js";
import { answerText } from "../transcript.js";
import { Regenerate } from "./Branches.js";
import { CopyButton } from "./CopyButton.js";
import { useSurface } from "./context.js";

export function Foot({ turn }: { turn: TurnView }) {
  const { words } = useSurface();
  const text = answerText(turn);
  const input = turn.steps.reduce((sum, step) => sum + step.input_tokens, 0);
  const output = turn.steps.reduce((sum, step) => sum + step.output_tokens, 0);
  const ends = turn.steps.map((step) => step.ended_at ?? 0);
  const took = Math.max(0, ...ends) - turn.at;
  const facts = [
    took > 0 ? duration(took) : "",
    input + output > 0 ? words.tokens(input, output) : "",
  ].filter((fact) => fact !== "");
  return (
    <div class="bnb-turn-foot">
      {text !== "" && <CopyButton text={text} label={words.answer} />}
      <Regenerate turn={turn} />
      {facts.length > 0 && <span>{facts.join(" · ")}</span>}
      {turn.at > 0 && (
        <time class="bnb-turn-time" dateTime={new Date(turn.at).toISOString()}>
          {clock(turn.at)}
        </time>
      )}
    </div>
  );
}
