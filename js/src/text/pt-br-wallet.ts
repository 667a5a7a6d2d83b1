// Words of the part of a card that speaks of the page's wallet, in Brazilian Portuguese.

import type { walletEn } from "./wallet.js";

export const walletPtBR: typeof walletEn = {
  using: "Carteira do navegador",
  none: "Esta página não tem carteira: não há extensão instalada, ou ela não entra neste quadro (como no VS Code e no Colab). Abra o caderno num navegador que tenha uma, ou assine em outro lugar e traga a resposta.",
  choose: "Esta página tem várias carteiras. Escolha a que será consultada.",
  which: "Carteira",
  pick: "Escolha uma carteira",
  locked: "A carteira está bloqueada, ou não está conectada a esta página.",
  connect: "Conectar",
  otherAccount: (shown, wanted) =>
    `A carteira mostra ${shown}, mas este pedido é para ${wanted}. Troque a conta na carteira.`,
  otherNetwork: (shown, wanted) =>
    `A carteira está na rede ${shown || "?"}, mas este pedido é para a rede ${wanted}.`,
  switchTo: (network) => `Mudar para a rede ${network}`,
  refused: (said) => `A carteira não fez: ${said}`,
  elsewhere: "Assinar em outro lugar: copiar o pedido",
  carry: "Leve isto a outra carteira e cole a resposta dela abaixo.",
  copy: "o pedido",
};
