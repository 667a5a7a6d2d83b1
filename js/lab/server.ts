// What the server half answers; see bitte_nb/lab_server.py.

import type { Jupyter } from "./jupyter.js";
import { labWords } from "./text/words.js";

export interface Listed {
  chat: string;
  title: string;
  /** Milliseconds since the epoch. */
  updated: number;
  turns: number;
  /** How many calls wait for a person. */
  pending: number;
}

export class Server {
  readonly #jupyter: Jupyter;
  readonly #settings: { baseUrl: string };

  constructor(jupyter: Jupyter, settings: { baseUrl: string }) {
    this.#jupyter = jupyter;
    this.#settings = settings;
  }

  chats(): Promise<Listed[]> {
    return this.#get("chats") as Promise<Listed[]>;
  }

  chat(id: string): Promise<unknown> {
    return this.#get(`chats/${encodeURIComponent(id)}`);
  }

  async files(names: readonly string[]): Promise<Record<string, string>> {
    const query = names.map((name) => `name=${encodeURIComponent(name)}`).join("&");
    return ((await this.#get(`files?${query}`)) as { files: Record<string, string> }).files;
  }

  async #get(path: string): Promise<unknown> {
    const url = `${this.#settings.baseUrl}bitte-nb/${path}`;
    const words = labWords();
    const { makeRequest } = this.#jupyter.services.ServerConnection;
    const response = await makeRequest(url, {}, this.#settings).catch((error) => {
      throw new Error(words.noAnswer(error instanceof Error ? error.message : String(error)));
    });
    const answer = response.headers.get("content-type")?.includes("json") ? await response.json() : null;
    if (response.status === 404 && path.startsWith("chats/")) throw new Error(words.noChat);
    if (!response.ok)
      throw new Error(answer?.message || words.refused(`${response.status} ${response.statusText}`.trim()));
    return answer;
  }
}
