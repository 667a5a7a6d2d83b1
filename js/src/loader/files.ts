// The files of the page part that this page has, and the way to the ones it has not.
//
// A file comes from a kernel as text, in answer to a widget's message, so that it needs no address, no server and no
// trait. It is linked once per page, whichever widget asked and whichever widget got the answer.

/** Sends a request for files to one widget's kernel; throws or does nothing where nobody is there. */
export type Asker = (names: readonly string[]) => void;

/** Time and the linking of modules, passed in. */
export interface Means {
  later(run: () => void, milliseconds: number): () => void;
  /** Makes an address of a module's text. */
  address(text: string): string;
  link(address: string): Promise<unknown>;
}

export const PATIENCE = {
  /** The kernel sends the core unasked with its first widget; so long it is waited for. */
  first: 120,
  /** An unanswered request is sent again after so long, then after twice as long, and so on up to the longest. */
  again: 1_500,
  longest: 12_000,
} as const;

interface File {
  address: Promise<string>;
  module: Promise<unknown>;
  arrive: ((text: string) => void) | null;
}

export class Files {
  readonly #means: Means;
  readonly #files = new Map<string, File>();
  // The last one is asked first: it is the newest, or was heard last.
  #askers: Asker[] = [];
  #stop: (() => void) | null = null;

  constructor(means: Means) {
    this.#means = means;
  }

  /** The module of the last name; the names before it are what it imports, in an order in which they can be linked. */
  load(names: readonly string[]): Promise<unknown> {
    const wanted = names.map((name) => this.#file(name));
    this.#ask(PATIENCE.first, PATIENCE.again);
    return wanted.at(-1)?.module ?? Promise.reject(new Error("no file was named"));
  }

  /** Takes files that a kernel sent. */
  take(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      const file = this.#file(name);
      file.arrive?.(text);
      file.arrive = null;
    }
  }

  /** Makes a widget's kernel one that can be asked. */
  join(asker: Asker): void {
    this.#askers.push(asker);
    if (this.#stop !== null) this.#ask(PATIENCE.first, PATIENCE.again);
  }

  /** A kernel spoke: it is the one to ask. */
  heard(asker: Asker): void {
    if (this.#askers.at(-1) !== asker && this.#askers.includes(asker)) {
      this.leave(asker);
      this.#askers.push(asker);
    }
  }

  leave(asker: Asker): void {
    this.#askers = this.#askers.filter((one) => one !== asker);
  }

  #file(name: string): File {
    const known = this.#files.get(name);
    if (known !== undefined) return known;
    let arrive: File["arrive"] = null;
    const text = new Promise<string>((resolve) => {
      arrive = resolve;
    });
    const address = text.then(async (source) => this.#means.address(await this.#resolved(source)));
    const module = address.then((where) => this.#means.link(where));
    const file = { address, module, arrive };
    this.#files.set(name, file);
    return file;
  }

  /** The text with the addresses of the files that it imports. */
  async #resolved(text: string): Promise<string> {
    let resolved = text;
    for (const [quoted, name] of new Map(
      [...text.matchAll(/"\.\/([\w.-]+\.js)"/g)].map((match) => [match[0], match[1] as string]),
    )) {
      const known = this.#files.get(name);
      if (known !== undefined) resolved = resolved.replaceAll(quoted, JSON.stringify(await known.address));
    }
    return resolved;
  }

  #ask(wait: number, next: number): void {
    this.#stop?.();
    this.#stop = null;
    if (this.#missing().length === 0) return;
    this.#stop = this.#means.later(() => {
      const names = this.#missing();
      const asker = this.#askers.at(-1);
      if (names.length > 0 && asker !== undefined) {
        // Whoever does not answer is asked last the next time.
        this.#askers.unshift(this.#askers.pop() as Asker);
        try {
          asker(names);
        } catch {
          // Its kernel is gone; another widget's may not be.
        }
      }
      this.#ask(next, Math.min(next * 2, PATIENCE.longest));
    }, wait);
  }

  #missing(): string[] {
    return [...this.#files].filter(([, file]) => file.arrive !== null).map(([name]) => name);
  }
}
