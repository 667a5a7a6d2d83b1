// Copies a text; says so for a moment.

import { useState } from "preact/hooks";
import { copyText } from "../clipboard.js";
import { useWords } from "./context.js";
import { Icon } from "./icons.js";

/** `quiet` draws an icon, for a value in a row. */
export function CopyButton({ text, label, quiet }: { text: string; label?: string; quiet?: boolean }) {
  const words = useWords();
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    if (!(await copyText(text))) return;
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
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
