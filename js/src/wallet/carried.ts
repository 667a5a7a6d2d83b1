// What a card says of who carries it out: `review.wallet` of the kernel, read with care.

import { isObject } from "../protocol.js";
import type { Namespace } from "./discovery.js";

export interface Carried {
  /** The wallet of this page is asked once it is approved. */
  asks: boolean;
  namespace: Namespace;
  /** EIP-155 chain id in decimal, or the NEAR network; empty where it does not matter. */
  network: string;
  /** The account that must sign; empty where any may. */
  account: string;
  /** The chain's name and the like for wallet_addEthereumChain, where a node's address may be given away. */
  add: unknown;
  /** The request as text, to carry it to a wallet elsewhere, */
  copy: string;
  /** and what to bring back. */
  bring: string;
}

/** The carried request of a card; null where its review says nothing of it. */
export function readCarried(review: unknown): Carried | null {
  const wallet = isObject(review) ? review.wallet : undefined;
  if (!isObject(wallet) || (wallet.namespace !== "evm" && wallet.namespace !== "near")) return null;
  const text = (name: string) => {
    const value = wallet[name];
    return typeof value === "string" ? value : "";
  };
  return {
    asks: wallet.asks === true,
    namespace: wallet.namespace,
    network: text("network"),
    account: text("account"),
    add: wallet.add,
    copy: text("copy"),
    bring: text("bring"),
  };
}
