// The keys of the chat, on a sheet.

import { useLayoutEffect, useRef } from "preact/hooks";
import { useSurface } from "./context.js";
import { Icon } from "./icons.js";
import { KEYS } from "./shortcuts.js";

export function Sheet({ onClose }: { onClose: () => void }) {
  const { words } = useSurface();
  const dialog = useRef<HTMLDialogElement>(null);
  // A modal dialog takes the focus at once, and gives it back as it closes; the next key may be on its way.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog class="bnb-sheet" ref={dialog} aria-label={words.keys} onClose={onClose}>
      <div class="bnb-sheet-head">
        <strong>{words.keys}</strong>
        <button
          type="button"
          class="bnb-icon-button"
          aria-label={words.close}
          onClick={() => dialog.current?.close()}
        >
          <Icon name="cross" />
        </button>
      </div>
      <dl class="bnb-sheet-keys">
        {Object.entries(KEYS).map(([name, keys]) => (
          <div key={name}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{words.keyFor[name as keyof typeof KEYS]}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  );
}
