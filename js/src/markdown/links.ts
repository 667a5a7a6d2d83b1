// Which addresses a message may link to or show; everything else stays text.

const LINKABLE = new Set(["http:", "https:", "mailto:"]);
const INLINE_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/=\s]+$/i;

/** The normalised address when it is absolute http, https or mailto; null for every other one. */
export function safeLink(href: string): string | null {
  const url = parse(href);
  return url !== null && LINKABLE.has(url.protocol) ? url.href : null;
}

/** An image that can be shown without asking anybody: a raster picture inside the text itself. */
export function inlineImage(href: string): string | null {
  return INLINE_IMAGE.test(href) ? href : null;
}

/** An image elsewhere: loading it tells its host that the message was read, so a person has to ask for it. */
export function remoteImage(href: string): URL | null {
  const url = parse(href);
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") ? url : null;
}

/**
 * The real host of a link whose text names another one, such as `[https://bank.example](https://evil.example)`, or whose
 * address is made to be misread: a name in front of the host (`https://bank.example@evil.example`), or letters that look
 * like others. Null when it is none of these.
 */
export function disguisedHost(text: string, href: string): string | null {
  const claimed = /^\s*(?:[a-z][a-z0-9+.-]*:\/\/)?([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?:[:/?#]\S*)?\s*$/i.exec(
    text,
  )?.[1];
  const url = parse(href);
  if (url === null || url.protocol === "mailto:") return null;
  if (url.username !== "" || url.password !== "" || /(?:^|\.)xn--/.test(url.hostname)) return url.host;
  if (claimed === undefined) return null;
  const bare = (host: string) => host.toLowerCase().replace(/^www\./, "");
  return bare(claimed) === bare(url.hostname) ? null : url.host;
}

function parse(href: string): URL | null {
  try {
    return new URL(href);
  } catch {
    return null;
  }
}
