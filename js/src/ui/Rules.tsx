// What is always allowed in this chat, and the way to take it back.

import type { AgentView, RuleView } from "../protocol.js";
import type { Strings } from "../text/en.js";
import { useAsked } from "./asking.js";
import { useSurface } from "./context.js";
import { Icon } from "./icons.js";
import { Refusal } from "./Refusal.js";
import { Revealed } from "./Revealed.js";

export function Rules({ rules, agents }: { rules: RuleView[]; agents: AgentView[] }) {
  const { link, words } = useSurface();
  const { waiting, refusal } = useAsked((ask) => ask.type === "revoke");
  if (rules.length === 0 && refusal === null) return null;
  return (
    <details class="bnb-rules">
      <summary data-bnb-action="rules">
        <Icon name="shield" /> {words.rules(rules.length)}
      </summary>
      <ul>
        {rules.map((rule) => (
          <li key={rule.rule} data-bnb-rule={rule.rule}>
            <Revealed text={scopeOf(rule, agents, words)} />{" "}
            <button
              type="button"
              class="bnb-button bnb-small"
              data-bnb-action="revoke"
              aria-label={`${words.revoke}: ${rule.tool}`}
              disabled={waiting?.type === "revoke" && waiting.rule === rule.rule}
              onClick={() => link.ask({ type: "revoke", rule: rule.rule })}
            >
              {words.revoke}
            </button>
          </li>
        ))}
      </ul>
      <Refusal refusal={refusal} />
    </details>
  );
}

/** The scope as a sentence; the agent is named where there are several. */
export function scopeOf(rule: RuleView, agents: AgentView[], words: Strings): string {
  const agent = agents.length > 1 ? agents.find((one) => one.agent === rule.agent)?.name || rule.agent : "";
  return words.alwaysScope(rule.tool, rule.method, rule.origin, agent);
}
