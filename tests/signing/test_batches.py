"""wallet_sendCalls (EIP-5792): one piece where the wallet takes it so, else call by call, and never less than asked."""

from __future__ import annotations

from typing import Any

import pytest

from bitte_nb.core.wallet import Wallet
from bitte_nb.errors import SigningError
from bitte_nb.signing.development import EVM_ADDRESSES, DevelopmentSigner
from bitte_nb.signing.paste import PasteSigner
from bitte_nb.signing.requests import EvmSignRequest
from bitte_nb.signing.transactions import read_batch
from tests.signing.test_injected import Wallet1193
from tests.signing.test_other_signers import pasting
from tests.signing.wallet_page import WalletPage, page_of

ME, OTHER = EVM_ADDRESSES[0], EVM_ADDRESSES[1]
PAYMASTER = {"paymasterService": {"url": "https://pay.example"}}


def batch(*values: int, **more: Any) -> EvmSignRequest:
    calls = [{"to": OTHER, "value": hex(one)} for one in values]
    bundle = {"version": "2.0.0", "chainId": "0x7a69", "from": ME, "atomicRequired": False, "calls": calls, **more}
    return EvmSignRequest(method="wallet_sendCalls", chain_id=31337, params=(bundle,))


def page(anvil: str, capabilities: Any) -> WalletPage:
    wallet = Wallet1193(anvil)
    wallet.capabilities = capabilities
    return page_of(wallet, wallet=Wallet(evm_address=ME))


@pytest.mark.parametrize(
    ("offered", "atomic"),
    [({}, False), ({"atomic": {"status": "supported"}}, True), ({"atomic": {"status": "ready"}}, True)],
)
async def test_a_batch_goes_as_one_where_the_wallet_takes_batches(anvil: str, offered: Any, atomic: bool):
    asked = page(anvil, {"0x7a69": offered})
    result = await asked.approve().evm(batch(1, 2, atomicRequired=atomic, id="0x1d"))
    assert (result["status"], len(result["hashes"])) == ("mined", 2)
    (handed,) = [one.params[0] for one in asked.asked if one.method == "wallet_sendCalls"]
    assert (handed["atomicRequired"], handed["id"], handed["from"]) == (atomic, "0x1d", ME)
    assert "eth_sendTransaction" not in asked.methods


async def test_a_batch_goes_call_by_call_where_the_wallet_takes_none_and_the_result_says_so(anvil: str):
    asked = page(anvil, None)
    optional = {"paymasterService": {"url": "https://pay.example", "optional": True}}
    result = await asked.approve().evm(batch(1, 2, capabilities=optional))
    assert (result["status"], len(result["hashes"])) == ("mined", 2)
    assert asked.methods.count("eth_sendTransaction") == 2
    assert "asked for each call in turn. It was not asked for paymasterService" in result["note"]


@pytest.mark.parametrize(
    ("offered", "more", "says"),
    [
        (None, {"atomicRequired": True}, "as one unit"),
        ({"0x7a69": {"atomic": {"status": "unsupported"}}}, {"atomicRequired": True}, "as one unit"),
        (None, {"capabilities": PAYMASTER}, "capability 'paymasterService'"),
        ({"0x7a69": {}}, {"capabilities": PAYMASTER}, "capability 'paymasterService'"),
    ],
)
async def test_nothing_is_sent_where_the_wallet_cannot_do_what_the_batch_needs(
    anvil: str, offered: Any, more: dict[str, Any], says: str
):
    asked = page(anvil, offered)
    with pytest.raises(SigningError, match=f"{says}.*Nothing was sent"):
        await asked.approve().evm(batch(1, 2, **more))
    assert not {"eth_sendTransaction", "wallet_sendCalls"} & set(asked.methods)


async def test_what_the_wallet_offers_is_handed_over_as_it_was_asked_for(anvil: str):
    asked = page(anvil, {"0x7a69": {"paymasterService": {"supported": True}}})
    await asked.approve().evm(batch(1, capabilities=PAYMASTER))
    (handed,) = [one.params[0] for one in asked.asked if one.method == "wallet_sendCalls"]
    assert handed["capabilities"] == PAYMASTER


async def test_development_keys_send_a_batch_in_turn_and_no_unit(anvil: str):
    signer = DevelopmentSigner(rpc_url=anvil)
    assert (await signer.evm(batch(1, 2)))["status"] == "mined"
    assert "as one unit" in (signer.can(batch(1, 2, atomicRequired=True)) or "")
    assert "as one unit" in (PasteSigner(ask=pasting("")).can(batch(1, 2, atomicRequired=True)) or "")


async def test_a_batch_is_answered_by_hand_with_a_hash_for_each_call(anvil: str):
    sent = await DevelopmentSigner(rpc_url=anvil).evm(batch(1, 2))
    signer = PasteSigner(ask=pasting(" ".join(sent["hashes"])), evm_address=ME, rpc={31337: anvil})
    assert (await signer.evm(batch(1, 2)))["verified"] is True


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        (batch(), "not empty"),
        (batch(1, chainId="0x1"), "is for chain 0x1"),
        (batch(1, calls=[{"to": OTHER, "from": ME}]), "field from"),
        (batch(1, calls=["0x"]), "must be an object"),
        (batch(1, atomicRequired="yes"), "true or false"),
        (batch(1, surprise=1), "field surprise"),
        (EvmSignRequest(method="wallet_sendCalls", chain_id=1, params=({}, {})), "one object"),
    ],
)
def test_a_batch_is_read_strictly(request_: EvmSignRequest, says: str):
    with pytest.raises(SigningError, match=says):
        read_batch(request_)
