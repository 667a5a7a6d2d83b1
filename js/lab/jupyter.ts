// As much of JupyterLab as the extension touches. Its packages come from the page, not from npm: JupyterLab shares them
// with its extensions by module federation, so that building this one needs nothing but esbuild.

/** A shared package, by version. */
export type Scope = Record<string, Record<string, { get(): Promise<() => unknown> }>>;

interface Disposable {
  dispose(): void;
}

export interface LuminoWidget extends Disposable {
  id: string;
  node: HTMLElement;
  title: { label: string; caption: string; icon: unknown; closable: boolean };
  isVisible: boolean;
  isDisposed: boolean;
  disposed: Signal;
  addClass(name: string): void;
}

interface Commands {
  addCommand(
    id: string,
    options: {
      label: string;
      caption?: string;
      icon?: unknown;
      execute(args: Record<string, unknown>): unknown;
      isVisible?(): boolean;
    },
  ): Disposable;
  execute(id: string, args?: Record<string, unknown>): Promise<unknown>;
}

export interface Cell {
  outputs?: { data?: Record<string, unknown> }[];
}

interface Signal {
  connect(listener: () => void): void;
  disconnect(listener: () => void): void;
}

export interface Kernel {
  status: string;
  statusChanged: Signal;
  disposed: Signal;
  requestExecute(content: Record<string, unknown>): {
    done: Promise<{ content: { status: string; ename?: string; evalue?: string } }>;
  };
}

interface KernelSpec {
  name: string;
  display_name: string;
  language: string;
}

export interface NotebookPanel extends LuminoWidget {
  context: {
    path: string;
    ready: Promise<void>;
    sessionContext: { ready: Promise<void>; session: { kernel: Kernel | null } | null };
  };
  content: { activeCellIndex: number; scrollToItem(index: number, align?: string): Promise<void> };
  model: { toJSON(): { cells: Cell[] } } | null;
}

export interface Application {
  commands: Commands;
  shell: {
    add(widget: LuminoWidget, area: string, options?: Record<string, unknown>): void;
    activateById(id: string): void;
  };
  restored: Promise<void>;
  serviceManager: {
    serverSettings: { baseUrl: string };
    kernelspecs: {
      ready: Promise<void>;
      specs: { default: string; kernelspecs: Record<string, KernelSpec | undefined> } | null;
    };
    contents: {
      get(path: string, options?: Record<string, unknown>): Promise<{ content: unknown }>;
      save(path: string, model: Record<string, unknown>): Promise<{ path: string }>;
      newUntitled(options: Record<string, unknown>): Promise<{ path: string }>;
    };
    sessions: { running(): Iterable<{ type: string; path: string }>; refreshRunning(): Promise<void> };
  };
}

export interface Tracker {
  forEach(each: (panel: NotebookPanel) => void): void;
}

export interface Settings {
  composite: Record<string, unknown>;
  changed: { connect(listener: () => void): void };
}

/** What the settings page shows of a plugin. */
export interface SettingSchema {
  title?: string;
  description?: string;
  properties?: Record<string, { title?: string; description?: string }>;
}

/** The packages, as far as they are used. */
export interface Jupyter {
  application: unknown;
  apputils: {
    ICommandPalette: unknown;
    showErrorMessage(title: string, message: string): Promise<void>;
    InputDialog: {
      getText(
        options: Record<string, unknown>,
      ): Promise<{ button: { accept: boolean }; value: string | null }>;
    };
  };
  filebrowser: { IDefaultFileBrowser: unknown };
  launcher: { ILauncher: unknown };
  notebook: { INotebookTracker: unknown };
  services: {
    ServerConnection: {
      makeRequest(url: string, init: RequestInit, settings: unknown): Promise<Response>;
    };
  };
  settingregistry: { ISettingRegistry: unknown };
  translation: { ITranslator: unknown };
  uiComponents: { LabIcon: new (options: { name: string; svgstr: string }) => unknown };
  widgets: { Widget: new (options?: { node: HTMLElement }) => LuminoWidget };
}

const PACKAGES: Record<keyof Jupyter, string> = {
  application: "@jupyterlab/application",
  apputils: "@jupyterlab/apputils",
  filebrowser: "@jupyterlab/filebrowser",
  launcher: "@jupyterlab/launcher",
  notebook: "@jupyterlab/notebook",
  services: "@jupyterlab/services",
  settingregistry: "@jupyterlab/settingregistry",
  translation: "@jupyterlab/translation",
  uiComponents: "@jupyterlab/ui-components",
  widgets: "@lumino/widgets",
};

/** The packages that JupyterLab shares; each is there once, whatever its version. */
export async function jupyter(scope: Scope): Promise<Jupyter> {
  const found = await Promise.all(
    Object.entries(PACKAGES).map(async ([name, packageName]) => {
      const shared = Object.values(scope[packageName] ?? {})[0];
      if (shared === undefined) throw new Error(`JupyterLab does not share ${packageName}.`);
      return [name, (await shared.get())()];
    }),
  );
  return Object.fromEntries(found) as Jupyter;
}
