// All turns, what is being sent, and the way back to the end.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Pending } from "../pending.js";
import type { ChatView } from "../protocol.js";
import { isAnswering } from "../state.js";
import type { Strings } from "../text/en.js";
import { useSurface } from "./context.js";
import { Fence } from "./Fence.js";
import { Icon } from "./icons.js";
import { useHidden } from "./idle.js";
import { Earlier } from "./Part.js";
import { useFollowing } from "./scroll.js";
import { Turn } from "./Turn.js";
import { UserMessage } from "./UserMessage.js";
import { useUnread } from "./unread.js";
import { Welcome } from "./Welcome.js";

// A long chat opens at its end, and the rest is drawn above it while the browser has nothing else to do: so that a search
// on the page and a screen reader find all of it. Beyond the most it is drawn when asked for.
const FIRST = 20;
const SLICE = 20;
const MOST = 2_500;

function noteOf({ refused }: Pending, isLost: boolean, words: Strings): string {
  if (refused === undefined && !isLost) return words.sending;
  return `${words.refused}: ${refused ?? words.unheard}`;
}

export function Transcript({ chat, sending }: { chat: ChatView; sending: readonly Pending[] }) {
  const { link, words } = useSurface();
  const view = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { following, toEnd } = useFollowing(view, content);
  const [most, setMost] = useState(MOST);
  const hidden = useHidden(chat.turns.length, FIRST, SLICE, most);
  const unread = useUnread(chat, following, link.connection.value === "live", link.memory);
  const last = chat.turns.at(-1);
  const part = chat.part ?? null;
  const answering = last !== undefined && isAnswering(last.phase);

  // What the person just said is always worth seeing.
  useEffect(() => {
    if (sending.length > 0) toEnd();
  }, [sending.length]);

  return (
    <div class="bnb-transcript-frame">
      <div
        class="bnb-transcript"
        ref={view}
        role="log"
        aria-busy={answering}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area has to be reachable by keyboard
        tabIndex={0}
        aria-label={chat.title || words.agent}
      >
        <div class="bnb-turns" ref={content}>
          {part !== null && <Earlier part={part} />}
          {part === null && chat.turns.length === 0 && sending.length === 0 && <Welcome chat={chat} />}
          {hidden > 0 && (
            <button type="button" class="bnb-text-button bnb-earlier" onClick={() => setMost(most + MOST)}>
              {words.earlier(hidden)}
            </button>
          )}
          {chat.turns.slice(hidden).map((turn) => (
            <Fence key={turn.turn} instead={(error) => <p class="bnb-note">{words.turnUndrawn(error)}</p>}>
              <Turn
                turn={turn}
                agent={chat.agents.find((agent) => agent.agent === turn.agent) ?? chat.agents[0]}
                cards={chat.invocations}
                isLast={turn === last && part?.ended !== true}
                newFrom={unread.from?.turn === turn.turn ? unread.from.step : null}
              />
            </Fence>
          ))}
          {sending.map((one) => (
            <UserMessage
              key={one.mid}
              text={
                one.ask.type === "send" ? one.ask.text || link.attachments.namesOf(one.ask.files ?? []) : ""
              }
              note={noteOf(one, link.connection.value === "lost", words)}
            />
          ))}
        </div>
      </div>
      {!following && (
        <button type="button" class="bnb-pill" data-bnb-action="latest" onClick={toEnd}>
          <Icon name="down" /> {unread.count === 0 ? words.toLatest : words.newMessages(unread.count)}
        </button>
      )}
    </div>
  );
}
