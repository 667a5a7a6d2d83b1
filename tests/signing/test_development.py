"""The development signer: published keys that never show, sending to a real local node, honest outcomes."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from bitte_nb.errors import SigningError
from bitte_nb.signing.development import EVM_ADDRESSES, DevelopmentSigner
from bitte_nb.signing.eth import eth_account
from bitte_nb.signing.requests import EvmSignRequest, NearTransactions, SignMessageRequest, read_near
from bitte_nb.signing.rpc import Node, NodeSilent
from bitte_nb.signing.sending import Sender

ME, OTHER = EVM_ADDRESSES[0], EVM_ADDRESSES[1]
REASON = "no luck today"


def send(*transactions: dict[str, Any], chain_id: int = 31337) -> EvmSignRequest:
    return EvmSignRequest(method="eth_sendTransaction", chain_id=chain_id, params=transactions)


def pay(value: int = 10**18, **more: Any) -> dict[str, Any]:
    return {"to": OTHER, "value": hex(value), "data": "0x", **more}


def reverting_contract() -> str:
    """Creation code of a contract that reverts every call with Error(REASON)."""
    words = [
        (0x00, bytes.fromhex("08c379a0").ljust(32, b"\0")),
        (0x04, (0x20).to_bytes(32)),
        (0x24, len(REASON).to_bytes(32)),
        (0x44, REASON.encode().ljust(32, b"\0")),
    ]
    runtime = b"".join(b"\x7f" + word + b"\x60" + bytes([place, 0x52]) for place, word in words) + bytes.fromhex(
        "60646000fd"
    )
    size = len(runtime)
    return "0x" + (bytes([0x60, size, 0x60, 12, 0x60, 0, 0x39, 0x60, size, 0x60, 0, 0xF3]) + runtime).hex()


def test_the_published_addresses_are_those_of_the_test_mnemonic():
    accounts = eth_account().Account
    accounts.enable_unaudited_hdwallet_features()
    phrase = "test " * 11 + "junk"
    derived = [accounts.from_mnemonic(phrase, account_path=f"m/44'/60'/0'/0/{i}").address for i in range(10)]
    assert tuple(derived) == EVM_ADDRESSES


def test_keys_are_in_no_attribute_and_no_repr():
    signer = DevelopmentSigner(rpc_url="http://user:secret@127.0.0.1:1/key-in-path")
    shown = repr(signer) + repr(vars(signer)) + repr(signer._sender and vars(signer._sender))
    for secret in ("ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80", "junk", "secret", "key-in-path"):
        assert secret not in shown


async def test_keys_are_in_no_result():
    request = SignMessageRequest(message="x", nonce=bytes(32), recipient="a.near", state="s")
    result = await DevelopmentSigner().sign_message(request)
    assert set(result) == {
        "accountId", "publicKey", "signature", "message", "nonce", "recipient", "callbackUrl", "status", "state",
    }  # fmt: skip


def test_a_near_key_belongs_to_one_account_and_is_always_the_same():
    keys = {DevelopmentSigner(account_id=name).near_public_key for name in ("alice.near", "bob.near", "alice.near")}
    assert len(keys) == 2


def test_importing_the_signer_does_not_import_eth_account():
    code = "import sys, bitte_nb.signing.development as d; d.DevelopmentSigner(); print('eth_account' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.mark.parametrize(
    ("signer", "request_", "says"),
    [
        (DevelopmentSigner(), send(pay()), "rpc_url"),
        (DevelopmentSigner(rpc_url="http://127.0.0.1:1"), send(pay(), chain_id=1), "does not send to chain 1"),
        (DevelopmentSigner(rpc_url="http://127.0.0.1:1"), send(pay(**{"from": OTHER})), "this signer holds"),
        (DevelopmentSigner(), NearTransactions(transactions=({"receiverId": "a.near"},)), "no local NEAR node"),
        (
            DevelopmentSigner(account_id=None),
            SignMessageRequest(message="x", nonce=bytes(32), recipient="a.near"),
            "no NEAR account",
        ),
    ],
    ids=["no node", "mainnet", "another account", "near", "no near account"],
)
def test_what_the_signer_cannot_do_it_says_beforehand(signer: DevelopmentSigner, request_: Any, says: str):
    assert says in (signer.can(request_) or "")


async def test_what_cannot_be_sent_is_refused_when_it_is_tried_all_the_same():
    with pytest.raises(SigningError, match="rpc_url"):
        await DevelopmentSigner().evm(send(pay()))
    with pytest.raises(SigningError, match="no local NEAR node"):
        await DevelopmentSigner().send_transactions(read_near({"transactions": [{"receiverId": "a.near"}]}))


def test_a_chain_that_is_not_local_needs_an_explicit_act():
    signer = DevelopmentSigner(rpc_url="http://127.0.0.1:1", allow_chains=[84532])
    assert signer.can(send(pay(), chain_id=84532)) is None
    assert signer.can(send(pay(), chain_id=8453))


async def test_a_transfer_is_mined_and_the_money_arrives(anvil: str, rpc: Callable[..., Any]):
    before = int(rpc("eth_getBalance", OTHER, "latest"), 16)
    result = await DevelopmentSigner(rpc_url=anvil).evm(send(pay(10**17, **{"from": ME.lower()})))
    assert result["status"] == "mined"
    assert result["hash"] == result["hashes"][0] == result["outcomes"][0]["hash"]
    assert int(rpc("eth_getBalance", OTHER, "latest"), 16) - before == 10**17
    sent = rpc("eth_getTransactionByHash", result["hash"])
    assert sent["from"].lower() == ME.lower()
    assert sent["type"] == "0x2"


async def test_a_batch_is_sent_in_order_with_one_receipt_each(anvil: str, rpc: Callable[..., Any]):
    result = await DevelopmentSigner(rpc_url=anvil).evm(send(pay(1), pay(2), pay(3, gasPrice=hex(3 * 10**9))))
    assert result["status"] == "mined"
    assert len(set(result["hashes"])) == 3
    nonces = [int(rpc("eth_getTransactionByHash", one)["nonce"], 16) for one in result["hashes"]]
    assert nonces == list(range(nonces[0], nonces[0] + 3))


async def test_two_requests_at_once_take_different_nonces(anvil: str):
    signer = DevelopmentSigner(rpc_url=anvil)
    results = await asyncio.gather(*(signer.evm(send(pay(n))) for n in (1, 2, 3)))
    assert [one["status"] for one in results] == ["mined"] * 3
    assert len({one["hash"] for one in results}) == 3


async def deployed(signer: DevelopmentSigner) -> str:
    result = await signer.evm(send({"data": reverting_contract()}))
    assert result["status"] == "mined"
    return result["outcomes"][0]["contractAddress"]


async def test_a_transaction_that_would_revert_is_not_sent_and_the_reason_is_told(anvil: str, rpc: Callable[..., Any]):
    signer = DevelopmentSigner(rpc_url=anvil)
    contract = await deployed(signer)
    count = rpc("eth_getTransactionCount", ME, "latest")
    with pytest.raises(SigningError, match=f"{REASON}. Nothing was sent"):
        await signer.evm(send({"to": contract, "data": "0x12345678"}))
    assert rpc("eth_getTransactionCount", ME, "latest") == count


async def test_a_transaction_that_reverted_is_failed_with_its_hash_and_reason(anvil: str):
    signer = DevelopmentSigner(rpc_url=anvil)
    contract = await deployed(signer)
    result = await signer.evm(send({"to": contract, "data": "0x12345678", "gas": "0x186a0"}, pay()))
    assert result["status"] == "failed"
    assert REASON in result["outcomes"][0]["error"]
    assert result["error"] == result["outcomes"][0]["error"]
    assert result["note"] == "1 later transactions of this request were not sent."
    assert (await signer.look_up(result["hash"]))["status"] == "failed"


async def test_a_later_transaction_that_is_refused_leaves_the_earlier_ones_told(anvil: str):
    signer = DevelopmentSigner(rpc_url=anvil)
    result = await signer.evm(send(pay(1), pay(10**30), pay(2)))
    assert result["status"] == "failed"
    assert [one["status"] for one in result["outcomes"]] == ["mined", "failed"]
    assert result["outcomes"][1]["error"].startswith("Transaction 2:")
    assert result["hash"] == result["outcomes"][0]["hash"]


async def test_no_receipt_in_time_is_unknown_and_never_success(anvil: str, rpc: Callable[..., Any]):
    rpc("evm_setAutomine", False)
    signer = DevelopmentSigner(rpc_url=anvil, receipt_timeout=0.5)
    result = await signer.evm(send(pay()))
    assert result["status"] == "unknown"
    assert "no receipt came within 0.5 s" in result["outcomes"][0]["error"]
    assert (await signer.look_up(result["hash"]))["status"] == "submitted"
    rpc("evm_mine")
    assert (await signer.look_up(result["hash"]))["status"] == "mined"
    assert (await signer.look_up("0x" + "00" * 32))["status"] == "unknown"


async def test_a_transaction_that_was_replaced_is_failed(anvil: str, rpc: Callable[..., Any]):
    rpc("evm_setAutomine", False)
    sending = asyncio.create_task(DevelopmentSigner(rpc_url=anvil, receipt_timeout=60).evm(send(pay())))
    while not (pending := rpc("txpool_content")["pending"]):  # noqa: ASYNC110 - a node offers no event to wait for
        await asyncio.sleep(0.02)
    (queued,) = next(iter(pending.values())).values()
    rpc("anvil_dropTransaction", queued["hash"])
    rpc("eth_sendTransaction", {"from": ME, "to": ME, "nonce": queued["nonce"]})
    rpc("evm_mine")
    result = await sending
    assert (result["status"], result["hash"]) == ("replaced", queued["hash"])
    assert "included instead" in result["error"]


class FallsSilent(Node):
    """Passes everything on to the real node, and loses the answer to what was sent."""

    async def call(self, method: str, *params: Any) -> Any:
        answer = await super().call(method, *params)
        if method == "eth_sendRawTransaction":
            raise NodeSilent("The node did not answer.")
        return answer


async def test_a_node_that_falls_silent_while_sending_leaves_the_outcome_unknown(anvil: str):
    accounts = eth_account().Account
    accounts.enable_unaudited_hdwallet_features()
    account = accounts.from_mnemonic("test " * 11 + "junk")
    result = await Sender(FallsSilent(anvil), receipt_timeout=1).send(send(pay()), account)
    assert result["status"] == "unknown"
    assert (await DevelopmentSigner(rpc_url=anvil).look_up(result["hash"]))["status"] == "mined"


async def test_a_node_of_another_chain_is_refused_before_anything_is_sent(anvil: str):
    with pytest.raises(SigningError, match="is on chain 31337, but the request is for chain 1337"):
        await DevelopmentSigner(rpc_url=anvil).evm(send(pay(), chain_id=1337))


async def test_a_node_that_is_not_there_is_a_sentence_without_the_url_s_secrets():
    signer = DevelopmentSigner(rpc_url="http://127.0.0.1:9/v3/secret-key")
    with pytest.raises(SigningError, match=r"The node at http://127\.0\.0\.1:9 did not answer") as caught:
        await signer.evm(send(pay()))
    assert "secret-key" not in str(caught.value)


async def test_an_account_is_delegated_by_an_authorization_that_the_sender_signs(anvil: str, rpc: Callable[..., Any]):
    code = "0x" + "c0" * 20
    rpc("anvil_setCode", code, "0x00")
    delegating = {"to": ME, "value": "0x0", "data": "0x", "authorizationList": [{"chainId": 31337, "address": code}]}
    signer = DevelopmentSigner(rpc_url=anvil)
    result = await signer.evm(send(delegating))
    assert result["status"] == "mined"
    assert rpc("eth_getCode", ME, "latest") == "0xef0100" + "c0" * 20
    assert rpc("eth_getTransactionByHash", result["hash"])["type"] == "0x4"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"authorizationList": [{"chainId": 0, "address": OTHER}]}, "0 is every chain"),
        ({"authorizationList": [{"chainId": 1, "address": OTHER}]}, "is for chain 1"),
        ({"authorizationList": [{"chainId": 31337, "address": "0x1"}]}, "must be an address"),
        ({"authorizationList": [{"chainId": 31337, "address": OTHER, "r": 1}]}, "signed only in part"),
        ({"authorizationList": "all"}, "must be a list"),
        ({"authorizationList": ["x"]}, "must be an object"),
        ({"authorizationList": [{"address": OTHER}], "gasPrice": "0x1"}, "no gasPrice"),
    ],
)
def test_an_authorization_that_reaches_further_than_the_request_is_refused(change: dict[str, Any], says: str):
    signer = DevelopmentSigner(rpc_url="http://127.0.0.1:1")
    assert says in (signer.can(send(pay(**change))) or "")
