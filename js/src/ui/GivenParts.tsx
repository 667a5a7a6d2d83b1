// The parts of what the model was given: each drawn as text, and once it is opened.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type GivenTool, isObject, own } from "../protocol.js";
import { useSurface } from "./context.js";
import { JsonTree } from "./JsonTree.js";
import { Revealed } from "./Revealed.js";

/** Characters of a text that are shown at first. */
const MOST = 20_000;
/** Messages that are shown at first. */
const NEWEST = 20;
/** Characters of what is said of a folded tool. */
const GIST = 120;

/** A part that is drawn once it is opened. */
export function Fold({ title, gist = "", isOpen = false, children }: FoldProps) {
  const [wasOpen, setOpen] = useState(isOpen);
  return (
    <details
      class="bnb-exact bnb-given-part"
      open={isOpen}
      onToggle={(event) => event.currentTarget.open && setOpen(true)}
    >
      <summary>
        <Revealed text={title} />
        {gist !== "" && (
          <span class="bnb-given-gist">
            <Revealed text={gist} />
          </span>
        )}
      </summary>
      {wasOpen && children()}
    </details>
  );
}

interface FoldProps {
  title: string;
  /** What is said of it while it is folded. */
  gist?: string;
  isOpen?: boolean;
  children: () => ComponentChildren;
}

/** A text as it was given, the start of it where it is long. */
export function Words({ text, isCode = false }: { text: string; isCode?: boolean }) {
  const { words } = useSurface();
  const [all, setAll] = useState(false);
  const isCutShort = !all && text.length > MOST;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area has to be reachable by keyboard */}
      <pre class={isCode ? "bnb-pre" : "bnb-pre bnb-given-prose"} tabIndex={0}>
        <Revealed text={isCutShort ? text.slice(0, MOST) : text} />
        {isCutShort && "…"}
      </pre>
      {isCutShort && (
        <button type="button" class="bnb-text-button" onClick={() => setAll(true)}>
          {words.showAll} ({text.length.toLocaleString(words.language)})
        </button>
      )}
    </>
  );
}

export function Messages({ messages }: { messages: readonly Record<string, unknown>[] }) {
  const { words } = useSurface();
  const [shown, setShown] = useState(NEWEST);
  const hidden = Math.max(0, messages.length - shown);
  return (
    <>
      {hidden > 0 && (
        <button type="button" class="bnb-text-button" onClick={() => setShown(shown + 10 * NEWEST)}>
          {words.earlier(hidden)}
        </button>
      )}
      <ol class="bnb-given-messages" start={hidden + 1}>
        {messages.slice(hidden).map((message, index) => (
          <li key={hidden + index}>
            <Message message={message} />
          </li>
        ))}
      </ol>
    </>
  );
}

function Message({ message }: { message: Record<string, unknown> }) {
  const { words } = useSurface();
  const role = String(message.role);
  const content = Array.isArray(message.content) ? message.content : [message.content];
  return (
    <>
      <strong>{own(words.given.roles, role) ?? role}</strong>
      {content.map((part, index) => (
        <Part key={index} part={part} />
      ))}
    </>
  );
}

/** One part of a message: words, a call, or what came of one; anything else as it came. */
function Part({ part }: { part: unknown }) {
  const { words } = useSurface();
  if (typeof part === "string") return <Words text={part} />;
  if (!isObject(part)) return <JsonTree value={part} />;
  switch (part.type) {
    case "text":
      return <Words text={String(part.text)} />;
    case "tool-call":
      return <Named label={words.given.call} tool={part.toolName} value={part.args} />;
    case "tool-result":
      return <Named label={words.given.result} tool={part.toolName} value={part.result} />;
    default:
      return <JsonTree value={part} />;
  }
}

function Named({ label, tool, value }: { label: string; tool: unknown; value: unknown }) {
  return (
    <div class="bnb-given-call">
      <span class="bnb-faint">{label}</span>{" "}
      <span class="bnb-mono">
        <Revealed text={String(tool)} />
      </span>
      <JsonTree value={value} />
    </div>
  );
}

export function Tools({ tools }: { tools: readonly GivenTool[] }) {
  const { words } = useSurface();
  const said = words.given;
  return tools.map((tool) => (
    <Fold
      key={tool.name}
      title={tool.sent_as === "" ? tool.name : `${tool.name} (${said.sentAs(tool.sent_as)})`}
      gist={firstOf(tool.description)}
    >
      {() => (
        <>
          {tool.description !== "" && <Words text={tool.description} />}
          <div class="bnb-section-head">{said.schema}</div>
          <JsonTree value={tool.input_schema} depth={3} />
        </>
      )}
    </Fold>
  ));
}

/** The beginning of a text, to the end of its first sentence or line. */
function firstOf(text: string): string {
  const end = text.search(/[.!?](\s|$)|\n/);
  return text.slice(0, Math.min(end < 0 ? GIST : end + 1, GIST)).trim();
}
