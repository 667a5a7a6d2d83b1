// The line to the kernel, only when it is not as it should be: what is known of it, and how to go on with the chat.

import { duration, loadLine } from "../format.js";
import { isSilent } from "../host.js";
import { TIMES } from "../times.js";
import { CopyButton } from "./CopyButton.js";
import { useNow } from "./Countdown.js";
import { useSurface } from "./context.js";
import { Icon, Spinner } from "./icons.js";
import { Revealed } from "./Revealed.js";

export function Line({ chat }: { chat: string }) {
  const { link, words } = useSurface();
  const connection = link.connection.value;
  if (connection === "live" || connection === "connecting") return null;
  return (
    <div class={`bnb-line bnb-line-${connection}`}>
      {isSilent(connection) ? <Spinner /> : <Icon name="warning" />}{" "}
      <span>
        <span role="status">{words.connection[connection]}</span>{" "}
        {isSilent(connection) && <Silence chat={chat} unsure={connection === "waiting"} />}
        {connection === "lost" && <GoOn words={words.lostKept} chat={chat} />}
      </span>
    </div>
  );
}

/** How long, once it is long; after more of it, what to do where the kernel ended and the front end does not say so. */
function Silence({ chat, unsure }: { chat: string; unsure: boolean }) {
  const { link, words } = useSurface();
  useNow();
  const lasts = Math.floor(link.silence() / 1_000) * 1_000;
  return (
    <>
      {lasts >= 10_000 && (
        <span class="bnb-faint" role="timer">
          {words.silentFor(duration(lasts))}
        </span>
      )}
      {unsure && lasts > TIMES.lost && (
        <>
          {" "}
          <GoOn words={words.lostMaybe} chat={chat} />
        </>
      )}
    </>
  );
}

/** The line of Python that goes on with the chat in any kernel. */
function GoOn({ words: said, chat }: { words: string; chat: string }) {
  const { words } = useSurface();
  return (
    <>
      {said}{" "}
      <code class="bnb-line-code bnb-mono">
        <Revealed text={loadLine(chat)} />
      </code>{" "}
      <CopyButton text={loadLine(chat)} label={words.goOnLine} />
    </>
  );
}
