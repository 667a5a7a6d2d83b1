// What is always allowed in this chat, and the way to take it back.

import type { AgentView, RuleView } from "../protocol.js";
import type { Strings } from "../text/en.js";
import { useApart, useAsked } from "./asking.js";
import { useSurface } from "./context.js";
import { Icon } from "./icons.js";
import { Refusal } from "./Refusal.js";
import { Revealed } from "./Revealed.js";

interface ToggleProps {
  count: number;
  open: boolean;
  onToggle: () => void;
}

/** Stands in the head; the list has a row of its own below it. */
export function RulesToggle({ count, open, onToggle }: ToggleProps) {
  const { words } = useSurface();
  if (count === 0) return null;
  return (
    <button
      type="button"
      class="bnb-text-button bnb-rules-toggle"
      data-bnb-action="rules"
      aria-expanded={open}
      aria-label={words.rules(count)}
      title={words.rules(count)}
      onClick={onToggle}
    >
      <Icon name="shield" /> <span>{words.rules(count)}</span>
    </button>
  );
}

export function Rules({ rules, agents }: { rules: RuleView[]; agents: AgentView[] }) {
  const { link, words } = useSurface();
  const { waiting, refusal } = useAsked((ask) => ask.type === "revoke");
  const apart = useApart();
  if (rules.length === 0 && refusal === null) return null;
  return (
    <div class="bnb-rules">
      <ul>
        {rules.map((rule) => (
          <li key={rule.rule} data-bnb-rule={rule.rule}>
            <span>
              <Revealed text={scopeOf(rule, agents, words)} />
            </span>
            <button
              type="button"
              class="bnb-button bnb-small"
              data-bnb-action="revoke"
              aria-label={`${words.revoke}: ${rule.tool}`}
              disabled={(waiting?.type === "revoke" && waiting.rule === rule.rule) || apart !== ""}
              title={apart}
              onClick={() => link.ask({ type: "revoke", rule: rule.rule })}
            >
              {words.revoke}
            </button>
          </li>
        ))}
      </ul>
      <Refusal refusal={refusal} />
    </div>
  );
}

/** The scope as a sentence; the agent is named where there are several. */
export function scopeOf(rule: RuleView, agents: AgentView[], words: Strings): string {
  const agent = agents.length > 1 ? agents.find((one) => one.agent === rule.agent)?.name || rule.agent : "";
  return words.alwaysScope(rule.tool, rule.method, rule.origin, agent);
}
