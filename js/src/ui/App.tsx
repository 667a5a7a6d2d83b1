// The whole widget: a head, the transcript, the composer, and words about the line to the kernel.

import { useEffect, useRef, useState } from "preact/hooks";
import type { ShownStore } from "../cards/shown.js";
import { copyText } from "../clipboard.js";
import { formatAgentId } from "../format.js";
import { isCut, notebookOf } from "../host.js";
import type { Link } from "../link.js";
import type { ChatView } from "../protocol.js";
import { isAnswering, isDecisionOpen, isUndoPending } from "../state.js";
import type { Strings } from "../text/en.js";
import { answerText, chatText } from "../transcript.js";
import { Avatar } from "./Agents.js";
import { Composer } from "./Composer.js";
import { IconCopy } from "./CopyButton.js";
import { SurfaceContext, useSurface } from "./context.js";
import { Fence } from "./Fence.js";
import { History } from "./History.js";
import { Icon, Spinner } from "./icons.js";
import { Line } from "./Line.js";
import { Notice } from "./Notice.js";
import { Revealed } from "./Revealed.js";
import { Rules, RulesToggle } from "./Rules.js";
import { Sheet } from "./Sheet.js";
import { actOf, isTyping, useSaveKey } from "./shortcuts.js";
import { Transcript } from "./Transcript.js";

export function App({ link, words, shown }: { link: Link; words: Strings; shown?: ShownStore }) {
  return (
    <SurfaceContext.Provider value={{ link, words, ...(shown && { shown }) }}>
      <Fence instead={(error) => <Undrawn words={words.chatUndrawn(error)} />}>
        <Chat />
      </Fence>
    </SurfaceContext.Provider>
  );
}

function Undrawn({ words }: { words: string }) {
  return (
    <div class="bnb bnb-empty" role="alert">
      <Icon name="warning" /> <Revealed text={words} />
    </div>
  );
}

function Chat() {
  const { link, words } = useSurface();
  const root = useRef<HTMLDivElement>(null);
  const [sheet, setSheet] = useState(false);
  useSaveKey(root);
  const state = link.state.value;
  if (state === null) {
    const connection = link.connection.value === "live" ? "connecting" : link.connection.value;
    const isOutdated = link.isOutdated && connection !== "mismatch";
    const isStuck = isOutdated || isCut(connection);
    return (
      <div class="bnb bnb-empty" data-bnb-connection={connection}>
        {isStuck ? <Icon name="warning" /> : <Spinner />}{" "}
        {isOutdated ? words.outdated : words.connection[connection]}{" "}
        {!isOutdated && connection === "lost" && words.lostUnknown}
      </div>
    );
  }
  const { chat } = state;
  const part = chat.part ?? null; // a chat that was saved before there were parts has none
  const sending = link.pending.value.filter((one) => one.ask.type === "send");
  return (
    // Lumino must not take keys typed in here for the notebook's commands.
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the whole chat, each also reachable by a control
    <div
      ref={root}
      class="bnb"
      data-lm-suppress-shortcuts="true"
      data-bnb-chat={chat.chat}
      data-bnb-part={part === null ? undefined : ""}
      data-bnb-connection={link.connection.value}
      data-bnb-notebook={notebookOf(link.model) === null ? undefined : ""}
      style={wordsForStyle(words)}
      onKeyDown={(event) => actByKey(event, root.current, chat, () => setSheet(true))}
    >
      {part === null && <Head chat={chat} onKeys={() => setSheet(true)} />}
      <Transcript key={chat.chat} chat={chat} sending={sending} />
      <Announcer chat={chat} />
      <Line chat={chat.chat} />
      <Notice chat={chat} />
      {part?.ended !== true && <Composer chat={chat} />}
      {sheet && <Sheet onClose={() => setSheet(false)} />}
    </div>
  );
}

/** The words of buttons inside Markdown, which is drawn without knowing the language. */
function wordsForStyle(words: Strings): Record<string, string> {
  return {
    "--bnb-word-copy": JSON.stringify(words.copy),
    "--bnb-word-insert": JSON.stringify(words.insertCell),
    "--bnb-word-copied": JSON.stringify(words.copied),
    "--bnb-word-load-image": JSON.stringify(words.loadImage),
  };
}

/** The keys that work wherever nothing is typed. */
function actByKey(event: KeyboardEvent, root: Element | null, chat: ChatView, showKeys: () => void): void {
  const act = isTyping(event) ? null : actOf(event);
  if (act === null || root === null) return;
  event.preventDefault();
  event.stopPropagation();
  if (act === "sheet") showKeys();
  else if (act === "write") root.querySelector<HTMLElement>(".bnb-composer-text")?.focus();
  else if (act === "copy") void copyText(chat.turns.map(answerText).findLast((text) => text !== "") ?? "");
  else if (act === "decision") focusOn(root.querySelector('[data-bnb-state="pending"]'));
  else focusOn(turnBeside(root, act === "next" ? 1 : -1));
}

/** The turn before or after the one that has the focus; without one, the last. */
function turnBeside(root: Element, step: number): Element | null {
  const turns = [...root.querySelectorAll(".bnb-turn")];
  const at = turns.findIndex((turn) => turn.contains(document.activeElement));
  return (at === -1 ? turns.at(-1) : turns[at + step]) ?? null;
}

function focusOn(element: Element | null): void {
  if (!(element instanceof HTMLElement)) return;
  element.scrollIntoView({ block: "nearest" });
  element.focus();
}

function Head({ chat, onKeys }: { chat: ChatView; onKeys: () => void }) {
  const { words } = useSurface();
  const [rulesOpen, setRulesOpen] = useState(false);
  const agent = chat.agents[0];
  const name = agent?.name || words.agent;
  return (
    <>
      {/* Not a <header>: in JupyterLab's page that would be a second banner. */}
      <div class="bnb-head">
        <Avatar name={name} image={agent?.image ?? ""} />
        <span class="bnb-head-name" title={chat.agents.map((one) => one.name || one.agent).join(" · ")}>
          <Revealed text={name} />
          {chat.agents.slice(1).map((one) => (
            <span key={one.agent} class="bnb-head-other" title={`@${one.handle}`}>
              {" · "}
              <Revealed text={one.name || formatAgentId(one.agent)} />
            </span>
          ))}
        </span>
        {agent !== undefined && agent.model !== "" && (
          <span class="bnb-chip">
            <Revealed text={agent.model} />
          </span>
        )}
        {agent !== undefined && agent.account !== "" && (
          <span class="bnb-head-account bnb-mono bnb-faint">
            <Revealed text={agent.account} />
          </span>
        )}
        <RulesToggle count={chat.rules.length} open={rulesOpen} onToggle={() => setRulesOpen(!rulesOpen)} />
        <span class="bnb-head-buttons">
          <History shown={chat.chat} />
          {chat.turns.length > 0 && (
            <IconCopy label={words.copyChat} text={() => chatText(chat, words.you)} />
          )}
          <button
            type="button"
            class="bnb-icon-button"
            data-bnb-action="keys"
            aria-label={words.keys}
            title={`${words.keys} (?)`}
            onClick={onKeys}
          >
            <Icon name="question" />
          </button>
        </span>
      </div>
      {rulesOpen && <Rules rules={chat.rules} agents={chat.agents} />}
    </>
  );
}

/** One word to a screen reader when an answer begins, ends, or an undo waits; never the stream itself. */
function Announcer({ chat }: { chat: ChatView }) {
  const { words } = useSurface();
  const phase = chat.turns.at(-1)?.phase ?? "idle";
  const answering = isAnswering(phase);
  const decides = isDecisionOpen(chat);
  const undo = isUndoPending(chat);
  const was = useRef({ answering, undo });
  const [said, setSaid] = useState("");
  useEffect(() => {
    const before = was.current;
    if (before.answering === answering && before.undo === undo) return;
    was.current = { answering, undo };
    if (answering) setSaid(words.answering);
    else if (phase === "cancelled") setSaid(words.stopped);
    else if (phase === "awaiting") setSaid(decides ? words.awaiting : words.running);
    else if (undo) setSaid(words.awaiting);
    else if (before.undo) setSaid("");
    else if (phase === "done") setSaid(words.answered);
  }, [answering, phase, decides, undo, words]);
  return (
    <div class="bnb-sr" role="status">
      {said}
    </div>
  );
}
