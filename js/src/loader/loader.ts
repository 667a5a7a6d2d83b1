// What every widget carries: it fetches the page part from the kernel once per page and hands everything to it.
//
// Of the front end it needs anywidget's contract and nothing else: `model.on` and `model.send`.

import { Files } from "./files.js";
import { browserMeans, PLACE } from "./means.js";

/** The files of the core, each after the ones it imports; written in by the build. */
declare const CORE: readonly string[];

interface Model {
  on(name: string, callback: (content: unknown) => void): void;
  send(content: unknown): void;
}

interface Initialize {
  model: Model;
  signal?: AbortSignal;
}

interface Render extends Initialize {
  el: HTMLElement;
}

/** The core, as it looks from here. `missed` is what the kernel said before the core was there. */
interface Core {
  initialize(props: Initialize & { missed: readonly unknown[] }): void;
  render(props: Render): () => void;
}

// After so long without the core the page says what is missing.
const SILENCE = 5_000;
const MAX_MISSED = 500;

const WORDS = {
  en: "This chat is not connected to a kernel. Its transcript is below; to go on with it, run its cell again.",
  pt: "Este chat não está conectado a um kernel. A transcrição está abaixo; para continuar, execute a célula de novo.",
};

const shared = globalThis as unknown as Record<symbol, Files>;
shared[PLACE] ??= new Files(browserMeans);
const files = shared[PLACE];

export default () => {
  const missed: unknown[] = [];
  let core: Promise<Core> | null = null;

  const start = ({ model, signal }: Initialize): Promise<Core> => {
    const ask = (names: readonly string[]) => model.send({ type: "files", names });
    let here = false;
    model.on("msg:custom", (content) => {
      files.heard(ask);
      const sent = filesIn(content);
      if (sent !== null) files.take(sent);
      else if (!here && missed.length < MAX_MISSED) missed.push(content);
    });
    files.join(ask);
    signal?.addEventListener("abort", () => files.leave(ask));
    return files.load(CORE).then((module) => {
      const made = (module as { default: () => Core }).default();
      here = true;
      made.initialize({ model, missed, ...(signal && { signal }) });
      return made;
    });
  };

  return {
    /** Registers its listener and returns: some front ends drop messages until this has returned. */
    initialize(props: Initialize): void {
      core ??= start(props);
    },

    /** Returns at once, and draws once the core is here. */
    render(props: Render): () => void {
      core ??= start(props);
      let clean = () => {};
      let closed = false;
      const timer = setTimeout(() => {
        const language = document.documentElement.lang || navigator.language;
        props.el.textContent = language.startsWith("pt") ? WORDS.pt : WORDS.en;
      }, SILENCE);
      void core.then((made) => {
        clearTimeout(timer);
        if (closed) return;
        props.el.replaceChildren();
        clean = made.render(props);
      });
      return () => {
        closed = true;
        clearTimeout(timer);
        clean();
      };
    },
  };
};

function filesIn(content: unknown): Record<string, string> | null {
  const message = content as { type?: unknown; files?: unknown } | null;
  return message?.type === "files" && typeof message.files === "object"
    ? (message.files as Record<string, string>)
    : null;
}
