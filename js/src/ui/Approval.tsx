// The decision: what would happen, and the two buttons.

import type { RefObject } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { InvocationView } from "../protocol.js";
import { type Review, readReview } from "../review.js";
import type { Strings } from "../text/en.js";
import { Answer } from "./Answer.js";
import { useApart, useAsked } from "./asking.js";
import { Countdown, useExpired } from "./Countdown.js";
import { useSurface } from "./context.js";
import { EditForm } from "./EditForm.js";
import { Gist } from "./Gist.js";
import { Icon } from "./icons.js";
import { JsonTree } from "./JsonTree.js";
import { Refusal } from "./Refusal.js";
import { isSignMessage, Request, SignMessage } from "./Request.js";
import { Revealed } from "./Revealed.js";
import { ReviewBody } from "./Review.js";
import { scopeOf } from "./Rules.js";
import { useWalletHolds, WalletPart } from "./WalletPart.js";

export function Approval({ view }: { view: InvocationView }) {
  const { words } = useSurface();
  const review = readReview(view.review);
  const opened = useRef(view.version);
  return (
    <div class="bnb-approval">
      {view.version > 1 && <p class="bnb-note">{words.changed(view.version)}</p>}
      {view.original_args !== null && <Original args={view.original_args} />}
      {view.doubt && <p class="bnb-note">{words.doubt}</p>}
      {view.rule !== "" && <p class="bnb-faint">{words.heldByRule(view.rule)}</p>}
      <Subject view={view} review={review} />
      <WalletPart view={view} />
      <Decision key={view.version} view={view} review={review} changed={view.version !== opened.current} />
      {view.responds && <Answer key={`answer${view.version}`} view={view} />}
    </div>
  );
}

/** What the decision is about; also shown once it is made. */
export function Subject({ view, review }: { view: InvocationView; review: Review | null }) {
  const { words } = useSurface();
  return (
    <>
      {review === null && isSignMessage(view) && <SignMessage view={view} />}
      {review !== null && <ReviewBody review={review} of={view.key} />}
      {view.url !== "" && <Request view={view} />}
      {view.kind === "local" && view.body !== "" && (
        <section class="bnb-section">
          <div class="bnb-section-head">{words.pythonCall}</div>
          <pre class="bnb-pre">
            <Revealed text={view.body} />
          </pre>
        </section>
      )}
      {review !== null && review.signer !== "" && (
        <p class="bnb-faint">
          {words.carriedOutBy} <Revealed text={review.signer} />
        </p>
      )}
      {review !== null && review.signerNote !== "" && (
        <p class="bnb-note">
          <Revealed text={review.signerNote} />
        </p>
      )}
      {view.digest !== "" && (
        <p class="bnb-digest bnb-faint">
          {words.digest(review !== null)} <span class="bnb-mono">{view.digest}</span>
        </p>
      )}
    </>
  );
}

interface DecisionProps {
  view: InvocationView;
  review: Review | null;
  /** The request changed while the person was looking at it. */
  changed: boolean;
}

// A click already on its way to the old request must not approve the new one.
const LOOK_AGAIN = 800;

function Decision({ view, review, changed }: DecisionProps) {
  const { link, words } = useSurface();
  const [armed, setArmed] = useState(!changed);
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), LOOK_AGAIN);
    return () => clearTimeout(timer);
  }, []);
  const [sure, setSure] = useState(false);
  const [reasoning, setReasoning] = useState(false);
  const [reason, setReason] = useState("");
  const { waiting, refusal } = useAsked(
    (ask) => ask.type === "decide" && ask.key === view.key && ask.version === view.version,
  );
  const walletHolds = useWalletHolds(view);
  const blocked = review?.approval === "blocked";
  const needsSecondAct = review?.approval === "second_act";
  const why = useId();
  const held = useId();
  const what = useId();
  const place = useFocusKept();
  const decide = (decision: "approve" | "deny", always = false) => {
    const { key, digest, version } = view;
    const why = decision === "deny" ? reason : "";
    link.ask({ type: "decide", key, digest, version, decision, reason: why, always });
  };
  const isWaiting = waiting?.type === "decide";
  const expired = useExpired(view.expires_at);
  const [panel, setPanel] = useState<"edit" | "always" | null>(null);
  // Approving runs what the card shows: not while other values stand in the form, which only its own buttons close.
  const [differs, setDiffers] = useState(false);
  const toggle = (one: "edit" | "always") => {
    if (differs) place.current?.querySelector<HTMLElement>(".bnb-edit [data-bnb-action]")?.focus();
    else setPanel(panel === one ? null : one);
  };
  const opener = useRef<HTMLButtonElement>(null);
  const closeEdit = () => {
    setPanel(null);
    opener.current?.focus();
  };
  const apart = useApart();
  const isApart = apart !== "";
  const cannotApprove =
    blocked || (needsSecondAct && !sure) || expired || !armed || walletHolds || differs || isApart;
  return (
    // Not disabled while it waits: that would take the keyboard's focus away. A second press adds nothing (see Link.ask).
    <fieldset
      class={isWaiting ? "bnb-decision bnb-waiting" : "bnb-decision"}
      ref={place}
      aria-busy={isWaiting}
    >
      <legend class="bnb-sr">{words.states.pending}</legend>
      <Gist id={what} view={view} review={review} />
      {needsSecondAct && (
        <label class="bnb-second-act">
          <input type="checkbox" checked={sure} onChange={(event) => setSure(event.currentTarget.checked)} />{" "}
          {words.secondAct}
        </label>
      )}
      {blocked && (
        <p class="bnb-blocked" id={why}>
          <Icon name="stop" /> {words.blocked}{" "}
          {review.warnings
            .filter((warning) => warning.severity === "block")
            .map((warning) => warning.sentence)
            .join(" ")}
        </p>
      )}
      {(isApart || differs) && (
        <p class="bnb-note" id={held} role="status">
          {isApart ? apart : words.editFirst}
        </p>
      )}
      <div class="bnb-buttons">
        <button
          type="button"
          class="bnb-button bnb-primary"
          data-bnb-action="approve"
          disabled={cannotApprove}
          aria-describedby={[what, blocked && why, (isApart || differs) && held].filter(Boolean).join(" ")}
          onClick={() => decide("approve")}
        >
          <Icon name="check" />
          {isWaiting && waiting.decision === "approve" ? words.approving : approveLabel(view, review, words)}
        </button>
        <button
          type="button"
          class="bnb-button"
          data-bnb-action="decline"
          disabled={isApart}
          onClick={() => decide("deny")}
        >
          {isWaiting && waiting.decision === "deny" ? words.declining : words.decline}
        </button>
        {!reasoning && (
          <button type="button" class="bnb-text-button" onClick={() => setReasoning(true)}>
            {words.addReason}
          </button>
        )}
        {view.args !== null && !expired && (
          <button
            ref={opener}
            type="button"
            class="bnb-text-button"
            data-bnb-action="edit-call"
            disabled={isApart}
            aria-expanded={panel === "edit"}
            onClick={() => toggle("edit")}
          >
            {words.changeArgs}
          </button>
        )}
        {view.always !== null && !expired && (
          <button
            type="button"
            class="bnb-text-button"
            data-bnb-action="always"
            disabled={isApart}
            aria-expanded={panel === "always"}
            onClick={() => toggle("always")}
          >
            {words.alwaysAllow}
          </button>
        )}
        {view.expires_at !== null && <Countdown at={view.expires_at} over={expired} />}
      </div>
      {panel === "always" && view.always !== null && !expired && (
        <div class="bnb-always">
          <p>
            <Revealed text={scopeOf(view.always, link.state.peek()?.chat.agents ?? [], words)} />
          </p>
          <button
            type="button"
            class="bnb-button"
            data-bnb-action="approve-always"
            disabled={cannotApprove}
            onClick={() => decide("approve", true)}
          >
            {words.approveAlways}
          </button>
        </div>
      )}
      {reasoning && (
        <input
          type="text"
          class="bnb-input"
          maxLength={2_000}
          aria-label={words.declineReason}
          placeholder={words.declineReason}
          value={reason}
          // biome-ignore lint/a11y/noAutofocus: the person asked for this field just now
          autoFocus
          onInput={(event) => setReason(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.isComposing || isApart) return;
            event.preventDefault();
            decide("deny");
          }}
        />
      )}
      <Refusal refusal={refusal} />
      {panel === "edit" && !expired && <EditForm view={view} onCancel={closeEdit} onDiffers={setDiffers} />}
    </fieldset>
  );
}

/** What the model asked for, where the person changed it. */
export function Original({ args }: { args: Record<string, unknown> }) {
  const { words } = useSurface();
  return (
    <details class="bnb-exact bnb-original">
      <summary>{words.edited}</summary>
      <div class="bnb-section-head">{words.changedFrom}</div>
      <JsonTree value={args} />
    </details>
  );
}

/** Hands the keyboard's focus to the card when the buttons that had it go away. */
function useFocusKept(): RefObject<HTMLFieldSetElement | null> {
  const place = useRef<HTMLFieldSetElement>(null);
  useLayoutEffect(() => {
    const buttons = place.current;
    const card = buttons?.closest<HTMLElement>(".bnb-card");
    return () => {
      if (buttons?.contains(document.activeElement)) card?.focus();
    };
  }, []);
  return place;
}

function approveLabel(view: InvocationView, review: Review | null, words: Strings): string {
  const signs = view.executor === "wallet" && review?.signerNote === "";
  return signs ? words.approveAndSign : words.approve;
}
