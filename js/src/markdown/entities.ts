// Character references (CommonMark 0.31 section 2.5) as the characters they stand for.

const REFERENCE = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|[A-Za-z][A-Za-z0-9]{1,31});/g;

/** Replaces `&copy;`, `&#35;` and `&#X22;`; unknown names stay as they are. */
export function decodeEntities(text: string): string {
  return text.includes("&") ? text.replace(REFERENCE, decode) : text;
}

function decode(reference: string, decimal: string | undefined, hex: string | undefined): string {
  if (decimal !== undefined) return fromCode(Number.parseInt(decimal, 10));
  if (hex !== undefined) return fromCode(Number.parseInt(hex, 16));
  // A textarea holds text only: the name, and nothing else, is looked up in the browser's own table.
  const area = document.createElement("textarea");
  area.innerHTML = reference;
  return area.value;
}

function fromCode(code: number): string {
  const valid = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return valid ? String.fromCodePoint(code) : "\ufffd";
}
