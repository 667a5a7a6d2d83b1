// Addresses that are links by themselves: in angle brackets (CommonMark), and bare ones (GFM).

export interface Autolink {
  /** Characters of the source. */
  length: number;
  text: string;
  href: string;
}

const ANGLE = /<([a-z][a-z0-9+.-]{1,31}:[^\s<>]*)>|<([a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9.-]+)>/iy;
const BARE = /(https?:\/\/|ftp:\/\/|www\.)(?:[a-z0-9_-]+\.?)+[^\s<]*/iy;
/** Where a bare address, or the local part of a mail address, may begin. */
const BEGINS =
  /(?<![a-z0-9])(?:https?:\/\/|ftp:\/\/|www\.)|(?<![a-z0-9._+-])[a-z0-9._+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+/gi;

/** The address in angle brackets at `at`, or null. */
export function angleLink(text: string, at: number): Autolink | null {
  ANGLE.lastIndex = at;
  const found = ANGLE.exec(text);
  if (found === null) return null;
  const [raw, url, mail] = found;
  return { length: raw.length, text: url ?? mail ?? "", href: url ?? `mailto:${mail}` };
}

/** The first bare address that begins in `text` between the two places, and where; before `open` it ends with a bracket. */
export function bareLink(
  text: string,
  [from, to]: readonly [number, number],
  open: number,
): (Autolink & { at: number }) | null {
  if (!/:\/\/|www\.|@/i.test(text.slice(from, to))) return null;
  const within = text.slice(0, to);
  BEGINS.lastIndex = from;
  for (let found = BEGINS.exec(within); found !== null; found = BEGINS.exec(within)) {
    const [start] = found;
    const at = found.index;
    if (start.includes("@")) {
      const mail = start.replace(/[-_.]+$/, "");
      return { at, length: mail.length, text: mail, href: `mailto:${mail}` };
    }
    BARE.lastIndex = at;
    const address = BARE.exec(text);
    if (address === null) continue;
    const bracket = at < open ? address[0].indexOf("]") : -1;
    const url = withoutEnding(bracket === -1 ? address[0] : address[0].slice(0, bracket));
    return { at, length: url.length, text: url, href: /^www\./i.test(url) ? `http://${url}` : url };
  }
  return null;
}

/** Without the marks that end a sentence around an address. */
function withoutEnding(address: string): string {
  let url = address;
  for (;;) {
    const shorter = url.replace(/(?:[?!.,:*_~'"]+|&[a-z0-9]+;)$/i, "");
    const closes = shorter.endsWith(")") && count(shorter, ")") > count(shorter, "(");
    const next = closes ? shorter.slice(0, -1) : shorter;
    if (next === url) return url;
    url = next;
  }
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}
