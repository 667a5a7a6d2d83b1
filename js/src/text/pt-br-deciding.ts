// Words about deciding calls and about who speaks, in Brazilian Portuguese.

import type { decidingEn } from "./deciding.js";

export const decidingPtBR: typeof decidingEn = {
  handedOver: (from, to, reason) =>
    `${from} passou a conversa para ${to}${reason === "" ? "." : `: ${reason}`}`,
  mention: "Agentes a quem se dirigir",
  mentionHint: "Setas e Enter escolhem a quem você se dirige, Esc deixa como está.",
  leftOut: (turns, texts) =>
    [
      turns === 0
        ? ""
        : turns === 1
          ? "O primeiro turno ficou fora do que o modelo recebeu."
          : `Os primeiros ${turns} turnos ficaram fora do que o modelo recebeu.`,
      texts === 0
        ? ""
        : texts === 1
          ? "Um texto longo foi encurtado para ele."
          : `${texts} textos longos foram encurtados para ele.`,
    ]
      .filter((part) => part !== "")
      .join(" "),
  denials: {
    person: { note: "Você recusou. Não foi executado." },
    code: { label: "Recusado por código", note: "Código no notebook recusou. Não foi executado." },
    before: {
      label: "Recusado antes",
      note: "Você já tinha recusado exatamente este pedido, então não houve nova pergunta. Não foi executado.",
    },
    fault: { label: "Não executado", note: "Não foi possível avaliar o pedido, então não foi executado." },
    rule: (rule, reason) => ({
      label: "Proibido por uma regra",
      note: `A regra “${rule}” proíbe isto${reason === "" ? "." : `: ${reason}`} Não foi executado.`,
    }),
  },
  answeredBy: (decider) => (decider === "code" ? "Respondido por código no notebook" : "Respondido por você"),
  changeArgs: "Alterar…",
  editing: "Alterar os argumentos",
  editNote: "A operação e o servidor ficam. O que você alterar ainda precisa de aprovação.",
  useEdit: "Mostrar o que alterei",
  decideLost: "Sem conexão com um kernel. Nada pode ser decidido aqui até que haja uma.",
  editFirst:
    "Você alterou valores abaixo, então este pedido não pode ser aprovado como está. Aperte “Mostrar o que alterei” primeiro, ou Cancelar para ficar com ele.",
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
  earlierAttempt: "Sobre a tentativa anterior:",
  tryAgainSame: "Tentar o mesmo pedido de novo",
  doubt: "Uma tentativa anterior foi enviada e o resultado é desconhecido: pode ter acontecido.",
};
