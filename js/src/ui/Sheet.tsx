// The keys of the chat, on a sheet.

import { useEffect, useRef } from "preact/hooks";
import { useSurface } from "./context.js";
import { Icon } from "./icons.js";
import { KEYS } from "./shortcuts.js";

export function Sheet({ onClose }: { onClose: () => void }) {
  const { words } = useSurface();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog class="bnb-sheet" ref={dialog} aria-label={words.keys} onClose={onClose}>
      <div class="bnb-sheet-head">
        <strong>{words.keys}</strong>
        <button type="button" class="bnb-icon-button" aria-label={words.close} onClick={onClose}>
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
