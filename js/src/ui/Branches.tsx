// Versions of a chat: a message that can be edited, an answer that can be asked for again, and the way between them.

import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isCut } from "../host.js";
import type { TurnView } from "../protocol.js";
import { Files } from "./Attachments.js";
import { useAsked } from "./asking.js";
import { useSurface } from "./context.js";
import { Icon } from "./icons.js";
import { Refusal } from "./Refusal.js";
import { isSave } from "./shortcuts.js";
import { UserMessage } from "./UserMessage.js";

/** What the person said in a turn, with the way to say it otherwise. */
export function Message({ turn }: { turn: TurnView }) {
  const { words, link } = useSurface();
  const [editing, setEditing] = useState(false);
  const edit = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  const { waiting, refusal } = useAsked((ask) => ask.type === "edit_message" && ask.turn === turn.turn);
  const sent = waiting?.type === "edit_message" ? waiting.text : null;
  const refused = refusal?.ask.type === "edit_message" ? refusal.ask.text : null;

  // What was refused goes back to where it was written.
  useEffect(() => {
    if (refused !== null) setEditing(true);
  }, [refused]);

  // Once the editor is gone the button that opened it is back, and takes the focus before the next key.
  useLayoutEffect(() => {
    if (wasEditing.current) edit.current?.focus();
    wasEditing.current = editing;
  }, [editing]);

  const close = () => {
    setEditing(false);
    if (refusal !== null) link.dismiss(refusal.mid);
  };
  if (sent !== null) return <UserMessage text={sent} note={words.sending} />;
  if (editing) {
    return (
      <>
        <Editor
          text={refused ?? turn.text}
          onSend={(text) => {
            link.ask({ type: "edit_message", turn: turn.turn, text });
            setEditing(false);
          }}
          onCancel={close}
        />
        <Refusal refusal={refusal} />
      </>
    );
  }
  return (
    <div class="bnb-message">
      {turn.text !== "" && <UserMessage text={turn.text} />}
      <Files files={turn.files} />
      <div class="bnb-message-foot">
        <button
          ref={edit}
          type="button"
          class="bnb-text-button bnb-quiet"
          data-bnb-action="edit"
          aria-label={words.editMessage}
          disabled={isCut(link.connection.value)}
          onClick={() => setEditing(true)}
        >
          <Icon name="pen" /> {words.edit}
        </button>
        <Versions turn={turn} />
      </div>
    </div>
  );
}

interface EditorProps {
  text: string;
  onSend: (text: string) => void;
  onCancel: () => void;
}

function Editor({ text: before, onSend, onCancel }: EditorProps) {
  const { words } = useSurface();
  const [text, setText] = useState(before);
  const area = useRef<HTMLTextAreaElement>(null);
  const hint = useId();
  const canSend = text.trim() !== "";
  useLayoutEffect(() => {
    area.current?.focus();
    area.current?.setSelectionRange(before.length, before.length);
  }, [before.length]);
  useLayoutEffect(() => {
    if (area.current === null) return;
    area.current.style.height = "auto";
    area.current.style.height = `${area.current.scrollHeight}px`;
  }, [text]);
  const send = () => {
    if (canSend) onSend(text);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isSave(event)) event.stopPropagation();
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send();
    } else if (event.key === "Escape") {
      event.preventDefault();
      onCancel();
    }
  };
  return (
    <div class="bnb-editor">
      <textarea
        ref={area}
        class="bnb-input bnb-editor-text"
        rows={1}
        value={text}
        aria-label={words.editMessage}
        aria-describedby={hint}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="bnb-buttons">
        <button
          type="button"
          class="bnb-button bnb-primary bnb-small"
          data-bnb-action="send-edit"
          disabled={!canSend}
          onClick={send}
        >
          {words.send}
        </button>
        <button type="button" class="bnb-button bnb-small" onClick={onCancel}>
          {words.cancel}
        </button>
        <span class="bnb-faint" id={hint}>
          {words.editHint}
        </span>
      </div>
    </div>
  );
}

/** The way from one version to the next; keeps the focus where it was over the change. */
function Versions({ turn }: { turn: TurnView }) {
  const { words, link } = useSurface();
  const group = useRef<HTMLFieldSetElement>(null);
  const { waiting, refusal } = useAsked((ask) => ask.type === "choose" && turn.versions.includes(ask.turn));
  const place = turn.versions.indexOf(turn.turn);
  useLayoutEffect(() => focusIfAwaited(group.current, turn.turn), [turn.turn]);
  if (turn.versions.length < 2) return null;

  const cut = isCut(link.connection.value);
  const go = (step: Step) => {
    const to = turn.versions[place + step];
    if (to === undefined || waiting !== null || cut) return;
    awaited = { root: rootOf(group.current), turn: to, step };
    link.ask({ type: "choose", turn: to });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    event.stopPropagation();
    go(event.key === "ArrowLeft" ? -1 : 1);
  };
  const arrow = (step: Step, label: string) => (
    <button
      type="button"
      class="bnb-text-button bnb-version-arrow"
      data-bnb-step={step}
      aria-label={label}
      // Not disabled: a button that is loses the focus.
      aria-disabled={cut || turn.versions[place + step] === undefined}
      onClick={() => go(step)}
    >
      <Icon name="chevron" />
    </button>
  );
  return (
    <>
      <fieldset ref={group} class="bnb-versions" aria-label={words.versions} onKeyDown={onKeyDown}>
        {arrow(-1, words.previousVersion)}
        <span aria-hidden="true">
          {place + 1} / {turn.versions.length}
        </span>
        <span class="bnb-sr">{words.version(place + 1, turn.versions.length)}</span>
        {arrow(1, words.nextVersion)}
      </fieldset>
      <Refusal refusal={refusal} />
    </>
  );
}

type Step = -1 | 1;

/** The version that takes the focus when it comes, since the one that had it goes. */
let awaited: { root: Element | null; turn: number; step: Step } | null = null;

function focusIfAwaited(group: Element | null, turn: number): void {
  if (awaited === null || group === null || awaited.turn !== turn || rootOf(group) !== awaited.root) return;
  group.querySelector<HTMLElement>(`[data-bnb-step="${awaited.step}"]`)?.focus();
  awaited = null;
}

function rootOf(element: Element | null): Element | null {
  return element?.closest(".bnb") ?? null;
}

/** Asks for another answer to the same message; the one that is there stays as another version. */
export function Regenerate({ turn }: { turn: TurnView }) {
  const { words, link } = useSurface();
  const { waiting, refusal } = useAsked((ask) => ask.type === "regenerate" && ask.turn === turn.turn);
  if (turn.phase !== "done" && turn.phase !== "cancelled") return null;
  return (
    <>
      <button
        type="button"
        class="bnb-text-button bnb-quiet"
        data-bnb-action="regenerate"
        disabled={waiting !== null || isCut(link.connection.value)}
        onClick={() => link.ask({ type: "regenerate", turn: turn.turn })}
      >
        <Icon name="retry" /> {waiting === null ? words.regenerate : words.regenerating}
      </button>
      <Refusal refusal={refusal} />
    </>
  );
}
