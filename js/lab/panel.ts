// The list in the side panel: what waits for a decision in any kernel, then every chat, the newest first.

import css from "./panel.css?inline";
import type { Listed } from "./server.js";

interface Options {
  chats(): Promise<Listed[]>;
  open(chat: Listed): void;
  seconds(): number;
  isVisible(): boolean;
}

export class ChatList {
  readonly node = document.createElement("div");
  readonly #options: Options;
  #drawn = "";

  constructor(options: Options) {
    this.#options = options;
    this.node.className = "bnb-chats";
    const style = document.createElement("style");
    style.textContent = css;
    this.node.append(style, document.createElement("div"));
  }

  /** Looks now and, while it can be seen, every few seconds. */
  start(): void {
    const look = async () => {
      if (this.#options.isVisible()) await this.refresh();
      setTimeout(look, Math.max(1, this.#options.seconds()) * 1000);
    };
    void look();
    new IntersectionObserver(() => void (this.#options.isVisible() && this.refresh())).observe(this.node);
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
    const waiting = chats.filter((chat) => chat.pending > 0);
    const sections = [
      ...(waiting.length > 0 ? [this.#section("Waiting for you", waiting)] : []),
      this.#section(
        "Chats",
        chats.filter((chat) => chat.pending === 0),
        waiting.length > 0 ? "No others." : "None yet. “New agent chat” in the launcher begins one.",
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
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.bnbListed = chat.chat;
    const title = document.createElement("span");
    title.textContent = chat.title || "Untitled chat";
    const about = document.createElement("small");
    const waits = chat.pending > 0 ? `${chat.pending} waiting · ` : "";
    const turns = chat.turns === 1 ? "1 turn" : `${chat.turns} turns`;
    about.textContent = `${waits}${turns} · ${new Date(chat.updated).toLocaleString()}`;
    if (chat.pending > 0) button.className = "bnb-waits";
    button.append(title, about);
    button.addEventListener("click", () => this.#options.open(chat));
    item.append(button);
    return item;
  }
}
