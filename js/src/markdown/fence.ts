// An open code fence: its lines are appended as text, whatever they are, until the line that closes it.

import { languageOf } from "./dom.js";

export interface Opening {
  /** The whole first line with its line break. */
  line: string;
  /** The run of backticks or tildes. */
  marker: string;
  language: string;
}

const OPENS = /^ {0,3}(`{3,}(?=[^`\n]*\n)|~{3,}(?=[^\n]*\n))([^\n]*)\n/;
// What grows is laid out again as a whole: the code grows by a block of its own per so many lines.
const PART_LINES = 32;

/** The fence that `text` begins with, once its first line is whole. */
export function readOpening(text: string): Opening | null {
  const match = OPENS.exec(text);
  if (match === null) return null;
  const [line, marker = "", info = ""] = match;
  return { line, marker, language: languageOf(info) };
}

export class OpenFence {
  readonly #code: Element;
  readonly #closes: RegExp;
  /** How much of the text is painted, the first line included. */
  #painted: number;
  /** Where the next line to look at starts. */
  #line: number;
  #part: Text | null = null;
  /** Line breaks in the part. */
  #breaks = 0;

  constructor(code: Element, opening: Opening) {
    this.#code = code;
    this.#closes = new RegExp(`^ {0,3}${opening.marker}[~\`]* *$`);
    this.#painted = opening.line.length;
    this.#line = opening.line.length;
  }

  /** Appends what is new in `text`, which starts with the fence. Where the fence ends, or null while it is open. */
  grow(text: string, { finished }: { finished: boolean }): number | null {
    for (;;) {
      const end = text.indexOf("\n", this.#line);
      const line = text.slice(this.#line, end === -1 ? undefined : end);
      if (this.#closes.test(line) && (end !== -1 || finished)) return end === -1 ? text.length : end + 1;
      if (end === -1) break;
      this.#line = end + 1;
    }
    if (finished) return text.length;
    const partial = text.slice(this.#line);
    // The last line break is not part of the code until another line follows it.
    const certain = partial === "" || /^ {0,3}[`~]*[`~ ]*$/.test(partial) ? this.#line - 1 : text.length;
    if (certain > this.#painted) {
      this.#append(text.slice(this.#painted, certain));
      this.#painted = certain;
    }
    return null;
  }

  #append(text: string): void {
    for (const line of text.split(/(?<=\n)/)) {
      if (this.#part === null || this.#breaks >= PART_LINES) {
        const part = document.createElement("span");
        part.className = "bnb-code-part";
        this.#part = part.appendChild(document.createTextNode(""));
        this.#breaks = 0;
        this.#code.append(part);
      }
      this.#part.appendData(line);
      if (line.endsWith("\n")) this.#breaks += 1;
    }
  }
}
