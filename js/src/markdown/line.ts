// One line as the block parser walks through it: indentation is counted in columns, and a tab reaches the next fourth.

const TAB = 4;

export class Line {
  readonly #text: string;
  #at = 0;
  #column = 0;
  /** Columns left of a tab that was entered but not crossed. */
  #spare = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** What has not been walked through. */
  get rest(): string {
    return " ".repeat(this.#spare) + this.#text.slice(this.#at);
  }

  /** What is left, without white space in front. */
  get trimmed(): string {
    return this.#text.slice(this.#content());
  }

  get isBlank(): boolean {
    return this.#content() === this.#text.length;
  }

  /** Columns of white space in front of what is left. */
  get indent(): number {
    let column = this.#column + this.#spare;
    for (let at = this.#at; ; at += 1) {
      const character = this.#text.charAt(at);
      if (character === " ") column += 1;
      else if (character === "\t") column += TAB - (column % TAB);
      else return column - this.#column;
    }
  }

  /** Walks through at most so many columns of white space. */
  skip(columns: number): void {
    let left = columns;
    while (left > 0) {
      if (this.#spare > 0) {
        this.#spare -= 1;
      } else {
        const character = this.#text.charAt(this.#at);
        if (character === "\t") this.#spare = TAB - (this.#column % TAB) - 1;
        else if (character !== " ") return;
        this.#at += 1;
      }
      this.#column += 1;
      left -= 1;
    }
  }

  /** Walks through all white space and `length` characters behind it. */
  take(length: number): void {
    this.skip(Number.POSITIVE_INFINITY);
    this.#at += length;
    this.#column += length;
  }

  #content(): number {
    let at = this.#at;
    while (this.#text.charAt(at) === " " || this.#text.charAt(at) === "\t") at += 1;
    return at;
  }
}
