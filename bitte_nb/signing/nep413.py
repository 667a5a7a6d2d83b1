"""NEP-413 messages: the exact bytes that are signed, the digest, and the check of a signature."""

from __future__ import annotations

import base64
import binascii
import hashlib
import struct
from typing import Any

import base58
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from bitte_nb.errors import SigningError
from bitte_nb.signing.requests import SignMessageRequest

__all__ = ["digest", "payload", "public_key_text", "result", "verify"]

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


def _string(text: str) -> bytes:
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        raise SigningError("The message holds half of a surrogate pair, which is no text. Ask for it again.") from None
    return struct.pack("<I", len(encoded)) + encoded
