// What a value of Python shows of itself: a picture, Markdown, HTML that can do nothing, or a widget of this kernel.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useSurface, useWords } from "../ui/context.js";
import { Markdown } from "../ui/Markdown.js";
import type { Shown } from "./shown.js";

const DATA = /^data:(image\/(?:png|jpeg|svg\+xml)|text\/(?:html|markdown));base64,([A-Za-z0-9+/=]+)$/;

/** Whether this is a display that can be drawn. */
export function isDisplay(url: string): boolean {
  return DATA.test(url);
}

export function Display({ url, alt }: { url: string; alt: string }) {
  const match = DATA.exec(url);
  if (match === null) return null;
  const [, type = "", body = ""] = match;
  // An image runs no script and loads nothing, an SVG in it neither.
  if (type.startsWith("image/")) return <img class="bnb-image bnb-display" src={url} alt={alt} />;
  const text = decode(body);
  return type === "text/markdown" ? <Markdown text={text} complete={true} /> : <Frame html={text} />;
}

function decode(body: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(body), (character) => character.charCodeAt(0)));
  } catch {
    return "";
  }
}

// No scripts, no requests, no navigation: what is in it can only look like something, inside its own box.
const POLICY = "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'";
const SHEET =
  "html{color-scheme:light dark}body{margin:0;font:13px/1.5 system-ui,sans-serif}" +
  "table{border-collapse:collapse}td,th{padding:3px 9px;text-align:right;border-bottom:1px solid #8884}";
const TALLEST = 600;

function Frame({ html }: { html: string }) {
  const { cards: words } = useWords();
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(120);
  const measure = () => {
    const body = frame.current?.contentDocument?.body;
    if (body) setHeight(Math.min(TALLEST, Math.max(24, body.offsetHeight + 12)));
  };
  const head = `<meta http-equiv="Content-Security-Policy" content="${POLICY}"><base target="_blank"><style>${SHEET}</style>`;
  return (
    <iframe
      ref={frame}
      class="bnb-frame"
      title={words.frame}
      // Of the same origin only so that its height can be read: without scripts nothing in it can use that.
      sandbox="allow-same-origin"
      referrerpolicy="no-referrer"
      srcdoc={`<!doctype html><html><head>${head}</head><body>${html}</body></html>`}
      style={{ height: `${height}px` }}
      onLoad={measure}
    />
  );
}

/** A widget of this kernel, or what is kept of it where this front end cannot draw it. */
export function Live({ shown, children }: { shown: Shown; children: ComponentChildren }) {
  const { shown: store } = useSurface();
  const { cards: words } = useWords();
  const place = useRef<HTMLDivElement>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    const el = place.current;
    if (el === null || store === undefined) return;
    const leaving = new AbortController();
    setFailed(false);
    store.mount(shown, el, leaving.signal).catch(() => leaving.signal.aborted || setFailed(true));
    return () => {
      leaving.abort();
      el.replaceChildren();
    };
  }, [store, shown]);
  return (
    <>
      <div class="bnb-live" ref={place} data-bnb-view={shown.view} />
      {failed && (
        <>
          <p class="bnb-note">{words.noLive}</p>
          {children}
        </>
      )}
    </>
  );
}
