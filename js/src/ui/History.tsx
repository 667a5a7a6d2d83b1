// The way to the other chats: a button in the head, and the panel that it opens, which is fetched when first wanted.

import { useState } from "preact/hooks";
import { useSurface } from "./context.js";
import { Icon } from "./icons.js";
import { useLate } from "./late.js";

export function History({ shown }: { shown: string }) {
  const { words } = useSurface();
  const [open, setOpen] = useState(false);
  const { part: Drawer, want } = useLate(async () => (await import("./Drawer.js")).Drawer);
  return (
    <>
      <button
        type="button"
        class="bnb-icon-button"
        data-bnb-action="history"
        aria-label={words.history}
        aria-expanded={open}
        title={words.history}
        onClick={() => {
          want();
          setOpen(!open);
        }}
      >
        <Icon name="chats" />
      </button>
      {open && Drawer !== null && <Drawer shown={shown} onClose={() => setOpen(false)} />}
    </>
  );
}
