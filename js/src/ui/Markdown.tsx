// A message's Markdown: the component owns an empty element, the stream paints inside it.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { copyText } from "../clipboard.js";
import { MarkdownStream } from "../markdown/stream.js";
import { useWords } from "./context.js";

interface Painted {
  stream: MarkdownStream;
  text: string;
  frame: number;
  finished: boolean;
}

export function Markdown({ text, complete }: { text: string; complete: boolean }) {
  const root = useRef<HTMLDivElement>(null);
  const painted = useRef<Painted | null>(null);
  const words = useWords();

  useLayoutEffect(() => {
    if (root.current === null) return;
    let now = painted.current;
    // A step that was reset, or words that came after the end: begin again.
    const fresh = now === null || !text.startsWith(now.text) || (now.finished && text !== now.text);
    if (now === null || fresh) {
      cancelAnimationFrame(now?.frame ?? 0);
      now = { stream: new MarkdownStream(root.current), text: "", frame: 0, finished: false };
      painted.current = now;
    }
    const { stream } = now;
    stream.push(text.slice(now.text.length));
    now.text = text;
    if (complete) {
      cancelAnimationFrame(now.frame);
      stream.finish();
      now.finished = true;
    } else if (fresh) {
      stream.flush();
    } else {
      // However many deltas come, one paint per frame.
      cancelAnimationFrame(now.frame);
      now.frame = requestAnimationFrame(() => stream.flush());
    }
  }, [text, complete]);

  useEffect(() => () => cancelAnimationFrame(painted.current?.frame ?? 0), []);

  const onClick = (event: MouseEvent) => {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    if (button === null) return;
    if (button.hasAttribute("data-bnb-copy")) copyCode(button, words.copy, words.copied);
    if (button.hasAttribute("data-bnb-image")) showImage(button);
  };
  return (
    // biome-ignore lint/a11y: the buttons inside are buttons; their clicks are handled here because they come and go
    <div class={complete ? "bnb-markdown" : "bnb-markdown bnb-markdown-open"} ref={root} onClick={onClick} />
  );
}

async function copyCode(button: Element, copy: string, copied: string): Promise<void> {
  const code = button.closest(".bnb-code")?.querySelector("code")?.textContent ?? "";
  if (!(await copyText(code))) return;
  button.textContent = copied;
  setTimeout(() => {
    button.textContent = copy;
  }, 2_000);
}

/** The person asked for it: only now does the browser talk to that host, and without saying from where. */
function showImage(button: Element): void {
  const image = document.createElement("img");
  image.referrerPolicy = "no-referrer";
  image.alt = button.getAttribute("data-bnb-alt") ?? "";
  image.src = button.getAttribute("data-bnb-image") ?? "";
  image.className = "bnb-image";
  button.replaceWith(image);
}
