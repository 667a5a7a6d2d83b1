// Copies a text; says so for a moment.

import { useState } from "preact/hooks";
import { copyText } from "../clipboard.js";
import { useWords } from "./context.js";

export function CopyButton({ text, label }: { text: string; label?: string }) {
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
      class="bnb-text-button bnb-copy"
      onClick={copy}
      aria-label={`${words.copy} ${label ?? ""}`.trim()}
    >
      {copied ? words.copied : words.copy}
    </button>
  );
}
