"""NEAR wallets of the page: messages verified, transactions compared with what was reviewed; the node is a stand-in."""

from __future__ import annotations

import base64
import re
from typing import Any

import pytest

from bitte_nb.core.wallet import Wallet
from bitte_nb.errors import SigningError
from bitte_nb.signing.development import DevelopmentSigner
from bitte_nb.signing.near_rpc import NearNode
from bitte_nb.signing.outcome import OtherTransaction
from bitte_nb.signing.pages import WalletRequest
from bitte_nb.signing.requests import NearTransactions, SignMessageRequest
from bitte_nb.signing.rpc import Node
from tests.signing.near_stand_in import NearStandIn, executed, name_of
from tests.signing.wallet_page import Fault, page_of

ALICE = Wallet(account_id="alice.near")
MESSAGE = SignMessageRequest(message="Hi", nonce=bytes(range(32)), recipient="shop.near", callback_url="", state="s")
TRANSFER = {"type": "Transfer", "params": {"deposit": "5"}}
NAME = name_of(1)


def transactions(*actions: dict[str, Any], count: int = 1, **more: Any) -> NearTransactions:
    one = {"signerId": "alice.near", "receiverId": "bob.near", "actions": list(actions or (TRANSFER,)), **more}
    return NearTransactions(transactions=(one,) * count)


async def signing(request: WalletRequest) -> Any:
    """A wallet that signs messages with the published key of its account."""
    asked = request.params
    message = SignMessageRequest(
        message=asked["message"],
        nonce=base64.b64decode(asked["nonce"]),
        recipient=asked["recipient"],
        callback_url=asked.get("callbackUrl"),
    )
    made = await DevelopmentSigner(account_id="alice.near").sign_message(message)
    return {name: made[name] for name in ("accountId", "publicKey", "signature")}


def telling(*answers: Any) -> Any:
    """A wallet that gives these answers, one after the other."""
    left = list(answers)

    async def answer(_: WalletRequest) -> Any:
        return left.pop(0)

    return answer


async def test_a_message_is_signed_and_verified_with_every_field():
    page = page_of(signing, wallet=ALICE)
    result = await page.approve().sign_message(MESSAGE)
    assert (result["status"], result["accountId"], result["state"]) == ("signed", "alice.near", "s")
    assert "was not checked (no node)" in result["note"]
    assert page.asked[0].params["callbackUrl"] == "", "present and empty is not absent"
    assert page.asked[0].account == "alice.near"


@pytest.mark.parametrize(
    ("permission", "says"),
    [("FullAccess", "confirmed"), ({"FunctionCall": {}}, "does not know as a full-access"), (None, "does not know")],
)
async def test_a_node_tells_whose_key_it_is(stand_in: NearStandIn, permission: Any, says: str):
    key = DevelopmentSigner(account_id="alice.near").near_public_key
    if permission is not None:
        stand_in.keys["alice.near", key or ""] = permission
    asking = page_of(signing, wallet=ALICE, rpc={"mainnet": stand_in.url}).approve()
    if permission == "FullAccess":
        assert says in (await asking.sign_message(MESSAGE))["note"]
    else:
        with pytest.raises(SigningError, match=says):
            await asking.sign_message(MESSAGE)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"accountId": "eve.near"}, "is of eve.near"),
        ({"signature": "AAAA"}, "signature must be"),
        ({"signature": base64.b64encode(bytes(64)).decode()}, "does not belong to this message"),
        ({"publicKey": None}, "must have accountId"),
    ],
)
async def test_an_answer_to_something_else_is_not_accepted(change: dict[str, Any], says: str):
    async def answer(request: WalletRequest) -> Any:
        return {**await signing(request), **change}

    with pytest.raises(SigningError, match=says):
        await page_of(answer, wallet=ALICE).approve().sign_message(MESSAGE)


async def test_a_wallet_that_drops_the_callback_signs_another_message():
    async def answer(request: WalletRequest) -> Any:
        request.params.pop("callbackUrl")
        return await signing(request)

    with pytest.raises(SigningError, match="callbackUrl is another one"):
        await page_of(answer, wallet=ALICE).approve().sign_message(MESSAGE)


async def test_without_a_node_what_became_of_it_is_the_wallets_word():
    page = page_of(telling(executed(NAME)), wallet=ALICE)
    result = await page.approve().send_transactions(transactions())
    assert (result["status"], result["hashes"], result["verified"]) == ("mined", [NAME], False)
    assert "no NEAR node was asked" in result["outcomes"][0]["note"]
    assert page.asked[0].params == {
        "receiverId": "bob.near", "actions": [TRANSFER], "network": "mainnet", "signerId": "alice.near",
    }  # fmt: skip


async def test_a_node_is_asked_until_all_of_it_has_run(stand_in: NearStandIn):
    stand_in.transactions[NAME] = [
        executed(NAME, status={}, receipts=[{"Unknown": None}], final="INCLUDED"),
        executed(NAME, final="EXECUTED_OPTIMISTIC"),
        executed(NAME, final="EXECUTED"),
    ]
    told: list[str] = []
    page = page_of(telling(executed(NAME, final=None)), wallet=ALICE, rpc={"mainnet": stand_in.url})
    result = await page.approve(told).send_transactions(transactions())
    assert (result["status"], result["verified"]) == ("mined", True)
    assert stand_in.asked.count("tx") == 3
    assert told == [f"Sent as {NAME}; waiting until all of it has run."]


FAILURE = {"Failure": {"ActionError": {"index": 0, "kind": {"AccountDoesNotExist": {"account_id": "bob.near"}}}}}
PANIC = {
    "Failure": {
        "ActionError": {
            "index": 0,
            "kind": {"FunctionCallError": {"ExecutionError": "Smart contract panicked: not registered"}},
        }
    }
}


@pytest.mark.parametrize(
    ("outcome", "says"),
    [
        (executed(NAME, status=FAILURE, receipts=[FAILURE]), "It failed: AccountDoesNotExist: account_id bob.near."),
        (executed(NAME, receipts=[{"SuccessValue": ""}, PANIC]), "a part of it failed later: Smart contract panicked"),
        (executed(NAME, status={"Failure": {"InvalidTxError": "InvalidSignature"}}), "It failed: InvalidSignature."),
        (executed(NAME, status={"Failure": {}}), "the node does not say why"),
    ],
)
async def test_a_failed_receipt_is_a_failure_with_its_reason(outcome: dict[str, Any], says: str):
    result = await page_of(telling(outcome), wallet=ALICE).approve().send_transactions(transactions(count=2))
    assert result["status"] == "failed"
    assert says in result["error"]
    assert result["note"] == "1 later transactions of this request were not sent."


@pytest.mark.parametrize("outcome", [None, {}, "no hash", {"status": {"SuccessValue": ""}}, 5])
async def test_an_answer_that_names_no_transaction_leaves_it_unknown(outcome: Any):
    result = await page_of(telling(outcome), wallet=ALICE).approve().send_transactions(transactions())
    assert (result["status"], result["hashes"]) == ("unknown", [])


async def test_a_node_that_never_hears_of_it_leaves_it_unknown(stand_in: NearStandIn):
    page = page_of(telling(NAME), wallet=ALICE, rpc={"mainnet": stand_in.url}, receipt_timeout=0.2)
    result = await page.approve().send_transactions(transactions())
    assert (result["status"], result["hashes"]) == ("unknown", [NAME])
    assert "look the hash up before sending anything again" in result["error"]


ADD_KEY = {"type": "AddKey", "params": {"publicKey": "ed25519:k", "accessKey": {"permission": "FullAccess"}}}
CALL = {
    "type": "FunctionCall",
    "params": {"methodName": "ft_transfer", "args": {"amount": "1"}, "gas": "3", "deposit": "1"},
}
SENT_CALL = {
    "FunctionCall": {
        "method_name": "ft_transfer",
        "args": base64.b64encode(b'{"amount":"1"}').decode(),
        "gas": 3,
        "deposit": "1",
    }
}


def added(key: str) -> dict[str, Any]:
    """A key as nearcore tells that it was added."""
    return {"AddKey": {"public_key": key, "access_key": {"nonce": 0, "permission": "FullAccess"}}}


@pytest.mark.parametrize(
    ("asked", "sent", "same"),
    [
        ([TRANSFER], {"actions": [{"Transfer": {"deposit": "5"}}]}, True),
        ([TRANSFER], {"actions": [{"Transfer": {"deposit": "6"}}]}, False),
        ([TRANSFER], {"actions": [{"Transfer": {"deposit": "5"}}] * 2}, False),
        ([TRANSFER], {"receiver": "eve.near"}, False),
        ([TRANSFER], {"signer": "eve.near"}, False),
        ([CALL], {"actions": [SENT_CALL]}, True),
        ([{**CALL, "params": {**CALL["params"], "args": '{"amount": "1"}'}}], {"actions": [SENT_CALL]}, True),
        ([{**CALL, "params": {**CALL["params"], "args": {"amount": "2"}}}], {"actions": [SENT_CALL]}, False),
        ([{**CALL, "params": {**CALL["params"], "gas": "4"}}], {"actions": [SENT_CALL]}, False),
        ([{"type": "CreateAccount"}], {"actions": ["CreateAccount"]}, True),
        (
            [ADD_KEY],
            {"actions": [added("ed25519:k")]},
            True,
        ),
        (
            [ADD_KEY],
            {"actions": [added("ed25519:x")]},
            False,
        ),
        (
            [{"type": "DeleteAccount", "params": {"beneficiaryId": "a"}}],
            {"actions": [{"DeleteAccount": {"beneficiary_id": "b"}}]},
            False,
        ),
    ],
)  # fmt: skip
async def test_another_transaction_than_the_reviewed_one_is_told(asked: list[Any], sent: dict[str, Any], same: bool):
    asking = page_of(telling(executed(NAME, **sent)), wallet=ALICE).approve()
    if same:
        assert (await asking.send_transactions(transactions(*asked)))["status"] == "mined"
    else:
        with pytest.raises(OtherTransaction, match="another transaction than the one that was reviewed"):
            await asking.send_transactions(transactions(*asked))


@pytest.mark.parametrize(
    ("actions", "says"),
    [
        ([], "has no actions"),
        ([{"Transfer": {"deposit": "5"}}], "not in the form {type, params}"),
        ([{"type": "Teleport", "params": {}}], "not in the form"),
        ([{**CALL, "params": {"methodName": "x", "args": "AAEC"}}], "not a JSON object"),
        ([{**CALL, "params": {"args": {}}}], "has no methodName"),
        ([{**CALL, "params": {**CALL["params"], "attachedDeposit": "5"}}], "has the field attachedDeposit"),
        ([{"type": "Transfer"}], "has no deposit"),
    ],
)
async def test_what_a_wallet_could_not_read_is_said_before_even_the_first_is_asked_for(actions: list[Any], says: str):
    first = {"signerId": "alice.near", "receiverId": "bob.near", "actions": [TRANSFER]}
    request = NearTransactions(transactions=(first, {"receiverId": "bob.near", "actions": actions}))
    page = page_of(telling(executed(NAME)), wallet=ALICE)
    assert says in (page.signer.can(request) or "")
    with pytest.raises(SigningError, match=re.escape(says)):
        await page.approve().send_transactions(request)
    assert page.asked == []


async def test_amounts_reach_the_wallet_as_text():
    page = page_of(telling(executed(NAME)), wallet=ALICE)
    await page.approve().send_transactions(transactions({"type": "Transfer", "params": {"deposit": 5}}))
    assert page.asked[0].params["actions"] == [TRANSFER]


@pytest.mark.parametrize("said", ["User rejected", "The user closed the window", "request declined", "cancelled"])
async def test_the_words_of_a_wallet_tell_that_the_person_said_no(said: str):
    async def answer(_: WalletRequest) -> Any:
        raise Fault(-32603, said)

    with pytest.raises(SigningError, match="Declined in the wallet"):
        await page_of(answer, wallet=ALICE).approve().send_transactions(transactions())


async def test_other_words_leave_a_sending_unknown():
    async def answer(_: WalletRequest) -> Any:
        raise Fault(-32603, "fetch failed")

    result = await page_of(answer, wallet=ALICE).approve().send_transactions(transactions())
    assert result["status"] == "unknown"


async def test_a_node_that_is_not_there_is_waited_for_and_told():
    node = NearNode(Node("http://127.0.0.1:9"))
    told = await node.watch(NAME, "alice.near", timeout=0.1)
    assert told["status"] == "unknown"
    assert "did not answer" in told["error"]
    with pytest.raises(SigningError, match="base58"):
        await node.look("0xabc", "alice.near")


@pytest.mark.parametrize("callback", [None, "https://shop.example/back"])
async def test_what_an_independent_client_signs_is_accepted(callback: str | None):
    near = pytest.importorskip("near", reason="near-kit is a development dependency")
    key = near.generate_key()
    signer = near.KeyPairSigner("alice.near", key)
    asked = SignMessageRequest(message="Olá ☃", nonce=bytes(range(32)), recipient="shop.near", callback_url=callback)

    async def answer(request: WalletRequest) -> Any:
        made = near.nep413.sign_message(
            signer,
            request.params["message"],
            request.params["recipient"],
            base64.b64decode(request.params["nonce"]),
            request.params.get("callbackUrl"),
        )
        return {"accountId": made.account_id, "publicKey": made.public_key, "signature": made.signature}

    result = await page_of(answer, wallet=ALICE).approve().sign_message(asked)
    assert result["publicKey"] == str(key.public_key)
