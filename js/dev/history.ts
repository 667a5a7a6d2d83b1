// A kernel with a history and files, for the gallery: it answers what the panel of chats and the messages' files ask.

import type { ChatView, ListedChat, ToKernel } from "../src/protocol.js";
import { FORM } from "./deciding.js";
import { FakeModel } from "./fake_model.js";
import { chat, step, turn } from "./views.js";

const row = (change: Partial<ListedChat>): ListedChat => ({
  chat: "x",
  title: "",
  agent: "Demo agent",
  updated: 1_790_000_000_000,
  turns: 3,
  pending: 0,
  snippet: "",
  ...change,
});

const ROWS: ListedChat[] = [
  row({ chat: "c1", title: "Plan a trip to Lisbon", turns: 2 }),
  row({ chat: "c2", title: "Send 0.1 NEAR to bob.near, and check what it costs before", pending: 2 }),
  row({ chat: "c3", agent: "Portfolio", snippet: "…the price of USDC on Base was 1.0002 when…", turns: 41 }),
];

/** A picture of one grey pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==";

export class HistoryModel extends FakeModel {
  override send(content: unknown): void {
    const request = content as ToKernel;
    this.sent.push(request);
    this.acknowledge(request.mid, { data: answer(request) });
  }
}

function answer(request: ToKernel): unknown {
  switch (request.type) {
    case "list_chats":
      return { chats: ROWS.filter((one) => one.title.includes(request.query)), more: request.query === "" };
    case "fetch_file":
      return { data: PIXEL, size: 67 };
    case "arguments_form":
      return FORM;
    case "upload":
      return { received: request.offset };
    default:
      return null;
  }
}

/** A chat whose messages have versions and files. */
export const VERSIONS: ChatView = chat({
  chat: "c1",
  title: "Plan a trip to Lisbon",
  attach: { accept: ["image/*"], largest: 20_000_000, most: 10 },
  turns: [
    turn({
      turn: 2,
      text: "What is in this picture?",
      phase: "done",
      versions: [1, 2, 5],
      files: [
        { digest: "a".repeat(64), name: "tower.png", media: "image/png", size: 67 },
        {
          digest: "b".repeat(64),
          name: "a rather long name of notes that wraps.pdf",
          media: "application/pdf",
          size: 482_133,
        },
      ],
      steps: [
        step({ text: "A tower by a river, at noon.", finished: true, input_tokens: 320, output_tokens: 12 }),
      ],
    }),
    turn({
      turn: 4,
      text: "And where is it?",
      phase: "done",
      versions: [3, 4],
      steps: [step({ text: "In **Belém**, in the west of Lisbon.", finished: true })],
    }),
  ],
});
