// What of a JSON text is there already, while it streams.

/**
 * The value of `text` with everything still open closed, or undefined when nothing can be read yet.
 * For showing only: what is written here so far may still change its meaning.
 */
export function partialJson(text: string): unknown {
  const closed = closeAll(text);
  for (const candidate of closed) {
    try {
      return JSON.parse(candidate);
    } catch {
      // The next candidate drops more of the ending.
    }
  }
  return undefined;
}

/** Candidates from "everything kept" to "the last incomplete member dropped". */
function closeAll(text: string): string[] {
  const stack: string[] = [];
  let inString = false;
  let lastSafe = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (inString) {
      if (character === "\\") at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{" || character === "[") {
      stack.push(character === "{" ? "}" : "]");
      lastSafe = at + 1;
    } else if (character === "}" || character === "]") stack.pop();
    else if (character === ",") lastSafe = at;
  }
  const ending = [...stack].reverse().join("");
  const kept = inString ? `${text.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, "")}"` : text;
  const dropped = text.slice(0, lastSafe);
  return [
    kept + ending,
    `${kept}null${ending}`,
    `${kept}:null${ending}`,
    // `tru` and `12e` and `-` are not values yet.
    kept.replace(/(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-|[eE][+-]?|\.)$/, "") + ending,
    `${kept.replace(/[a-z.+-]+$/i, "")}null${ending}`,
    dropped + ending,
  ];
}
