"""NEP-413 messages: the exact bytes that are signed, the digest, and the check of a signature."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import struct
from collections.abc import Mapping
from typing import Any

import base58
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from bitte_nb.errors import SigningError
from bitte_nb.signing.requests import SignMessageRequest

__all__ = ["answered", "digest", "payload", "public_key_text", "result", "verify"]

TAG = 2**31 + 413
"""Prefix that keeps a message from ever being a valid transaction (NEP-461)."""


def payload(request: SignMessageRequest) -> bytes:
    """The Borsh bytes under the digest: tag, message, nonce, recipient, optional callbackUrl."""
    callback = b"\x00" if request.callback_url is None else b"\x01" + _string(request.callback_url)
    return struct.pack("<I", TAG) + _string(request.message) + request.nonce + _string(request.recipient) + callback


def digest(request: SignMessageRequest) -> bytes:
    """SHA-256 of `payload`: what the key signs."""
    return hashlib.sha256(payload(request)).digest()


def public_key_text(key: bytes) -> str:
    """Write an ed25519 public key of 32 bytes as NEAR does: `ed25519:` and base58."""
    return "ed25519:" + base58.b58encode(key).decode()


def verify(request: SignMessageRequest, *, public_key: str, signature: str) -> None:
    """Check an ed25519 signature over exactly this request.

    Args:
        request: What was shown and approved.
        public_key: `ed25519:` and base58 of 32 bytes.
        signature: Base64 of 64 bytes.

    Raises:
        SigningError: the key or signature is malformed, or the signature is not one of this request by this key.
    """
    kind, _, encoded = public_key.partition(":")
    try:
        key = base58.b58decode(encoded)
    except ValueError:
        key = b""
    if kind != "ed25519" or len(key) != 32:
        raise SigningError("publicKey must be ed25519: and the base58 text of 32 bytes.")
    try:
        raw = base64.b64decode(signature, validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    if len(raw) != 64:
        raise SigningError("signature must be the base64 text of 64 bytes.")
    try:
        VerifyKey(key).verify(digest(request), raw)
    except BadSignatureError:
        raise SigningError(
            "The signature does not belong to this message: its text, nonce, recipient or callbackUrl is another one, "
            "or another key signed. It was not accepted."
        ) from None


def result(request: SignMessageRequest, *, account_id: str, public_key: str, signature: str) -> dict[str, Any]:
    """The result of sign-message, verified before it is made."""
    verify(request, public_key=public_key, signature=signature)
    made: dict[str, Any] = {
        "accountId": account_id,
        "publicKey": public_key,
        "signature": signature,
        "message": request.message,
        "nonce": base64.b64encode(request.nonce).decode(),
        "recipient": request.recipient,
        "callbackUrl": request.callback_url,
        "status": "signed",
    }
    if request.state is not None:
        made["state"] = request.state
    return made


def answered(
    request: SignMessageRequest,
    answer: Mapping[str, Any],
    *,
    account_id: str | None,
    public_key: str | None,
    whose: str,
) -> dict[str, Any]:
    """The result of what a wallet answered (accountId, publicKey, signature), verified.

    Args:
        request: What was shown and approved.
        answer: The wallet's words.
        account_id: The account that must have signed, where it is known.
        public_key: The key that must have signed, where it is known.
        whose: How errors call the answer, for example "The pasted answer".

    Raises:
        SigningError: a part is missing, or another account or key signed, or something else was signed.
    """
    account, key, signature = (answer.get(name) for name in ("accountId", "publicKey", "signature"))
    if not isinstance(account, str) or not isinstance(key, str) or not isinstance(signature, str):
        raise SigningError(f"{whose} must have accountId, publicKey and signature, each as text.")
    if account_id and account != account_id:
        raise SigningError(f"{whose} is of {account}, but the person's account is {account_id}.")
    if public_key and key != public_key:
        raise SigningError(f"{whose} was signed by {key}, but the account's key is {public_key}.")
    made = result(request, account_id=account, public_key=key, signature=signature)
    if re.fullmatch(r"[0-9a-f]{64}", account):
        # An implicit account is its key (NEP-518), so here ownership can be told without a node.
        if account != base58.b58decode(key.partition(":")[2]).hex():
            raise SigningError(f"The key {key} is not the key of the implicit account {account}.")
    elif not public_key:
        made["note"] = f"The signature is right; whether the key belongs to {account} was not checked (no node)."
    return made


def _string(text: str) -> bytes:
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        raise SigningError("The message holds half of a surrogate pair, which is no text. Ask for it again.") from None
    return struct.pack("<I", len(encoded)) + encoded
