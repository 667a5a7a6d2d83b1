// The container that JupyterLab looks for: `init` gets the packages that it shares, `get` gives a module of ours.

import { type Jupyter, jupyter, type Scope } from "./jupyter.js";
import { plugin } from "./plugin.js";
import { savedChats } from "./saved.js";

let packages: Promise<Jupyter> | null = null;

const MODULES: Record<string, (jupyter: Jupyter) => unknown> = {
  "./extension": plugin,
  "./mimeExtension": savedChats,
};

const container = {
  init(scope: Scope): void {
    packages ??= jupyter(scope);
  },

  async get(name: string): Promise<() => unknown> {
    const make = MODULES[name];
    if (make === undefined || packages === null) throw new Error(`bitte-nb has no module ${name}`);
    const made = make(await packages);
    return () => ({ __esModule: true, default: made });
  },
};

const remotes = globalThis as unknown as { _JUPYTERLAB?: Record<string, unknown> };
remotes._JUPYTERLAB ??= {};
remotes._JUPYTERLAB["bitte-nb"] = container;
