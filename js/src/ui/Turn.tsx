// What the person said and everything that was answered, in order.

import { memo } from "preact/compat";
import type { AgentView, InvocationView, StepView, TurnView } from "../protocol.js";
import { isAnswering, isBeingUndone, isLivePhase } from "../state.js";
import { useAsked } from "./asking.js";
import { Message, Regenerate } from "./Branches.js";
import { Card } from "./Card.js";
import { CopyButton } from "./CopyButton.js";
import { useSurface } from "./context.js";
import { Icon, Spinner } from "./icons.js";
import { Markdown } from "./Markdown.js";
import { Offers } from "./Offers.js";
import { Refusal } from "./Refusal.js";
import { Revealed } from "./Revealed.js";

export interface TurnProps {
  turn: TurnView;
  agent: AgentView | undefined;
  /** The cards that this turn mentions, by key. */
  cards: Record<string, InvocationView>;
  isLast: boolean;
}

export const Turn = memo(
  function Turn({ turn, agent, cards, isLast }: TurnProps) {
    const actions = turn.actions.map((key) => cards[key]);
    return (
      <section class="bnb-turn" data-bnb-turn={turn.turn} data-bnb-phase={turn.phase}>
        {turn.text !== "" && <Message turn={turn} />}
        <div class="bnb-answer">
          <Author agent={agent} name={turn.agent} />
          {turn.steps.map((step, index) => (
            <Step
              key={step.step}
              step={step}
              cards={cards}
              actions={actions}
              isOpen={isAnswering(turn.phase) && index === turn.steps.length - 1}
              canChoose={isLast && !isAnswering(turn.phase)}
            />
          ))}
          <Cards views={actions} actions={actions} />
          <Status turn={turn} />
          {!isLivePhase(turn.phase) && <TurnFoot turn={turn} />}
        </div>
      </section>
    );
  },
  (a, b) => a.turn === b.turn && a.agent === b.agent && a.isLast === b.isLast && sameCards(a, b),
);

function sameCards(a: TurnProps, b: TurnProps): boolean {
  return keysOf(a.turn).every((key) => a.cards[key] === b.cards[key]);
}

function keysOf(turn: TurnView): string[] {
  return [...turn.steps.flatMap((step) => step.calls), ...turn.actions];
}

function Author({ agent, name }: { agent: AgentView | undefined; name: string }) {
  const shown = agent?.name || name;
  return (
    <div class="bnb-author">
      <Avatar name={shown} />
      <span class="bnb-author-name">
        <Revealed text={shown} />
      </span>
    </div>
  );
}

export function Avatar({ name }: { name: string }) {
  const letter = [...name.trim()][0]?.toUpperCase() ?? "·";
  return (
    <span class="bnb-avatar" aria-hidden="true">
      {letter}
    </span>
  );
}

interface StepProps {
  step: StepView;
  cards: Record<string, InvocationView>;
  /** What a person began in this turn: undos. */
  actions: ReadonlyArray<InvocationView | undefined>;
  isOpen: boolean;
  canChoose: boolean;
}

function Step({ step, cards, actions, isOpen, canChoose }: StepProps) {
  const { words } = useSurface();
  const complete = step.finished || !isOpen;
  return (
    <div class="bnb-step" data-bnb-step={step.step}>
      {step.thinking !== "" && (
        <details class="bnb-thinking">
          <summary>{words.thinking}</summary>
          <Markdown text={step.thinking} complete={complete} />
        </details>
      )}
      {step.text !== "" && <Markdown text={step.text} complete={complete} />}
      <Cards views={step.calls.map((key) => cards[key])} actions={actions} />
      {step.offers.length > 0 && <Offers offers={step.offers} enabled={canChoose} />}
    </div>
  );
}

function Cards({ views, actions }: Record<"views" | "actions", StepProps["actions"]>) {
  return views.map(
    (view) =>
      view !== undefined && (
        <Card key={view.key} view={view} isBeingUndone={isBeingUndone(view.key, actions)} />
      ),
  );
}

/** The answer's words to take away, and what they cost. */
function TurnFoot({ turn }: { turn: TurnView }) {
  const { words } = useSurface();
  const text = turn.steps
    .map((step) => step.text)
    .filter((part) => part !== "")
    .join("\n\n");
  const input = turn.steps.reduce((sum, step) => sum + step.input_tokens, 0);
  const output = turn.steps.reduce((sum, step) => sum + step.output_tokens, 0);
  return (
    <div class="bnb-turn-foot">
      {text !== "" && <CopyButton text={text} label={words.answer} />}
      <Regenerate turn={turn} />
      {input + output > 0 && <span>{words.tokens(input, output)}</span>}
    </div>
  );
}

/** One line on how the turn goes, or how it ended when that was not well. */
function Status({ turn }: { turn: TurnView }) {
  const { link, words } = useSurface();
  const { waiting, refusal } = useAsked(
    (ask) => (ask.type === "retry" || ask.type === "continue") && ask.turn === turn.turn,
  );
  switch (turn.phase) {
    case "connecting":
    case "streaming":
    case "stalled":
    case "retrying":
      return <Going turn={turn} />;
    case "failed":
      return (
        <div class="bnb-failure" role="alert">
          <Icon name="warning" />
          <div class="bnb-failure-text">
            <strong>{words.failed}</strong>
            <p>
              <Revealed
                text={
                  turn.reason === "" ? (turn.cause === null ? "" : words.causes[turn.cause]) : turn.reason
                }
              />
              {turn.attempt > 1 && (
                <span class="bnb-faint"> ({words.attempt(turn.attempt, turn.max_attempts)})</span>
              )}
            </p>
            {turn.can_retry && (
              <button
                type="button"
                class="bnb-button"
                data-bnb-action="retry"
                disabled={waiting !== null}
                onClick={() => link.ask({ type: "retry", turn: turn.turn })}
              >
                <Icon name="retry" /> {waiting === null ? words.retry : words.retrying}
              </button>
            )}
            <Refusal refusal={refusal} />
          </div>
        </div>
      );
    case "cancelled":
      return (
        <p class="bnb-turn-note">
          <Icon name="minus" /> <Revealed text={turn.reason === "" ? words.stopped : turn.reason} />
          {turn.can_retry && (
            <button
              type="button"
              class="bnb-text-button"
              data-bnb-action="retry"
              disabled={waiting !== null}
              onClick={() => link.ask({ type: "retry", turn: turn.turn })}
            >
              {waiting === null ? words.retry : words.retrying}
            </button>
          )}
        </p>
      );
    case "done":
      if (turn.outcome !== "capped" && !turn.can_continue) return null;
      return (
        <div class="bnb-turn-note">
          <Icon name="info" /> <span>{words.capped}</span>
          {turn.can_continue && (
            <button
              type="button"
              class="bnb-button bnb-small"
              data-bnb-action="continue"
              disabled={waiting !== null}
              onClick={() => link.ask({ type: "continue", turn: turn.turn })}
            >
              {waiting === null ? words.goOn : words.goingOn}
            </button>
          )}
          <Refusal refusal={refusal} />
        </div>
      );
    case "awaiting":
    case "idle":
      return null;
  }
}

function Going({ turn }: { turn: TurnView }) {
  const { words } = useSurface();
  const label = {
    connecting: words.connecting,
    streaming: words.streaming,
    stalled: words.stalled,
    retrying: words.retryingPhase,
  }[turn.phase as "connecting" | "streaming" | "stalled" | "retrying"];
  return (
    <p class={`bnb-going bnb-going-${turn.phase}`}>
      <Spinner /> {label}
      {turn.attempt > 1 && <span class="bnb-faint"> {words.attempt(turn.attempt, turn.max_attempts)}</span>}
      {turn.reason !== "" && (
        <span class="bnb-faint">
          {" "}
          <Revealed text={turn.reason} />
        </span>
      )}
    </p>
  );
}
