// Below an answer: its words to take away, what the model was given, how long it took, and what it used or cost.

import { useState } from "preact/hooks";
import { clock, duration, money } from "../format.js";
import type { AgentView, TurnView } from "../protocol.js";
import { isLivePhase } from "../state.js";
import { answerText } from "../transcript.js";
import { Regenerate } from "./Branches.js";
import { CopyButton } from "./CopyButton.js";
import { useSurface } from "./context.js";
import { useLate } from "./late.js";
import { Rating } from "./Rating.js";

export function Foot({ turn, agent }: { turn: TurnView; agent: AgentView | undefined }) {
  const { words } = useSurface();
  const { part: Given, failed, want } = useLate(async () => (await import("./Given.js")).Given);
  const [isOpen, setOpen] = useState(false);
  const isLive = isLivePhase(turn.phase);
  if (isLive && turn.steps.length === 0) return null;
  const text = isLive ? "" : answerText(turn);
  return (
    <>
      <div class="bnb-turn-foot">
        {text !== "" && <CopyButton text={text} label={words.answer} />}
        {turn.steps.length > 0 && (
          <button
            type="button"
            class="bnb-text-button bnb-copy"
            data-bnb-action="given"
            aria-expanded={isOpen}
            onClick={() => {
              want();
              setOpen(!isOpen);
            }}
          >
            {words.given.open}
          </button>
        )}
        {!isLive && <Regenerate turn={turn} />}
        {!isLive && <Rating turn={turn} />}
        {!isLive && <Facts turn={turn} agent={agent} />}
      </div>
      {isOpen && (Given === null ? failed && words.noAnswer : <Given turn={turn} />)}
    </>
  );
}

function Facts({ turn, agent }: { turn: TurnView; agent: AgentView | undefined }) {
  const { words } = useSurface();
  const input = turn.steps.reduce((sum, step) => sum + step.input_tokens, 0);
  const output = turn.steps.reduce((sum, step) => sum + step.output_tokens, 0);
  const facts = [
    turn.ran_ms > 0 ? duration(turn.ran_ms) : "",
    input + output > 0 ? words.tokens(input, output) : "",
    cost(agent, input, output),
  ].filter((fact) => fact !== "");
  return (
    <span class="bnb-turn-facts">
      {facts.join(" · ")}
      {facts.length > 0 && turn.at > 0 && " · "}
      {turn.at > 0 && <time dateTime={new Date(turn.at).toISOString()}>{clock(turn.at)}</time>}
    </span>
  );
}

/** Only where the person said what the model costs. */
function cost(agent: AgentView | undefined, input: number, output: number): string {
  const price = agent?.price ?? null;
  if (price === null || input + output === 0) return "";
  return money((input * price.input + output * price.output) / 1_000_000, price.currency);
}
