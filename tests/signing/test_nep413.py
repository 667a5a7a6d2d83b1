"""NEP-413: the bytes, the digest and the check of a signature, against published vectors and near-kit."""

from __future__ import annotations

import base64
import json
import struct
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitte_nb.errors import SigningError
from bitte_nb.signing import nep413
from bitte_nb.signing.development import DevelopmentSigner
from bitte_nb.signing.requests import SignMessageRequest, read_nonce, read_sign_message

VECTORS = Path(__file__).parents[3] / "shared" / "data" / "transactions" / "nep413.json"

REQUEST = SignMessageRequest(
    message="Hello NEAR!", nonce=bytes(range(32)), recipient="example.near", callback_url="https://example.org/back"
)


def vectors(kind: str) -> list[dict]:
    if not VECTORS.exists():
        return []
    return json.loads(VECTORS.read_text("utf-8"))[kind]


def request_of(params: dict) -> SignMessageRequest:
    arguments = {"nonce": params.get("nonce_base64", params.get("nonce")), **params}
    return read_sign_message(arguments, fresh_nonce=bytes(32), default_recipient=None)


@pytest.mark.skipif(not VECTORS.exists(), reason="the handed vectors are not at ../shared/data")
@pytest.mark.parametrize("vector", vectors("vectors"), ids=lambda v: v["id"])
def test_a_published_message_has_the_published_digest_and_its_signature_verifies(vector: dict):
    request = request_of(vector["params"])
    assert nep413.digest(request).hex() == vector["sha256"]
    nep413.verify(request, public_key=vector["publicKey"], signature=vector["signature_base64"])


@pytest.mark.skipif(not VECTORS.exists(), reason="the handed vectors are not at ../shared/data")
@pytest.mark.parametrize(
    "vector",
    [v for v in vectors("invalid") if any(w["severity"] == "block" for w in v["warnings"])],
    ids=lambda v: v["id"],
)
def test_a_message_that_must_be_blocked_cannot_be_read(vector: dict):
    with pytest.raises(SigningError):
        request_of(vector["params"])


def test_the_payload_is_borsh_with_the_tag_of_the_standard():
    tag, length = struct.unpack("<II", nep413.payload(REQUEST)[:8])
    assert tag == 2147484061
    assert length == len("Hello NEAR!")
    assert nep413.payload(REQUEST).endswith(b"\x01" + struct.pack("<I", 24) + b"https://example.org/back")


def test_no_callback_and_an_empty_callback_are_different_messages():
    absent, empty = replace(REQUEST, callback_url=None), replace(REQUEST, callback_url="")
    assert nep413.payload(absent)[-1:] == b"\x00"
    assert nep413.payload(empty)[-5:] == b"\x01\x00\x00\x00\x00"


async def test_another_library_accepts_the_development_signature():
    near = pytest.importorskip("near", reason="near-kit is a development dependency")
    result = await DevelopmentSigner(account_id="alice.near").sign_message(replace(REQUEST, callback_url=None))
    signed = near.SignedMessage(account_id="alice.near", public_key=result["publicKey"], signature=result["signature"])
    rest = (REQUEST.recipient, REQUEST.nonce)
    assert near.verify_message(signed, REQUEST.message, *rest, max_age_ms=None)
    assert not near.verify_message(signed, "Hello NEAR?", *rest, max_age_ms=None)


@pytest.mark.parametrize(
    "changed",
    [
        {"message": "Hello NEAR?"},
        {"nonce": bytes(32)},
        {"recipient": "evil.near"},
        {"callback_url": None},
        {"callback_url": ""},
    ],
    ids=lambda c: next(iter(c)),
)
async def test_a_signature_counts_for_no_other_request(changed: dict):
    result = await DevelopmentSigner().sign_message(REQUEST)
    with pytest.raises(SigningError, match="does not belong to this message"):
        nep413.verify(replace(REQUEST, **changed), public_key=result["publicKey"], signature=result["signature"])


@pytest.mark.parametrize(
    ("public_key", "signature", "says"),
    [
        ("ed25519:xyz", base64.b64encode(bytes(64)).decode(), "publicKey"),
        ("ed25519:0OIl", base64.b64encode(bytes(64)).decode(), "publicKey"),
        ("secp256k1:2RM3EotCzEiVobm6aMjaup43k8cFffR4KHFtrqbZ79Qy", base64.b64encode(bytes(64)).decode(), "publicKey"),
        ("ed25519:2RM3EotCzEiVobm6aMjaup43k8cFffR4KHFtrqbZ79Qy", "!!!", "signature"),
        ("ed25519:2RM3EotCzEiVobm6aMjaup43k8cFffR4KHFtrqbZ79Qy", base64.b64encode(bytes(63)).decode(), "signature"),
        (
            "ed25519:2RM3EotCzEiVobm6aMjaup43k8cFffR4KHFtrqbZ79Qy",
            base64.b64encode(bytes(64)).decode(),
            "does not belong",
        ),
    ],
)
def test_a_malformed_key_or_signature_is_a_sentence(public_key: str, signature: str, says: str):
    with pytest.raises(SigningError, match=says):
        nep413.verify(REQUEST, public_key=public_key, signature=signature)


@given(st.binary(min_size=32, max_size=32))
def test_every_32_byte_nonce_is_read_from_each_of_its_spellings(nonce: bytes):
    plain, url = base64.b64encode(nonce).decode(), base64.urlsafe_b64encode(nonce).decode()
    for spelling in (plain, url, plain.rstrip("="), list(nonce)):
        assert read_nonce(spelling) == nonce


@given(st.binary(max_size=80).filter(lambda raw: len(raw) != 32))
def test_a_nonce_of_another_length_is_never_padded_or_cut(raw: bytes):
    with pytest.raises(SigningError, match="exactly 32"):
        read_nonce(base64.b64encode(raw).decode())


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=40))
def test_moving_text_between_fields_changes_the_digest(message: str, recipient: str, moved: str):
    one = SignMessageRequest(message=message + moved, nonce=bytes(32), recipient=recipient)
    other = SignMessageRequest(message=message, nonce=bytes(32), recipient=moved + recipient)
    assert (nep413.payload(one) == nep413.payload(other)) == (moved == "")


def test_half_a_surrogate_pair_is_refused_in_words():
    with pytest.raises(SigningError, match="surrogate"):
        nep413.digest(replace(REQUEST, message="\ud800"))
