// Words of what the model was given for a step, in Brazilian Portuguese.

import type { givenEn } from "./given.js";

export const givenPtBR: typeof givenEn = {
  open: "O que o modelo recebeu",
  step: (step) => `Passo ${step}`,
  steps: "Passos desta resposta",
  asText: "Texto",
  asJson: "JSON",
  form: "Como é mostrado",
  counted: (tokens) => `${tokens.toLocaleString("pt-BR")} tokens, contados pelo servidor do modelo`,
  about: (tokens) => `Cerca de ${tokens.toLocaleString("pt-BR")} tokens, pelo tamanho`,
  parts: (system, messages, tools) =>
    `texto do sistema ${system.toLocaleString("pt-BR")}, mensagens ${messages.toLocaleString("pt-BR")}, ferramentas ${tools.toLocaleString("pt-BR")}`,
  system: "Texto do sistema",
  messages: (count) => `Mensagens (${count})`,
  tools: (count) =>
    count === 0 ? "Sem ferramentas: o passo tinha de terminar em palavras" : `Ferramentas (${count})`,
  roles: { system: "Sistema", user: "Você", assistant: "Modelo", tool: "Resultados" },
  call: "chama",
  result: "Resultado de",
  sentAs: (name) => `enviada como ${name}`,
  schema: "Argumentos",
  made: "Montado agora a partir do histórico. Nada é enviado nem salvo.",
  changed:
    "O agente não é mais o que era (o documento, a carteira ou as funções Python): isto é o que ele receberia agora.",
  noKernel:
    "Isto é feito pelo kernel quando você pede e não fica salvo em lugar nenhum, e nenhum kernel está conectado aqui.",
  whole: "o pedido inteiro",
};
