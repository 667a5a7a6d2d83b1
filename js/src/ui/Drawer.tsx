// The chats of the history: find one, open it here, name it, take it away as a file, or delete it.

import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ChatList, ExportedFile, ListedChat, Question } from "../protocol.js";
import drawerCss from "../styles/drawer.css?inline";
import { placeSheet } from "../styles/place.js";
import { useSurface } from "./context.js";
import { Row } from "./DrawerRow.js";
import { Icon, Spinner } from "./icons.js";
import { Revealed } from "./Revealed.js";
import { isSave } from "./shortcuts.js";

const PAGE = 30;
/** Milliseconds without a key until what was typed is looked for. */
const TYPED = 250;

interface Found {
  query: string;
  rows: ListedChat[];
  more: boolean;
}

export function Drawer({ shown, onClose }: { shown: string; onClose: () => void }) {
  const { link, words } = useSurface();
  const panel = useRef<HTMLDivElement>(null);
  const title = useId();
  const [query, setQuery] = useState("");
  const [found, setFound] = useState<Found | null>(null);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState("");
  const newest = useRef(0);
  useDialog(panel, onClose);
  useLayoutEffect(() => {
    if (panel.current !== null) placeSheet(panel.current, "drawer", drawerCss);
  }, []);

  /** Asks the kernel; null, and its sentence on the panel, where that fails. */
  const ask = async <T,>(question: Question): Promise<{ data: T } | null> => {
    setBusy(true);
    setFault("");
    try {
      return { data: (await link.question(question)) as T };
    } catch (error) {
      setFault((error instanceof Error && error.message) || words.noAnswer);
      return null;
    } finally {
      setBusy(false);
    }
  };
  const acting = useRef(false);
  /** Asks for an act, one at a time: a second press while it is under way adds nothing. */
  const act = async <T,>(question: Question): Promise<{ data: T } | null> => {
    if (acting.current) return null;
    acting.current = true;
    try {
      return await ask<T>(question);
    } finally {
      acting.current = false;
    }
  };
  const look = async (wanted: string, before: ListedChat[]) => {
    newest.current += 1;
    const mine = newest.current;
    const answer = await ask<ChatList>({
      type: "list_chats",
      query: wanted,
      offset: before.length,
      limit: PAGE,
    });
    if (answer === null || mine !== newest.current) return;
    setFound({ query: wanted, rows: [...before, ...answer.data.chats], more: answer.data.more });
  };
  const again = () => look(query.trim(), []);
  useEffect(() => {
    const timer = setTimeout(() => void look(query.trim(), []), query === "" ? 0 : TYPED);
    return () => clearTimeout(timer);
  }, [query, shown]);

  const go = async (question: Question) => {
    if ((await act(question)) !== null) onClose();
  };
  return (
    <div ref={panel} class="bnb-drawer" role="dialog" aria-modal="true" aria-labelledby={title} tabIndex={-1}>
      <div class="bnb-drawer-head">
        <strong id={title}>{words.history}</strong>
        {busy && <Spinner />}
        <button
          type="button"
          class="bnb-button bnb-small"
          data-bnb-action="new-chat"
          onClick={() => void go({ type: "new_chat" })}
        >
          <Icon name="plus" /> {words.newChat}
        </button>
        <button
          type="button"
          class="bnb-icon-button"
          data-bnb-action="close"
          aria-label={words.close}
          onClick={onClose}
        >
          <Icon name="cross" />
        </button>
      </div>
      <input
        type="search"
        class="bnb-input bnb-drawer-search"
        value={query}
        placeholder={words.searchChats}
        aria-label={words.searchChats}
        onInput={(event) => setQuery(event.currentTarget.value)}
      />
      {fault !== "" && (
        <p class="bnb-drawer-note" role="alert">
          <Icon name="warning" /> <Revealed text={fault} />
        </p>
      )}
      <p class="bnb-sr" role="status">
        {busy ? words.loadingChats : ""}
      </p>
      {found !== null && found.rows.length === 0 && fault === "" && (
        <p class="bnb-drawer-note">{found.query === "" ? words.noChats : words.noneFound}</p>
      )}
      <ul class="bnb-drawer-list">
        {found?.rows.map((row) => (
          <Row
            key={row.chat}
            row={row}
            isShown={row.chat === shown}
            onOpen={() => (row.chat === shown ? onClose() : void go({ type: "open_chat", chat: row.chat }))}
            onRename={async (name) => {
              if ((await act({ type: "rename_chat", chat: row.chat, title: name })) !== null) await again();
            }}
            onDelete={async () => {
              if ((await act({ type: "delete_chat", chat: row.chat })) === null) return;
              panel.current?.focus();
              await again();
            }}
            onExport={async (form) => {
              const answer = await act<ExportedFile>({ type: "export_chat", chat: row.chat, form });
              if (answer !== null) save(answer.data);
            }}
          />
        ))}
      </ul>
      {found?.more && (
        <button
          type="button"
          class="bnb-button bnb-small bnb-drawer-more"
          data-bnb-action="more-chats"
          disabled={busy}
          onClick={() => void look(found.query, found.rows)}
        >
          {words.moreChats}
        </button>
      )}
    </div>
  );
}

/** Takes the focus and keeps it inside, closes on Esc, and gives the focus back to where it was. */
function useDialog(panel: { current: HTMLElement | null }, onClose: () => void): void {
  const close = useRef(onClose);
  close.current = onClose;
  useLayoutEffect(() => {
    const before = document.activeElement;
    const root = panel.current;
    root?.querySelector<HTMLElement>("input")?.focus();
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isSave(event)) event.stopPropagation();
      if (event.key === "Escape") {
        event.preventDefault();
        close.current();
      } else if (event.key === "Tab" && root !== null) {
        const stops = [...root.querySelectorAll<HTMLElement>("button:enabled, input, select")];
        const [first, last] = [stops[0], stops.at(-1)];
        const active = document.activeElement;
        const isOut = !stops.some((stop) => stop === active);
        if (event.shiftKey ? active === first || isOut : active === last) {
          event.preventDefault();
          (event.shiftKey ? last : first)?.focus();
        }
      }
    };
    root?.addEventListener("keydown", onKeyDown);
    return () => {
      root?.removeEventListener("keydown", onKeyDown);
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, [panel]);
}

/** Hands a text to the browser as a download; nothing is asked of any server. */
function save(file: ExportedFile): void {
  const url = URL.createObjectURL(new Blob([file.text], { type: file.media }));
  const a = document.createElement("a");
  a.href = url;
  a.download = file.name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
