// Where an answer did not come smoothly: its session, folded; what it shows is fetched when it is first opened.

import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import { useSurface } from "./context.js";

export function Session({ turn }: { turn: number }) {
  const { words } = useSurface();
  const [Log, setLog] = useState<{ as: ComponentType<{ turn: number }> } | null>(null);
  const [fault, setFault] = useState("");
  const load = () =>
    import("./SessionLog.js").then(
      (module) => setLog({ as: module.SessionLog }),
      () => setFault(words.noAnswer),
    );
  return (
    <details
      class="bnb-exact bnb-session"
      onToggle={(event) => event.currentTarget.open && Log === null && load()}
    >
      <summary data-bnb-action="session">{words.session}</summary>
      {Log === null ? fault : <Log.as turn={turn} />}
    </details>
  );
}
