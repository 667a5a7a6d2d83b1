// The anywidget module, as the loader finds it in the core. One factory call is one model, with any number of views.

import { render } from "preact";
import { type Host, ShownStore } from "./cards/shown.js";
import { Link, type Model } from "./link.js";
import { placeStyle } from "./styles/place.js";
import { browser } from "./surroundings.js";
import { inLanguage } from "./text/words.js";
import { App } from "./ui/App.js";

interface InitializeProps {
  model: Model;
  signal?: AbortSignal;
  /** What the kernel said before this module was there. */
  missed?: readonly unknown[];
}

interface RenderProps extends InitializeProps {
  el: HTMLElement;
  /** Draws other widgets; newer than the rest of the contract. */
  host?: Host;
}

export default () => {
  let link: Link | null = null;
  let shown: ShownStore | null = null;

  const open = (model: Model): { link: Link; shown: ShownStore } => {
    shown ??= new ShownStore(model);
    link ??= new Link(model, browser);
    return { link, shown };
  };

  return {
    /** Registers listeners and returns: a kernel's answer cannot arrive before this has returned. */
    initialize({ model, signal, missed = [] }: InitializeProps): void {
      const opened = open(model);
      for (const message of missed) {
        opened.link.receive(message);
        opened.shown.receive(message);
      }
      signal?.addEventListener("abort", () => opened.link.close());
    },

    /** Draws one view; every view of a model draws the same store. */
    render({ model, el, host }: RenderProps): () => void {
      const opened = open(model);
      opened.shown.host ??= host ?? null;
      placeStyle(el);
      let closed = false;
      inLanguage(document.documentElement.lang || navigator.language, (words) => {
        if (!closed) render(<App link={opened.link} shown={opened.shown} words={words} />, el);
      });
      opened.link.start();
      return () => {
        closed = true;
        render(null, el);
      };
    },
  };
};
