// Where the person writes: Enter sends or lets the message wait, Shift+Enter breaks the line, Esc takes back, stops or leaves.

import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { type Connection, isCut } from "../host.js";
import type { Holds } from "../outbox.js";
import type { ChatView } from "../protocol.js";
import { isLivePhase, isUnderWay, isUndoPending } from "../state.js";
import type { Strings } from "../text/en.js";
import { AttachButton, AttachTray, useDropping } from "./Attachments.js";
import { useAsked } from "./asking.js";
import { useSurface } from "./context.js";
import { Icon } from "./icons.js";
import { MentionList, useMentions } from "./Mentions.js";
import { Refusal } from "./Refusal.js";
import { isSave } from "./shortcuts.js";
import { Waiting } from "./Waiting.js";

export function Composer({ chat }: { chat: ChatView }) {
  const { link, words } = useSurface();
  const { outbox } = link;
  const text = outbox.written.value;
  const area = useRef<HTMLTextAreaElement>(null);
  const hint = useId();
  const { waiting, refusal } = useAsked((ask) => ask.type === "stop");
  const connection = link.connection.value;
  const holds = outbox.holds.value;
  const queued = outbox.waiting.value;
  const canStop = holds === "sending" || isLivePhase(chat.turns.at(-1)?.phase ?? "idle");
  const underWay = holds === "sending" || isUnderWay(chat);
  const isDown = isCut(connection);
  const { drafts, busy } = link.attachments;
  // Files alone go at once or not at all; a text waits for what is before it, and for its files.
  const hasFiles = holds === null && drafts.value.some((draft) => draft.done);
  const canSend = !isDown && !busy.value && (text.trim() !== "" || hasFiles);
  const dropping = useDropping(chat.attach);
  const list = useId();
  const mentions = useMentions(text, chat.agents, (whole) => {
    outbox.written.value = whole;
  });
  const isChoosing = mentions.options.length > 0;

  useLayoutEffect(() => grow(area.current), [text]);
  useEffect(() => growOnResize(area.current), []);

  const send = () => {
    if (!canSend) return;
    outbox.written.value = "";
    outbox.say(text);
  };
  const sendNow = () => {
    if (isDown) return;
    if (canSend) send();
    outbox.sendWaiting();
  };
  const takeBack = () => {
    outbox.takeBack();
    area.current?.focus();
  };
  const stop = () => link.ask({ type: "stop" });
  const onKeyDown = (event: KeyboardEvent) => {
    // The notebook must not take these keys for commands of its own, but for the one that saves it.
    if (!isSave(event)) event.stopPropagation();
    if (mentions.onKey(event)) {
      event.preventDefault();
      return;
    }
    // While a word is being composed Enter chooses it.
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      if (event.ctrlKey || event.metaKey) sendNow();
      else send();
    } else if (event.key === "Escape" && queued !== "") {
      event.preventDefault();
      takeBack();
    } else if (event.key === "Escape") {
      event.preventDefault();
      // In a notebook Esc is how a field is left: it cancels nothing that waits for the person's decision.
      if (underWay) stop();
      else area.current?.blur();
    } else if (event.key === "ArrowUp" && text === "") {
      event.preventDefault();
      if (queued !== "") takeBack();
      else outbox.written.value = chat.turns.at(-1)?.text ?? "";
    }
  };
  return (
    <div class="bnb-composer">
      {queued !== "" && (
        <Waiting
          text={queued}
          together={outbox.together.value}
          holds={holds}
          isDown={isDown}
          onSend={sendNow}
          onTakeBack={takeBack}
        />
      )}
      <AttachTray />
      {isChoosing && <MentionList of={mentions} id={list} />}
      <div class="bnb-composer-box" {...dropping}>
        {chat.attach !== null && <AttachButton attach={chat.attach} />}
        <textarea
          ref={area}
          class="bnb-composer-text"
          rows={1}
          value={text}
          placeholder={words.placeholder(chat.agents[0]?.name || words.agent)}
          aria-label={words.placeholder(chat.agents[0]?.name || words.agent)}
          aria-describedby={hint}
          aria-autocomplete={chat.agents.length > 1 ? "list" : undefined}
          aria-controls={isChoosing ? list : undefined}
          aria-activedescendant={isChoosing ? `${list}${mentions.chosen}` : undefined}
          onInput={(event) => {
            outbox.written.value = event.currentTarget.value;
          }}
          onKeyDown={onKeyDown}
        />
        {canStop && (
          <button
            type="button"
            class="bnb-round bnb-stop"
            data-bnb-action="stop"
            disabled={waiting !== null}
            aria-label={waiting === null ? words.stop : words.stopping}
            title={underWay ? `${words.stop} (${words.stopHint})` : words.stop}
            onClick={stop}
          >
            <Icon name="stop" />
          </button>
        )}
        <button
          type="button"
          class="bnb-round bnb-send"
          data-bnb-action="send"
          disabled={!canSend}
          aria-label={waits(holds) ? words.sendLater : words.send}
          aria-describedby={hint}
          title={waits(holds) ? words.sendLater : words.send}
          onClick={send}
        >
          <Icon name="send" />
        </button>
      </div>
      <p class="bnb-composer-hint" id={hint}>
        {isChoosing ? words.mentionHint : hintOf(words, connection, holds, isUndoPending(chat), text)}
      </p>
      <Refusal refusal={refusal} />
    </div>
  );
}

/** Whether a message would wait. */
function waits(holds: Holds | null): boolean {
  return holds !== null && holds !== "failed";
}

function hintOf(
  words: Strings,
  connection: Connection,
  holds: Holds | null,
  undo: boolean,
  text: string,
): string {
  if (connection === "lost") return words.composerLost;
  switch (holds) {
    case "sending":
    case "answer":
      return text.trim() === "" ? words.stopHint : words.composerAnswering;
    case "decision":
      return words.composerAwaiting;
    case "call":
      return words.composerRunning;
    case "failed":
    case null:
      return undo ? words.composerUndo : words.composerHint;
  }
}

/** As high as its text, up to what the style allows. */
function grow(area: HTMLTextAreaElement | null): void {
  if (area === null) return;
  area.style.height = "auto";
  // Nothing can be measured while it is out of sight, as in a hidden tab.
  if (area.scrollHeight > 0) area.style.height = `${area.scrollHeight}px`;
}

/** Measures again once it comes into sight or is wider or narrower. */
function growOnResize(area: HTMLTextAreaElement | null): (() => void) | undefined {
  if (area === null) return undefined;
  let width = area.clientWidth;
  const seen = new ResizeObserver(() => {
    if (area.clientWidth === width) return;
    width = area.clientWidth;
    grow(area);
  });
  seen.observe(area);
  return () => seen.disconnect();
}
