// The page's wallet: found, chosen, asked once and only where this page approved.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { WalletRequest } from "../src/protocol.js";
import { drawn } from "./patience.js";

interface Wallet {
  provider: {
    request: ReturnType<typeof vi.fn>;
    on: (event: string, listener: (value: unknown) => void) => void;
  };
  emit(event: string, value: unknown): void;
  asked: string[];
  accounts: string[];
  chain: string;
  answer: (method: string) => unknown;
}

const ME = `0x${"a".repeat(40)}`;

function wallet(answer: (method: string) => unknown = () => "0xdone"): Wallet {
  const listeners: Record<string, (value: unknown) => void> = {};
  const made: Wallet = {
    asked: [],
    accounts: [ME],
    chain: "0x1",
    answer,
    emit: (event, value) => listeners[event]?.(value),
    provider: {
      request: vi.fn(async ({ method }: { method: string }) => {
        made.asked.push(method);
        if (method === "eth_accounts") return made.accounts;
        if (method === "eth_chainId") return made.chain;
        return made.answer(method);
      }),
      on: (event, listener) => {
        listeners[event] = listener;
      },
    },
  };
  return made;
}

function announce(one: Wallet, info: Record<string, unknown> = {}): void {
  const detail = {
    info: { uuid: "u1", name: "Fox", rdns: "test.fox", icon: "", ...info },
    provider: one.provider,
  };
  window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
}

function request(change: Partial<WalletRequest> = {}): WalletRequest {
  return {
    type: "wallet_request",
    boot: "b",
    page: "page-1",
    key: "1.1.0",
    nonce: "n1",
    namespace: "evm",
    method: "eth_sendTransaction",
    params: [{ to: ME }] as unknown as WalletRequest["params"],
    network: "1",
    account: ME,
    ...change,
  };
}

// A page's wallets are the page's: every test gets modules of its own.
async function open() {
  vi.resetModules();
  const { Desk, choose, walletsFor } = await import("../src/wallet/desk.js");
  const discovery = await import("../src/wallet/discovery.js");
  const { sessionOf } = await import("../src/wallet/session.js");
  const answers: { nonce: string; result: unknown; error: { code: number; message: string } | null }[] = [];
  const told: unknown[] = [];
  const desk = new Desk("page-1", {
    ask: (ask) => answers.push(ask as never),
    tell: (wallets) => told.push(wallets),
  });
  discovery.discover();
  closers.push(() => desk.close());
  return { desk, choose, walletsFor, sessionOf, answers, told, ...discovery };
}

const closers: (() => void)[] = [];
beforeEach(() => {
  delete (window as { ethereum?: unknown }).ethereum;
});
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

describe("discovery", () => {
  test("wallets are asked to announce themselves, late ones are taken too, and each counts once", async () => {
    const asked = vi.fn();
    window.addEventListener("eip6963:requestProvider", asked);
    const { found } = await open();
    expect(asked).toHaveBeenCalledTimes(1);
    expect(found.value).toHaveLength(0);
    const one = wallet();
    announce(one);
    announce(one);
    announce(wallet(), { uuid: "u2", name: "Bear" });
    expect(found.value.map((each) => each.name)).toEqual(["Fox", "Bear"]);
    expect(one.asked).toEqual([]);
  });

  test("window.ethereum is the last resort, and not listed twice", async () => {
    const one = wallet();
    (window as { ethereum?: unknown }).ethereum = one.provider;
    const { found } = await open();
    expect(found.value.map((each) => each.name)).toEqual(["window.ethereum"]);
    announce(one);
    expect(found.value.map((each) => each.name)).toEqual(["Fox"]);
  });

  test("what a wallet says of itself is cut to size, and an icon is a data: image or nothing", async () => {
    const { found } = await open();
    announce(wallet(), { uuid: "1", name: "x".repeat(500), icon: "https://example.com/track.png" });
    announce(wallet(), { uuid: "2", icon: "data:text/html,<script>1</script>" });
    announce(wallet(), { uuid: "3", icon: "data:image/svg+xml;base64,AA==" });
    announce(wallet(), { uuid: "4", name: 5, rdns: { a: 1 } });
    expect(found.value.map((each) => each.icon)).toEqual(["", "", "data:image/svg+xml;base64,AA==", ""]);
    expect(found.value[0]?.name).toHaveLength(64);
    expect(found.value[3]?.name).toBe("?");
  });

  test.each([null, 5, {}, { info: {} }, { info: {}, provider: {} }, { provider: { request: 1 } }])(
    "an announcement that is none is ignored: %j",
    async (detail) => {
      const { found } = await open();
      window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
      window.dispatchEvent(new CustomEvent("near-wallet-injected", { detail }));
      expect(found.value).toHaveLength(0);
    },
  );
});

describe("a request", () => {
  test("is carried out once by the page that approved, and answered", async () => {
    const { desk, answers } = await open();
    const one = wallet();
    announce(one);
    desk.approved("1.1.0");
    desk.receive(request());
    desk.receive(request());
    await drawn();
    expect(one.asked.filter((method) => method === "eth_sendTransaction")).toHaveLength(1);
    expect(answers).toEqual([
      { type: "wallet_answer", key: "1.1.0", nonce: "n1", result: "0xdone", error: null },
    ]);
  });

  test("for another page is left alone; one that this page did not approve opens nothing", async () => {
    const { desk, answers } = await open();
    const one = wallet();
    announce(one);
    desk.receive(request({ page: "page-2" }));
    desk.receive(request({ nonce: "n2" }));
    await drawn();
    expect(one.asked).toEqual([]);
    expect(answers.map((each) => each.error?.code)).toEqual([10]);
  });

  test.each([
    ["no wallet", {}, () => undefined, 11],
    ["another account", {}, (one: Wallet) => (one.accounts = [`0x${"b".repeat(40)}`]), 12],
    ["a locked wallet", {}, (one: Wallet) => (one.accounts = []), 12],
    ["another chain", {}, (one: Wallet) => (one.chain = "0x2"), 13],
    ["a method that nobody may ask for", { method: "eth_sign" }, () => undefined, 4200],
  ])("meets %s before the wallet opens", async (name, change, prepare, code) => {
    const { desk, answers } = await open();
    const one = wallet();
    if (name !== "no wallet") announce(one);
    prepare(one);
    desk.approved("1.1.0");
    desk.receive(request(change));
    await drawn();
    expect(answers.map((each) => each.error?.code)).toEqual([code]);
    expect(one.asked).not.toContain("eth_sendTransaction");
    expect(one.asked).not.toContain("eth_sign");
  });

  test.each([
    [Object.assign(new Error("no"), { code: 4001 }), { code: 4001, message: "no" }],
    [new Error("what"), { code: -32603, message: "what" }],
    ["a text", { code: -32603, message: "a text" }],
    [null, { code: -32603, message: "null" }],
    [
      { code: "4001", message: 5 },
      { code: -32603, message: "[object Object]" },
    ],
  ])("that a wallet refuses by %s is answered with a code and words", async (thrown, error) => {
    const { desk, answers } = await open();
    announce(
      wallet(() => {
        throw thrown;
      }),
    );
    desk.approved("1.1.0");
    desk.receive(request());
    await drawn();
    expect(answers[0]?.error).toEqual(error);
  });

  test("takes the chosen wallet where there are several, and none before", async () => {
    const { desk, answers, choose, walletsFor } = await open();
    const [fox, bear] = [wallet(), wallet()];
    announce(fox, { uuid: "1", name: "Fox" });
    announce(bear, { uuid: "2", name: "Bear" });
    desk.approved("1.1.0");
    desk.receive(request());
    await drawn();
    expect(answers.map((each) => each.error?.code)).toEqual([11]);
    const picked = walletsFor("evm").all[1];
    if (picked !== undefined) choose(picked);
    desk.receive(request({ nonce: "n2" }));
    await drawn();
    expect(bear.asked).toContain("eth_sendTransaction");
    expect(fox.asked).toEqual([]);
  });

  test("whose page is left says so, once", async () => {
    const { desk, answers } = await open();
    announce(wallet(() => new Promise(() => undefined)));
    desk.approved("1.1.0");
    desk.receive(request());
    await drawn();
    window.dispatchEvent(new Event("pagehide"));
    window.dispatchEvent(new Event("pagehide"));
    expect(answers.map((each) => each.error?.code)).toEqual([14]);
  });

  test("brings back JSON only: big numbers as text, nothing that JSON cannot hold", async () => {
    const { desk, answers } = await open();
    announce(wallet(() => ({ big: 2n ** 70n, run: () => 1, id: "0x1" })));
    desk.approved("1.1.0");
    desk.receive(request());
    await drawn();
    expect(answers[0]?.result).toEqual({ big: "1180591620717411303424", id: "0x1" });
  });
});

describe("a session", () => {
  test("follows what the wallet shows, and switches the chain only when told", async () => {
    const { desk, walletsFor, sessionOf } = await open();
    const one = wallet();
    announce(one);
    await desk.look("evm", "1");
    const found = walletsFor("evm").one;
    if (found === undefined) throw new Error("not found");
    const session = sessionOf(found);
    expect([session.accounts.value, session.network.value]).toEqual([[ME], "1"]);
    one.emit("accountsChanged", []);
    one.emit("chainChanged", "0x7a69");
    expect([session.accounts.value, session.network.value]).toEqual([[], "31337"]);
    one.emit("chainChanged", "not a chain");
    expect(session.network.value).toBe("");
    expect(one.asked).toEqual(["eth_accounts", "eth_chainId"]);
  });

  test("adds a chain that the wallet does not know only where it may", async () => {
    const { walletsFor, sessionOf } = await open();
    let known = false;
    const one = wallet((method) => {
      if (method === "wallet_addEthereumChain") known = true;
      if (method === "wallet_switchEthereumChain" && !known) throw { code: 4902, message: "unknown" };
      return null;
    });
    announce(one);
    const found = walletsFor("evm").one;
    if (found === undefined) throw new Error("not found");
    await expect(sessionOf(found).switchTo("31337", null)).rejects.toEqual({
      code: 4902,
      message: "unknown",
    });
    expect(one.asked).not.toContain("wallet_addEthereumChain");
    await sessionOf(found).switchTo("31337", { chainId: "0x7a69", rpcUrls: [] });
    expect(one.asked.filter((method) => method === "wallet_addEthereumChain")).toHaveLength(1);
  });
});
