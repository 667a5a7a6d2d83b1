// TeX in Markdown: `$x$`, `$$x$$`, `\(x\)` and `\[x\]`, told apart from amounts of money and from escapes.
//
// A formula is on one line, or on its own between `$$` lines or `\[` `\]`; it holds no blank line and is not endless. What
// never closes is the text that it is.

export const INLINE_LIMIT = 400;
/** Characters that a formula on lines of its own may have. */
const FORMULA_LIMIT = 4_000;

export interface Found {
  /** Characters from the opening mark to the closing one. */
  length: number;
  tex: string;
  display: boolean;
}

interface Form {
  open: string;
  close: string;
  display: boolean;
}

const FORMS: readonly Form[] = [
  { open: "$$", close: "$$", display: true },
  { open: "$", close: "$", display: false },
  { open: "\\[", close: "\\]", display: true },
  { open: "\\(", close: "\\)", display: false },
];

const BLOCK_OPENS = /^ {0,3}(?:\$\$|\\\[)/;
const BLOCK = /^ {0,3}(?:\$\$([^$]+?)\$\$|\\\[([\s\S]+?)\\\])[ \t]*(?:\n|$)/;

/** The formula that `text` begins with inside a line, or null. */
export function readInline(text: string): Found | null {
  const form = FORMS.find(({ open }) => text.startsWith(open));
  if (form === undefined) return null;
  const end = closeOf(text, form);
  if (end === -1) return null;
  const tex = text.slice(form.open.length, end);
  return { length: end + form.close.length, tex: tex.trim(), display: form.display };
}

/** Whether `text` begins with a formula that may still close, so that it is not to be shown yet. */
export function mayBecomeInline(text: string): boolean {
  if (text.length > INLINE_LIMIT || text.includes("\n")) return false;
  // `$5` is money until proven otherwise and `$HOME then two words` a variable; `$x` is not.
  if (/^\$[^$].*\s[a-z]{3,}\s[a-z]{2,}\s/i.test(text)) return false;
  return /^(?:\$$|\$\$|\$[A-Za-z\\{([|+-]|\\[([])/.test(text) && readInline(text) === null;
}

/** Where the formula of a form closes, or -1. */
function closeOf(text: string, { open, close }: Form): number {
  const line = text.slice(0, INLINE_LIMIT).split("\n", 1)[0] ?? "";
  for (let at = open.length; at < line.length; at += 1) {
    if (line.startsWith(close, at)) {
      if (open !== "$") return line.slice(open.length, at).trim() === "" ? -1 : at;
      return isTight(line.slice(1, at)) && !/[\w$]/.test(line.charAt(at + 1)) ? at : -1;
    }
    if (line.charAt(at) === "\\") at += 1;
    else if (open === "$$" && line.charAt(at) === "$") return -1;
  }
  return -1;
}

/** Pandoc's rule and a little more: no space inside the dollars, so that `$5 and $10` stays money, as `$5 or 6$` does. */
function isTight(tex: string): boolean {
  return /^\S(?:.*\S)?$/.test(tex) && (!/^\d/.test(tex) || /^[\d.,]+$|[\\^_={}]/.test(tex));
}

/** What a formula of these whole lines is: its TeX, empty while it may still close, null when it is none. */
export function blockTex(source: string): string | null {
  if (source.length >= FORMULA_LIMIT) return null;
  return readBlock(source)?.tex ?? (mayBecomeBlock(`${source}\n`) ? "" : null);
}

/** Whether lines of which the last is still written are a formula or may become one. */
export function mayBeBlock(source: string): boolean {
  return source.length < FORMULA_LIMIT && (mayBecomeBlock(source) || readBlock(source) !== null);
}

/** The formula on lines of its own that `text` begins with, or null. */
function readBlock(text: string): Found | null {
  if (!BLOCK_OPENS.test(text)) return null;
  const [raw, dollars, brackets] = BLOCK.exec(text) ?? [];
  const tex = dollars ?? brackets;
  if (raw === undefined || tex === undefined || tex.trim() === "" || /\n[ \t]*\n/.test(tex)) return null;
  return { length: raw.length, tex: tex.trim(), display: true };
}

/** Whether a formula on lines of its own that has begun in `text` may still close. */
function mayBecomeBlock(text: string): boolean {
  if (/^ {0,3}[$\\]$/.test(text)) return true;
  if (!BLOCK_OPENS.test(text)) return false;
  const opening = text.trimStart();
  const rest = opening.slice(2);
  return opening.startsWith("$$") ? !rest.includes("$") || /^[^$]+\$$/.test(rest) : !rest.includes("\\]");
}
