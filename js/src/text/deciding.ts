// Words about deciding calls: changing, always allowing, timing, reconciling and trying again; and about who speaks.

export const decidingEn = {
  handedOver: (from: string, to: string, reason: string) =>
    `${from} handed over to ${to}${reason === "" ? "." : `: ${reason}`}`,
  leftOut: (turns: number, results: number) =>
    [
      turns === 0
        ? ""
        : turns === 1
          ? "The first turn was left out for the model."
          : `The first ${turns} turns were left out for the model.`,
      results === 0
        ? ""
        : results === 1
          ? "One long result was shortened for it."
          : `${results} long results were shortened for it.`,
    ]
      .filter((part) => part !== "")
      .join(" "),
  changeArgs: "Change…",
  editing: "Change the arguments",
  editNote: "The operation and the server stay. What you change still has to be approved.",
  useEdit: "Show what I changed",
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
  tryAgainSame: "Try the same request again",
  doubt: "An earlier attempt was sent and its outcome is unknown: it may have happened.",
};

export const decidingPtBR: typeof decidingEn = {
  handedOver: (from, to, reason) =>
    `${from} passou a conversa para ${to}${reason === "" ? "." : `: ${reason}`}`,
  leftOut: (turns, results) =>
    [
      turns === 0
        ? ""
        : turns === 1
          ? "O primeiro turno ficou fora do que o modelo recebeu."
          : `Os primeiros ${turns} turnos ficaram fora do que o modelo recebeu.`,
      results === 0
        ? ""
        : results === 1
          ? "Um resultado longo foi encurtado para ele."
          : `${results} resultados longos foram encurtados para ele.`,
    ]
      .filter((part) => part !== "")
      .join(" "),
  changeArgs: "Alterar…",
  editing: "Alterar os argumentos",
  editNote: "A operação e o servidor ficam. O que você alterar ainda precisa de aprovação.",
  useEdit: "Mostrar o que alterei",
  checkingEdit: "Verificando…",
  notJson: "Isto não é JSON válido.",
  changedFrom: "O modelo pediu:",
  alwaysAllow: "Permitir sempre…",
  alwaysScope: (tool, method, origin, agent) =>
    `Permitir sempre ${tool}${method === "" ? "" : ` (${method})`}${origin === "" ? "" : ` em ${origin}`}${agent === "" ? "" : ` para ${agent}`}, com quaisquer argumentos, nesta conversa, até você revogar ou o kernel terminar.`,
  approveAlways: "Aprovar e permitir sempre",
  rules: (count) => `Sempre permitido: ${count}`,
  revoke: "Revogar",
  timeLeft: (time) => `${time} para aprovar`,
  timeOver: "O tempo para aprovar acabou. Você ainda pode recusar.",
  whatHappened: "Aconteceu?",
  itHappened: "Aconteceu",
  itDidNot: "Não aconteceu",
  checkOutcome: "Consultar",
  lookingUp: "Consultando…",
  tryAgain: "Tentar de novo",
  tryAgainSame: "Tentar o mesmo pedido de novo",
  doubt: "Uma tentativa anterior foi enviada e o resultado é desconhecido: pode ter acontecido.",
};
