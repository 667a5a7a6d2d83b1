// A request as one text, in the form of an HTTP message (RFC 9112) that names its server in full.

import type { InvocationView } from "./protocol.js";

/** What leaves, as the card shows it: what is secret or made while sending stands there in words. */
export function httpMessage(view: Pick<InvocationView, "method" | "url" | "headers" | "body">): string {
  const host = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(view.url)?.[1] ?? "";
  const lines = [
    `${view.method} ${view.url} HTTP/1.1`,
    ...(host === "" ? [] : [`Host: ${host}`]),
    ...Object.entries(view.headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${lines.join("\n")}\n\n${view.body}`;
}
