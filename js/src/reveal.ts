// Characters that a person cannot see but that change what a text says or how it reads.

export type Piece = { kind: "text"; text: string } | { kind: "hidden"; code: string; name: string };

// Control characters but line break and tab, bidirectional controls (UAX 9), zero-width and filler characters,
// interlinear marks, tags, and halves of surrogate pairs.
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Surrogate}/gu;

const NAMES: Record<string, string> = {
  "\u202a": "left-to-right embedding",
  "\u202b": "right-to-left embedding",
  "\u202c": "end of direction",
  "\u202d": "left-to-right override",
  "\u202e": "right-to-left override",
  "\u2066": "left-to-right isolate",
  "\u2067": "right-to-left isolate",
  "\u2068": "first strong isolate",
  "\u2069": "end of isolate",
  "\u200b": "zero-width space",
  "\u200c": "zero-width non-joiner",
  "\u200d": "zero-width joiner",
  "\u200e": "left-to-right mark",
  "\u200f": "right-to-left mark",
  "\ufeff": "byte order mark",
  "\u00ad": "soft hyphen",
  "\u0000": "null",
  "\r": "carriage return",
};

/** The text in pieces, every hidden character a piece of its own; the joiners inside emoji are left alone. */
export function reveal(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  const keep = (to: number) => {
    if (to > from) pieces.push({ kind: "text", text: text.slice(from, to) });
  };
  for (const match of text.matchAll(HIDDEN)) {
    const [character] = match;
    if (character === "\u200d" && joinsEmoji(text, match.index)) continue;
    keep(match.index);
    const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
    pieces.push({ kind: "hidden", code, name: NAMES[character] ?? "invisible character" });
    from = match.index + character.length;
  }
  keep(text.length);
  return pieces;
}

function joinsEmoji(text: string, at: number): boolean {
  return (
    /\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?$/u.test(text.slice(0, at)) &&
    /^\p{Extended_Pictographic}/u.test(text.slice(at + 1))
  );
}
