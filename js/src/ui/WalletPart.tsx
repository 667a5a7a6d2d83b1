// The wallet of this page, on the card that it will be asked for: which one, which account, which network.

import { useEffect, useState } from "preact/hooks";
import type { InvocationView } from "../protocol.js";
import { type Carried, readCarried } from "../wallet/carried.js";
import { choose, walletsFor } from "../wallet/desk.js";
import type { FoundWallet } from "../wallet/discovery.js";
import { faultOf, type Session, sessionOf } from "../wallet/session.js";
import { CopyButton } from "./CopyButton.js";
import { useSurface } from "./context.js";
import { Revealed } from "./Revealed.js";

type Holds = "none" | "choose" | "connect" | "account" | "network";

/** What keeps the wallet from being asked, or null. Reading signals here makes the caller follow them. */
function holdsOf(carried: Carried): Holds | null {
  const { all, one } = walletsFor(carried.namespace);
  if (one === undefined) return all.length === 0 ? "none" : "choose";
  const session = sessionOf(one);
  const accounts = session.accounts.value;
  if (accounts.length === 0) return "connect";
  const wanted = carried.account;
  const isOwn = (account: string) => isSame(account, wanted, carried);
  if (wanted !== "" && !accounts.some(isOwn)) return "account";
  const network = session.network.value;
  return carried.namespace === "evm" && carried.network !== "" && network !== carried.network
    ? "network"
    : null;
}

function isSame(one: string, other: string, carried: Carried): boolean {
  return carried.namespace === "evm" ? one.toLowerCase() === other.toLowerCase() : one === other;
}

/** Whether approving has to wait, because this page's wallet could not be asked. */
export function useWalletHolds(view: InvocationView): boolean {
  const carried = readCarried(view.review);
  return carried?.asks === true && holdsOf(carried) !== null;
}

export function WalletPart({ view }: { view: InvocationView }) {
  const carried = readCarried(view.review);
  if (carried === null || view.state !== "pending") return null;
  return (
    <div class="bnb-wallet" data-bnb-wallet="">
      {carried.asks && <Asked carried={carried} />}
      {carried.copy !== "" && view.responds && <Slip carried={carried} />}
    </div>
  );
}

function Asked({ carried }: { carried: Carried }) {
  const { link, words } = useSurface();
  const { namespace, network } = carried;
  const { all, one } = walletsFor(namespace);
  const [fault, setFault] = useState("");
  useEffect(() => {
    void link.desk.look(namespace, network);
  }, [link, namespace, network, one?.id]);
  const holds = holdsOf(carried);
  const session = one && sessionOf(one);
  const act = (work: (session: Session) => Promise<void>) => {
    setFault("");
    if (session !== undefined) {
      work(session).catch((error: unknown) => setFault(words.wallet.refused(faultOf(error).message)));
    }
  };
  const shown = session?.accounts.value ?? [];
  return (
    <div data-bnb-wallet-holds={holds ?? ""}>
      {all.length > 1 && <Choice all={all} one={one} />}
      {one !== undefined && (
        <p class="bnb-faint">
          {one.icon !== "" && <img class="bnb-wallet-icon" src={one.icon} alt="" width="16" height="16" />}{" "}
          {words.wallet.using} <Revealed text={one.name} />
          {shown.length > 0 && (
            <>
              {" · "}
              <span class="bnb-mono">
                <Revealed
                  text={shown.find((account) => isSame(account, carried.account, carried)) ?? shown[0] ?? ""}
                />
              </span>
            </>
          )}
        </p>
      )}
      {holds === "none" && <p class="bnb-note">{words.wallet.none}</p>}
      {holds === "choose" && <p class="bnb-note">{words.wallet.choose}</p>}
      {holds === "connect" && (
        <p class="bnb-note">
          {words.wallet.locked}{" "}
          <button
            type="button"
            class="bnb-button bnb-small"
            data-bnb-action="wallet-connect"
            onClick={() => act((session) => session.connect(network))}
          >
            {words.wallet.connect}
          </button>
        </p>
      )}
      {holds === "account" && (
        <p class="bnb-note" role="status">
          {words.wallet.otherAccount(shown.join(", "), carried.account)}
        </p>
      )}
      {holds === "network" && (
        <p class="bnb-note" role="status">
          {words.wallet.otherNetwork(session?.network.value ?? "", network)}{" "}
          <button
            type="button"
            class="bnb-button bnb-small"
            data-bnb-action="wallet-switch"
            onClick={() => act((session) => session.switchTo(network, carried.add))}
          >
            {words.wallet.switchTo(network)}
          </button>
        </p>
      )}
      {fault !== "" && (
        <p class="bnb-refusal" role="alert">
          <Revealed text={fault} />
        </p>
      )}
    </div>
  );
}

function Choice({ all, one }: { all: FoundWallet[]; one: FoundWallet | undefined }) {
  const { words } = useSurface();
  return (
    <label class="bnb-faint">
      {words.wallet.which}{" "}
      <select
        class="bnb-input"
        data-bnb-wallet-choice=""
        value={one?.id ?? ""}
        onChange={(event) => {
          const picked = all.find((wallet) => wallet.id === event.currentTarget.value);
          if (picked !== undefined) choose(picked);
        }}
      >
        <option value="" disabled={true}>
          {words.wallet.pick}
        </option>
        {all.map((wallet) => (
          <option key={wallet.id} value={wallet.id}>
            {wallet.rdns === "" || wallet.rdns === wallet.name
              ? wallet.name
              : `${wallet.name} (${wallet.rdns})`}
          </option>
        ))}
      </select>
    </label>
  );
}

/** For a wallet that this page cannot reach: the request to carry there. */
function Slip({ carried }: { carried: Carried }) {
  const { words } = useSurface();
  return (
    <details class="bnb-exact">
      <summary>{words.wallet.elsewhere}</summary>
      <p class="bnb-faint">
        {words.wallet.carry} {carried.bring}
      </p>
      <pre class="bnb-mono bnb-wallet-slip">{carried.copy}</pre>
      <CopyButton text={carried.copy} label={words.wallet.copy} />
    </details>
  );
}
