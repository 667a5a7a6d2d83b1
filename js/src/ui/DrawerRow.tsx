// A chat in the panel of chats, and what can be done with it.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { dayAndTime } from "../format.js";
import type { ExportChat, ListedChat } from "../protocol.js";
import type { Strings } from "../text/en.js";
import { useSurface } from "./context.js";
import { Icon } from "./icons.js";
import { Revealed } from "./Revealed.js";

type Form = ExportChat["form"];

interface RowProps {
  row: ListedChat;
  isShown: boolean;
  onOpen: () => void;
  onRename: (title: string) => void;
  onDelete: () => void;
  onExport: (form: Form) => void;
}

export function Row({ row, isShown, onOpen, onRename, onDelete, onExport }: RowProps) {
  const { words } = useSurface();
  const [doing, setDoing] = useState<"rename" | "delete" | null>(null);
  const name = row.title || words.untitled;
  if (doing === "rename") {
    return (
      <li class="bnb-drawer-row">
        <Rename
          title={row.title}
          onSave={(title) => {
            setDoing(null);
            onRename(title);
          }}
          onCancel={() => setDoing(null)}
        />
      </li>
    );
  }
  return (
    <li class="bnb-drawer-row" data-bnb-listed={row.chat} aria-current={isShown ? "true" : undefined}>
      <button type="button" class="bnb-drawer-open" data-bnb-action="open-chat" onClick={onOpen}>
        <span class="bnb-drawer-title">
          <Revealed text={name} />
        </span>
        <span class="bnb-drawer-about">{about(row, isShown, words)}</span>
        {row.snippet !== "" && (
          <span class="bnb-drawer-snippet">
            <Revealed text={row.snippet} />
          </span>
        )}
      </button>
      {doing === "delete" ? (
        <fieldset class="bnb-drawer-acts" aria-label={words.deleteForGood}>
          <span>{words.deleteForGood}</span>
          <button
            type="button"
            class="bnb-button bnb-small"
            data-bnb-action="confirm-delete"
            onClick={() => {
              setDoing(null);
              onDelete();
            }}
          >
            {words.delete}
          </button>
          <button
            type="button"
            class="bnb-button bnb-small"
            data-bnb-action="keep-chat"
            ref={(button) => button?.focus()}
            onClick={() => setDoing(null)}
          >
            {words.keep}
          </button>
        </fieldset>
      ) : (
        <div class="bnb-drawer-acts">
          {row.pending > 0 && <span class="bnb-drawer-pending">{words.pendingApprovals(row.pending)}</span>}
          <button
            type="button"
            class="bnb-icon-button"
            data-bnb-action="rename-chat"
            aria-label={words.rename(name)}
            onClick={() => setDoing("rename")}
          >
            <Icon name="pen" />
          </button>
          <select
            class="bnb-drawer-export"
            aria-label={words.exportChat(name)}
            value=""
            onChange={(event) => {
              const form = event.currentTarget.value as Form;
              event.currentTarget.value = "";
              onExport(form);
            }}
          >
            <option value="" disabled>
              {words.exportAs}
            </option>
            {Object.entries(words.forms).map(([form, label]) => (
              <option key={form} value={form}>
                {label}
              </option>
            ))}
          </select>
          <button
            type="button"
            class="bnb-icon-button"
            data-bnb-action="delete-chat"
            aria-label={words.deleteChat(name)}
            onClick={() => setDoing("delete")}
          >
            <Icon name="trash" />
          </button>
        </div>
      )}
    </li>
  );
}

function about(row: ListedChat, isShown: boolean, words: Strings): string {
  const when = dayAndTime(row.updated, words.language);
  return [isShown ? words.openHere : "", row.agent, when, words.turns(row.turns)]
    .filter((part) => part !== "")
    .join(" · ");
}

function Rename({
  title,
  onSave,
  onCancel,
}: {
  title: string;
  onSave: (title: string) => void;
  onCancel: () => void;
}) {
  const { words } = useSurface();
  const [text, setText] = useState(title);
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const save = () => {
    if (text.trim() !== "") onSave(text.trim());
  };
  return (
    <div class="bnb-drawer-rename">
      <input
        ref={field}
        class="bnb-input"
        value={text}
        maxLength={500}
        aria-label={words.title}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.isComposing) save();
          if (event.key !== "Escape") return;
          event.stopPropagation(); // leaves the field, not the panel
          onCancel();
        }}
      />
      <button type="button" class="bnb-button bnb-small" disabled={text.trim() === ""} onClick={save}>
        {words.save}
      </button>
      <button type="button" class="bnb-button bnb-small" onClick={onCancel}>
        {words.cancel}
      </button>
    </div>
  );
}
