// Draws a saved chat with the widget's own components and no kernel: as an output, as a `.bitte.json` file, or from the
// history. It is the widget with a line to nobody, so that it shows everything and can do nothing.

import { Files } from "../src/loader/files.js";
import { browserMeans, PLACE } from "../src/loader/means.js";
import { PROTOCOL, readMessage } from "../src/protocol.js";
import type { Jupyter, LuminoWidget } from "./jupyter.js";
import { Server } from "./server.js";
import { labWords } from "./text/words.js";

declare const CORE: readonly string[];

export const MIME_TYPE = "application/vnd.bitte.chat+json";

interface Core {
  initialize(props: { model: unknown }): void;
  render(props: { model: unknown; el: HTMLElement }): () => void;
}

/** Draws a snapshot into an element; returns what takes it away. Throws where it cannot be drawn. */
export async function drawSaved(server: Server, el: HTMLElement, snapshot: unknown): Promise<() => void> {
  const shared = globalThis as unknown as Record<symbol, Files>;
  shared[PLACE] ??= new Files(browserMeans);
  const files = shared[PLACE];
  const ask = (names: readonly string[]) => {
    void server.files(names).then((sent) => files.take(sent));
  };
  files.join(ask);
  const module = (await files.load(CORE)) as { default(): Core };
  const core = module.default();
  const model = {
    get: (name: string) => (name === "snapshot" ? snapshot : undefined),
    on: () => {},
    set: () => {},
    save_changes: () => {},
    send: () => {
      throw new Error("a saved chat has no kernel");
    },
  };
  el.classList.add("bnb-saved");
  core.initialize({ model });
  return core.render({ model, el });
}

/** The saved chat that a file or an output holds, or a sentence about why it cannot be shown. */
export function readSaved(data: unknown): object | string {
  let value = data;
  try {
    if (typeof data === "string") value = JSON.parse(data);
  } catch {
    return labWords().damaged;
  }
  const saved = readMessage(value);
  if (saved?.type !== "snapshot") return labWords().notSaved;
  return saved.protocol === PROTOCOL ? saved : labWords().otherRelease;
}

/** The renderer for JupyterLab's outputs and files (`IRenderMime.IExtension`). */
export function savedChats(jupyter: Jupyter): unknown {
  class SavedChat extends (jupyter.widgets.Widget as new () => LuminoWidget) {
    #clean = () => {};

    constructor() {
      super();
      this.addClass("jp-BitteChat");
      this.node.style.cssText = "height: 100%; overflow: auto;";
    }

    async renderModel(model: { data: Record<string, unknown> }): Promise<void> {
      this.#clean();
      this.#clean = () => {};
      const el = document.createElement("div");
      this.node.replaceChildren(el);
      const snapshot = readSaved(model.data[MIME_TYPE]);
      if (typeof snapshot === "string") {
        el.textContent = snapshot;
        const transcript = model.data["text/plain"];
        if (typeof transcript === "string") {
          const text = el.appendChild(document.createElement("pre"));
          text.style.whiteSpace = "pre-wrap";
          text.textContent = transcript;
        }
        return;
      }
      this.#clean = await drawSaved(new Server(jupyter, serverSettings()), el, snapshot);
    }

    override dispose(): void {
      this.#clean();
      super.dispose();
    }
  }

  return [
    {
      id: "bitte-nb:saved-chats",
      rendererFactory: { safe: true, mimeTypes: [MIME_TYPE], createRenderer: () => new SavedChat() },
      // Before HTML and Markdown, which are beside it for everybody else.
      rank: 10,
      // As text: JupyterLab would answer a damaged file with the fault of its JSON parser instead of a sentence.
      dataType: "string",
      fileTypes: [
        {
          name: "bitte-chat",
          displayName: "Agent chat",
          extensions: [".bitte.json"],
          mimeTypes: [MIME_TYPE],
          fileFormat: "text",
        },
      ],
      documentWidgetFactoryOptions: {
        name: "Agent chat",
        primaryFileType: "bitte-chat",
        fileTypes: ["bitte-chat"],
        defaultFor: ["bitte-chat"],
      },
    },
  ];

  function serverSettings(): { baseUrl: string } {
    const { ServerConnection } = jupyter.services as unknown as {
      ServerConnection: { makeSettings(): { baseUrl: string } };
    };
    return ServerConnection.makeSettings();
  }
}
