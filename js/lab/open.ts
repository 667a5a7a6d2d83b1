// Opens a chat in a notebook of its own. Whatever keeps it from being there is said in one sentence.

import type { Application, Kernel, NotebookPanel, Tracker } from "./jupyter.js";
import type { LabStrings } from "./text/en.js";

/** A sentence for the person. */
export class CannotOpen extends Error {}

interface Wanted {
  document: string;
  model: string;
  /** Where the notebook is made. */
  folder: string;
}

/** A notebook with the chat in it; its cell runs. Rejects with `CannotOpen`. */
export async function openChat(
  app: Application,
  tracker: Tracker,
  words: LabStrings,
  { document, model, folder }: Wanted,
): Promise<void> {
  const { name, title } = await pythonKernel(app, words);
  const options = model === "" ? "" : `, model=${JSON.stringify(model)}`;
  const source = `import bitte_nb as bn\n\nchat = bn.Chat(${JSON.stringify(document)}${options})\nchat`;
  const path = await newNotebook(app, words, folder, name, title, source);
  await app.commands.execute("docmanager:open", { path, factory: "Notebook" });
  const panel = panelOf(tracker, path);
  if (panel === null) return;
  app.shell.activateById(panel.id);
  await panel.context.ready;
  await panel.context.sessionContext.ready.catch(() => {});
  const kernel = panel.context.sessionContext.session?.kernel;
  if (kernel == null) throw new CannotOpen(words.noStart(title));
  await orDies(kernel, words.died(title), checkPackage(kernel, words, title));
  await orDies(kernel, words.died(title), app.commands.execute("notebook:run-all-cells"));
}

/** The server's own choice where that is a Python kernel, else another one that is. */
async function pythonKernel(app: Application, words: LabStrings): Promise<{ name: string; title: string }> {
  const { kernelspecs } = app.serviceManager;
  await kernelspecs.ready.catch(() => {});
  const specs = kernelspecs.specs;
  const all = Object.values(specs?.kernelspecs ?? {}).filter((one) => one !== undefined);
  const python = all.filter((one) => one.language.toLowerCase() === "python");
  const one = python.find((spec) => spec.name === specs?.default) ?? python[0];
  if (one === undefined) throw new CannotOpen(words.noKernel);
  return { name: one.name, title: one.display_name };
}

async function newNotebook(
  app: Application,
  words: LabStrings,
  folder: string,
  name: string,
  title: string,
  source: string,
): Promise<string> {
  const { contents } = app.serviceManager;
  try {
    const { path } = await contents.newUntitled({ path: folder, type: "notebook" });
    await contents.save(path, {
      type: "notebook",
      format: "json",
      content: {
        nbformat: 4,
        nbformat_minor: 5,
        metadata: { kernelspec: { name, display_name: title } },
        cells: [{ cell_type: "code", id: "chat", source, metadata: {}, outputs: [], execution_count: null }],
      },
    });
    return path;
  } catch (error) {
    throw new CannotOpen(words.noServer(error instanceof Error ? error.message : String(error)));
  }
}

/** Whether the kernel has the package, asked before the cell would answer with a traceback. */
async function checkPackage(kernel: Kernel, words: LabStrings, title: string): Promise<void> {
  const asked = kernel.requestExecute({ code: "import bitte_nb", silent: true, store_history: false });
  const { status, ename = "", evalue = "" } = (await asked.done).content;
  if (status === "ok") return;
  const isMissing = ename === "ModuleNotFoundError" && evalue.includes("'bitte_nb'");
  throw new CannotOpen(
    isMissing ? words.noPackage(title) : words.brokenPackage(title, `${ename}: ${evalue}`),
  );
}

/** What the work gives; rejects with the sentence where the kernel ends first. */
function orDies<T>(kernel: Kernel, said: string, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const isOver = () => ["dead", "autorestarting", "terminating"].includes(kernel.status);
    const look = () => isOver() && end(() => reject(new CannotOpen(said)));
    const end = (settle: () => void) => {
      kernel.statusChanged.disconnect(look);
      kernel.disposed.disconnect(gone);
      settle();
    };
    const gone = () => end(() => reject(new CannotOpen(said)));
    kernel.statusChanged.connect(look);
    kernel.disposed.connect(gone);
    look();
    work.then(
      (value) => end(() => resolve(value)),
      (error) => end(() => reject(error instanceof CannotOpen ? error : new CannotOpen(said))),
    );
  });
}

export function panelOf(tracker: Tracker, path: string): NotebookPanel | null {
  let found: NotebookPanel | null = null;
  tracker.forEach((panel) => {
    if (panel.context.path === path) found = panel;
  });
  return found;
}
