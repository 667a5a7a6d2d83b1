// The plugin: commands, a launcher card, palette entries, the panel of chats, and its settings.

import { findChat, reveal } from "./jump.js";
import type { Application, Jupyter, LuminoWidget, NotebookPanel, Settings, Tracker } from "./jupyter.js";
import { ChatList } from "./panel.js";
import { drawSaved } from "./saved.js";
import { type Listed, Server } from "./server.js";

export const ID = "bitte-nb:plugin";

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 22 22"><path class="jp-icon3" fill="#616161" ' +
  'd="M4 3h14a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2h-7l-5 4v-4H4a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zm3 5v2h8V8zm0 3.5v2h5v-2z"/></svg>';

const DEFAULTS = { document: "", model: "", refreshSeconds: 5 };

interface Palette {
  addItem(item: { command: string; category: string; args?: Record<string, unknown> }): void;
}

interface Launcher {
  add(item: { command: string; category: string; rank?: number }): void;
}

interface FileBrowser {
  model: { path: string };
  selectedItems(): Iterable<{ path: string; type: string }>;
}

interface SettingRegistry {
  load(id: string): Promise<Settings>;
}

export function plugin(jupyter: Jupyter): unknown {
  return {
    id: ID,
    description: "Chats with agents: a panel, a launcher card and commands.",
    autoStart: true,
    requires: [jupyter.notebook.INotebookTracker],
    optional: [
      jupyter.apputils.ICommandPalette,
      jupyter.launcher.ILauncher,
      jupyter.settingregistry.ISettingRegistry,
      jupyter.filebrowser.IDefaultFileBrowser,
    ],
    activate: (
      app: Application,
      tracker: Tracker,
      palette: Palette | null,
      launcher: Launcher | null,
      registry: SettingRegistry | null,
      browser: FileBrowser | null,
    ) => activate(jupyter, app, tracker, { palette, launcher, registry, browser }),
  };
}

interface Faces {
  palette: Palette | null;
  launcher: Launcher | null;
  registry: SettingRegistry | null;
  browser: FileBrowser | null;
}

function activate(jupyter: Jupyter, app: Application, tracker: Tracker, faces: Faces): void {
  const icon = new jupyter.uiComponents.LabIcon({ name: "bitte-nb:chat", svgstr: ICON });
  const server = new Server(jupyter, app.serviceManager.serverSettings);
  let settings = DEFAULTS;

  const list = new ChatList({
    chats: () => server.chats(),
    open: (chat) => app.commands.execute("bitte-nb:show-chat", { ...chat }),
    seconds: () => settings.refreshSeconds,
    isVisible: () => panel.isVisible,
  });
  const panel = new jupyter.widgets.Widget({ node: list.node });
  panel.id = "bitte-nb-chats";
  panel.title.icon = icon;
  panel.title.caption = "Agent chats";
  app.shell.add(panel, "left", { rank: 600 });
  void app.restored.then(() => list.start());

  void faces.registry
    ?.load(ID)
    .then((loaded) => {
      const read = () => {
        settings = { ...DEFAULTS, ...loaded.composite };
      };
      loaded.changed.connect(read);
      read();
    })
    .catch((error) => console.warn("The settings of bitte-nb could not be read; the defaults hold.", error));

  app.commands.addCommand("bitte-nb:new-chat", {
    label: "New agent chat",
    caption: "A notebook that chats with the agent of an OpenAPI document",
    icon,
    execute: async (args) => {
      const document = String(args.document ?? "") || (await askForDocument(jupyter, settings.document));
      if (document !== "")
        await openChat(app, tracker, document, settings.model, faces.browser?.model.path ?? "");
    },
  });
  app.commands.addCommand("bitte-nb:open-document", {
    label: "Open OpenAPI document as agent",
    caption: "A notebook that chats with the agent of this document",
    icon,
    execute: async (args) => {
      const selected = [...(faces.browser?.selectedItems() ?? [])].find(isDocument);
      const path = String(args.path ?? "") || selected?.path || "";
      if (path === "") return app.commands.execute("bitte-nb:new-chat");
      const at = path.lastIndexOf("/") + 1;
      return openChat(app, tracker, path.slice(at), settings.model, path.slice(0, at));
    },
  });
  app.commands.addCommand("bitte-nb:show-chat", {
    label: "Show a chat",
    isVisible: () => false,
    execute: async (args) => {
      const chat = args as unknown as Listed;
      const place = await findChat(app, tracker, chat.chat);
      if (place !== null) await reveal(app, tracker, place);
      else await showSaved(jupyter, app, server, chat, icon);
    },
  });
  for (const command of ["bitte-nb:new-chat", "bitte-nb:open-document"])
    faces.palette?.addItem({ command, category: "Agents" });
  faces.launcher?.add({ command: "bitte-nb:new-chat", category: "Agents", rank: 0 });
}

function isDocument(item: { path: string; type: string }): boolean {
  return item.type === "file" && /\.(json|ya?ml)$/.test(item.path) && !item.path.endsWith(".bitte.json");
}

async function askForDocument(jupyter: Jupyter, known: string): Promise<string> {
  const asked = await jupyter.apputils.InputDialog.getText({
    title: "New agent chat",
    label: "OpenAPI document: an address, or a path beside the notebook",
    placeholder: "https://example.org/openapi.json",
    text: known,
  });
  return asked.button.accept ? (asked.value ?? "").trim() : "";
}

/** A notebook with the chat in it, in a folder; its cells run. */
async function openChat(
  app: Application,
  tracker: Tracker,
  document: string,
  model: string,
  folder: string,
): Promise<void> {
  const { contents, kernelspecs } = app.serviceManager;
  await kernelspecs.ready;
  const name = kernelspecs.specs?.default ?? "python3";
  const options = model === "" ? "" : `, model=${JSON.stringify(model)}`;
  const source = `import bitte_nb as bn\n\nchat = bn.Chat(${JSON.stringify(document)}${options})\nchat`;
  const { path } = await contents.newUntitled({ path: folder, type: "notebook" });
  await contents.save(path, {
    type: "notebook",
    format: "json",
    content: {
      nbformat: 4,
      nbformat_minor: 5,
      metadata: { kernelspec: { name, display_name: name } },
      cells: [{ cell_type: "code", id: "chat", source, metadata: {}, outputs: [], execution_count: null }],
    },
  });
  await app.commands.execute("docmanager:open", { path, factory: "Notebook" });
  const panel = panelOf(tracker, path);
  if (panel === null) return;
  await panel.context.ready;
  await panel.context.sessionContext.ready;
  app.shell.activateById(panel.id);
  await app.commands.execute("notebook:run-all-cells");
}

function panelOf(tracker: Tracker, path: string): NotebookPanel | null {
  let found: NotebookPanel | null = null;
  tracker.forEach((panel) => {
    if (panel.context.path === path) found = panel;
  });
  return found;
}

/** The chat as the history has it, where no notebook shows it. */
async function showSaved(
  jupyter: Jupyter,
  app: Application,
  server: Server,
  chat: Listed,
  icon: unknown,
): Promise<void> {
  const id = `bitte-nb-chat-${chat.chat}`;
  const node = document.createElement("div");
  const widget: LuminoWidget = new jupyter.widgets.Widget({ node });
  widget.id = `${id}-${Date.now()}`;
  widget.title.label = chat.title || "Untitled chat";
  widget.title.icon = icon;
  widget.title.closable = true;
  node.style.cssText = "overflow: auto; padding: 8px;";
  app.shell.add(widget, "main");
  app.shell.activateById(widget.id);
  try {
    const el = node.appendChild(document.createElement("div"));
    await drawSaved(server, el, await server.chat(chat.chat));
  } catch (error) {
    node.textContent = error instanceof Error ? error.message : String(error);
  }
}
