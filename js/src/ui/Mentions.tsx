// Whom a message goes to: the agents that fit what is typed after `@`, to choose from by keys or by pointer.

import { useState } from "preact/hooks";
import type { AgentView } from "../protocol.js";
import { Avatar } from "./Agents.js";
import { useSurface } from "./context.js";
import { Revealed } from "./Revealed.js";

/** The agents that the beginning of a message may mean; none where there is only one, or nothing left to complete. */
function meant(text: string, agents: readonly AgentView[]): AgentView[] {
  const typed = agents.length < 2 ? undefined : /^\s*@(\S*)$/u.exec(text)?.[1]?.toLowerCase();
  if (typed === undefined) return [];
  const fitting = agents.filter(
    ({ handle, name }) =>
      handle.toLowerCase().startsWith(typed) ||
      name
        .toLowerCase()
        .split(/\s+/u)
        .some((word) => word.startsWith(typed)),
  );
  return fitting.length === 1 && fitting[0]?.handle.toLowerCase() === typed ? [] : fitting;
}

export interface Mentions {
  options: AgentView[];
  chosen: number;
  choose: (index: number) => void;
  /** Takes a key while there is something to choose; whether it did. */
  onKey: (event: KeyboardEvent) => boolean;
}

/** What can be chosen for `text`; `put` gets the text with the choice in it. */
export function useMentions(
  text: string,
  agents: readonly AgentView[],
  put: (text: string) => void,
): Mentions {
  const [closed, setClosed] = useState("");
  const [at, setAt] = useState(0);
  const options = text === closed ? [] : meant(text, agents);
  const chosen = Math.min(at, Math.max(0, options.length - 1));
  const choose = (index: number) => {
    const agent = options[index];
    if (agent !== undefined) put(`@${agent.handle} `);
    setAt(0);
  };
  const onKey = ({ key, shiftKey, isComposing }: KeyboardEvent) => {
    if (options.length === 0 || shiftKey || isComposing) return false;
    if (key === "ArrowDown") setAt((chosen + 1) % options.length);
    else if (key === "ArrowUp") setAt((chosen + options.length - 1) % options.length);
    else if (key === "Enter" || key === "Tab") choose(chosen);
    else if (key === "Escape") setClosed(text);
    else return false;
    return true;
  };
  return { options, chosen, choose, onKey };
}

export function MentionList({ of, id }: { of: Mentions; id: string }) {
  const { words } = useSurface();
  return (
    <div class="bnb-mentions" role="listbox" id={id} aria-label={words.mention}>
      {of.options.map((agent, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field that keeps the focus takes the keys
        <div
          key={agent.agent}
          id={`${id}${index}`}
          role="option"
          class="bnb-mention"
          tabIndex={-1}
          aria-selected={index === of.chosen}
          // The field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => of.choose(index)}
        >
          <Avatar name={agent.name} image={agent.image} />
          <strong>
            <Revealed text={agent.name} />
          </strong>
          <span class="bnb-faint">
            @<Revealed text={agent.handle} />
          </span>
        </div>
      ))}
    </div>
  );
}
