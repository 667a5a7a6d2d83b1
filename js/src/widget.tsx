// The anywidget module. Its state lives in the factory's closure: some front ends import it once for all widgets.

import { render } from "preact";
import { Link, type Model } from "./link.js";
import { browser } from "./surroundings.js";
import { wordsFor } from "./text/words.js";
import { App } from "./ui/App.js";
import "./styles/index.css";

interface InitializeProps {
  model: Model;
  signal?: AbortSignal;
}

interface RenderProps extends InitializeProps {
  el: HTMLElement;
}

export default () => {
  // Jupyter gives `initialize` and every view another proxy of one model: the trait tells which belong together.
  const links = new Map<unknown, Link>();

  const linkOf = (model: Model): Link => {
    const key = model.get("instance");
    const known = links.get(key);
    if (known !== undefined) return known;
    const link = new Link(model, browser);
    links.set(key, link);
    return link;
  };

  return {
    /** Registers listeners and returns: a kernel's answer cannot arrive before this has returned. */
    initialize({ model, signal }: InitializeProps): void {
      const link = linkOf(model);
      signal?.addEventListener("abort", () => {
        link.close();
        links.delete(model.get("instance"));
      });
    },

    /** Draws one view; every view of a model draws the same store. */
    render({ model, el }: RenderProps): () => void {
      const link = linkOf(model);
      render(<App link={link} words={wordsFor(document.documentElement.lang || navigator.language)} />, el);
      link.start();
      return () => render(null, el);
    },
  };
};
