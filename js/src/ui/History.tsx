// The way to the other chats: a button in the head, and the panel that it opens, which is fetched when first wanted.

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useSurface } from "./context.js";
import { Icon } from "./icons.js";

interface DrawerProps {
  shown: string;
  onClose: () => void;
}

let loaded: ComponentType<DrawerProps> | null = null;

export function History({ shown }: { shown: string }) {
  const { words } = useSurface();
  const [open, setOpen] = useState(false);
  const [Drawer, setDrawer] = useState<{ as: ComponentType<DrawerProps> } | null>(
    loaded === null ? null : { as: loaded },
  );
  useEffect(() => {
    if (!open || Drawer !== null) return;
    void import("./Drawer.js").then((module) => {
      loaded = module.Drawer;
      setDrawer({ as: module.Drawer });
    });
  }, [open, Drawer]);
  return (
    <>
      <button
        type="button"
        class="bnb-icon-button"
        data-bnb-action="history"
        aria-label={words.history}
        aria-expanded={open}
        title={words.history}
        onClick={() => setOpen(!open)}
      >
        <Icon name="chats" />
      </button>
      {open && Drawer !== null && <Drawer.as shown={shown} onClose={() => setOpen(false)} />}
    </>
  );
}
