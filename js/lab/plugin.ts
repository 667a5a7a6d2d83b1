// The plugin: commands, a launcher card, palette entries, the panel of chats, and its settings.

import { findChat, reveal } from "./jump.js";
import type { Application, Jupyter, LuminoWidget, SettingSchema, Settings, Tracker } from "./jupyter.js";
import { CannotOpen, openChat } from "./open.js";
import { ChatList } from "./panel.js";
import { drawSaved } from "./saved.js";
import { type Listed, Server } from "./server.js";
import type { LabStrings } from "./text/en.js";
import { labWords } from "./text/words.js";

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
  transform(
    id: string,
    transforms: { fetch<P extends { schema: SettingSchema }>(plugin: P): P },
  ): { dispose(): void };
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
      // Not used: it writes its language into the page, and what waits for it is made after it.
      jupyter.translation.ITranslator,
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
  const words = labWords();
  const tabs = new Map<string, LuminoWidget>();
  let settings = DEFAULTS;

  const list = new ChatList({
    words,
    chats: () => server.chats(),
    open: (chat) => app.commands.execute("bitte-nb:show-chat", { ...chat }),
    seconds: () => settings.refreshSeconds,
    isVisible: () => panel.isVisible,
  });
  const panel = new jupyter.widgets.Widget({ node: list.node });
  panel.id = "bitte-nb-chats";
  panel.title.icon = icon;
  panel.title.caption = words.agentChats;
  app.shell.add(panel, "left", { rank: 600 });
  void app.restored.then(() => list.start());

  faces.registry?.transform(ID, {
    fetch: (plugin) => ({ ...plugin, schema: translated(plugin.schema, words) }),
  });
  void faces.registry
    ?.load(ID)
    .then((loaded) => {
      const read = () => {
        settings = { ...DEFAULTS, ...loaded.composite };
        list.wake();
      };
      loaded.changed.connect(read);
      read();
    })
    .catch((error) => console.warn("The settings of bitte-nb could not be read; the defaults hold.", error));

  const open = async (document: string, folder: string) => {
    try {
      await openChat(app, tracker, words, { document, model: settings.model, folder });
    } catch (error) {
      if (!(error instanceof CannotOpen)) throw error;
      await jupyter.apputils.showErrorMessage(words.failed, error.message);
    }
  };

  app.commands.addCommand("bitte-nb:new-chat", {
    label: words.newChat,
    caption: words.newChatHint,
    icon,
    execute: async (args) => {
      const document =
        String(args.document ?? "") || (await askForDocument(jupyter, words, settings.document));
      if (document !== "") await open(document, faces.browser?.model.path ?? "");
    },
  });
  app.commands.addCommand("bitte-nb:open-document", {
    label: words.openDocument,
    caption: words.openDocumentHint,
    icon,
    execute: async (args) => {
      const selected = [...(faces.browser?.selectedItems() ?? [])].find(isDocument);
      const path = String(args.path ?? "") || selected?.path || "";
      if (path === "") return app.commands.execute("bitte-nb:new-chat");
      const at = path.lastIndexOf("/") + 1;
      return open(path.slice(at), path.slice(0, at));
    },
  });
  app.commands.addCommand("bitte-nb:show-chat", {
    label: words.showChat,
    isVisible: () => false,
    execute: async (args) => {
      const chat = args as unknown as Listed;
      const place = await findChat(app, tracker, chat.chat);
      if (place !== null) await reveal(app, tracker, place);
      else await showSaved(jupyter, app, server, words, chat, icon, tabs);
    },
  });
  for (const command of ["bitte-nb:new-chat", "bitte-nb:open-document"])
    faces.palette?.addItem({ command, category: words.agents });
  faces.launcher?.add({ command: "bitte-nb:new-chat", category: words.agents, rank: 0 });
}

function isDocument(item: { path: string; type: string }): boolean {
  return item.type === "file" && /\.(json|ya?ml)$/.test(item.path) && !item.path.endsWith(".bitte.json");
}

/** The settings page in the person's language. */
function translated(schema: SettingSchema, words: LabStrings): SettingSchema {
  const { title, description, ...said } = words.settings;
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => [
    name,
    { ...property, ...(Object.hasOwn(said, name) ? said[name as keyof typeof said] : {}) },
  ]);
  return { ...schema, title, description, properties: Object.fromEntries(properties) };
}

async function askForDocument(jupyter: Jupyter, words: LabStrings, known: string): Promise<string> {
  const asked = await jupyter.apputils.InputDialog.getText({
    title: words.newChat,
    label: words.documentLabel,
    placeholder: words.documentExample,
    text: known,
  });
  return asked.button.accept ? (asked.value ?? "").trim() : "";
}

/** The chat as the history has it, where no notebook shows it; a tab that shows it already makes room. */
async function showSaved(
  jupyter: Jupyter,
  app: Application,
  server: Server,
  words: LabStrings,
  chat: Listed,
  icon: unknown,
  tabs: Map<string, LuminoWidget>,
): Promise<void> {
  tabs.get(chat.chat)?.dispose();
  const node = document.createElement("div");
  const widget: LuminoWidget = new jupyter.widgets.Widget({ node });
  widget.id = `bitte-nb-chat-${chat.chat}`;
  widget.title.label = chat.title || words.untitled;
  widget.title.icon = icon;
  widget.title.closable = true;
  node.style.cssText = "overflow: auto; padding: 8px;";
  tabs.set(chat.chat, widget);
  app.shell.add(widget, "main");
  app.shell.activateById(widget.id);
  try {
    const el = node.appendChild(document.createElement("div"));
    const clean = await drawSaved(server, el, await server.chat(chat.chat));
    if (widget.isDisposed) clean();
    else widget.disposed.connect(clean);
  } catch (error) {
    node.textContent = error instanceof Error ? error.message : String(error);
  }
}
