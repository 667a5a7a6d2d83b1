// The list of chats in JupyterLab's side panel.

import { expect, test } from "vitest";
import { ChatList } from "../lab/panel.js";
import type { Listed } from "../lab/server.js";
import { labWords } from "../lab/text/words.js";

async function said(language: string, ...pending: number[]): Promise<string> {
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
    words: labWords(language),
  });
  await list.refresh();
  return list.node.lastElementChild?.textContent ?? "";
}

test.each([
  ["en-US", labWords("en").none, "No others."],
  ["pt-BR", labWords("pt").none, labWords("pt").noOthers],
])(
  "that there are no chats is said only where none is listed above (%s)",
  async (language, none, noOthers) => {
    expect(await said(language)).toContain(none);
    expect(await said(language, 1)).toContain(noOthers);
    expect(await said(language, 1)).not.toContain(none);
    const listed = await said(language, 1, 0);
    expect(listed).not.toContain(none);
    expect(listed).not.toContain(noOthers);
  },
);

test("a language without a file is shown in English", () => {
  expect(labWords("fr")).toBe(labWords("en-GB"));
  expect(labWords("pt").none).not.toBe(labWords("en").none);
});
