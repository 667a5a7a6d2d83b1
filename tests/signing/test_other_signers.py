"""Review only and paste back: nothing is claimed that was not checked."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import base58
import pytest

from bitte_nb.errors import SigningError
from bitte_nb.signing.development import EVM_ADDRESSES, DevelopmentSigner
from bitte_nb.signing.paste import Asked, PasteSigner, Slip, slip
from bitte_nb.signing.protocol import Signer
from bitte_nb.signing.requests import EvmSignRequest, NearTransactions, SignMessageRequest
from bitte_nb.signing.review_only import ReviewOnlySigner
from tests.local_node import ask
from tests.signing.near_stand_in import NearStandIn, executed, name_of

ME, OTHER = EVM_ADDRESSES[0], EVM_ADDRESSES[1]
MESSAGE = SignMessageRequest(message="Hi", nonce=bytes(range(32)), recipient="shop.near")
PERSONAL = EvmSignRequest(method="personal_sign", chain_id=8453, params=("0x4869", ME))
SEND = EvmSignRequest(
    method="eth_sendTransaction", chain_id=31337, params=({"to": OTHER, "value": "0x1", "data": "0x"},)
)
NEAR = NearTransactions(transactions=({"receiverId": "bob.near", "actions": []},))


def pasting(text: str) -> Callable[[Slip], Awaitable[str]]:
    async def answer(_slip: Slip) -> str:
        return text

    return answer


def test_every_signer_has_the_protocol():
    signers: list[Signer] = [DevelopmentSigner(), ReviewOnlySigner(), PasteSigner(ask=pasting(""))]
    assert len({signer.name for signer in signers}) == 3


async def test_a_review_is_never_called_signed_or_sent():
    signer = ReviewOnlySigner()
    results = [await signer.sign_message(MESSAGE), await signer.send_transactions(NEAR), await signer.evm(SEND)]
    for result in results:
        assert result["status"] == "reviewed"
        assert result["submitted"] is False
        assert result["note"].endswith("No wallet is connected.")
        assert "hash" not in result
        assert "signature" not in result
    assert all(signer.can(request) is None for request in (MESSAGE, PERSONAL, SEND, NEAR))


async def test_a_review_says_why_nothing_could_be_signed():
    why = DevelopmentSigner().can(NEAR) or ""
    assert (await ReviewOnlySigner(why=why).send_transactions(NEAR))["note"].endswith(why)


@pytest.mark.parametrize("request_", [MESSAGE, PERSONAL, SEND, NEAR], ids=lambda r: type(r).__name__)
def test_a_slip_is_the_whole_request_as_json(request_: Any):
    assert json.loads(slip(request_).copy)
    assert slip(request_).bring.startswith("Paste ")


async def test_a_pasted_message_signature_is_verified():
    answer = json.dumps(await DevelopmentSigner(account_id="alice.near").sign_message(MESSAGE))
    result = await PasteSigner(ask=pasting(answer), account_id="alice.near").sign_message(MESSAGE)
    assert result["status"] == "signed"
    assert "was not checked" in result["note"]
    key = json.loads(answer)["publicKey"]
    known = await PasteSigner(ask=pasting(answer), near_public_key=key).sign_message(MESSAGE)
    assert "note" not in known


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"accountId": "bob.near"}, "the person's account is alice.near"),
        ({"signature": "AAAA"}, "64 bytes"),
        ({"publicKey": None}, "must have accountId"),
    ],
)
async def test_a_pasted_answer_that_does_not_fit_is_refused(change: dict, says: str):
    answer = {**await DevelopmentSigner().sign_message(MESSAGE), **change}
    with pytest.raises(SigningError, match=says):
        await PasteSigner(ask=pasting(json.dumps(answer)), account_id="alice.near").sign_message(MESSAGE)


async def test_another_message_s_signature_is_refused():
    other = SignMessageRequest(message="Pay", nonce=MESSAGE.nonce, recipient=MESSAGE.recipient)
    answer = json.dumps(await DevelopmentSigner().sign_message(other))
    with pytest.raises(SigningError, match="does not belong to this message"):
        await PasteSigner(ask=pasting(answer)).sign_message(MESSAGE)


async def test_an_implicit_account_must_be_its_own_key():
    signed = await DevelopmentSigner(account_id="alice.near").sign_message(MESSAGE)
    own = base58.b58decode(signed["publicKey"].removeprefix("ed25519:")).hex()
    assert (await PasteSigner(ask=pasting(json.dumps({**signed, "accountId": own}))).sign_message(MESSAGE))["accountId"]
    with pytest.raises(SigningError, match="not the key of the implicit account"):
        await PasteSigner(ask=pasting(json.dumps({**signed, "accountId": "00" * 32}))).sign_message(MESSAGE)


async def test_a_pasted_evm_signature_is_verified():
    signature = (await DevelopmentSigner().evm(PERSONAL))["signature"]
    assert (await PasteSigner(ask=pasting(f' "{signature}"\n')).evm(PERSONAL))["address"] == ME
    foreign = (await DevelopmentSigner(evm_index=1).evm(
        EvmSignRequest(method="personal_sign", chain_id=8453, params=("0x4869", OTHER))
    ))["signature"]  # fmt: skip
    with pytest.raises(SigningError, match="recovers to"):
        await PasteSigner(ask=pasting(foreign)).evm(PERSONAL)


@pytest.mark.parametrize("pasted", ["", "0x12", "hello", "0x" + "1" * 64 + " 0x" + "2" * 64])
async def test_what_is_no_hash_is_refused(pasted: str):
    with pytest.raises(SigningError):
        await PasteSigner(ask=pasting(pasted)).evm(SEND)


async def test_an_unchecked_hash_is_submitted_but_not_verified():
    result = await PasteSigner(ask=pasting("0x" + "1" * 64)).evm(SEND)
    assert (result["status"], result["verified"]) == ("submitted", False)
    near = await PasteSigner(ask=pasting(base58.b58encode(bytes(range(32))).decode())).send_transactions(NEAR)
    assert (near["status"], near["verified"]) == ("submitted", False)


async def test_the_same_hash_twice_is_refused():
    request = EvmSignRequest(method="eth_sendTransaction", chain_id=31337, params=(*SEND.params, *SEND.params))
    with pytest.raises(SigningError, match="twice"):
        await PasteSigner(ask=pasting(("0x" + "1" * 64 + "\n") * 2)).evm(request)


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        (EvmSignRequest(method="eth_sign", chain_id=1, params=(ME, "0x")), "cannot be checked"),
        (EvmSignRequest(method="personal_sign", chain_id=1, params=("0x00", OTHER)), "the wallet is"),
    ],
)
async def test_what_could_not_be_checked_is_not_asked_for(request_: EvmSignRequest, says: str):
    signer = PasteSigner(ask=pasting(""), evm_address=ME)
    assert says in (signer.can(request_) or "")
    with pytest.raises(SigningError, match=says):
        await signer.evm(request_)


async def test_a_pasted_hash_is_compared_with_what_the_node_knows(anvil: str):
    sent = await DevelopmentSigner(rpc_url=anvil).evm(SEND)
    signer = PasteSigner(ask=pasting(sent["hash"]), evm_address=ME, rpc={31337: anvil})
    result = await signer.evm(SEND)
    assert (result["status"], result["verified"]) == ("mined", True)
    assert "cannot be told" in result["note"], "nobody said when it was asked for"
    other = EvmSignRequest(
        method="eth_sendTransaction", chain_id=31337, params=({"to": OTHER, "value": "0x2", "data": "0x"},)
    )
    with pytest.raises(SigningError, match="another transaction than the one reviewed: its value is 1, not 2"):
        await signer.evm(other)
    with pytest.raises(SigningError, match=r"does not know 0x1.*Nothing was accepted"):
        await PasteSigner(ask=pasting("0x" + "1" * 64), rpc={31337: anvil}).evm(SEND)


async def test_an_old_transaction_like_the_one_asked_for_is_no_answer(anvil: str):
    sent = await DevelopmentSigner(rpc_url=anvil).evm(SEND)

    def at(asked: Asked) -> PasteSigner:
        return PasteSigner(ask=pasting(sent["hash"]), evm_address=ME, rpc={31337: anvil}, asked=asked)

    nonce = int(ask(anvil, "eth_getTransactionByHash", sent["hash"])["nonce"], 16)
    block = ask(anvil, "eth_getBlockByNumber", hex(sent["outcomes"][0]["blockNumber"]), False)
    mined = int(block["timestamp"], 16)
    assert "note" not in await at(Asked(nonce=nonce, at=mined)).evm(SEND)
    assert "note" not in await at(Asked(at=mined + 1)).evm(SEND)
    with pytest.raises(SigningError, match="used up before this was asked for"):
        await at(Asked(nonce=nonce + 1)).evm(SEND)
    with pytest.raises(SigningError, match="600 s before this was asked for"):
        await at(Asked(at=mined + 600)).evm(SEND)
    with pytest.raises(SigningError, match="outcome of another call"):
        await at(Asked(taken=lambda one: one == sent["hash"])).evm(SEND)


async def test_a_pasted_near_hash_is_compared_and_dated_by_the_node(stand_in: NearStandIn):
    asked_for = {"receiverId": "bob.near", "actions": [{"type": "Transfer", "params": {"deposit": "5"}}]}
    name = name_of(1)
    stand_in.transactions[name] = [executed(name, block="b1")]
    stand_in.blocks["b1"] = 1_000

    def at(seconds: float | None = None, taken: bool = False, **more: Any) -> Awaitable[dict[str, Any]]:
        signer = PasteSigner(
            ask=pasting(name),
            account_id="alice.near",
            rpc={"mainnet": stand_in.url},
            asked=Asked(at=seconds, taken=lambda _: taken),
        )
        return signer.send_transactions(NearTransactions(transactions=({**asked_for, **more},)))

    found = await at(1_000)
    assert (found["status"], found["verified"], "note" in found) == ("mined", True, False)
    assert "cannot be told" in (await at())["note"]
    with pytest.raises(SigningError, match="before this was asked for"):
        await at(1_600)
    with pytest.raises(SigningError, match="outcome of another call"):
        await at(1_000, taken=True)
    with pytest.raises(SigningError, match=r"its receiver is bob\.near, not eve\.near"):
        await at(1_000, receiverId="eve.near")
    stand_in.transactions.clear()
    with pytest.raises(SigningError, match="Nothing was accepted"):
        await at(1_000)
