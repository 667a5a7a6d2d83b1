// Everything that the extension says, in Brazilian Portuguese.

import type { LabStrings } from "./en.js";

export const ptBR: LabStrings = {
  agentChats: "Conversas com agentes",
  agents: "Agentes",
  newChat: "Nova conversa com um agente",
  newChatHint: "Um notebook que conversa com o agente de um documento OpenAPI",
  openDocument: "Abrir documento OpenAPI como agente",
  openDocumentHint: "Um notebook que conversa com o agente deste documento",
  showChat: "Mostrar uma conversa",
  untitled: "Conversa sem título",
  waiting: "Esperam por você",
  chats: "Conversas",
  noOthers: "Nenhuma outra.",
  none: "Nenhuma ainda. “Nova conversa com um agente”, na página inicial, começa uma.",
  pending: (count) => (count === 1 ? "1 à espera" : `${count} à espera`),
  turns: (count) => (count === 1 ? "1 rodada" : `${count} rodadas`),
  documentLabel: "Documento OpenAPI: um endereço, ou um caminho ao lado do notebook",
  documentExample: "https://example.org/openapi.json",
  failed: "Não foi possível abrir a conversa",
  noServer: (said) => `O servidor do Jupyter não criou o notebook: ${said}`,
  noKernel:
    "Este servidor não tem um kernel de Python para a conversa. Instale um (ipykernel) e tente de novo.",
  noStart: (kernel) =>
    `O kernel “${kernel}” não iniciou, então a conversa não pode rodar. Escolha outro kernel para o notebook e execute a célula.`,
  died: (kernel) =>
    `O kernel “${kernel}” terminou antes de a conversa aparecer. Reinicie-o, ou escolha outro, e execute a célula.`,
  noPackage: (kernel) =>
    `O kernel “${kernel}” não tem o bitte_nb. Instale-o no ambiente desse kernel, ou escolha outro kernel para o notebook, e execute a célula.`,
  brokenPackage: (kernel, said) =>
    `O kernel “${kernel}” não consegue carregar o bitte_nb (${said}). Conserte o ambiente dele e execute a célula.`,
  noAnswer: (said) => `O servidor do Jupyter não respondeu: ${said}`,
  refused: (status) => `O servidor do Jupyter respondeu ${status}.`,
  noChat: "O histórico não tem essa conversa; talvez ela tenha sido apagada.",
  damaged: "Este arquivo está danificado: não é JSON válido. Exporte a conversa de novo.",
  notSaved: "Isto não é uma conversa salva pelo bitte_nb.",
  otherRelease:
    "Esta conversa foi salva por outra versão do bitte_nb. Abra-a com essa versão, ou exporte a conversa de novo.",
  settings: {
    title: "Conversas com agentes",
    description: "Conversas com agentes feitos de documentos OpenAPI (bitte_nb).",
    document: {
      title: "Documento",
      description: "O documento OpenAPI que “Nova conversa com um agente” propõe: um endereço ou um caminho.",
    },
    model: {
      title: "Modelo",
      description:
        "O modelo das conversas novas, como em bn.Agent(model=...); vazio é o modelo offline. Nunca uma chave.",
    },
    refreshSeconds: {
      title: "Segundos entre as consultas ao histórico",
      description: "De quanto em quanto tempo o painel, enquanto aberto, procura conversas e decisões novas.",
    },
  },
};
