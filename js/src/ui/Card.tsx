// One call of a tool, in every state of its life.

import { useState } from "preact/hooks";
import { isDrawn, ResultCard } from "../cards/ResultCard.js";
import { duration } from "../format.js";
import { partialJson } from "../partial_json.js";
import { type InvocationState, type InvocationView, isObject } from "../protocol.js";
import { readReview } from "../review.js";
import { isLiveState, isStopped } from "../state.js";
import { HandOff } from "./Agents.js";
import { Approval, Original, Subject } from "./Approval.js";
import { useApart, useAsked } from "./asking.js";
import { useSurface } from "./context.js";
import { Icon, type IconName, Spinner } from "./icons.js";
import { JsonTree } from "./JsonTree.js";
import { memo } from "./memo.js";
import { Outcome } from "./Outcome.js";
import { Refusal } from "./Refusal.js";
import { LongText, Revealed } from "./Revealed.js";
import { ReviewHead } from "./Review.js";
import { grantOf, noteOf, stateOf } from "./said.js";

const ICONS: Record<InvocationState, IconName | "spinner"> = {
  streaming: "pen",
  proposed: "spinner",
  pending: "shield",
  approved: "check",
  executing: "spinner",
  unknown: "question",
  succeeded: "check",
  failed: "warning",
  denied: "cross",
  expired: "clock",
  cancelled: "minus",
  undone: "undo",
};

// A call that was not run has no result of its own, only what the model was told of it.
const HAS_RESULT: ReadonlySet<InvocationState> = new Set(["succeeded", "failed", "undone"]);

interface CardProps {
  view: InvocationView;
  /** An undo of it is open: there is nothing more to ask for. */
  isBeingUndone: boolean;
}

export const Card = memo(function Card({ view, isBeingUndone }: CardProps) {
  return view.kind === "handoff" && view.state === "succeeded" ? (
    <HandOff view={view} />
  ) : (
    <Full view={view} isBeingUndone={isBeingUndone} />
  );
});

function Full({ view, isBeingUndone }: CardProps) {
  const { words } = useSurface();
  const [folded, setFolded] = useState(false);
  const stopped = isStopped(view);
  const icon = stopped ? "minus" : ICONS[view.state];
  return (
    <article
      class={`bnb-card bnb-state-${stopped ? "stopped" : view.state}`}
      data-bnb-call={view.key}
      data-bnb-state={view.state}
      aria-label={view.tool}
      tabIndex={-1}
    >
      <header class="bnb-card-head">
        <span class="bnb-card-icon">{icon === "spinner" ? <Spinner /> : <Icon name={icon} />}</span>
        <span class="bnb-card-title">
          <span class="bnb-card-tool">
            <Revealed text={view.tool} />
          </span>
          {view.method !== "" && (
            <span class={`bnb-method bnb-method-${view.method.toLowerCase()}`}>{view.method}</span>
          )}
          {view.kind === "local" && <span class="bnb-method">Python</span>}
          {view.path !== "" && (
            <span class="bnb-card-path bnb-mono">
              <Revealed text={view.path} />
            </span>
          )}
        </span>
        <span class="bnb-card-state">
          {stateOf(view, words)}
          <Times view={view} />
        </span>
        <button
          type="button"
          class="bnb-icon-button bnb-card-fold"
          aria-expanded={!folded}
          aria-label={words.fold(view.tool)}
          onClick={() => setFolded(!folded)}
        >
          <Icon name="chevron" />
        </button>
      </header>
      {view.state === "pending" && (
        <span class="bnb-sr" role="alert">
          {words.approvalNeeded(view.tool)}
        </span>
      )}
      {/* Not taken away: what was changed in a form is there again when it is unfolded. */}
      <div class="bnb-card-body" hidden={folded}>
        <Body view={view} isBeingUndone={isBeingUndone} />
      </div>
    </article>
  );
}

function Times({ view }: { view: InvocationView }) {
  const { words } = useSurface();
  const parts: string[] = [];
  if (view.attempt > 1) parts.push(words.attemptOf(view.attempt));
  if (view.ran_ms > 0 && HAS_RESULT.has(view.state)) parts.push(duration(view.ran_ms));
  return parts.length === 0 ? null : <span class="bnb-faint"> · {parts.join(" · ")}</span>;
}

function Body({ view, isBeingUndone }: CardProps) {
  const { words } = useSurface();
  const note = noteOf(view, words);
  return (
    <>
      {view.compensates !== "" && <p class="bnb-faint">{words.compensates}</p>}
      {view.original_args !== null && view.state !== "pending" && <Original args={view.original_args} />}
      <What view={view} />
      {view.progress !== "" && isLiveState(view.state) && (
        <p class="bnb-note">
          <Revealed text={view.progress} />
        </p>
      )}
      {view.cancel_requested && isLiveState(view.state) && <p class="bnb-note">{words.stoppingCall}</p>}
      {note !== "" && (
        <p class="bnb-note">
          <Revealed text={note} />
        </p>
      )}
      {view.result !== null && HAS_RESULT.has(view.state) && !isStopped(view) && (
        <Result view={view} result={view.result} />
      )}
      <Outcome view={view} />
      <Foot view={view} canUndo={view.can_undo && !isBeingUndone} />
    </>
  );
}

/** What was asked for: a decision, a review that says it in words, or the arguments. */
function What({ view }: { view: InvocationView }) {
  if (view.state === "pending") return <Approval view={view} />;
  const review = readReview(view.review);
  if (review !== null) return <ReviewHead review={review} />;
  return isDrawn(view) ? null : <Arguments view={view} />;
}

function Arguments({ view }: { view: InvocationView }) {
  const { words } = useSurface();
  const args = view.args ?? partialJson(view.args_text);
  if (args === undefined) return view.args_text === "" ? null : <pre class="bnb-pre">{view.args_text}</pre>;
  if (isObject(args) && Object.keys(args).length === 0) return null;
  return (
    <section class="bnb-section bnb-arguments">
      <div class="bnb-section-head">{words.arguments}</div>
      <JsonTree value={args} />
    </section>
  );
}

/** The result as it is, by the key that is there: nothing, zero and false are results too. */
function Result({ view, result }: { view: InvocationView; result: Record<string, unknown> }) {
  const { words } = useSurface();
  const failed = "error" in result;
  const data = failed ? result.error : "data" in result ? result.data : result;
  return (
    <section class={failed ? "bnb-section bnb-error" : "bnb-section bnb-result"}>
      <div class="bnb-section-head">{failed ? words.error : words.result}</div>
      {failed && typeof result.error === "string" ? (
        <p class="bnb-error-text">
          <LongText text={result.error} />
        </p>
      ) : (
        <ResultCard view={view} data={data}>
          <JsonTree value={data} />
        </ResultCard>
      )}
    </section>
  );
}

/** Who allowed it, what exactly was sent, and the way back. */
function Foot({ view, canUndo }: { view: InvocationView; canUndo: boolean }) {
  const { link, words } = useSurface();
  const [open, setOpen] = useState(false);
  const { waiting, refusal } = useAsked((ask) => ask.type === "undo" && ask.key === view.key);
  const apart = useApart();
  const answered = view.state === "succeeded" && view.decider !== "" ? words.answeredBy(view.decider) : "";
  const granted = view.grant === null ? answered : grantOf(view.grant, words);
  const review = readReview(view.review);
  const told = !HAS_RESULT.has(view.state) && typeof view.result?.error === "string" ? view.result.error : "";
  const hasSubject =
    view.state !== "pending" &&
    view.state !== "streaming" &&
    (review !== null || view.url !== "" || told !== "" || isDrawn(view));
  if (granted === "" && !hasSubject && !canUndo && refusal === null) return null;
  return (
    <>
      <footer class="bnb-card-foot">
        {granted !== "" && (
          <span class="bnb-faint">
            <Icon name="shield" /> <Revealed text={granted} />
          </span>
        )}
        {hasSubject && (
          <button
            type="button"
            class="bnb-text-button bnb-card-more"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            {open ? words.hideDetails : words.details}
          </button>
        )}
        {canUndo && (
          <button
            type="button"
            class="bnb-button bnb-small"
            data-bnb-action="undo"
            disabled={waiting !== null || apart !== ""}
            title={apart}
            onClick={() => link.ask({ type: "undo", key: view.key })}
          >
            <Icon name="undo" /> {waiting === null ? words.undo : words.undoing}
          </button>
        )}
        <Refusal refusal={refusal} />
      </footer>
      {open && hasSubject && (
        <div class="bnb-approval">
          <Subject view={view} review={review} />
          {(review !== null || isDrawn(view)) && <Arguments view={view} />}
          {told !== "" && (
            <p class="bnb-note">
              {words.told} <Revealed text={told} />
            </p>
          )}
        </div>
      )}
    </>
  );
}
