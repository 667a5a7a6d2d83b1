// Words of the session log, which is loaded late, in every language.

import type { Phase } from "../protocol.js";

interface SessionWords {
  /** Heads of the columns: time, phase, attempt, reason. */
  heads: readonly [string, string, string, string];
  phases: Record<Phase, string>;
}

const en: SessionWords = {
  heads: ["ms", "Phase", "Attempt", "Reason"],
  phases: {
    idle: "Not begun",
    connecting: "Connecting",
    streaming: "Answering",
    stalled: "Silent",
    retrying: "Trying again",
    awaiting: "Waiting for a decision or a call",
    done: "Done",
    cancelled: "Stopped",
    failed: "Failed",
  },
};

const pt: SessionWords = {
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

/** The words for a BCP 47 language tag. */
export function sessionWords(language: string): SessionWords {
  return language.startsWith("pt") ? pt : en;
}
