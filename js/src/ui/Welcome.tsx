// The empty chat: who answers, what it can do, and a first message to take.

import type { ChatView } from "../protocol.js";
import { Avatar } from "./Agents.js";
import { useSurface } from "./context.js";
import { Revealed } from "./Revealed.js";

export function Welcome({ chat }: { chat: ChatView }) {
  const { link, words } = useSurface();
  const agent = chat.agents[0];
  const name = agent?.name || words.agent;
  return (
    <div class="bnb-welcome">
      <Avatar name={name} />
      <h2 class="bnb-welcome-title">
        <Revealed text={words.welcome(name)} />
      </h2>
      {agent !== undefined && agent.description !== "" && (
        <p class="bnb-faint">
          <Revealed text={agent.description} />
        </p>
      )}
      {chat.suggestions.length > 0 && (
        <>
          <p class="bnb-sr">{words.tryOne}</p>
          <div class="bnb-suggestions">
            {chat.suggestions.map((suggestion) => (
              <button
                type="button"
                class="bnb-suggestion"
                key={suggestion}
                onClick={() => link.ask({ type: "send", text: suggestion })}
              >
                <Revealed text={suggestion} />
              </button>
            ))}
          </div>
        </>
      )}
    </div>
  );
}
