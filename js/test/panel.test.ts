// The list of chats in JupyterLab's side panel.

import { expect, test } from "vitest";
import { ChatList } from "../lab/panel.js";
import type { Listed } from "../lab/server.js";

async function said(...pending: number[]): Promise<string> {
  const chats = pending.map((count, index) => ({
    chat: `c${index}`,
    title: `Chat ${index}`,
    pending: count,
  }));
  const list = new ChatList({
    chats: async () => chats as unknown as Listed[],
    open: () => {},
    seconds: () => 1,
    isVisible: () => true,
  });
  await list.refresh();
  return list.node.lastElementChild?.textContent ?? "";
}

test("that there are no chats is said only where none is listed above", async () => {
  expect(await said()).toContain("None yet.");
  expect(await said(1)).toContain("No others.");
  expect(await said(1)).not.toContain("None yet");
  expect(await said(1, 0)).not.toMatch(/None yet|No others/);
});
