// The page's copy of a chat: a snapshot, and the fold of numbered events over it. Pure.

import {
  type ChatView,
  type Events,
  type InvocationState,
  type InvocationView,
  type PageEvent,
  type PathChanged,
  type Phase,
  type Snapshot,
  type StepView,
  type TurnView,
  unreachable,
} from "./protocol.js";

export interface ChatState {
  readonly boot: string;
  /** The number of the newest event in `chat`. */
  readonly seq: number;
  readonly chat: ChatView;
}

export type Applied =
  | { kind: "applied"; state: ChatState }
  | { kind: "stale" }
  /** Events are missing: only a snapshot helps. */
  | { kind: "gap" };

/** The state that a snapshot says; an older one of the same kernel run is stale. */
export function applySnapshot(state: ChatState | null, snapshot: Snapshot): Applied {
  if (state !== null && state.boot === snapshot.boot && snapshot.seq < state.seq) return { kind: "stale" };
  return { kind: "applied", state: { boot: snapshot.boot, seq: snapshot.seq, chat: snapshot.chat } };
}

/** Adds events; those already known are skipped, so a batch may overlap what is there. */
export function applyEvents(state: ChatState, message: Events): Applied {
  if (message.boot !== state.boot) return { kind: "gap" };
  const last = message.first + message.events.length - 1;
  if (last <= state.seq) return { kind: "stale" };
  if (message.first > state.seq + 1) return { kind: "gap" };
  let chat = state.chat;
  for (const event of message.events.slice(state.seq + 1 - message.first)) {
    const next = applyEvent(chat, event);
    if (next === null) return { kind: "gap" };
    chat = next;
  }
  return { kind: "applied", state: { ...state, seq: last, chat } };
}

/** The chat after `event`; null when the event is about something that is not there. */
function applyEvent(chat: ChatView, event: PageEvent): ChatView | null {
  switch (event.type) {
    case "text_delta":
      return changeStep(chat, event.turn, event.step, (step) => ({ ...step, text: step.text + event.text }));
    case "thinking_delta":
      return changeStep(chat, event.turn, event.step, (step) => ({
        ...step,
        thinking: step.thinking + event.text,
      }));
    case "args_delta": {
      const view = chat.invocations[event.key];
      if (view === undefined) return null;
      const grown = { ...view, args_text: view.args_text + event.text };
      return { ...chat, invocations: { ...chat.invocations, [event.key]: grown } };
    }
    case "turn": {
      const known = chat.turns.find((turn) => turn.turn === event.head.turn);
      const turn = { ...event.head, steps: known?.steps ?? [] };
      return { ...chat, turns: known === undefined ? [...chat.turns, turn] : swap(chat.turns, known, turn) };
    }
    case "step":
      return changeTurn(chat, event.turn, (turn) => {
        const known = turn.steps.find((step) => step.step === event.view.step);
        const steps = known === undefined ? [...turn.steps, event.view] : swap(turn.steps, known, event.view);
        return { ...turn, steps };
      });
    case "path":
      return changePath(chat, event);
    case "invocation":
      return { ...chat, invocations: { ...chat.invocations, [event.view.key]: event.view } };
    default:
      return unreachable(event);
  }
}

/** Another version of the chat from some turn on; null when that turn is not there. */
function changePath(chat: ChatView, event: PathChanged): ChatView | null {
  const kept = chat.turns.findIndex((turn) => turn.turn === event.after);
  if (kept < 0 && event.after !== 0) return null;
  const turns = [...chat.turns.slice(0, kept + 1), ...event.turns];
  const shown = new Set(turns.map((turn) => String(turn.turn)));
  const cards = Object.entries({ ...chat.invocations, ...event.invocations });
  return {
    ...chat,
    turns,
    invocations: Object.fromEntries(cards.filter(([key]) => shown.has(key.slice(0, key.indexOf("."))))),
  };
}

function changeTurn(
  chat: ChatView,
  number: number,
  change: (turn: TurnView) => TurnView | null,
): ChatView | null {
  // The turn that changes is the last one, but for an undo or a late result.
  const known = chat.turns.findLast((turn) => turn.turn === number);
  const changed = known === undefined ? null : change(known);
  return known === undefined || changed === null
    ? null
    : { ...chat, turns: swap(chat.turns, known, changed) };
}

function changeStep(
  chat: ChatView,
  turn: number,
  number: number,
  change: (step: StepView) => StepView,
): ChatView | null {
  return changeTurn(chat, turn, (view) => {
    const known = view.steps.find((step) => step.step === number);
    return known === undefined ? null : { ...view, steps: swap(view.steps, known, change(known)) };
  });
}

function swap<T>(list: readonly T[], from: T, to: T): T[] {
  return list.map((item) => (item === from ? to : item));
}

const LIVE_PHASES: ReadonlySet<Phase> = new Set([
  "connecting",
  "streaming",
  "stalled",
  "retrying",
  "awaiting",
]);
const LIVE_STATES: ReadonlySet<InvocationState> = new Set([
  "streaming",
  "proposed",
  "pending",
  "approved",
  "executing",
  "unknown",
]);

/** States of a call that go on without a person. */
const GOING: ReadonlySet<InvocationState> = new Set(["streaming", "proposed", "approved", "executing"]);

/** Whether a turn goes on by itself or waits for the person. */
export function isLivePhase(phase: Phase): boolean {
  return LIVE_PHASES.has(phase);
}

/** Whether words or calls may still arrive, as opposed to waiting for the person. */
export function isAnswering(phase: Phase): boolean {
  return LIVE_PHASES.has(phase) && phase !== "awaiting";
}

/** Whether something in the newest turn waits for the person's decision, as opposed to for a tool. */
export function isDecisionOpen(chat: ChatView): boolean {
  const last = chat.turns.at(-1);
  if (last === undefined) return false;
  const keys = [...last.steps.flatMap((step) => step.calls), ...last.actions];
  return keys.some((key) => chat.invocations[key]?.state === "pending");
}

/** Whether an answer is being made, in words or by a call that runs, as opposed to waiting for the person alone. */
export function isUnderWay(chat: ChatView): boolean {
  const last = chat.turns.at(-1);
  if (last === undefined) return false;
  if (last.phase !== "awaiting") return isAnswering(last.phase);
  const calls = last.steps.flatMap((step) => step.calls).map((key) => chat.invocations[key]);
  return calls.some((call) => call !== undefined && GOING.has(call.state));
}

/** Whether an undo waits for the person's decision, in whichever turn; a new message does not cancel it. */
export function isUndoPending(chat: ChatView): boolean {
  return chat.turns.some((turn) => turn.actions.some((key) => chat.invocations[key]?.state === "pending"));
}

/** Whether an undo of the call `key` is under way; one of unknown outcome may be tried again. */
export function isBeingUndone(key: string, calls: ReadonlyArray<InvocationView | undefined>): boolean {
  return calls.some(
    (call) => call?.compensates === key && isLiveState(call.state) && call.state !== "unknown",
  );
}

/** Whether a call that only reads was stopped: its failure is what the person asked for. */
export function isStopped(view: InvocationView): boolean {
  const error = view.result?.error;
  return (
    view.cancel_requested &&
    view.state === "failed" &&
    typeof error === "string" &&
    error.startsWith("Stopped before")
  );
}

export function isLiveState(state: InvocationState): boolean {
  return LIVE_STATES.has(state);
}
