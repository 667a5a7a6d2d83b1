"""Answers of a wallet that do not belong to the reviewed request, in every way that one can be almost right."""

from __future__ import annotations

import base64
from dataclasses import replace

import pytest
from nacl.signing import SigningKey

from bitte_nb.errors import SigningError
from bitte_nb.review import review
from bitte_nb.signing import evm, nep413
from bitte_nb.signing.development import EVM_ADDRESSES, DevelopmentSigner
from bitte_nb.signing.outcome import differs
from bitte_nb.signing.requests import EvmSignRequest, SignMessageRequest

ME = EVM_ADDRESSES[0]
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
REQUEST = EvmSignRequest(method="personal_sign", chain_id=1, params=("0x" + b"Hello".hex(), ME))
NOTE = SignMessageRequest(message="Hello", nonce=bytes(range(32)), recipient="app.near", callback_url="https://a.b/c")


async def signature() -> bytes:
    return bytes.fromhex((await DevelopmentSigner().evm(REQUEST))["signature"][2:])


def malleated(one: bytes) -> bytes:
    return one[:32] + (ORDER - int.from_bytes(one[32:64])).to_bytes(32) + bytes([55 - one[64]])


def compact(one: bytes) -> bytes:
    return one[:32] + (int.from_bytes(one[32:64]) | (one[64] - 27) << 255).to_bytes(32)


FORGERIES = {
    "malleated": malleated,
    "malleated, v kept": lambda one: malleated(one)[:64] + one[64:],
    "compact (EIP-2098)": compact,
    "the other v": lambda one: one[:64] + bytes([55 - one[64]]),
    "v of EIP-155": lambda one: one[:64] + bytes([one[64] + 10]),
    "v 2": lambda one: one[:64] + b"\x02",
    "r and s exchanged": lambda one: one[32:64] + one[:32] + one[64:],
    "v first": lambda one: one[64:] + one[:64],
    "zeros": lambda one: bytes(65),
    "r zero": lambda one: bytes(32) + one[32:],
    "s the order": lambda one: one[:32] + ORDER.to_bytes(32) + one[64:],
    "with a tail (ERC-1271)": lambda one: one + bytes(64),
    "twice": lambda one: one * 2,
    "empty": lambda one: b"",
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
async def test_an_almost_right_signature_is_refused_in_a_sentence(forge):
    with pytest.raises(SigningError, match=r"\.$"):
        evm.signature_result(REQUEST, "0x" + forge(await signature()).hex())


@pytest.mark.parametrize(
    "write",
    [
        lambda text: text.replace("0x", "0X"),
        lambda text: text[2:],
        lambda text: f" {text}",
        lambda text: f"{text}\n",
        lambda text: text[:-1],
        lambda text: text.replace("0x", "0x\uff10"),
    ],
)
async def test_a_signature_written_otherwise_is_refused(write):
    with pytest.raises(SigningError):
        evm.signature_result(REQUEST, write("0x" + (await signature()).hex()))


async def test_one_signature_has_one_spelling_whichever_the_wallet_used():
    one = await signature()
    spellings = [one, one[:64] + bytes([one[64] - 27])]
    written = {evm.signature_result(REQUEST, "0x" + each.hex())["signature"] for each in spellings}
    written.add(evm.signature_result(REQUEST, "0x" + one.hex().upper())["signature"])
    assert written == {"0x" + one.hex()}


async def test_a_signature_counts_on_no_other_account_text_or_kind():
    text = "0x" + (await signature()).hex()
    for params in (("0x" + b"Hello".hex(), EVM_ADDRESSES[1]), ("0x" + b"Hello ".hex(), ME), ("0x", ME)):
        with pytest.raises(SigningError):
            evm.signature_result(EvmSignRequest(method="personal_sign", chain_id=1, params=params), text)


def answer(request: SignMessageRequest, seed: int = 1) -> dict[str, str]:
    key = SigningKey(bytes([seed]) * 32)
    signed = key.sign(nep413.digest(request)).signature
    return {
        "accountId": "alice.near",
        "publicKey": nep413.public_key_text(bytes(key.verify_key)),
        "signature": base64.b64encode(signed).decode(),
    }


OTHERS = {
    "nonce": replace(NOTE, nonce=bytes(32)),
    "recipient": replace(NOTE, recipient="app.testnet"),
    "no callback": replace(NOTE, callback_url=None),
    "empty callback": replace(NOTE, callback_url=""),
    "callback with a slash": replace(NOTE, callback_url="https://a.b/c/"),
    "text with a blank": replace(NOTE, message="Hello "),
    "text composed otherwise": replace(NOTE, message="He\u0301llo"),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_a_signature_of_another_near_message_is_refused(other: SignMessageRequest):
    with pytest.raises(SigningError, match="does not belong"):
        nep413.answered(NOTE, answer(other), account_id="alice.near", public_key=None, whose="The answer")


def test_another_account_key_or_kind_of_key_is_refused():
    right = answer(NOTE)
    for change in (
        {"accountId": "mallory.near"},
        {"accountId": "Alice.near"},
        {"publicKey": right["publicKey"].replace("ed25519", "secp256k1")},
        {"publicKey": right["publicKey"].partition(":")[2]},
        {"publicKey": answer(NOTE, 2)["publicKey"]},
        {"signature": right["signature"] + "\n"},
        {"signature": right["signature"].rstrip("=")},
        {"signature": answer(NOTE, 2)["signature"]},
    ):
        with pytest.raises(SigningError):
            nep413.answered(NOTE, right | change, account_id="alice.near", public_key=None, whose="The answer")
    with pytest.raises(SigningError, match="was signed by"):
        nep413.answered(NOTE, right, account_id="alice.near", public_key=answer(NOTE, 2)["publicKey"], whose="It")
    assert nep413.answered(NOTE, right, account_id="alice.near", public_key=None, whose="It")["status"] == "signed"


REVIEWED = {"from": ME, "to": EVM_ADDRESSES[1], "value": 5, "data": "0x", "chainId": 1}
SENT = {"from": ME.lower(), "to": EVM_ADDRESSES[1].lower(), "value": "0x5", "input": "0x", "chainId": "0x1"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"from": EVM_ADDRESSES[2]}, "from"),
        ({"to": EVM_ADDRESSES[2]}, "to"),
        ({"to": None}, "to"),
        ({"value": "0x6"}, "value"),
        ({"input": "0x00"}, "data"),
        ({"chainId": "0xa"}, "chainId"),
        ({"authorizationList": [{"chainId": "0x1", "address": EVM_ADDRESSES[2]}]}, "EIP-7702"),
    ],
)
def test_another_transaction_behind_the_hash_is_told_apart(change, says):
    assert differs(SENT, REVIEWED) is None
    assert says in str(differs(SENT | change, REVIEWED))


SPELLINGS: dict[str, list[object]] = {
    "uint256": ["0x10", "16", "016", "0x0010", 16.0, " 16", "1_0", "0X10", True, None, "", -1, "0b1", 2**53 + 2],
    "int256": ["-5", -5, "-0x5", "0xff"],
    "address": [ME, ME.lower(), "0x" + ME[2:].upper(), "0X" + ME[2:], ME[2:], 0],
    "bool": [True, False, 1, "true", "0x1", "false", None],
    "bytes": ["0x", "0xAB", "ab", "0xabc", "hello", ""],
    "bytes4": ["0xdeadbeef", "0xDEADBEEF", "0xde", "abcd", "0xdeadbeef00"],
    "string": ["é", "0xab", "", 5, None],
    "uint256[2]": [[1, 2], ["0x1", "2"], [1], [1, 2, 3]],
}


@pytest.mark.parametrize("kind", SPELLINGS)
def test_the_digest_that_is_verified_is_the_one_that_was_reviewed(kind: str):
    for value in SPELLINGS[kind]:
        data = {
            "types": {"EIP712Domain": [{"name": "chainId", "type": "uint256"}], "A": [{"name": "x", "type": kind}]},
            "primaryType": "A",
            "domain": {"chainId": 1},
            "message": {"x": value},
        }
        card = review(data)
        try:
            signed = evm.signing_digest(EvmSignRequest(method="eth_signTypedData_v4", chain_id=1, params=(ME, data)))
        except SigningError:
            continue
        # What the review cannot read is blocked, so nothing of it is ever signed.
        assert card.signing_hash == "0x" + signed.hex() or card.severity == "block"
