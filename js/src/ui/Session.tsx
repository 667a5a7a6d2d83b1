// Where an answer did not come smoothly: its session, folded; what it shows is fetched when it is first opened.

import { useSurface } from "./context.js";
import { useLate } from "./late.js";

export function Session({ turn }: { turn: number }) {
  const { words } = useSurface();
  const { part: Log, failed, want } = useLate(async () => (await import("./SessionLog.js")).SessionLog);
  return (
    <details class="bnb-exact bnb-session" onToggle={(event) => event.currentTarget.open && want()}>
      <summary data-bnb-action="session">{words.session}</summary>
      {Log === null ? failed && words.noAnswer : <Log turn={turn} />}
    </details>
  );
}
