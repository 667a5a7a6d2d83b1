// Words of the part of a card that speaks of the page's wallet.

export const walletEn = {
  using: "Browser wallet",
  none: "This page has no wallet: an extension is not installed, or not let into this frame (as in VS Code and Colab). Open the notebook in a browser that has one, or sign elsewhere and bring the answer.",
  choose: "This page has several wallets. Choose the one to ask.",
  which: "Wallet",
  pick: "Choose a wallet",
  locked: "The wallet is locked, or not connected to this page.",
  connect: "Connect",
  otherAccount: (shown: string, wanted: string) =>
    `The wallet shows ${shown}, but this request is for ${wanted}. Switch the account in the wallet.`,
  otherNetwork: (shown: string, wanted: string) =>
    `The wallet is on chain ${shown || "?"}, but this request is for chain ${wanted}.`,
  switchTo: (network: string) => `Switch to chain ${network}`,
  refused: (said: string) => `The wallet did not do it: ${said}`,
  elsewhere: "Sign elsewhere: copy the request",
  carry: "Give this to a wallet elsewhere, then paste its answer below.",
  copy: "the request",
};

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
