// Where the person writes: Enter sends, Shift+Enter breaks the line, Esc stops.

import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Connection } from "../link.js";
import type { Pending } from "../pending.js";
import type { ChatView } from "../protocol.js";
import { isAnswering, isDecisionOpen, isLivePhase, isUndoPending } from "../state.js";
import type { Strings } from "../text/en.js";
import { useAsked } from "./asking.js";
import { useSurface } from "./context.js";
import { Icon } from "./icons.js";
import { Refusal } from "./Refusal.js";
import { isSave } from "./shortcuts.js";

export function Composer({ chat, sending }: { chat: ChatView; sending: readonly Pending[] }) {
  const { link, words } = useSurface();
  const [text, setText] = useState("");
  const area = useRef<HTMLTextAreaElement>(null);
  const hint = useId();
  const { waiting, refusal } = useAsked((ask) => ask.type === "stop");
  const phase = chat.turns.at(-1)?.phase ?? "idle";
  const connection = link.connection.value;
  const answering = isAnswering(phase) || sending.some((one) => one.refused === undefined);
  const canStop = isLivePhase(phase) || answering;
  const isDown = connection === "lost" || connection === "mismatch";
  const canSend = !answering && !isDown && text.trim() !== "";

  useRefusedText(sending, text, setText);
  useLayoutEffect(() => grow(area.current), [text]);

  const send = () => {
    if (!canSend) return;
    link.ask({ type: "send", text });
    setText("");
  };
  const stop = () => link.ask({ type: "stop" });
  const onKeyDown = (event: KeyboardEvent) => {
    // The notebook must not take these keys for commands of its own, but for the one that saves it.
    if (!isSave(event)) event.stopPropagation();
    // While a word is being composed Enter chooses it.
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send();
    } else if (event.key === "Escape" && canStop) {
      event.preventDefault();
      stop();
    } else if (event.key === "ArrowUp" && text === "") {
      event.preventDefault();
      setText(chat.turns.at(-1)?.text ?? "");
    }
  };
  return (
    <div class="bnb-composer">
      <div class="bnb-composer-box">
        <textarea
          ref={area}
          class="bnb-composer-text"
          rows={1}
          value={text}
          placeholder={words.placeholder(chat.agents[0]?.name || words.agent)}
          aria-label={words.placeholder(chat.agents[0]?.name || words.agent)}
          aria-describedby={hint}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {canStop && (
          <button
            type="button"
            class="bnb-round bnb-stop"
            data-bnb-action="stop"
            disabled={waiting !== null}
            aria-label={waiting === null ? words.stop : words.stopping}
            title={`${words.stop} (${words.stopHint})`}
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
          aria-label={words.send}
          aria-describedby={hint}
          title={words.send}
          onClick={send}
        >
          <Icon name="send" />
        </button>
      </div>
      <p class="bnb-composer-hint" id={hint}>
        {hintOf(words, connection, answering, waitsFor(chat), text)}
      </p>
      <Refusal refusal={refusal} />
    </div>
  );
}

type Waits = "decision" | "call" | "undo" | null;

/** What an answer that has paused is waiting for, or what else is. */
function waitsFor(chat: ChatView): Waits {
  if (chat.turns.at(-1)?.phase !== "awaiting") return isUndoPending(chat) ? "undo" : null;
  return isDecisionOpen(chat) ? "decision" : "call";
}

function hintOf(
  words: Strings,
  connection: Connection,
  answering: boolean,
  waits: Waits,
  text: string,
): string {
  if (connection === "lost") return words.composerLost;
  if (answering) return text.trim() === "" ? words.stopHint : words.composerAnswering;
  switch (waits) {
    case "decision":
      return words.composerAwaiting;
    case "call":
      return words.composerRunning;
    case "undo":
      return words.composerUndo;
    case null:
      return words.composerHint;
  }
}

/** A message that the kernel refused goes back to where it was written, unless something else is there now. */
function useRefusedText(sending: readonly Pending[], text: string, setText: (text: string) => void): void {
  const taken = useRef(new Set<string>());
  useLayoutEffect(() => {
    for (const one of sending) {
      if (one.refused === undefined || one.ask.type !== "send" || taken.current.has(one.mid)) continue;
      taken.current.add(one.mid);
      if (text === "") setText(one.ask.text);
    }
  }, [sending, text, setText]);
}

/** As high as its text, up to what the style allows. */
function grow(area: HTMLTextAreaElement | null): void {
  if (area === null) return;
  area.style.height = "auto";
  area.style.height = `${area.scrollHeight}px`;
}
