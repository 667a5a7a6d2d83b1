// Where what a paragraph holds ends: code, and words that are certain.

/** Past the run of `length` backticks that ends a code span, or -1. */
export function codeEnd(text: string, length: number): number {
  const runs = /`+/g;
  for (let found = runs.exec(text); found !== null; found = runs.exec(text))
    if (found[0].length === length) return runs.lastIndex;
  return -1;
}

/** The last place in a stretch of text that has one space before it and a letter behind it, -1 for none. */
export function lastBoundary(text: string, from: number, to: number): number {
  for (let at = to; at > from + 1; at -= 1) {
    if (text.charAt(at - 1) === " " && /\S/.test(text.charAt(at)) && /\S/.test(text.charAt(at - 2)))
      return at;
  }
  return -1;
}
