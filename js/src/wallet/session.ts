// One wallet of the page: which accounts it shows, which network it is on, and what it is asked to do.
//
// Nothing here opens a wallet but `connect`, `switchTo` and an act of `perform`; the first two only follow a click.

import { type Signal, signal } from "@preact/signals";
import { isObject, type WalletRequest } from "../protocol.js";
import type { FoundWallet, NearWallet, Provider } from "./discovery.js";

/** What went wrong, with the code of EIP-1193 or, below 1000, one of ours. */
export class Fault extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

export const OURS = { notApproved: 10, noWallet: 11, otherAccount: 12, otherNetwork: 13, left: 14 } as const;

const ACTS = new Set(["personal_sign", "eth_signTypedData_v4", "eth_sendTransaction", "wallet_sendCalls"]);
/** Methods that only read: no wallet asks its person for them. */
export const READS: ReadonlySet<string> = new Set([
  "wallet_getCapabilities",
  "wallet_getCallsStatus",
  "eth_getTransactionReceipt",
  "eth_getTransactionByHash",
  "eth_getTransactionCount",
  "eth_getBlockByNumber",
  "eth_blockNumber",
  "eth_call",
  "eth_chainId",
]);

export interface Session {
  readonly accounts: Signal<readonly string[]>;
  /** EIP-155 chain id in decimal; empty where it is not known, or no matter (NEAR). */
  readonly network: Signal<string>;
  /** Looks again at what the wallet shows without asking the person. */
  refresh(network: string): Promise<void>;
  connect(network: string): Promise<void>;
  switchTo(network: string, add: unknown): Promise<void>;
  perform(request: WalletRequest): Promise<unknown>;
}

const sessions = new WeakMap<object, Session>();

/** The one session of a wallet in this page. */
export function sessionOf(one: FoundWallet): Session {
  const known = sessions.get(one.wallet);
  if (known !== undefined) return known;
  const made = one.namespace === "evm" ? new EvmSession(one.wallet) : new NearSession(one.wallet);
  sessions.set(one.wallet, made);
  return made;
}

class EvmSession implements Session {
  readonly accounts = signal<readonly string[]>([]);
  readonly network = signal("");
  readonly #provider: Provider;

  constructor(provider: Provider) {
    this.#provider = provider;
    provider.on?.("accountsChanged", (accounts: unknown) => this.#see(accounts));
    provider.on?.("chainChanged", (chain: unknown) => this.#stand(chain));
    provider.on?.("disconnect", () => this.#see([]));
  }

  async refresh(): Promise<void> {
    this.#see(await this.#ask("eth_accounts"));
    this.#stand(await this.#ask("eth_chainId"));
  }

  async connect(): Promise<void> {
    this.#see(await this.#ask("eth_requestAccounts"));
    this.#stand(await this.#ask("eth_chainId"));
  }

  async switchTo(network: string, add: unknown): Promise<void> {
    const chainId = `0x${BigInt(network).toString(16)}`;
    try {
      await this.#ask("wallet_switchEthereumChain", [{ chainId }]);
    } catch (error) {
      if (faultOf(error).code !== 4902 || !isObject(add)) throw error;
      await this.#ask("wallet_addEthereumChain", [add]);
      await this.#ask("wallet_switchEthereumChain", [{ chainId }]);
    }
    this.#stand(await this.#ask("eth_chainId"));
  }

  async perform(request: WalletRequest): Promise<unknown> {
    if (READS.has(request.method)) return this.#ask(request.method, request.params);
    if (!ACTS.has(request.method)) throw new Fault(4200, `${request.method} is not asked of a wallet here.`);
    // Looked at anew: the wallet may have changed since the card was drawn.
    await this.refresh();
    const account = this.#account(request.account);
    if (request.network !== "" && request.network !== this.network.value) {
      throw new Fault(
        OURS.otherNetwork,
        `The wallet is on chain ${this.network.value || "?"}, but the request is for chain ${request.network}`,
      );
    }
    return this.#ask(request.method, withAccount(request, account));
  }

  #account(wanted: string): string {
    const accounts = this.accounts.value;
    const own = accounts.find((one) => wanted === "" || one.toLowerCase() === wanted.toLowerCase());
    if (own !== undefined) return own;
    throw new Fault(
      OURS.otherAccount,
      accounts.length === 0
        ? "The wallet is locked or not connected to this page"
        : `The wallet shows ${accounts.join(", ")}, but the request is for ${wanted}`,
    );
  }

  #see(accounts: unknown): void {
    this.accounts.value = Array.isArray(accounts) ? accounts.filter((one) => typeof one === "string") : [];
  }

  #stand(chain: unknown): void {
    this.network.value = chainText(chain);
  }

  #ask(method: string, params: unknown = []): Promise<unknown> {
    return this.#provider.request({ method, params });
  }
}

/** A transaction whose sender nobody named is sent by the connected account. */
function withAccount(request: WalletRequest, account: string): unknown {
  const [first] = Array.isArray(request.params) ? request.params : [];
  return request.method === "eth_sendTransaction" && isObject(first) && first.from === undefined
    ? [{ ...first, from: account }]
    : request.params;
}

function chainText(chain: unknown): string {
  try {
    return typeof chain === "string" || typeof chain === "number" ? BigInt(chain).toString() : "";
  } catch {
    return "";
  }
}

class NearSession implements Session {
  readonly accounts = signal<readonly string[]>([]);
  readonly network = signal("");
  readonly #wallet: NearWallet;

  constructor(wallet: NearWallet) {
    this.#wallet = wallet;
  }

  async refresh(network: string): Promise<void> {
    this.#see(await this.#wallet.getAccounts(network === "" ? {} : { network }));
  }

  async connect(network: string): Promise<void> {
    this.#see(await this.#wallet.signIn(network === "" ? {} : { network }));
  }

  async switchTo(): Promise<void> {
    throw new Fault(4200, "NEAR wallets take the network with each request.");
  }

  async perform(request: WalletRequest): Promise<unknown> {
    const params = isObject(request.params) ? request.params : {};
    await this.refresh(request.network);
    if (request.account !== "" && !this.accounts.value.includes(request.account)) {
      const shown = this.accounts.value.join(", ");
      throw new Fault(
        OURS.otherAccount,
        shown === ""
          ? "The wallet is locked or not connected to this page"
          : `The wallet shows ${shown}, but the request is for ${request.account}`,
      );
    }
    switch (request.method) {
      case "signMessage":
        return this.#wallet.signMessage({ ...params, nonce: bytes(params.nonce) });
      case "signAndSendTransaction":
        return this.#wallet.signAndSendTransaction(params);
      default:
        throw new Fault(4200, `${request.method} is not asked of a wallet here.`);
    }
  }

  #see(accounts: unknown): void {
    const shown = Array.isArray(accounts) ? accounts : [];
    this.accounts.value = shown
      .map((one) => (isObject(one) ? one.accountId : undefined))
      .filter((one) => typeof one === "string");
  }
}

function bytes(base64: unknown): Uint8Array {
  return Uint8Array.from(atob(String(base64)), (one) => one.charCodeAt(0));
}

/** Any error of a wallet as a code and words; a wallet may throw anything. */
export function faultOf(error: unknown): { code: number; message: string } {
  const { code, message } = (typeof error === "object" && error !== null ? error : {}) as {
    code?: unknown;
    message?: unknown;
  };
  const words = typeof message === "string" && message !== "" ? message : String(error);
  return {
    code: typeof code === "number" && Number.isInteger(code) ? code : -32603,
    message: words.slice(0, 1_000),
  };
}
