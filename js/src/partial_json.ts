// What of a JSON text is there already, while it streams.

/**
 * The value of `text` with everything still open closed, or undefined when nothing can be read yet. A member is there
 * once its value has begun. For showing only: what is written here so far may still change its meaning.
 */
export function partialJson(text: string): unknown {
  for (const candidate of candidates(text)) {
    try {
      return JSON.parse(candidate);
    } catch {
      // The next candidate drops more of the ending.
    }
  }
  return undefined;
}

/** From "everything kept" to "the last incomplete member dropped". */
function candidates(text: string): string[] {
  const stack: ("}" | "]")[] = [];
  let inString = false;
  let isKey = false;
  let before = "";
  let safe = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (inString) {
      if (character === "\\") at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') {
      inString = true;
      isKey = stack.at(-1) === "}" && before !== ":";
      before = character;
    } else if (/\S/.test(character)) {
      before = character;
      if (character === "{") stack.push("}");
      else if (character === "[") stack.push("]");
      else if (character === "}" || character === "]") stack.pop();
      if (character === "{" || character === "[") safe = at + 1;
      else if (character === ",") safe = at;
    }
  }
  const ending = [...stack].reverse().join("");
  const dropped = text.slice(0, safe) + ending;
  if (inString)
    return isKey ? [dropped] : [`${text.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, "")}"${ending}`, dropped];
  // `12.` and `12e+` are not numbers yet, `12` is.
  return [text + ending, text.replace(/[.eE][+-]?$/, "") + ending, dropped];
}
