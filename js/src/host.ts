// What the front end around the widget offers and tells, and what it does not.

/** What anywidget's contract offers in every front end. */
export interface Model {
  get(name: string): unknown;
  on(name: string, callback: (...args: never[]) => void): void;
  send(content: unknown): void;
  /** Only in JupyterLab and Notebook 7. */
  widget_manager?: unknown;
}

/** What a tab keeps over a reload of the page. */
export interface Memory {
  /** What was kept under a name, empty when nothing was or nothing can be. */
  kept(name: string): string;
  keep(name: string, text: string): void;
}

/** Time, chance and memory, passed in. */
export interface Surroundings extends Memory {
  now(): number;
  later(run: () => void, milliseconds: number): () => void;
  newId(): string;
  /** A random name for this page, a new one each time it loads. */
  newPage(): string;
  isHidden(): boolean;
}

export type Connection =
  | "connecting"
  | "live"
  /** The kernel has not answered for a while; asked again. */
  | "waiting"
  /** The kernel runs a cell that keeps it from answering. */
  | "busy"
  /** The kernel that drew this is gone. */
  | "lost"
  /** Page and kernel speak different versions. */
  | "mismatch";

/** Whether nothing that is asked can be heard. */
export function isCut(connection: Connection): boolean {
  return connection === "lost" || connection === "mismatch";
}

/** Whether what is asked is heard later, if it is. */
export function isSilent(connection: Connection): boolean {
  return connection === "waiting" || connection === "busy";
}

/** The kernel's status where the front end tells it (JupyterLab, Notebook 7), `none` without one; null elsewhere. */
export function kernelStatus(model: Model): string | null {
  const kernel = (model.widget_manager as { kernel?: { status?: unknown } | null } | null | undefined)
    ?.kernel;
  if (kernel === null) return "none";
  return typeof kernel?.status === "string" ? kernel.status : null;
}

const GONE: ReadonlySet<string | null> = new Set([
  "none",
  "dead",
  "terminating",
  "restarting",
  "autorestarting",
]);

export function isGone(status: string | null): boolean {
  return GONE.has(status);
}

/** What JupyterLab's shared notebook offers of what we need. */
interface Notebook {
  cells: readonly unknown[];
  insertCell(index: number, cell: { cell_type: "code"; source: string }): unknown;
}

/** Puts code into a new cell below the one that holds `el`, not run; false where the front end does not let us. */
export function insertCell(model: Model, el: Element, code: string): boolean {
  const notebook = notebookOf(model);
  if (notebook === null) return false;
  const cell = el.closest(".jp-Notebook-cell");
  const windowed = Number(cell?.getAttribute("data-windowed-list-index") ?? Number.NaN);
  const all = [...(cell?.parentElement?.querySelectorAll(".jp-Notebook-cell") ?? [])];
  const at = Number.isNaN(windowed) ? all.indexOf(cell as Element) : windowed;
  notebook.insertCell(at < 0 ? notebook.cells.length : at + 1, { cell_type: "code", source: code });
  return true;
}

/** Whether a cell of the notebook runs or waits to, where the front end tells it (JupyterLab, Notebook 7). */
export function isCellRunning(model: Model): boolean {
  return (notebookOf(model)?.cells ?? []).some(
    (cell) => (cell as { executionState?: unknown }).executionState === "running",
  );
}

/** The notebook that holds the widget, where the front end shows it (JupyterLab, Notebook 7); null elsewhere. */
export function notebookOf(model: Model): Notebook | null {
  const manager = model.widget_manager as
    | { context?: { model?: { sharedModel?: unknown } } }
    | null
    | undefined;
  const shared = manager?.context?.model?.sharedModel as Partial<Notebook> | undefined;
  return typeof shared?.insertCell === "function" && Array.isArray(shared.cells)
    ? (shared as Notebook)
    : null;
}
