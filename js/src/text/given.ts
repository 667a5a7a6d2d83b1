// Words of what the model was given for a step.

export const givenEn = {
  open: "What the model was given",
  step: (step: number) => `Step ${step}`,
  steps: "Steps of this answer",
  asText: "Text",
  asJson: "JSON",
  form: "How it is shown",
  counted: (tokens: number) => `${tokens.toLocaleString("en")} tokens, as the model’s server counted them`,
  about: (tokens: number) => `About ${tokens.toLocaleString("en")} tokens, by its length`,
  parts: (system: number, messages: number, tools: number) =>
    `system text ${system.toLocaleString("en")}, messages ${messages.toLocaleString("en")}, tools ${tools.toLocaleString("en")}`,
  system: "System text",
  messages: (count: number) => `Messages (${count})`,
  tools: (count: number) => (count === 0 ? "No tools: the step had to end in words" : `Tools (${count})`),
  roles: { system: "System", user: "You", assistant: "Model", tool: "Results" } as Record<string, string>,
  call: "calls",
  result: "Result of",
  sentAs: (name: string) => `sent as ${name}`,
  schema: "Arguments",
  made: "Put together now from the history. Nothing is sent or saved.",
  changed:
    "The agent is not what it was then (its document, wallet or Python functions): this is what it would be given now.",
  noKernel:
    "This is made by the kernel when you ask for it and saved nowhere, and no kernel is connected here.",
  whole: "the whole request",
};
