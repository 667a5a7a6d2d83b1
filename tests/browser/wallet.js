// Stand-in wallets for the tests: EIP-1193, EIP-6963 and a NEAR twin, each doing what its test says. Keys are not here:
// the test signs (`walletSign`), and a real local node answers everything else (`walletNode`).
(() => {
  const wallets = {};
  window.testWallets = wallets;

  const fault = (code, message) => Object.assign(new Error(message), { code });

  class TestWallet {
    constructor({ name, accounts, chain, mode }) {
      Object.assign(this, { name, accounts, chain, mode, connected: false, log: [], listeners: {} });
      wallets[name] = this;
    }

    emit(event, value) {
      for (const listener of this.listeners[event] ?? []) listener(value);
    }

    /** What the person sees in the wallet, and decides. */
    async ask(method) {
      if (typeof this.mode === "number") throw fault(this.mode, `test says ${this.mode}`);
      if (this.mode === "silent") await new Promise((resolve) => {
        this.finish = resolve;
      });
    }

    count(method) {
      return this.log.filter((one) => one === method).length;
    }

    provider() {
      return {
        request: async ({ method, params }) => {
          this.log.push(method);
          switch (method) {
            case "eth_accounts":
              return this.connected ? this.accounts : [];
            case "eth_chainId":
              return this.chain;
            case "eth_requestAccounts":
              await this.ask(method);
              this.connected = true;
              this.emit("accountsChanged", this.accounts);
              return this.accounts;
            case "wallet_switchEthereumChain":
              await this.ask(method);
              this.chain = params[0].chainId;
              this.emit("chainChanged", this.chain);
              return null;
            case "personal_sign":
            case "eth_signTypedData_v4":
              await this.ask(method);
              return window.walletSign(method, JSON.stringify(params));
            case "eth_sendTransaction":
              await this.ask(method);
              return window.walletSign(method, JSON.stringify(params));
            case "wallet_getCapabilities":
              throw fault(4200, "not supported");
            default: {
              const answer = JSON.parse(await window.walletNode(method, JSON.stringify(params)));
              if (answer.error) throw fault(answer.error.code, answer.error.message);
              return answer.result;
            }
          }
        },
        on: (event, listener) => {
          this.listeners[event] = [...(this.listeners[event] ?? []), listener];
        },
      };
    }

    announce() {
      this.own ??= this.provider();
      const icon = "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=";
      const info = { uuid: `uuid-${this.name}`, name: this.name, rdns: `test.${this.name}`, icon };
      const detail = Object.freeze({ info, provider: this.own });
      window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
    }
  }

  window.newWallet = (options) => {
    const wallet = new TestWallet(options);
    window.addEventListener("eip6963:requestProvider", () => wallet.announce());
    wallet.announce();
    return true;
  };

  window.newNearWallet = ({ name, account }) => {
    const state = { name, account, mode: "auto", log: [] };
    wallets[name] = state;
    const decide = (method) => {
      state.log.push(method);
      if (state.mode !== "auto") throw new Error(state.mode);
    };
    const wallet = {
      manifest: { id: name, name, icon: "" },
      getAccounts: async () => [{ accountId: state.account }],
      signIn: async () => [{ accountId: state.account }],
      signMessage: async (params) => {
        decide("signMessage");
        const nonce = btoa(String.fromCharCode(...params.nonce));
        return JSON.parse(await window.walletSign("nearSignMessage", JSON.stringify({ ...params, nonce })));
      },
      signAndSendTransaction: async (params) => {
        decide("signAndSendTransaction");
        return JSON.parse(await window.walletSign("nearSend", JSON.stringify(params)));
      },
    };
    window.dispatchEvent(new CustomEvent("near-wallet-injected", { detail: wallet }));
    return true;
  };
})();
