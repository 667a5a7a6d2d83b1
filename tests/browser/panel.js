// Injected into every page of the browser tests: the few things they ask of the JupyterLab on the page.
// JupyterLab puts itself on `window.jupyterapp` (its option expose_app_in_browser).
window.labPanel = {
  /** The notebook panel that shows the file, or undefined while it is not open. */
  of(path) {
    const shell = window.jupyterapp?.shell;
    return shell && [...shell.widgets("main")].find((w) => w.context?.path === path && w.content?.activeCell !== undefined);
  },

  /** Whether the document is loaded, every cell is in the model and the session answered. */
  ready(path) {
    const panel = this.of(path);
    return Boolean(panel?.context.isReady && panel.content.model && panel.sessionContext.isReady);
  },

  /** Status of the kernel ("idle", "busy", ...), or of the connection while there is none. */
  kernel(path) {
    const kernel = this.of(path)?.sessionContext.session?.kernel;
    if (!kernel) return "none";
    return kernel.connectionStatus === "connected" ? kernel.status : kernel.connectionStatus;
  },

  /**
   * Whether an output says that its widget is nowhere, though the kernel has widgets. ipywidgets (8.1) looks for two
   * seconds, and not once more at their end: what came in its last tenth of a second it calls "not found" for good.
   */
  async missedWidget(path) {
    const { node, sessionContext } = this.of(path);
    const says = (text) => [...node.querySelectorAll(".jp-OutputArea-output")].some((one) => one.textContent === text);
    while (says("Loading widget...")) await new Promise((done) => setTimeout(done, 50));
    if (!says("Error displaying widget: model not found")) return false;
    const { content } = await sessionContext.session.kernel.requestCommInfo({ target_name: "jupyter.widget" });
    return Object.keys(content.comms).length > 0;
  },

  async open(path, withKernel) {
    const kernelPreference = withKernel ? undefined : { shouldStart: false, canStart: false };
    await window.jupyterapp.commands.execute("docmanager:open", { path, factory: "Notebook", kernelPreference });
  },

  /** Closes all documents, unsaved changes and all. */
  clear() {
    for (const widget of [...window.jupyterapp.shell.widgets("main")]) widget.dispose();
  },

  select(path, index) {
    const panel = this.of(path);
    window.jupyterapp.shell.activateById(panel.id);
    panel.content.deselectAll();
    panel.content.activeCellIndex = index;
    return panel;
  },

  /** Runs one command on the panel; resolves when the command has. */
  async command(path, name, args) {
    window.jupyterapp.shell.activateById(this.of(path).id);
    await window.jupyterapp.commands.execute(name, args ?? {});
  },

  /** Runs one cell; resolves when the kernel is done with it. */
  async run(path, index) {
    this.select(path, index);
    await window.jupyterapp.commands.execute("notebook:run-cell");
  },

  /** What the notebook model holds, as it would be saved. */
  cells(path) {
    return this.of(path).content.model.sharedModel.toJSON().cells;
  },

  /** The prompt of one cell: "*" while it waits or runs, a number when done, "" before. */
  prompt(path, index) {
    const cell = this.of(path).content.widgets[index];
    return cell.promptNode ? cell.promptNode.textContent.replace(/[[\]:\s]/g, "") : cell.prompt ?? "";
  },

  append(path, source) {
    const shared = this.of(path).content.model.sharedModel;
    shared.addCell({ cell_type: "code", source, metadata: {}, outputs: [] });
    return shared.cells.length - 1;
  },

  /** Value of a Python expression in the kernel, as its `repr`; raises what the kernel raised. */
  async python(path, expression) {
    const kernel = this.of(path).sessionContext.session.kernel;
    const future = kernel.requestExecute({
      code: "", silent: true, store_history: false, user_expressions: { value: expression },
    });
    const value = (await future.done).content.user_expressions.value;
    if (value.status !== "ok") throw new Error(`${value.ename}: ${value.evalue}`);
    return value.data["text/plain"];
  },
};
