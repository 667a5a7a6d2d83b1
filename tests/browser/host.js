// A front end that offers anywidget's contract and nothing else, as Colab and marimo do: `window.host` opens widgets by
// their module and state, shows views of them, and carries messages.
window.host = (() => {
  const widgets = new Map();

  function proxy(widget) {
    // Only these five, and no more: whatever else a widget reaches for is not there.
    return {
      get: (name) => structuredClone(widget.state[name]),
      set: () => {},
      on: (name, callback) => widget.listeners.push([name, callback]),
      send: (content) => window.toKernel(widget.name, structuredClone(content)),
      save_changes: () => {},
    };
  }

  return {
    /** A model; messages wait for `initialize`, as in anywidget. */
    async open(name, state) {
      const widget = { name, state, listeners: [], closers: [] };
      widgets.set(name, widget);
      widget.ready = (async () => {
        const url = URL.createObjectURL(new Blob([state._esm], { type: "text/javascript" }));
        widget.module = await (await import(url)).default();
        URL.revokeObjectURL(url);
        await widget.module.initialize({ model: proxy(widget) });
      })();
      await widget.ready;
    },

    async say(name, content) {
      const widget = widgets.get(name);
      await widget.ready;
      for (const [event, callback] of widget.listeners) if (event === "msg:custom") callback(content, []);
    },

    /** A view, drawn before it is in the page (as in JupyterLab) or in a shadow root (as in marimo). */
    async render(name, place) {
      const widget = widgets.get(name);
      const el = document.createElement("div");
      const frame = document.createElement("section");
      frame.id = place;
      const shadow = place.startsWith("shadow");
      const root = shadow ? frame.attachShadow({ mode: "open" }) : frame;
      if (shadow) {
        document.body.append(frame);
        root.append(el);
      }
      const close = await widget.module.render({ model: proxy(widget), el });
      if (!shadow) {
        root.append(el);
        document.body.append(frame);
      }
      widget.closers.push(() => {
        close();
        frame.remove();
      });
    },

    /** Takes all views away, as a front end does that draws its cells anew. */
    async clear(name) {
      for (const close of widgets.get(name).closers.splice(0)) close();
    },
  };
})();
