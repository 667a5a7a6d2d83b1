// The wallets that this page has. They announce themselves; what they say of themselves is their own claim.
//
// EVM wallets by EIP-6963, `window.ethereum` as the last resort; NEAR wallets by the event of NEAR Connect. A wallet that
// is only a manifest with code to download is never loaded.

import { type ReadonlySignal, signal } from "@preact/signals";
import { isObject } from "../protocol.js";

export type Namespace = "evm" | "near";

/** What EIP-1193 asks of a provider. */
export interface Provider {
  request(request: { method: string; params?: unknown }): Promise<unknown>;
  on?(event: string, listener: (...args: never[]) => void): unknown;
}

/** As much of NEAR Connect's injected wallet as is used here. */
export interface NearWallet {
  getAccounts(data?: { network?: string }): Promise<unknown>;
  signIn(data?: { network?: string }): Promise<unknown>;
  signMessage(params: unknown): Promise<unknown>;
  signAndSendTransaction(params: unknown): Promise<unknown>;
}

export type FoundWallet = {
  /** Names it in this page. */
  id: string;
  rdns: string;
  name: string;
  /** A `data:` URL of an image, or empty. */
  icon: string;
} & ({ namespace: "evm"; wallet: Provider } | { namespace: "near"; wallet: NearWallet });

const MAX_ICON = 100_000;
const LEGACY = "legacy";

const announced = new Map<string, FoundWallet>();
const list = signal<readonly FoundWallet[]>([]);

/** Every wallet found so far, in the order of their announcements. */
export const found: ReadonlySignal<readonly FoundWallet[]> = list;

let asking = false;

/** Asks wallets to announce themselves, once per page, and listens from then on; this opens nothing. */
export function discover(): void {
  if (!asking) {
    asking = true;
    window.addEventListener("eip6963:announceProvider", (event) => takeEvm((event as CustomEvent).detail));
    window.addEventListener("near-wallet-injected", (event) => takeNear((event as CustomEvent).detail));
    window.dispatchEvent(new Event("eip6963:requestProvider"));
    window.dispatchEvent(new Event("near-selector-ready"));
  }
  publish();
}

function takeEvm(detail: unknown): void {
  if (!isObject(detail) || !isObject(detail.info) || !isProvider(detail.provider)) return;
  const { uuid, name, rdns, icon } = detail.info;
  const id = `evm:${text(uuid, 64)}`;
  announced.set(id, {
    id,
    rdns: text(rdns, 256),
    name: text(name, 64) || text(rdns, 64) || "?",
    icon: image(icon),
    namespace: "evm",
    wallet: detail.provider,
  });
  publish();
}

function takeNear(detail: unknown): void {
  if (typeof detail !== "object" || detail === null) return;
  const manifest = (detail as { manifest?: unknown }).manifest;
  const { id, name, icon } = isObject(manifest) ? manifest : { id: "", name: "", icon: "" };
  const wallet = detail as NearWallet;
  if (typeof wallet.getAccounts !== "function" || typeof wallet.signAndSendTransaction !== "function") return;
  const key = `near:${text(id, 64)}`;
  announced.set(key, {
    id: key,
    rdns: text(id, 256),
    name: text(name, 64) || text(id, 64) || "?",
    icon: image(icon),
    namespace: "near",
    wallet,
  });
  publish();
}

function publish(): void {
  const wallets = [...announced.values()];
  const legacy = (window as { ethereum?: unknown }).ethereum;
  if (isProvider(legacy) && !wallets.some((one) => one.wallet === legacy)) {
    wallets.push({
      id: LEGACY,
      rdns: "",
      name: "window.ethereum",
      icon: "",
      namespace: "evm",
      wallet: legacy,
    });
  }
  const before = list.value;
  if (wallets.length !== before.length || wallets.some((one, index) => one !== before[index])) {
    list.value = wallets;
  }
}

function isProvider(value: unknown): value is Provider {
  return typeof value === "object" && value !== null && typeof (value as Provider).request === "function";
}

function text(value: unknown, length: number): string {
  return typeof value === "string" ? value.slice(0, length) : "";
}

/** An icon may be shown only where showing it asks nobody for anything. */
function image(value: unknown): string {
  return typeof value === "string" && value.length <= MAX_ICON && /^data:image\//i.test(value) ? value : "";
}
