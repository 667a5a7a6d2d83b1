// Where a chat is shown: in a notebook that is open here, or in one whose kernel runs.

import type { Application, Cell, Tracker } from "./jupyter.js";

export interface Place {
  path: string;
  cell: number;
}

/** The cell whose output shows the chat; null where no open or running notebook has it. */
export async function findChat(app: Application, tracker: Tracker, chat: string): Promise<Place | null> {
  const open: Place[] = [];
  tracker.forEach((panel) => {
    const cell = cellOf(panel.model?.toJSON().cells ?? [], chat);
    if (cell !== -1) open.push({ path: panel.context.path, cell });
  });
  if (open[0] !== undefined) return open[0];
  const { sessions, contents } = app.serviceManager;
  await sessions.refreshRunning();
  for (const session of sessions.running()) {
    if (session.type !== "notebook") continue;
    const saved = await contents.get(session.path, { content: true }).catch(() => null);
    const cell = cellOf((saved?.content as { cells?: Cell[] } | undefined)?.cells ?? [], chat);
    if (cell !== -1) return { path: session.path, cell };
  }
  return null;
}

/** The transcript beside each chat names it. */
function cellOf(cells: readonly Cell[], chat: string): number {
  return cells.findLastIndex((cell) =>
    (cell.outputs ?? []).some((output) => JSON.stringify(output.data ?? {}).includes(`chat ${chat} `)),
  );
}

export async function reveal(app: Application, tracker: Tracker, { path, cell }: Place): Promise<void> {
  await app.commands.execute("docmanager:open", { path, factory: "Notebook" });
  const waiting: Promise<unknown>[] = [];
  tracker.forEach((panel) => {
    if (panel.context.path !== path) return;
    waiting.push(
      panel.context.ready.then(async () => {
        app.shell.activateById(panel.id);
        panel.content.activeCellIndex = cell;
        await panel.content.scrollToItem(cell, "smart");
      }),
    );
  });
  await Promise.all(waiting);
}
