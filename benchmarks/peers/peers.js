// Ways to paint a streamed answer that are products of others, each as its own documentation shows, for js/dev/bench.ts.

import { Sanitizer } from "@jupyterlab/apputils/lib/sanitizer.js";
import { renderMarkdown } from "@jupyterlab/rendermime/lib/renderers.js";
import { marked } from "marked";
import { createElement } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import Markdown from "react-markdown";
import remarkGfm from "remark-gfm";
import { Streamdown } from "streamdown";

/** Another task: what React put off for it has run before. */
const nextTask = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = resolve;
    port2.postMessage(null);
  });

/** A React component given the whole text; what it renders in a transition counts too. */
function byReact(component, props) {
  return (root) => {
    const view = createRoot(root);
    return async (_, whole) => {
      flushSync(() => view.render(createElement(component, props, whole)));
      for (let turn = 0; turn < 3; turn += 1) await nextTask();
    };
  };
}

globalThis.peers = {
  "react-markdown": byReact(Markdown, { remarkPlugins: [remarkGfm] }),
  streamdown: byReact(Streamdown, { isAnimating: true }),
  "JupyterLab's renderMarkdown": (root) => {
    const sanitizer = new Sanitizer();
    const markdownParser = { render: async (text) => marked.parse(text) };
    return (_, source) =>
      renderMarkdown({
        host: root,
        source,
        trusted: false,
        sanitizer,
        markdownParser,
        resolver: null,
        linkHandler: null,
        shouldTypeset: false,
        latexTypesetter: null,
      });
  },
};
