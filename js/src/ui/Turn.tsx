// What the person said and everything that was answered, in order.

import { Fragment } from "preact";
import { isCut } from "../host.js";
import { type AgentView, type InvocationView, own, type StepView, type TurnView } from "../protocol.js";
import { isAnswering, isBeingUndone, isLivePhase, isLiveState } from "../state.js";
import type { Strings } from "../text/en.js";
import { Author, LeftOut, useAgents } from "./Agents.js";
import { useAsked } from "./asking.js";
import { Message } from "./Branches.js";
import { Card } from "./Card.js";
import { useSurface } from "./context.js";
import { Foot } from "./Foot.js";
import { Icon, Spinner } from "./icons.js";
import { useHidden } from "./idle.js";
import { Markdown } from "./Markdown.js";
import { memo } from "./memo.js";
import { Offers } from "./Offers.js";
import { Reasoning } from "./Reasoning.js";
import { Refusal } from "./Refusal.js";
import { LongText, Revealed } from "./Revealed.js";
import { Session } from "./Session.js";

export interface TurnProps {
  turn: TurnView;
  agent: AgentView | undefined;
  /** The cards that this turn mentions, by key. */
  cards: Record<string, InvocationView>;
  isLast: boolean;
  /** The step from which on it is new to the person, 0 for all of it. */
  newFrom: number | null;
}

export const Turn = memo(
  function Turn({ turn, agent, cards, isLast, newFrom }: TurnProps) {
    const actions = turn.actions.map((key) => cards[key]);
    return (
      <section class="bnb-turn" data-bnb-turn={turn.turn} data-bnb-phase={turn.phase} tabIndex={-1}>
        {newFrom === 0 && <NewLine />}
        {(turn.text !== "" || turn.files.length > 0) && <Message turn={turn} />}
        <div class="bnb-answer">
          <Author agent={agent} id={turn.agent} />
          {turn.steps.map((step, index) => (
            <Fragment key={step.step}>
              {step.step === newFrom && <NewLine />}
              <Speaker step={step} before={turn.steps[index - 1]?.agent || turn.agent} />
              <LeftOut step={step} before={turn.steps[index - 1]} />
              <Step
                step={step}
                cards={cards}
                actions={actions}
                isOfEarlierAttempt={turn.steps.slice(0, index).some((one) => isTriedAgain(one, cards))}
                isOpen={isAnswering(turn.phase) && index === turn.steps.length - 1}
                canChoose={isLast && !isAnswering(turn.phase)}
              />
            </Fragment>
          ))}
          <Cards views={actions} actions={actions} />
          <Status turn={turn} cards={cards} />
          {!isLivePhase(turn.phase) && turn.rough && <Session turn={turn.turn} />}
          <Foot turn={turn} agent={agent} />
        </div>
      </section>
    );
  },
  (a, b) =>
    a.turn === b.turn &&
    a.agent === b.agent &&
    a.isLast === b.isLast &&
    a.newFrom === b.newFrom &&
    (a.cards === b.cards || sameCards(a, b)),
);

function sameCards(a: TurnProps, b: TurnProps): boolean {
  return keysOf(a.turn).every((key) => a.cards[key] === b.cards[key]);
}

function keysOf(turn: TurnView): string[] {
  return [...turn.steps.flatMap((step) => step.calls), ...turn.actions];
}

/** What stands below it came while the person was away. */
function NewLine() {
  const { words } = useSurface();
  return (
    <p class="bnb-new">
      <span>{words.newFrom}</span>
    </p>
  );
}

/** Who goes on, where that is not who spoke before. */
function Speaker({ step, before }: { step: StepView; before: string }) {
  const { find } = useAgents();
  return step.agent === "" || step.agent === before ? null : (
    <Author agent={find(step.agent)} id={step.agent} />
  );
}

interface StepProps {
  step: StepView;
  cards: Record<string, InvocationView>;
  /** What a person began in this turn: undos. */
  actions: ReadonlyArray<InvocationView | undefined>;
  /** It answers to a call that is tried again by now. */
  isOfEarlierAttempt: boolean;
  isOpen: boolean;
  canChoose: boolean;
}

function isTriedAgain(step: StepView, cards: TurnProps["cards"]): boolean {
  return step.calls.some((key) => {
    const call = cards[key];
    return call !== undefined && call.attempt > 1 && isLiveState(call.state);
  });
}

function Step({ step, cards, actions, isOfEarlierAttempt, isOpen, canChoose }: StepProps) {
  const { words } = useSurface();
  const complete = step.finished || !isOpen;
  return (
    <div class="bnb-step" data-bnb-step={step.step}>
      {step.thinking !== "" && (
        <Reasoning
          text={step.thinking}
          model={step.model}
          took={step.thought_ms}
          complete={complete || step.text !== "" || step.calls.length > 0}
        />
      )}
      {step.text !== "" && isOfEarlierAttempt && <p class="bnb-note">{words.earlierAttempt}</p>}
      {step.text !== "" && <Markdown text={step.text} complete={complete} />}
      <Cards views={step.calls.map((key) => cards[key])} actions={actions} />
      {step.offers.length > 0 && <Offers offers={step.offers} enabled={canChoose} />}
    </div>
  );
}

// Hundreds of cards of one step are drawn a few at a time; what goes on or waits for the person is drawn at once.
const FIRST_CARDS = 12;
const MORE_CARDS = 6;

function Cards({ views, actions }: Record<"views" | "actions", StepProps["actions"]>) {
  const hidden = useHidden(views.length, FIRST_CARDS, MORE_CARDS);
  return views.map(
    (view, index) =>
      view !== undefined &&
      (index >= hidden || isLiveState(view.state)) && (
        <Card key={view.key} view={view} isBeingUndone={isBeingUndone(view.key, actions)} />
      ),
  );
}

/** One line on how the turn goes, or how it ended when that was not well. */
function Status({ turn, cards }: Pick<TurnProps, "turn" | "cards">) {
  const { link, words } = useSurface();
  const { waiting, refusal } = useAsked(
    (ask) => (ask.type === "retry" || ask.type === "continue") && ask.turn === turn.turn,
  );
  switch (turn.phase) {
    case "connecting":
    case "streaming":
    case "stalled":
    case "retrying":
    case "awaiting":
      return <Going turn={turn} cards={cards} />;
    case "failed":
      return (
        <div class="bnb-failure" role="alert">
          <Icon name="warning" />
          <div class="bnb-failure-text">
            <strong>{words.failed}</strong>
            <p>
              <LongText
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
    case "idle":
      return null;
  }
}

function Going({ turn, cards }: Pick<TurnProps, "turn" | "cards">) {
  const { words, link } = useSurface();
  const label = goingOn(turn, cards, words);
  if (label === "") return null;
  if (isCut(link.connection.value)) {
    return (
      <p class="bnb-turn-note">
        <Icon name="minus" /> <span>{words.unfinished}</span>
      </p>
    );
  }
  return (
    <p class={`bnb-going bnb-going-${turn.phase}`}>
      <Spinner /> <Revealed text={label} />
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

/** What the turn does now, by the tool that it uses where it uses one; empty while only the person can go on. */
function goingOn(turn: TurnView, cards: TurnProps["cards"], words: Strings): string {
  const calls = keysOf(turn).map((key) => cards[key]);
  const call = calls.findLast((one) => one?.state === "executing" || one?.state === "approved");
  if (call !== undefined) return own(words.using, call.tool) ?? words.usingTool(call.tool);
  const written = calls.findLast((one) => one?.state === "streaming");
  if (turn.phase === "streaming" && written !== undefined) return words.writingCall(written.tool);
  switch (turn.phase) {
    case "connecting":
      return words.connecting;
    case "streaming":
      return words.streaming;
    case "stalled":
      return words.stalled;
    case "retrying":
      return words.retryingPhase;
    default:
      return "";
  }
}
