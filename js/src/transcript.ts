// The chat as text to take away: Markdown, with each call as one quoted line.

import type { ChatView, TurnView } from "./protocol.js";

/** The words of an answer, without its calls. */
export function answerText(turn: TurnView): string {
  return turn.steps
    .map((step) => step.text)
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The whole chat as Markdown. */
export function chatText(chat: ChatView, you: string): string {
  const parts = chat.title === "" ? [] : [`# ${oneLine(chat.title)}`];
  for (const turn of chat.turns) {
    const agent = chat.agents.find((one) => one.agent === turn.agent);
    if (turn.text !== "") parts.push(`**${you}:**`, turn.text);
    parts.push(`**${oneLine(agent?.name || turn.agent)}:**`);
    for (const step of turn.steps) {
      if (step.text !== "") parts.push(step.text);
      for (const key of step.calls) {
        const call = chat.invocations[key];
        if (call !== undefined)
          parts.push(`> \`${oneLine(call.tool)}\` ${JSON.stringify(call.args ?? {})}: ${call.state}`);
      }
    }
  }
  return `${parts.join("\n\n")}\n`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
