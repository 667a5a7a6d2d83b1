// A message's Markdown: the component owns an empty element, the painter fills it.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { copyText } from "../clipboard.js";
import { insertCell } from "../host.js";
import { useSurface } from "./context.js";
import { Painter } from "./painter.js";

export function Markdown({ text, complete }: { text: string; complete: boolean }) {
  const { link } = useSurface();
  const root = useRef<HTMLDivElement>(null);
  const painter = useRef<Painter | null>(null);

  useLayoutEffect(() => {
    if (root.current === null) return;
    painter.current ??= new Painter(root.current, link.pace);
    painter.current.show(text, complete);
  }, [text, complete]);
  useEffect(() => () => painter.current?.stop(), []);

  const onClick = (event: MouseEvent) => {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    if (button === null) return;
    if (button.hasAttribute("data-bnb-copy")) copyCode(button);
    if (button.hasAttribute("data-bnb-insert")) insertCell(link.model, button, codeOf(button));
    if (button.hasAttribute("data-bnb-image")) showImage(button);
  };
  return (
    // biome-ignore lint/a11y: the buttons inside are buttons; their clicks are handled here because they come and go
    <div class={complete ? "bnb-markdown" : "bnb-markdown bnb-markdown-open"} ref={root} onClick={onClick} />
  );
}

function codeOf(button: Element): string {
  return button.closest(".bnb-code")?.querySelector("code")?.textContent ?? "";
}

async function copyCode(button: Element): Promise<void> {
  if (!(await copyText(codeOf(button)))) return;
  button.setAttribute("data-bnb-copy", "done");
  setTimeout(() => button.setAttribute("data-bnb-copy", ""), 2_000);
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
