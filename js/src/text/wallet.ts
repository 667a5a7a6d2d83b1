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
