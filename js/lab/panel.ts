// The list in the side panel: what waits for a decision in any kernel, then every chat, the newest first.

import { dayAndTime } from "../src/format.js";
import css from "./panel.css?inline";
import type { Listed } from "./server.js";
import type { LabStrings } from "./text/en.js";

interface Options {
  words: LabStrings;
  chats(): Promise<Listed[]>;
  open(chat: Listed): void;
  seconds(): number;
  isVisible(): boolean;
}

export class ChatList {
  readonly node = document.createElement("div");
  readonly #options: Options;
  #drawn = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.node.className = "bnb-chats";
    const style = document.createElement("style");
    style.textContent = css;
    this.node.append(style, document.createElement("div"));
  }

  /** Looks now and, while it can be seen, every few seconds. */
  start(): void {
    this.#look();
    new IntersectionObserver(() => void (this.#options.isVisible() && this.refresh())).observe(this.node);
  }

  /** Waits anew, after the time between two looks was changed. */
  wake(): void {
    if (this.#timer !== undefined) this.#look();
  }

  #look(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), Math.max(1, this.#options.seconds()) * 1000);
    if (this.#options.isVisible()) void this.refresh();
  }

  async refresh(): Promise<void> {
    try {
      const chats = await this.#options.chats();
      const seen = JSON.stringify(chats);
      if (seen === this.#drawn) return;
      this.#drawn = seen;
      this.#draw(chats);
    } catch (error) {
      this.#drawn = "";
      const line = document.createElement("p");
      line.setAttribute("role", "alert");
      line.textContent = error instanceof Error ? error.message : String(error);
      this.node.lastElementChild?.replaceChildren(line);
    }
  }

  #draw(chats: readonly Listed[]): void {
    const { words } = this.#options;
    const waiting = chats.filter((chat) => chat.pending > 0);
    const sections = [
      ...(waiting.length > 0 ? [this.#section(words.waiting, waiting)] : []),
      this.#section(
        words.chats,
        chats.filter((chat) => chat.pending === 0),
        waiting.length > 0 ? words.noOthers : words.none,
      ),
    ];
    this.node.lastElementChild?.replaceChildren(...sections);
  }

  #section(name: string, chats: readonly Listed[], without = ""): HTMLElement {
    const section = document.createElement("section");
    const head = document.createElement("h2");
    head.textContent = name;
    section.append(head);
    if (chats.length === 0) {
      const none = document.createElement("p");
      none.textContent = without;
      section.append(none);
      return section;
    }
    const list = document.createElement("ul");
    list.append(...chats.map((chat) => this.#item(chat)));
    section.append(list);
    return section;
  }

  #item(chat: Listed): HTMLElement {
    const { words } = this.#options;
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.bnbListed = chat.chat;
    const title = document.createElement("span");
    title.textContent = chat.title || words.untitled;
    const about = document.createElement("small");
    const parts = [
      ...(chat.pending > 0 ? [words.pending(chat.pending)] : []),
      words.turns(chat.turns),
      dayAndTime(chat.updated, document.documentElement.lang.replace("_", "-") || undefined),
    ];
    about.textContent = parts.join(" · ");
    if (chat.pending > 0) button.className = "bnb-waits";
    button.append(title, about);
    button.addEventListener("click", () => this.#options.open(chat));
    item.append(button);
    return item;
  }
}
