// Copies a text; says so for a moment.

import { useState } from "preact/hooks";
import { copyText } from "../clipboard.js";
import { useWords } from "./context.js";
import { Icon } from "./icons.js";

/** `quiet` draws an icon, for a value in a row. */
export function CopyButton({ text, label, quiet }: { text: string; label?: string; quiet?: boolean }) {
  const words = useWords();
  const [copied, copy] = useCopy(() => text);
  return (
    <button
      type="button"
      class={quiet ? "bnb-text-button bnb-quiet-icon" : "bnb-text-button bnb-copy"}
      onClick={copy}
      aria-label={`${words.copy} ${label ?? ""}`.trim()}
    >
      {quiet ? <Icon name={copied ? "check" : "copy"} /> : copied ? words.copied : words.copy}
    </button>
  );
}

/** An icon that copies a text which is made when it is asked for. */
export function IconCopy({ text, label }: { text: () => string; label: string }) {
  const words = useWords();
  const [copied, copy] = useCopy(text);
  const shown = copied ? words.copied : label;
  return (
    <button type="button" class="bnb-icon-button" onClick={copy} aria-label={shown} title={shown}>
      <Icon name={copied ? "check" : "copy"} />
    </button>
  );
}

function useCopy(text: () => string): [copied: boolean, copy: () => Promise<void>] {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    if (!(await copyText(text()))) return;
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return [copied, copy];
}
