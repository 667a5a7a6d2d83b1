// An open code fence: its lines are appended as text, whatever they are, and coloured once it closes.

// What grows is laid out again as a whole: the code grows by a block of its own per so many lines.
const PART_LINES = 32;

export class GrowingCode {
  readonly element: Element;
  readonly #code: Element;
  /** The line that is painted last, and how many characters of it. */
  #line = 0;
  #painted = 0;
  #part: Text | null = null;

  constructor(element: Element) {
    this.element = element;
    this.#code = element.querySelector("code") ?? element;
  }

  /** Appends what is new; the last line break is not part of the code until another line follows it. */
  grow(lines: readonly string[]): void {
    let text = "";
    for (; this.#line < lines.length; this.#line += 1) {
      const line = lines[this.#line] ?? "";
      text += line.slice(this.#painted);
      this.#painted = line.length;
      if (this.#line === lines.length - 1) break;
      text += "\n";
      this.#painted = 0;
      if ((this.#line + 1) % PART_LINES !== 0) continue;
      this.#append(text);
      this.#part = null;
      text = "";
    }
    this.#append(text);
  }

  #append(text: string): void {
    if (text === "") return;
    if (this.#part !== null) {
      this.#part.appendData(text);
      return;
    }
    const part = document.createElement("span");
    part.className = "bnb-code-part";
    this.#part = part.appendChild(document.createTextNode(text));
    this.#code.append(part);
  }
}
