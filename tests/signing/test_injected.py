"""The browser wallet's signer: asks the page that approved, once, and believes nothing that it did not check."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from bitte_nb.core.wallet import Wallet
from bitte_nb.errors import SigningError
from bitte_nb.signing.development import EVM_ADDRESSES, DevelopmentSigner
from bitte_nb.signing.injected import InjectedSigner
from bitte_nb.signing.outcome import OtherTransaction, differs
from bitte_nb.signing.pages import LEFT, WalletRequest
from bitte_nb.signing.registry import resolve_signer
from bitte_nb.signing.requests import EvmSignRequest, SignMessageRequest
from tests.local_node import ask, said
from tests.signing.test_development import pay, reverting_contract, send
from tests.signing.wallet_page import CALL, Fault, WalletPage, page_of

ME, OTHER = EVM_ADDRESSES[0], EVM_ADDRESSES[1]
TYPED: dict[str, Any] = {
    "types": {
        "EIP712Domain": [{"name": "name", "type": "string"}, {"name": "chainId", "type": "uint256"}],
        "Note": [{"name": "text", "type": "string"}, {"name": "amount", "type": "uint256"}],
    },
    "primaryType": "Note",
    "domain": {"name": "Notes", "chainId": 31337},
    "message": {"text": "hello", "amount": 2**200},
}
PERSONAL = EvmSignRequest(method="personal_sign", chain_id=8453, params=("0x4869", ME))
DATA = EvmSignRequest(method="eth_signTypedData_v4", chain_id=31337, params=(ME, TYPED))


class Wallet1193:
    """A wallet with the node's own unlocked accounts and the published keys; `twist` changes what it is asked."""

    def __init__(self, url: str = "", twist: Callable[[dict[str, Any]], dict[str, Any]] | None = None) -> None:
        self.url = url
        self.twist = twist
        self.capabilities: dict[str, Any] | None = None
        self.batches: dict[str, list[str]] = {}

    async def __call__(self, request: WalletRequest) -> Any:
        match request.method:
            case "personal_sign" | "eth_signTypedData_v4":
                asked = EvmSignRequest(method=request.method, chain_id=31337, params=tuple(request.params))
                return (await DevelopmentSigner().evm(asked))["signature"]
            case "eth_sendTransaction":
                return self._send(request.params[0])
            case "wallet_getCapabilities":
                if self.capabilities is None:
                    raise Fault(4200, "not supported")
                return self.capabilities
            case "wallet_sendCalls":
                (batch,) = request.params
                self.batches["0xba7c4"] = [self._send({**one, "from": batch["from"]}) for one in batch["calls"]]
                return {"id": "0xba7c4"}
            case "wallet_getCallsStatus":
                receipts = [ask(self.url, "eth_getTransactionReceipt", one) for one in self.batches[request.params[0]]]
                return {"status": 200, "receipts": receipts, "atomic": False}
            case _:
                answer = said(self.url, request.method, *request.params)
                if "error" in answer:
                    raise Fault(answer["error"]["code"], answer["error"]["message"])
                return answer["result"]

    def _send(self, transaction: dict[str, Any]) -> str:
        return ask(self.url, "eth_sendTransaction", self.twist(transaction) if self.twist else transaction)


def refusing(code: int, said: str = "User rejected the request.") -> Callable[[WalletRequest], Any]:
    async def answer(request: WalletRequest) -> Any:
        if request.method == "eth_chainId" or request.method.startswith("wallet_get"):
            raise Fault(4200)
        raise Fault(code, said)

    return answer


async def silent(_: WalletRequest) -> Any:
    await asyncio.Event().wait()


def test_the_signer_has_a_name_to_be_loaded_by():
    signer = resolve_signer("injected", Wallet(evm_address=ME), {31337: "http://user:secret@127.0.0.1:1/key-in-path"})
    assert isinstance(signer, InjectedSigner)
    assert signer.accounts.evm_address == ME
    assert "secret" not in repr(signer)
    assert "key-in-path" not in repr(signer)


@pytest.mark.parametrize("request_", [PERSONAL, DATA], ids=["EIP-191", "EIP-712"])
async def test_a_signature_is_a_result_once_it_recovers_to_the_account(request_: EvmSignRequest):
    page = page_of(Wallet1193(), wallet=Wallet(evm_address=ME))
    result = await page.approve().evm(request_)
    assert (result["status"], result["address"]) == ("signed", ME)
    (asked,) = page.asked
    assert asked.account == ME
    assert asked.network == ("" if request_ is PERSONAL else "31337"), "only what is bound to a chain asks for one"


async def test_big_numbers_of_typed_data_reach_the_wallet_exactly():
    page = page_of(Wallet1193())
    await page.approve().evm(DATA)
    assert str(2**200) in page.asked[0].params[1]


async def test_a_signature_of_something_else_is_not_accepted():
    async def other(_: WalletRequest) -> Any:
        asked = EvmSignRequest(method="personal_sign", chain_id=1, params=("0x00", ME))
        return (await DevelopmentSigner().evm(asked))["signature"]

    with pytest.raises(SigningError, match="It was not accepted"):
        await page_of(other).approve().evm(PERSONAL)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (None, "no signature"),
        ("0x", "no signature"),
        ({"signature": "0x00"}, "no signature"),
        ("0x" + "11" * 64 + "1b", "not accepted|malformed"),
        ("0x" + "00" * 96 + "6492" * 16, "not deployed yet .ERC-6492"),
        ("0x" + "00" * 130, "rpc=.8453: URL"),
    ],
)
async def test_what_is_no_signature_is_no_result(answer: Any, says: str):
    async def reply(_: WalletRequest) -> Any:
        return answer

    with pytest.raises(SigningError, match=says):
        await page_of(reply).approve().evm(PERSONAL)


async def test_a_contract_account_s_signature_is_asked_of_the_person_s_node(anvil: str, rpc: Callable[..., Any]):
    contract = "0x" + "c0" * 20
    yes = "0x" + "7f" + "1626ba7e".ljust(64, "0") + "60005260206000f3"  # returns the ERC-1271 value, whatever is asked
    asked = EvmSignRequest(method="personal_sign", chain_id=31337, params=("0x4869", contract))

    async def reply(_: WalletRequest) -> Any:
        return "0x" + "ab" * 70

    rpc("anvil_setCode", contract, yes)
    result = await page_of(reply, rpc={31337: anvil}).approve().evm(asked)
    assert (result["status"], result["address"]) == ("signed", contract)
    assert "ERC-1271" in result["note"]
    rpc("anvil_setCode", contract, "0x60006000fd")
    with pytest.raises(SigningError, match="does not accept"):
        await page_of(reply, rpc={31337: anvil}).approve().evm(asked)


@pytest.mark.parametrize("own_node", [True, False], ids=["own node", "wallet's node"])
async def test_a_transfer_is_asked_once_and_mined_as_it_was_reviewed(anvil: str, own_node: bool):
    page = page_of(Wallet1193(anvil), wallet=Wallet(evm_address=ME), rpc={31337: anvil} if own_node else {})
    told: list[str] = []
    result = await page.approve(told).evm(send(pay(7)))
    assert (result["status"], result["outcomes"][0]["verified"]) == ("mined", True)
    assert page.methods.count("eth_sendTransaction") == 1
    assert ("eth_getTransactionReceipt" in page.methods) is not own_node
    assert told == [f"Sent as {result['hash']}; waiting until it is included."]


async def test_what_a_wallet_may_choose_is_no_difference(anvil: str):
    def twist(transaction: dict[str, Any]) -> dict[str, Any]:
        return {**transaction, "gas": "0x186a0", "maxFeePerGas": hex(5 * 10**9), "maxPriorityFeePerGas": "0x5"}

    result = await page_of(Wallet1193(anvil, twist)).approve().evm(send(pay(7, **{"from": ME, "gas": "0x5208"})))
    assert result["status"] == "mined"


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"to": EVM_ADDRESSES[2]}, "to"),
        ({"value": "0x8"}, "value"),
        ({"data": "0x01"}, "data"),
        ({"from": OTHER}, "from"),
    ],
)
async def test_another_transaction_than_the_reviewed_one_is_told(anvil: str, change: dict[str, Any], word: str):
    page = page_of(Wallet1193(anvil, lambda transaction: {**transaction, **change}))
    with pytest.raises(OtherTransaction, match=f"another transaction .*its {word} is"):
        await page.approve().evm(send(pay(7, **{"from": ME})))


async def test_an_older_transaction_like_the_one_asked_for_is_not_taken_for_it(anvil: str):
    old = (await DevelopmentSigner(rpc_url=anvil).evm(send(pay(7))))["hash"]

    async def answer(_: WalletRequest) -> Any:
        return old

    page = page_of(answer, wallet=Wallet(evm_address=ME), rpc={31337: anvil})
    with pytest.raises(OtherTransaction, match="used up before this was asked for"):
        await page.approve().evm(send(pay(7)))


async def test_an_answer_that_is_no_hash_leaves_a_sending_unknown(anvil: str):
    async def answer(_: WalletRequest) -> Any:
        return {"hash": "0x12"}

    result = await page_of(answer, wallet=Wallet(evm_address=ME), rpc={31337: anvil}).approve().evm(send(pay(7)))
    assert (result["status"], result["hash"], result["hashes"]) == ("unknown", None, [])
    assert "no transaction hash" in result["error"]


async def test_a_later_transaction_that_no_wallet_takes_is_found_before_the_first_is_asked_for(anvil: str):
    page = page_of(Wallet1193(anvil), wallet=Wallet(evm_address=ME))
    with pytest.raises(SigningError, match="no EIP-7702 authorization"):
        await page.approve().evm(
            send(pay(1), pay(2, authorizationList=[{"chainId": "0x7a69", "address": OTHER, "nonce": "0x0"}]))
        )
    with pytest.raises(SigningError, match=r"params\[1\] has the field surprise"):
        await page.approve().evm(send(pay(1), pay(2, surprise="1")))
    assert page.asked == []


def test_an_authorization_that_was_not_reviewed_is_a_difference():
    sent = {"to": OTHER, "value": "0x1", "input": "0x", "from": ME, "chainId": "0x1"}
    reviewed = {"to": OTHER, "value": 1, "data": "0x", "from": ME, "chainId": 1}
    assert differs(sent, reviewed) is None
    assert "authorizations" in (
        differs({**sent, "authorizationList": [{"chainId": "0x1", "address": ME}]}, reviewed) or ""
    )
    assert "chainId" in (differs({**sent, "chainId": "0x2"}, reviewed) or "")


async def test_the_next_transaction_of_a_batch_is_asked_only_after_a_good_receipt(anvil: str):
    page = page_of(Wallet1193(anvil), wallet=Wallet(evm_address=ME))
    contract = await deployed(anvil)
    result = await page.approve().evm(send(pay(1), {"to": contract, "data": "0x01", "gas": "0x186a0"}, pay(2)))
    assert result["status"] == "failed"
    assert "no luck today" in result["error"]
    assert [one["status"] for one in result["outcomes"]] == ["mined", "failed"]
    assert result["note"] == "1 later transactions of this request were not sent."
    assert page.methods.count("eth_sendTransaction") == 2


async def test_declining_a_later_transaction_leaves_the_earlier_ones_told(anvil: str):
    wallet = Wallet1193(anvil)

    async def answer(request: WalletRequest) -> Any:
        if request.method == "eth_sendTransaction" and request.params[0]["value"] == "0x2":
            raise Fault(4001, "User rejected the request.")
        return await wallet(request)

    result = await page_of(answer, wallet=Wallet(evm_address=ME)).approve().evm(send(pay(1), pay(2), pay(3)))
    assert (result["status"], len(result["hashes"])) == ("failed", 1)
    assert "Declined in the wallet" in result["error"]


async def test_a_batch_goes_in_one_piece_where_the_wallet_offers_it(anvil: str):
    wallet = Wallet1193(anvil)
    wallet.capabilities = {"0x7a69": {"atomic": {"status": "supported"}}}
    page = page_of(wallet, wallet=Wallet(evm_address=ME))
    result = await page.approve().evm(send(pay(1), pay(2)))
    assert (result["status"], len(result["hashes"]), result["verified"]) == ("mined", 2, True)
    assert page.methods.count("wallet_sendCalls") == 1
    assert "eth_sendTransaction" not in page.methods


@pytest.mark.parametrize(
    ("code", "status", "says"),
    [(400, "failed", "gave the batch up"), (500, "failed", "reverted"), (600, "failed", "only a part"),
     (100, "unknown", "told no end"), ("x", "unknown", "told no end")],
)  # fmt: skip
async def test_a_batch_that_did_not_work_out_is_told(anvil: str, code: Any, status: str, says: str):
    wallet = Wallet1193(anvil)
    wallet.capabilities = {"0x7a69": {"atomic": {"status": "supported"}}}

    async def answer(request: WalletRequest) -> Any:
        if request.method == "wallet_getCallsStatus":
            return {"status": code}
        return {"id": "b"} if request.method == "wallet_sendCalls" else await wallet(request)

    page = page_of(answer, wallet=Wallet(evm_address=ME), receipt_timeout=0.2)
    result = await page.approve().evm(send(pay(1), pay(2)))
    assert (result["status"], result["hash"]) == (status, None)
    assert says in result["error"]


async def deployed(anvil: str) -> str:
    result = await DevelopmentSigner(rpc_url=anvil).evm(send({"data": reverting_contract()}))
    return result["outcomes"][0]["contractAddress"]


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (4001, "Declined in the wallet .User rejected"),
        (4100, "does not let this page use the account"),
        (4200, "cannot do this"),
        (-32002, "another request open"),
        (4902, "refused: .*code 4902"),
        (-32000, "refused: .*code -32000"),
        (12, "User rejected the request. Nothing"),
    ],
)
@pytest.mark.parametrize("request_", [PERSONAL, send(pay(1))], ids=["sign", "send"])
async def test_a_wallet_that_says_no_has_done_nothing(code: int, says: str, request_: EvmSignRequest):
    with pytest.raises(SigningError, match=says) as caught:
        await page_of(refusing(code)).approve().evm(request_)
    assert str(caught.value).endswith("Nothing was signed or sent.")


@pytest.mark.parametrize("code", [4900, 4901, -32603, 0])
async def test_an_error_that_leaves_a_sending_open_makes_it_unknown(code: int):
    result = await page_of(refusing(code, "lost")).approve().evm(send(pay(1)))
    assert result["status"] == "unknown"
    assert "Look at the wallet's activity" in result["error"]
    with pytest.raises(SigningError, match="Nothing was signed or sent"):
        await page_of(refusing(code, "lost")).approve().evm(PERSONAL)


async def test_a_wallet_that_never_answers_makes_it_unknown_after_a_time():
    page = page_of(silent)
    page.signer.pages.patience = 0.05
    result = await page.approve().evm(send(pay(1)))
    assert result["status"] == "unknown"
    assert "did not answer within 0.05 s" in result["error"]


async def test_a_page_that_is_left_or_falls_silent_makes_it_unknown():
    page = page_of(silent)
    working = asyncio.ensure_future(page.approve().evm(PERSONAL))
    await page.opened.wait()
    assert page.signer.pages.answer(page.asked[0].nonce, "page1", code=LEFT)
    assert "closed or loaded again" in (await working)["error"]

    gone = page_of(silent)
    gone.signer.pages.silence = -1
    gone.signer.pages.timing = Hurried()
    assert "is gone" in (await gone.approve().evm(PERSONAL))["error"]


class Hurried:
    """Time in which every sleep is over at once."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


async def test_nothing_polls_for_ever(anvil: str):
    async def answer(request: WalletRequest) -> Any:
        return "0x" + "ab" * 32 if request.method == "eth_sendTransaction" else None

    timing = Hurried()
    page = page_of(answer, timing=timing, receipt_timeout=600)
    result = await page.approve().evm(send(pay(1)))
    assert result["status"] == "unknown"
    assert "no receipt came within 600 s" in result["error"]
    assert 600 <= timing.now < 700
    assert len(page.asked) < 500


async def test_an_answer_counts_once_and_only_from_the_page_that_was_asked():
    page = page_of(silent)
    pages = page.signer.pages
    working = asyncio.ensure_future(page.approve().evm(PERSONAL))
    await page.opened.wait()
    nonce = page.asked[0].nonce
    assert not pages.answer(nonce, "page2", result="0x00"), "another page"
    assert not pages.answer("no such request", "page1", result="0x00")
    signature = await Wallet1193()(page.asked[0])
    assert pages.answer(nonce, "page1", result=signature)
    assert not pages.answer(nonce, "page1", result="0x00"), "a second answer"
    assert (await working)["status"] == "signed"
    assert not pages.answer(nonce, "page1", result=signature), "it is no longer open"


async def test_only_the_page_that_approved_is_asked():
    page = page_of(Wallet1193())
    other = WalletPage(page.signer, Wallet1193(), page="page2")
    await page.approve().evm(PERSONAL)
    assert (len(page.asked), len(other.asked)) == (1, 0)


async def test_an_approval_that_came_from_no_page_asks_nobody():
    page = page_of(Wallet1193())
    for signer in (page.signer, page.signer.at(CALL, print)):
        with pytest.raises(SigningError, match=r"no page approved this\. Nothing was signed"):
            await signer.evm(PERSONAL)
        with pytest.raises(SigningError, match="no page approved this"):
            await signer.sign_message(SignMessageRequest(message="x", nonce=bytes(32), recipient="a.near"))
    assert page.asked == []


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        (EvmSignRequest(method="eth_sign", chain_id=1, params=(ME, "0x00")), "eth_sign is refused"),
        (EvmSignRequest(method="eth_signTransaction", chain_id=1, params=({},)), "could not be checked"),
        (EvmSignRequest(method="personal_sign", chain_id=1, params=("0x00", OTHER)), f"the wallet is {ME}"),
        (send(pay(1, **{"from": OTHER})), f"the wallet is {ME}"),
        (send({"data": "0x"}), "neither a recipient"),
    ],
)
def test_what_a_wallet_is_not_asked_for_is_said_beforehand(request_: EvmSignRequest, says: str):
    assert says in (InjectedSigner(wallet=Wallet(evm_address=ME)).can(request_) or "")


async def test_a_node_of_another_chain_is_told_before_the_wallet_is_asked(anvil: str):
    page = page_of(Wallet1193(anvil), rpc={1: anvil})
    with pytest.raises(SigningError, match="is on chain 31337, but it was given for chain 1"):
        await page.approve().evm(send(pay(1), chain_id=1))
    assert page.asked == []


async def test_a_hash_that_comes_too_late_is_kept_for_whoever_looks(anvil: str):
    page = page_of(silent, wallet=Wallet(evm_address=ME))
    pages = page.signer.pages
    pages.patience = 0.05
    asking = page.approve()
    assert (await asking.evm(send(pay(4))))["status"] == "unknown"
    sent = ask(anvil, "eth_sendTransaction", *page.asked[-1].params)
    assert not pages.answer(page.asked[-1].nonce, "page2", result=sent)
    assert pages.late(CALL) == ""
    assert not pages.answer(page.asked[-1].nonce, "page1", result=sent), "nobody waits for it"
    assert pages.late(CALL) == sent

    # Looking reads the wallet's own node, through a page that loaded later: it opens nothing.
    other = WalletPage(page.signer, Wallet1193(anvil), page="page3")
    pages.heard("page3")
    pages._pages["page1"].heard = -1000
    (outcome,) = await page.signer.look(CALL, send(pay(4)), [sent], more={})
    assert outcome["status"] == "mined"
    assert set(other.methods) <= {"eth_getTransactionByHash", "eth_getTransactionReceipt"}


async def seen(page: WalletPage, told: list[str]) -> str:
    """The hash that a signer told, once it has found the transaction and looked for its receipt."""
    before = page.methods.count("eth_getTransactionReceipt")
    while not told or page.methods.count("eth_getTransactionReceipt") == before:  # noqa: ASYNC110 - polled by design
        await asyncio.sleep(0.02)
    return told[0].split()[2].rstrip(";")


async def test_a_replacement_is_named_and_a_dropped_transaction_may_still_run(anvil: str, rpc: Callable[..., Any]):
    rpc("evm_setAutomine", False)
    nonce = int(rpc("eth_getTransactionCount", ME, "latest"), 16)
    page = page_of(Wallet1193(anvil), wallet=Wallet(evm_address=ME), receipt_timeout=60)
    told: list[str] = []
    working = asyncio.ensure_future(page.approve(told).evm(send(pay(1))))
    rpc("anvil_dropTransaction", await seen(page, told))
    other = rpc("eth_sendTransaction", {"from": ME, "to": ME, "nonce": hex(nonce)})
    rpc("evm_mine")
    result = await working
    assert (result["status"], result["outcomes"][0]["replacedBy"]) == ("replaced", other)

    page.signer.receipt_timeout = 1
    told.clear()
    working = asyncio.ensure_future(page.approve(told).evm(send(pay(2))))
    rpc("anvil_dropTransaction", await seen(page, told))
    result = await working
    assert result["status"] == "dropped"
    assert "It may still run" in result["error"]
