// Below an answer: its words to take away, how long it took, and what it used or cost.

import { clock, duration, money } from "../format.js";
import type { AgentView, TurnView } from "../protocol.js";
import { answerText } from "../transcript.js";
import { Regenerate } from "./Branches.js";
import { CopyButton } from "./CopyButton.js";
import { useSurface } from "./context.js";
import { Rating } from "./Rating.js";

export function Foot({ turn, agent }: { turn: TurnView; agent: AgentView | undefined }) {
  const { words } = useSurface();
  const text = answerText(turn);
  const input = turn.steps.reduce((sum, step) => sum + step.input_tokens, 0);
  const output = turn.steps.reduce((sum, step) => sum + step.output_tokens, 0);
  const facts = [
    turn.ran_ms > 0 ? duration(turn.ran_ms) : "",
    input + output > 0 ? words.tokens(input, output) : "",
    cost(agent, input, output),
  ].filter((fact) => fact !== "");
  return (
    <div class="bnb-turn-foot">
      {text !== "" && <CopyButton text={text} label={words.answer} />}
      <Regenerate turn={turn} />
      <Rating turn={turn} />
      <span class="bnb-turn-facts">
        {facts.join(" · ")}
        {facts.length > 0 && turn.at > 0 && " · "}
        {turn.at > 0 && <time dateTime={new Date(turn.at).toISOString()}>{clock(turn.at)}</time>}
      </span>
    </div>
  );
}

/** Only where the person said what the model costs. */
function cost(agent: AgentView | undefined, input: number, output: number): string {
  const price = agent?.price ?? null;
  if (price === null || input + output === 0) return "";
  return money((input * price.input + output * price.output) / 1_000_000, price.currency);
}
