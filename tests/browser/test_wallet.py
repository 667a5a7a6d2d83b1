"""The browser wallet in a real JupyterLab: stand-in wallets in the page, and a real local chain."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from nacl.signing import SigningKey
from playwright.sync_api import expect

from bitte_nb.signing import nep413
from bitte_nb.signing.development import EVM_ADDRESSES
from bitte_nb.signing.eth import eth_account
from bitte_nb.signing.pages import SILENCE
from bitte_nb.signing.requests import SignMessageRequest
from tests.browser.chat_view import ChatView, chat_in
from tests.browser.notebook import PATIENCE
from tests.local_node import ask, local_node, said
from tests.signing.near_stand_in import executed, name_of
from tests.signing.test_development import reverting_contract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import BrowserContext, Locator

    from tests.browser.conftest import OpenNotebook
    from tests.browser.notebook import Notebook

ME, OTHER = EVM_ADDRESSES[0], EVM_ADDRESSES[1]
KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
"""The first development key that every local chain has; its account is ME."""

SETUP = """
import json
import bitte_nb as bn
from bitte_nb.testing import Call, ScriptedModel

DOCUMENT = {
    "openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "servers": [{"url": "http://127.0.0.1:9"}],
    "paths": {},
    "x-mb": {"assistant": {"name": "Shop", "tools": [
        {"type": "generate-evm-tx"}, {"type": "generate-transaction"}, {"type": "sign-message"}]}},
}
ME = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"

def evm(method, *params):
    return Call("generate-evm-tx", {"method": method, "chainId": 31337, "params": list(params)})

def answer(request):
    last = request.messages[-1]
    if last.role != "user":
        return ["Noted."]
    word, _, rest = last.content.partition(" ")
    match word:
        case "pay":
            return [evm("eth_sendTransaction", {"to": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "value": rest})]
        case "call":
            return [evm("eth_sendTransaction", {"to": rest, "data": "0x12345678", "value": "0x0", "gas": "0x186a0"})]
        case "text":
            return [evm("personal_sign", "0x" + rest.encode().hex(), ME)]
        case "near":
            return [Call("generate-transaction", {"transactions": [{"receiverId": "bob.near", "actions": [
                {"type": "Transfer", "params": {"deposit": rest}}]}]})]
        case "message":
            return [Call("sign-message", {"message": rest, "recipient": "shop.near"})]

agent = bn.Agent(DOCUMENT, model=ScriptedModel([answer] * 99), signer="injected",
                 wallet=bn.Wallet(account_id="alice.near", evm_address=ME, chain_id=31337))
chat = bn.Chat(agent)
"""


@pytest.fixture(scope="module")
def node() -> Iterator[str]:
    with local_node() as url:
        yield url


@pytest.fixture
def wallets(context: BrowserContext, node: str) -> None:
    """Pages get stand-in wallets on demand; the test holds their key and passes everything else to the node."""
    oracle = eth_account()

    def sign(method: str, params: str) -> str:
        asked: Any = json.loads(params)
        match method:
            case "nearSignMessage":
                key = SigningKey(hashlib.sha256(b"a stand-in wallet").digest())
                message = SignMessageRequest(
                    message=asked["message"], nonce=base64.b64decode(asked["nonce"]), recipient=asked["recipient"]
                )
                signature = base64.b64encode(key.sign(nep413.digest(message)).signature).decode()
                public_key = nep413.public_key_text(bytes(key.verify_key))
                return json.dumps({"accountId": "alice.near", "publicKey": public_key, "signature": signature})
            case "nearSend":
                return json.dumps(executed(name_of(1), receiver=asked["receiverId"]))
            case "eth_sendTransaction":
                return ask(node, "eth_sendTransaction", *asked)
            case "personal_sign":
                message = oracle.messages.encode_defunct(hexstr=asked[0])
            case _:
                message = oracle.messages.encode_typed_data(full_message=json.loads(asked[1]))
        return "0x" + bytes(oracle.Account.sign_message(message, KEY).signature).hex()

    context.expose_function("walletSign", sign)
    context.expose_function("walletNode", lambda method, params: json.dumps(said(node, method, *json.loads(params))))
    context.add_init_script(path=Path(__file__).with_name("wallet.js"))


class WalletChat:
    """A chat whose cards a wallet carries out, and the wallets of its page."""

    def __init__(self, book: Notebook) -> None:
        self.book = book
        self.page = book.page
        self.chat: ChatView = chat_in(book, 1)

    def wallet(self, name: str = "Fox", **options: Any) -> None:
        """Announce a wallet now."""
        settings = {"name": name, "accounts": [ME], "chain": "0x7a69", "mode": "auto", **options}
        self.page.evaluate("options => window.newWallet(options)", settings)

    def set(self, name: str = "Fox", **state: Any) -> None:
        self.page.evaluate("([n, s]) => { Object.assign(window.testWallets[n], s); }", [name, state])

    def emit(self, event: str, value: Any, name: str = "Fox") -> None:
        self.page.evaluate("([n, e, v]) => window.testWallets[n].emit(e, v)", [name, event, value])

    def count(self, method: str, name: str = "Fox") -> int:
        """How often a wallet was asked for a method."""
        script = "([n, m]) => window.testWallets[n].log.filter(one => one === m).length"
        return int(self.page.evaluate(script, [name, method]))

    def card(self, text: str) -> Locator:
        """Say something, and the card that comes of it."""
        before = self.chat.cards.count()
        self.chat.say(text)
        expect(self.chat.cards).to_have_count(before + 1)
        card = self.chat.cards.nth(before)
        self.expect(card, "pending")
        return card

    def expect(self, card: Locator, state: str) -> None:
        expect(card).to_have_attribute("data-bnb-state", state)

    def holds(self, card: Locator, what: str) -> None:
        """Wait until the card says what keeps its wallet from being asked; empty is nothing."""
        part = card.locator("[data-bnb-wallet-holds]")
        expect(part).to_have_attribute("data-bnb-wallet-holds", what)
        approve = card.locator('[data-bnb-action="approve"]')
        (expect(approve).to_be_disabled if what else expect(approve).to_be_enabled)()

    def press(self, card: Locator, action: str) -> None:
        sure = card.locator(".bnb-second-act input")
        if action == "approve" and sure.count():
            sure.check()
        card.locator(f'[data-bnb-action="{action}"]').last.click()

    def told(self) -> str:
        """The result of the newest call, as the model reads it."""
        result = "chat.invocations[-1].result"
        return self.book.python(f"str({result}.model_dump() if {result} else chat.invocations[-1].reason)")


@pytest.fixture
def shop(notebook: OpenNotebook, wallets: None) -> WalletChat:
    book = notebook([SETUP, "chat"], own_page=True)
    book.run_all()
    return WalletChat(book)


def test_a_wallet_is_found_connected_and_asked_for_what_was_reviewed(shop: WalletChat, node: str) -> None:
    # No wallet: the card says so and offers another way.
    card = shop.card("pay 0x5")
    shop.holds(card, "none")
    expect(card).to_contain_text("This page has no wallet")
    expect(card).to_contain_text("Sign elsewhere")

    # It announces itself late, locked and on another chain; nothing was asked but what it shows.
    shop.wallet(chain="0x1", mode=-32002)
    shop.holds(card, "connect")
    assert shop.count("eth_requestAccounts") == 0
    shop.press(card, "wallet-connect")
    expect(card).to_contain_text("test says -32002")
    shop.set(mode="auto")
    shop.press(card, "wallet-connect")
    shop.holds(card, "network")
    expect(card).to_contain_text("The wallet is on chain 1, but this request is for chain 31337")
    assert shop.count("wallet_switchEthereumChain") == 0
    shop.set(mode=4001)
    shop.press(card, "wallet-switch")
    expect(card).to_contain_text("test says 4001")
    shop.set(mode="auto")
    shop.press(card, "wallet-switch")
    shop.holds(card, "")

    # Account and chain change between render and approve, and back.
    shop.emit("accountsChanged", [OTHER])
    shop.holds(card, "account")
    expect(card).to_contain_text(f"The wallet shows {OTHER}, but this request is for {ME}")
    shop.emit("accountsChanged", [ME])
    shop.emit("chainChanged", "0x2")
    shop.holds(card, "network")
    shop.emit("chainChanged", "0x7a69")
    shop.holds(card, "")

    # However often it is pressed, the wallet is asked once; the money arrives.
    before = int(ask(node, "eth_getBalance", OTHER, "latest"), 16)
    shop.chat.approve_often(card)
    shop.expect(card, "succeeded")
    assert shop.count("eth_sendTransaction") == 1
    assert int(ask(node, "eth_getBalance", OTHER, "latest"), 16) - before == 5
    assert "'status': 'mined'" in shop.told()
    shop.chat.expect_text("Noted.")

    # A second wallet: one must be chosen.
    shop.wallet("Bear")
    signed = shop.card("text I agree")
    shop.holds(signed, "choose")
    signed.locator("[data-bnb-wallet-choice]").select_option(label="Fox (test.Fox)")
    shop.holds(signed, "")
    shop.press(signed, "approve")
    shop.expect(signed, "succeeded")
    assert f"'address': '{ME}'" in shop.told()
    assert shop.count("personal_sign", "Bear") == 0

    # Status 0x0 is a failure with its reason.
    contract = ask(node, "eth_sendTransaction", {"from": ME, "data": reverting_contract()})
    shop.book.wait_until(lambda: ask(node, "eth_getTransactionReceipt", contract), what="the contract's block")
    address = ask(node, "eth_getTransactionReceipt", contract)["contractAddress"]
    failed = shop.card(f"call {address}")
    shop.holds(failed, "")
    shop.press(failed, "approve")
    shop.expect(failed, "failed")
    assert "no luck today" in shop.told()

    # The account changed without a word, after the card was drawn: looked at anew before the wallet is asked.
    sneaky = shop.card("pay 0x6")
    shop.holds(sneaky, "")
    sends = shop.count("eth_sendTransaction")
    shop.set(accounts=[OTHER])
    shop.press(sneaky, "approve")
    shop.expect(sneaky, "failed")
    assert "Nothing was signed or sent" in shop.told()
    shop.set(accounts=[ME])
    assert shop.count("eth_sendTransaction") == sends

    # Declined, and not authorised.
    for code, says in ((4001, "Declined in the wallet"), (4100, "does not let this page use the account")):
        declined = shop.card("pay 0x7")
        shop.holds(declined, "")
        shop.set(mode=code)
        shop.press(declined, "approve")
        shop.expect(declined, "failed")
        assert says in shop.told()
        shop.set(mode="auto")

    # A NEAR wallet of the page: a message is verified here, a transaction is what the wallet says it is.
    shop.page.evaluate("window.newNearWallet({ name: 'Meteorite', account: 'alice.near' })")
    message = shop.card("message I own this account")
    shop.holds(message, "")
    shop.press(message, "approve")
    shop.expect(message, "succeeded")
    assert "'status': 'signed'" in shop.told()
    sent = shop.card("near 5")
    shop.holds(sent, "")
    shop.press(sent, "approve")
    shop.expect(sent, "succeeded")
    assert name_of(1) in shop.told()
    shop.set("Meteorite", mode="User rejected")
    refused = shop.card("near 6")
    shop.holds(refused, "")
    shop.press(refused, "approve")
    shop.expect(refused, "failed")
    assert "Declined in the wallet" in shop.told()

    # A wallet that never answers: the person can stop, and what it does later changes nothing here.
    silent = shop.card("pay 0x8")
    shop.holds(silent, "")
    shop.set(mode="silent")
    shop.press(silent, "approve")
    shop.expect(silent, "executing")
    shop.book.wait_until(lambda: shop.page.evaluate("!!window.testWallets.Fox.finish"), what="the wallet to be open")
    shop.press(shop.chat.root, "stop")
    shop.expect(silent, "unknown")
    assert "whether it took effect is not known" in shop.told()
    expect(silent.locator('[data-bnb-action="approve"]')).to_have_count(0)


def test_a_reload_another_page_and_a_restart_never_offer_a_second_signature(
    shop: WalletChat, context: BrowserContext, node: str
) -> None:
    shop.wallet()
    card = shop.card("pay 0x5")
    shop.press(card, "wallet-connect")
    shop.holds(card, "")

    # Another view of the same page shows the same, and only the page that approved is asked.
    view = ChatView(shop.book, shop.book.second_view(1))
    shop.set(mode="silent")
    view.press("approve", of=view.cards.last)
    shop.expect(card, "executing")
    shop.expect(view.cards.last, "executing")
    shop.book.wait_until(lambda: shop.page.evaluate("!!window.testWallets.Fox.finish"), what="the wallet to be open")
    assert shop.count("eth_sendTransaction") == 1

    # The page is left while the wallet is open: what the wallet did is not known, and nobody is asked again.
    shop.book.save()
    shop.book.reload()
    shop.chat = chat_in(shop.book, 1)
    # Where the page's last word is lost on its way, its silence tells.
    left = (SILENCE + PATIENCE) * 1000
    expect(shop.chat.cards.last).to_have_attribute("data-bnb-state", "unknown", timeout=left)
    assert "may still be open" in shop.told()
    expect(shop.chat.cards.last.locator('[data-bnb-action="approve"]')).to_have_count(0)
    assert shop.page.evaluate("Object.keys(window.testWallets)") == []

    # The kernel ends while the wallet is open: a loaded chat knows that it does not know.
    shop.wallet()
    card = shop.card("pay 0x6")
    shop.press(card, "wallet-connect")
    shop.holds(card, "")
    shop.set(mode="silent")
    shop.press(card, "approve")
    shop.book.wait_until(lambda: shop.page.evaluate("!!window.testWallets.Fox.finish"), what="the wallet to be open")
    name = shop.book.python("chat.id")
    shop.book.restart_kernel()
    shop.page.evaluate("() => { window.testWallets.Fox.mode = 'auto'; window.testWallets.Fox.finish(); }")
    index = shop.book.run(f"{SETUP}\nchat = bn.Chat.load({name}, agent=agent)\nchat")
    loaded = chat_in(shop.book, index)
    shop.expect(loaded.cards.last, "unknown")
    expect(loaded.cards.last.locator('[data-bnb-action="approve"]')).to_have_count(0)
    assert shop.count("eth_sendTransaction") == 1
