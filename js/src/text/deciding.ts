// Words about deciding calls: changing, always allowing, timing, reconciling and trying again; and about who speaks.

export const decidingEn = {
  handedOver: (from: string, to: string, reason: string) =>
    `${from} handed over to ${to}${reason === "" ? "." : `: ${reason}`}`,
  mention: "Agents to address",
  mentionHint: "Arrows and Enter choose whom you address, Esc leaves it.",
  leftOut: (turns: number, texts: number) =>
    [
      turns === 0
        ? ""
        : turns === 1
          ? "The first turn was left out for the model."
          : `The first ${turns} turns were left out for the model.`,
      texts === 0
        ? ""
        : texts === 1
          ? "One long text was shortened for it."
          : `${texts} long texts were shortened for it.`,
    ]
      .filter((part) => part !== "")
      .join(" "),
  /** Who kept a call from running, as the card's label and as a sentence below it. */
  denials: {
    person: { note: "You declined it. It was not run." },
    code: { label: "Declined by code", note: "Code in the notebook declined it. It was not run." },
    before: {
      label: "Declined before",
      note: "You had declined this very request already, so you were not asked again. It was not run.",
    },
    fault: { label: "Not run", note: "It could not be judged, so it was not run." },
    rule: (rule: string, reason: string) => ({
      label: "Forbidden by a rule",
      note: `The rule “${rule}” forbids it${reason === "" ? "." : `: ${reason}`} It was not run.`,
    }),
  },
  answeredBy: (decider: string): string =>
    decider === "code" ? "Answered by code in the notebook" : "Answered by you",
  changeArgs: "Change…",
  editing: "Change the arguments",
  editNote: "The operation and the server stay. What you change still has to be approved.",
  useEdit: "Show what I changed",
  decideLost: "Not connected to a kernel. Nothing can be decided here until it is.",
  editFirst:
    "You changed values below, so this request cannot be approved as it stands. Press “Show what I changed” first, or Cancel to keep it.",
  checkingEdit: "Checking…",
  notJson: "This is not valid JSON.",
  changedFrom: "The model asked for:",
  alwaysAllow: "Always allow…",
  alwaysScope: (tool: string, method: string, origin: string, agent: string) =>
    `Always allow ${tool}${method === "" ? "" : ` (${method})`}${origin === "" ? "" : ` at ${origin}`}${agent === "" ? "" : ` for ${agent}`}, with any arguments, in this chat, until you revoke it or the kernel ends.`,
  approveAlways: "Approve, and always allow this",
  rules: (count: number) => `Always allowed: ${count}`,
  revoke: "Revoke",
  timeLeft: (time: string) => `${time} left to approve`,
  timeOver: "The time to approve is over. You can still decline.",
  whatHappened: "Did it happen?",
  itHappened: "It happened",
  itDidNot: "It did not happen",
  checkOutcome: "Look it up",
  lookingUp: "Looking it up…",
  tryAgain: "Try again",
  earlierAttempt: "About the earlier attempt:",
  tryAgainSame: "Try the same request again",
  doubt: "An earlier attempt was sent and its outcome is unknown: it may have happened.",
};
