// What a card says of its state, in words: how it stands, why, and by whose act.

import { type InvocationState, type InvocationView, own } from "../protocol.js";
import { isStopped } from "../state.js";
import type { Strings } from "../text/en.js";

/** Its label. */
export function stateOf(view: InvocationView, words: Strings): string {
  if (isStopped(view)) return words.stopped;
  return view.state === "denied" ? denialOf(view, words).label : words.states[view.state];
}

/** The sentence below it, empty where the label says it all. */
export function noteOf(view: InvocationView, words: Strings): string {
  const notes: Partial<Record<InvocationState, string>> = words.stateNotes;
  if (isStopped(view)) return String(view.result?.error);
  // A failure's error says its reason itself.
  const saysItself =
    view.state === "pending" || view.state === "denied" || (view.state === "failed" && view.result !== null);
  const known: Record<string, string> = words.cancelled;
  const reason = saysItself
    ? ""
    : view.state === "cancelled"
      ? (own(known, view.reason) ?? view.reason)
      : view.reason;
  const doubt = view.doubt && view.state !== "pending" && view.state !== "unknown" ? words.doubt : "";
  const note = view.state === "denied" ? denialOf(view, words).note : (notes[view.state] ?? "");
  return [note, reason, doubt].filter((part) => part !== "").join(" ");
}

/** By whose act a call was not run: a person's, code's, a rule's with its own sentence, or none of these. */
function denialOf(
  { decider, rule, reason }: InvocationView,
  words: Strings,
): { label: string; note: string } {
  const { code, before, fault, person } = words.denials;
  const why = reason === "" ? "" : words.becauseOf(reason);
  const by = ({ label = words.states.denied, note }: { label?: string; note: string }) => ({
    label,
    note: `${note} ${why}`.trim(),
  });
  if (decider === "code") return by(code);
  if (decider !== "rule") return by(person);
  if (rule === "internal-error") return by(fault);
  return rule === "declined-before" ? before : words.denials.rule(rule, reason);
}

/** Who allowed it. */
export function grantOf(grant: NonNullable<InvocationView["grant"]>, words: Strings): string {
  switch (grant.source) {
    case "human":
      return words.byHuman(grant.actor);
    case "rule":
      return words.byRule(grant.rule);
    case "session":
      return words.bySession(grant.rule);
  }
}
