// Words of the session log, in Brazilian Portuguese.

import type { SessionWords } from "./session.js";

export const sessionPtBR: SessionWords = {
  heads: ["ms", "Fase", "Tentativa", "Motivo"],
  phases: {
    idle: "Não iniciada",
    connecting: "Conectando",
    streaming: "Respondendo",
    stalled: "Em silêncio",
    retrying: "Tentando de novo",
    awaiting: "Aguardando uma decisão ou uma chamada",
    done: "Concluída",
    cancelled: "Interrompida",
    failed: "Falhou",
  },
};
