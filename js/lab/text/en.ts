// Everything that the extension says, in English. Another language is another file of this shape, named in words.ts.

export const en = {
  agentChats: "Agent chats",
  /** What the launcher and the palette call the kind of thing. */
  agents: "Agents",
  newChat: "New agent chat",
  newChatHint: "A notebook that chats with the agent of an OpenAPI document",
  openDocument: "Open OpenAPI document as agent",
  openDocumentHint: "A notebook that chats with the agent of this document",
  showChat: "Show a chat",
  untitled: "Untitled chat",
  waiting: "Waiting for you",
  chats: "Chats",
  noOthers: "No others.",
  none: "None yet. “New agent chat” in the launcher begins one.",
  pending: (count: number) => `${count} waiting`,
  turns: (count: number) => (count === 1 ? "1 turn" : `${count} turns`),
  documentLabel: "OpenAPI document: an address, or a path beside the notebook",
  documentExample: "https://example.org/openapi.json",
  failed: "The agent chat could not be opened",
  noServer: (said: string) => `The Jupyter server did not make the notebook: ${said}`,
  noKernel: "This server has no Python kernel to run the chat. Install one (ipykernel), then try again.",
  noStart: (kernel: string) =>
    `The kernel “${kernel}” did not start, so the chat cannot run. Choose another kernel for the notebook, then run its cell.`,
  died: (kernel: string) =>
    `The kernel “${kernel}” ended before the chat was there. Restart it, or choose another, then run the cell.`,
  noPackage: (kernel: string) =>
    `The kernel “${kernel}” has no bitte_nb. Install it in that kernel’s environment, or choose another kernel for the notebook, then run its cell.`,
  brokenPackage: (kernel: string, said: string) =>
    `The kernel “${kernel}” cannot load bitte_nb (${said}). Repair its environment, then run the cell.`,
  noAnswer: (said: string) => `The Jupyter server did not answer: ${said}`,
  refused: (status: string) => `The Jupyter server answered ${status}.`,
  noChat: "The history has no such chat; it may have been deleted.",
  damaged: "This file is damaged: it is not valid JSON. Export the chat again.",
  notSaved: "This is not a chat that bitte_nb saved.",
  otherRelease:
    "This chat was saved by another release of bitte_nb. Open it with that release, or export the chat again.",
  /** The settings page, by the name of the setting. */
  settings: {
    title: "Agent chats",
    description: "Chats with agents made of OpenAPI documents (bitte_nb).",
    document: {
      title: "Document",
      description: "The OpenAPI document that “New agent chat” proposes: an address or a path.",
    },
    model: {
      title: "Model",
      description:
        "The model of new chats, as in bn.Agent(model=...); empty is the offline model. Never a key.",
    },
    refreshSeconds: {
      title: "Seconds between looks at the history",
      description: "How often the panel, while it is open, looks for new chats and decisions.",
    },
  },
};

export type LabStrings = typeof en;
