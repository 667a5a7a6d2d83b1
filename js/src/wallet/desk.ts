// Where requests for a wallet arrive in a page: each is carried out once, and only where this page approved.

import { signal } from "@preact/signals";
import type { Ask, WalletAnswer, WalletRequest, Wallets } from "../protocol.js";
import { discover, type FoundWallet, found, type Namespace } from "./discovery.js";
import { Fault, faultOf, OURS, READS, sessionOf } from "./session.js";

/** What the person chose where there are several wallets; for the whole page. */
const chosen = signal<Readonly<Record<string, string>>>({});

/** Uses that wallet from now on. */
export function choose(one: FoundWallet): void {
  chosen.value = { ...chosen.value, [one.namespace]: one.id };
}

/** The wallets for a namespace, and the one to use: the chosen one, or the only one. */
export function walletsFor(namespace: Namespace): { all: FoundWallet[]; one: FoundWallet | undefined } {
  const all = found.value.filter((wallet) => wallet.namespace === namespace);
  const picked = all.find((wallet) => wallet.id === chosen.value[namespace]);
  return { all, one: picked ?? (all.length === 1 ? all[0] : undefined) };
}

/** The line to the kernel. */
export interface DeskLine {
  /** Sends an answer until the kernel has it. */
  ask(ask: Ask): void;
  /** Says what wallets there are. */
  tell(wallets: Pick<Wallets, "found" | "accounts" | "network">): void;
}

export class Desk {
  readonly #page: string;
  readonly #line: DeskLine;
  readonly #approved = new Set<string>();
  readonly #seen = new Set<string>();
  readonly #open = new Map<string, WalletRequest>();

  constructor(page: string, line: DeskLine) {
    this.#page = page;
    this.#line = line;
    // A page that goes says so: what the wallet does from now on, nobody here will hear.
    window.addEventListener("pagehide", this.#leave);
  }

  close(): void {
    window.removeEventListener("pagehide", this.#leave);
  }

  /** The person pressed Approve in this page. */
  approved(key: string): void {
    this.#approved.add(key);
  }

  /** Looks what wallets there are and what the one in use shows, without asking the person. */
  async look(namespace: Namespace, network: string): Promise<void> {
    discover();
    const { one } = walletsFor(namespace);
    const session = one && sessionOf(one);
    await session?.refresh(network).catch(() => undefined);
    this.#line.tell({
      found: found.value.map(({ rdns, name }) => ({ rdns, name })),
      accounts: [...(session?.accounts.value ?? [])],
      network: session?.network.value ?? "",
    });
  }

  receive(request: WalletRequest): void {
    if (request.page !== this.#page || this.#seen.has(request.nonce)) return;
    this.#seen.add(request.nonce);
    this.#open.set(request.nonce, request);
    this.#carryOut(request).then(
      (result) => this.#answer(request, { result: plain(result), error: null }),
      (error: unknown) => this.#answer(request, { result: null, error: faultOf(error) }),
    );
  }

  async #carryOut(request: WalletRequest): Promise<unknown> {
    // What only reads opens nothing, so that any page may carry it out.
    if (!READS.has(request.method) && !this.#approved.has(request.key)) {
      throw new Fault(OURS.notApproved, "This page did not approve the request");
    }
    discover();
    const { one } = walletsFor(request.namespace);
    if (one === undefined)
      throw new Fault(OURS.noWallet, "There is no wallet in this page, or none was chosen");
    return sessionOf(one).perform(request);
  }

  #answer(request: WalletRequest, said: { result: unknown; error: WalletFault | null }): void {
    if (!this.#open.delete(request.nonce)) return;
    const result = said.result as WalletAnswer["result"];
    this.#line.ask({ type: "wallet_answer", key: request.key, nonce: request.nonce, ...said, result });
  }

  readonly #leave = (): void => {
    for (const request of [...this.#open.values()]) {
      this.#answer(request, { result: null, error: { code: OURS.left, message: "The page was left" } });
    }
  };
}

type WalletFault = { code: number; message: string };

/** What a wallet answered, as JSON: whatever else it put into it stays in the page. */
function plain(value: unknown): unknown {
  try {
    const text = JSON.stringify(value, (_, one) => (typeof one === "bigint" ? one.toString() : one));
    return text === undefined || text.length > 1_000_000 ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
