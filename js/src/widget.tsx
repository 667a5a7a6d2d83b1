// The anywidget module, as the loader finds it in the core. One factory call is one model, with any number of views.

import { render } from "preact";
import { Link, type Model } from "./link.js";
import { placeStyle } from "./styles/place.js";
import { browser } from "./surroundings.js";
import { wordsFor } from "./text/words.js";
import { App } from "./ui/App.js";

interface InitializeProps {
  model: Model;
  signal?: AbortSignal;
  /** What the kernel said before this module was there. */
  missed?: readonly unknown[];
}

interface RenderProps extends InitializeProps {
  el: HTMLElement;
}

export default () => {
  let link: Link | null = null;

  const open = (model: Model): Link => {
    link ??= new Link(model, browser);
    return link;
  };

  return {
    /** Registers listeners and returns: a kernel's answer cannot arrive before this has returned. */
    initialize({ model, signal, missed = [] }: InitializeProps): void {
      const opened = open(model);
      for (const message of missed) opened.receive(message);
      signal?.addEventListener("abort", () => opened.close());
    },

    /** Draws one view; every view of a model draws the same store. */
    render({ model, el }: RenderProps): () => void {
      const opened = open(model);
      placeStyle(el);
      render(<App link={opened} words={wordsFor(document.documentElement.lang || navigator.language)} />, el);
      opened.start();
      return () => render(null, el);
    },
  };
};
