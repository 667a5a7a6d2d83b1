"""EVM requests and signatures: vectors, forgeries, and what must be refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitte_nb.errors import SigningError
from bitte_nb.signing import evm
from bitte_nb.signing.development import EVM_ADDRESSES, DevelopmentSigner
from bitte_nb.signing.requests import EvmSignRequest, read_evm
from bitte_nb.signing.transactions import read_transactions

DATA = Path(__file__).parents[3] / "shared" / "data" / "transactions"
ME, OTHER = EVM_ADDRESSES[0], EVM_ADDRESSES[1]

TYPED = {
    "types": {
        "EIP712Domain": [{"name": "name", "type": "string"}, {"name": "chainId", "type": "uint256"}],
        "Statement": [{"name": "text", "type": "string"}],
    },
    "primaryType": "Statement",
    "domain": {"name": "test", "chainId": 8453},
    "message": {"text": "I agree"},
}


def personal(text: str = "Hello", address: str = ME) -> EvmSignRequest:
    return EvmSignRequest(method="personal_sign", chain_id=8453, params=("0x" + text.encode().hex(), address))


def typed(data: object = None, *, method: str = "eth_signTypedData_v4", chain_id: int = 8453) -> EvmSignRequest:
    return EvmSignRequest(method=method, chain_id=chain_id, params=(ME, json.dumps(TYPED if data is None else data)))


def vectors(name: str, kind: str = "vectors") -> list[dict]:
    path = DATA / name
    return json.loads(path.read_text("utf-8"))[kind] if path.exists() else []


needs_data = pytest.mark.skipif(not DATA.exists(), reason="the handed vectors are not at ../shared/data")


@needs_data
@pytest.mark.parametrize("vector", vectors("eip191.json"), ids=lambda v: v["id"])
def test_a_known_message_signature_verifies_with_its_known_digest(vector: dict):
    request = EvmSignRequest(method="personal_sign", chain_id=1, params=(vector["params"][0], vector["signer"]))
    result = evm.signature_result(request, vector["signature"])
    assert result["digest"] == vector["hash"]


@needs_data
@pytest.mark.parametrize("vector", [v for v in vectors("eip712.json") if "signature" in v], ids=lambda v: v["id"])
def test_a_known_typed_data_signature_verifies_with_its_known_digest(vector: dict):
    data = vector["typed_data"]
    chain = data["domain"].get("chainId", 1)
    chain_id = int(chain, 0) if isinstance(chain, str) else chain
    request = EvmSignRequest(method="eth_signTypedData_v4", chain_id=chain_id, params=(vector["signer"], data))
    assert evm.signature_result(request, vector["signature"])["digest"] == vector["hash"]


@needs_data
@pytest.mark.parametrize(
    "vector",
    # The one that eth-account accepts breaks a rule of review only: it has a digest.
    [v for v in vectors("eip712.json", "invalid") if not str(v["eth_account"]).startswith("accepts")],
    ids=lambda v: v["id"],
)
async def test_typed_data_without_a_digest_is_refused_in_words(vector: dict):
    request = EvmSignRequest(method="eth_signTypedData_v4", chain_id=1, params=(ME, json.dumps(vector["typed_data"])))
    with pytest.raises(SigningError, match="typed data"):
        await DevelopmentSigner().evm(request)


@pytest.mark.parametrize("request_", [personal(), personal("é ☃ 0x00"), typed(), typed(method="eth_signTypedData")])
async def test_a_development_signature_recovers_to_its_account(request_: EvmSignRequest):
    result = await DevelopmentSigner(allow_chains=[8453]).evm(request_)
    assert result["status"] == "signed"
    assert result["address"] == ME
    assert evm.signature_result(request_, result["signature"]) == result


async def test_development_keys_sign_typed_data_for_no_real_network_unasked():
    for method in ("eth_signTypedData", "eth_signTypedData_v4"):
        with pytest.raises(SigningError, match=r"signs no typed data for chain 8453.*allow_chains"):
            await DevelopmentSigner().evm(typed(method=method))
    local = {**TYPED, "domain": {"name": "test", "chainId": 31337}}
    assert (await DevelopmentSigner().evm(typed(local, chain_id=31337)))["status"] == "signed"


async def test_a_signature_counts_for_no_other_text_and_no_other_account():
    signature = (await DevelopmentSigner().evm(personal()))["signature"]
    for other in (personal("Hello!"), personal(address=OTHER), typed()):
        with pytest.raises(SigningError, match="recovers to"):
            evm.signature_result(other, signature)


SIGNED = (
    "0xe32cf451f505232ec3f0b45f02557a533fda06e276409122401c6ca2d685b5db"
    "01efcbff91155deca263dc374492c47fe554965353d4390e005f29b4df273274"
    "1c"
)
"""What the first development account signs for `personal()` (RFC 6979: always the same)."""


async def test_a_development_signature_is_always_the_same():
    assert (await DevelopmentSigner().evm(personal()))["signature"] == SIGNED


@given(st.integers(0, 64), st.integers(1, 255))
@settings(max_examples=40, deadline=None)
def test_a_signature_with_one_changed_byte_is_never_accepted_for_the_account(place: int, change: int):
    right = bytearray.fromhex(SIGNED[2:])
    # 27 and 0, and 28 and 1, are two spellings of one v.
    right[place] ^= change
    if place == 64 and right[64] % 27 == bytes.fromhex(SIGNED[2:])[64] % 27:
        return
    with pytest.raises(SigningError):
        evm.signature_result(personal(), "0x" + right.hex())


@pytest.mark.parametrize(
    ("method", "params", "says"),
    [
        ("personal_sign", (ME, "0x48656c6c6f"), "other way|address"),
        ("personal_sign", ("Hello", ME), "hexadecimal"),
        ("personal_sign", ("0x123", ME), "hexadecimal"),
        ("personal_sign", ("0x12",), "two params"),
        ("eth_signTypedData_v4", (ME, "{"), "not JSON"),
        ("eth_signTypedData_v4", (ME, '{"types": {}, "types": {}}'), "stands twice"),
        ("eth_signTypedData_v4", (ME, "[]"), "object with types"),
        ("eth_signTypedData_v4", ([{"type": "string", "name": "a", "value": "b"}], ME), "address"),
        ("eth_sign", (ME, "0x" + "00" * 32), "eth_sign is refused"),
        ("wallet_grantPermissions", ({},), "does not know"),
    ],
)
async def test_what_cannot_be_signed_is_a_sentence_from_can_and_from_signing(method: str, params: tuple, says: str):
    request = EvmSignRequest(method=method, chain_id=8453, params=params)
    signer = DevelopmentSigner()
    with pytest.raises(SigningError, match=says):
        await signer.evm(request)
    assert signer.can(request)


async def test_typed_data_for_another_chain_is_refused():
    with pytest.raises(SigningError, match="for chain 8453, but the request is for chain 1"):
        await DevelopmentSigner().evm(typed(chain_id=1))


async def test_another_account_than_the_signers_is_refused():
    with pytest.raises(SigningError, match="this signer holds"):
        await DevelopmentSigner().evm(personal(address=OTHER))


TO = {"to": OTHER, "value": "0x1", "data": "0x"}


@pytest.mark.parametrize(
    ("transaction", "says"),
    [
        ({**TO, "authorizationList": []}, "authorizationList"),
        ({**TO, "surprise": 1}, "surprise"),
        ({**TO, "input": "0x00"}, "data and input"),
        ({**TO, "value": "0.1"}, "whole number"),
        ({**TO, "value": -1}, "whole number"),
        ({**TO, "value": 1.5}, "whole number"),
        ({**TO, "value": True}, "whole number"),
        ({**TO, "value": 2**256}, "whole number"),
        ({**TO, "value": "1e18"}, "whole number"),
        ({**TO, "data": "0x123"}, "whole bytes"),
        ({**TO, "to": "vitalik.eth"}, "address"),
        ({**TO, "chainId": 1}, "for chain 1"),
        ({**TO, "gasPrice": 1, "maxFeePerGas": 1}, "only one kind"),
        ({"value": "0x1"}, "neither a recipient"),
        ("0x00", "transaction object"),
    ],
)
def test_a_malformed_transaction_is_refused_and_nothing_is_dropped(transaction: object, says: str):
    request = EvmSignRequest(method="eth_sendTransaction", chain_id=31337, params=(transaction,))
    with pytest.raises(SigningError, match=says):
        read_transactions(request)


def test_aliases_and_quantities_are_read_exactly():
    one = {"to": OTHER, "value": str(2**200), "input": "0xAB", "gasLimit": "0x5208", "nonce": None}
    request = EvmSignRequest(method="eth_sendTransaction", chain_id=31337, params=(one,))
    assert read_transactions(request) == [{"to": OTHER, "value": 2**200, "data": "0xAB", "gas": 21000}]


@pytest.mark.parametrize("chain_id", [0, -1, True, 1.0, "x", "", None, "01", 2**53])
def test_a_chain_id_that_is_none_is_refused(chain_id: object):
    with pytest.raises(SigningError, match="chainId"):
        read_evm({"method": "personal_sign", "chainId": chain_id, "params": ["0x", ME]})


@pytest.mark.parametrize("chain_id", [8453, "8453", "0x2105"])
def test_a_chain_id_is_read_from_each_of_its_spellings(chain_id: object):
    assert read_evm({"method": "personal_sign", "chainId": chain_id, "params": ["0x", ME]}).chain_id == 8453
