// The words of the cards, loaded with them. Another language is another entry of this shape.

import { useWords } from "../../ui/context.js";
import type { Wanted } from "../shape.js";

export const en = {
  asTable: "As a table",
  table: "Table",
  noPoints: "There are no points to draw.",
  percentages: "Percentages are fractions of one in the data: 0.12 is 12%.",
  chartLabel: (title: string) => `Chart: ${title}. Arrow keys move from point to point.`,
  rowsOf: (shown: string, total: string) => `${shown} of ${total} rows`,
  moreRows: "Show more",
  furtherColumns: (count: number) =>
    count === 1 ? "1 further column is not shown." : `${count} further columns are not shown.`,
  wrongShape: (tool: string, path: string, wanted: string) =>
    `This is not the shape of a ${tool} result: ${path} should be ${wanted}. It is shown as it came.`,
  wanted: {
    text: "text",
    number: "a number",
    list: "a list",
    object: "an object",
    time: "a time (UNIX seconds, milliseconds or a date)",
    oneOf: "one of",
  } satisfies Record<Wanted, string> as Record<Wanted, string>,
  failed: (error: string) => `This card could not be drawn (${error}). The result is shown as it came.`,
  image: "Image",
  loadFrom: (host: string) => `Load the image from ${host}`,
  noAddress: "The image has no address that can be opened.",
  hash: "Hash",
  drop: "Drop created",
  dropPath: "Its page is at the path",
  openDrop: "View drop",
  rows: "Rows",
  portfolio: "Portfolio value",
  balances: "Balances",
  token: "Token",
  price: "Price",
  balance: "Balance",
  value: "Value",
  volume: "24h volume",
  marketCap: "Market cap",
  day: "24 h",
  trend: "Last days",
  spam: (count: number) =>
    count === 1
      ? "1 token is marked as spam and not shown."
      : `${count} tokens are marked as spam and not shown.`,
  noTokens: "There are no tokens.",
  chains: (names: string) => `on ${names}`,
  sell: "Sell",
  buy: "Buy",
  send: "Send",
  fee: "Fee",
  from: "From",
  to: "To",
  network: "Network",
  hashes: "Transaction",
  status: "Status",
  statuses: {
    succeeded: "Succeeded",
    success: "Succeeded",
    pending: "Pending",
    approved: "Approved, not sent",
  } as Record<string, string>,
  signature: "Signature",
  publicKey: "Public key",
  account: "Account",
  nonce: "Nonce",
  message: "Message",
  recipient: "Recipient",
  noLive: "This front end cannot show it inside the card.",
  liveGone: "It was shown by a kernel that is gone; what is kept of it is below.",
  frame: "What the function returned",
  showHtml: "HTML",
  details: "All fields",
};

export type CardStrings = typeof en;

export const ptBR: CardStrings = {
  asTable: "Em tabela",
  table: "Tabela",
  noPoints: "Não há pontos para desenhar.",
  percentages: "Nos dados, porcentagens são frações de um: 0,12 é 12%.",
  chartLabel: (title) => `Gráfico: ${title}. As setas vão de ponto em ponto.`,
  rowsOf: (shown, total) => `${shown} de ${total} linhas`,
  moreRows: "Mostrar mais",
  furtherColumns: (count) =>
    count === 1 ? "Outra coluna não é mostrada." : `Outras ${count} colunas não são mostradas.`,
  wrongShape: (tool, path, wanted) =>
    `Isto não tem a forma de um resultado de ${tool}: ${path} deveria ser ${wanted}. É mostrado como veio.`,
  wanted: {
    text: "texto",
    number: "um número",
    list: "uma lista",
    object: "um objeto",
    time: "um instante (segundos ou milissegundos UNIX, ou uma data)",
    oneOf: "um destes:",
  },
  failed: (error) => `Este cartão não pôde ser desenhado (${error}). O resultado é mostrado como veio.`,
  image: "Imagem",
  loadFrom: (host) => `Carregar a imagem de ${host}`,
  noAddress: "A imagem não tem um endereço que possa ser aberto.",
  hash: "Hash",
  drop: "Drop criado",
  dropPath: "A página dele está no caminho",
  openDrop: "Ver drop",
  rows: "Linhas",
  portfolio: "Valor da carteira",
  balances: "Saldos",
  token: "Token",
  price: "Preço",
  balance: "Saldo",
  value: "Valor",
  volume: "Volume 24 h",
  marketCap: "Valor de mercado",
  day: "24 h",
  trend: "Últimos dias",
  spam: (count) =>
    count === 1
      ? "1 token está marcado como spam e não é mostrado."
      : `${count} tokens estão marcados como spam e não são mostrados.`,
  noTokens: "Não há tokens.",
  chains: (names) => `em ${names}`,
  sell: "Vender",
  buy: "Comprar",
  send: "Enviar",
  fee: "Taxa",
  from: "De",
  to: "Para",
  network: "Rede",
  hashes: "Transação",
  status: "Situação",
  statuses: {
    succeeded: "Concluída",
    success: "Concluída",
    pending: "Pendente",
    approved: "Aprovada, não enviada",
  },
  signature: "Assinatura",
  publicKey: "Chave pública",
  account: "Conta",
  nonce: "Nonce",
  message: "Mensagem",
  recipient: "Destinatário",
  noLive: "Este ambiente não consegue mostrá-lo dentro do cartão.",
  liveGone: "Foi mostrado por um kernel que já não existe; o que ficou dele está abaixo.",
  frame: "O que a função devolveu",
  showHtml: "HTML",
  details: "Todos os campos",
};

/** The words of the language that the page speaks, and its BCP 47 tag for numbers and dates. */
export function useCardWords(): { words: CardStrings; language: string } {
  const { language } = useWords();
  return { words: language === "pt-BR" ? ptBR : en, language };
}
