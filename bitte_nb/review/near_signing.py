"""NEAR hashes and signatures: what is signed, and whether a signature belongs to it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from bitte_nb.review.amounts import BadAmount, parse_uint
from bitte_nb.review.borsh import (
    BorshError,
    base58_encode,
    public_key_bytes,
)
from bitte_nb.review.borsh_write import write_transaction
from bitte_nb.review.draft import Draft
from bitte_nb.review.near_dialects import BadAction, as_read, field

__all__ = ["judge_signature", "set_hash", "signing_hash"]


def signing_hash(tx: Mapping[str, Any], draft: Draft, signer: str, receiver: str, actions: list[Any]) -> None:
    """The hash to sign, where the request fixes nonce, key and block; else the wallet adds them."""
    nonce, key = field(tx, "nonce"), field(tx, "publicKey", "public_key")
    block = field(tx, "blockHash", "block_hash")
    if nonce is None:
        draft.sheet.row("nonce", "Nonce", "not stated: the wallet sets it")
    else:
        draft.sheet.row("nonce", "Nonce", str(nonce), source="nonce")
    if not (isinstance(key, str) and isinstance(block, str) and nonce is not None):
        return
    try:
        normal = [as_read(a) for a in actions]
        number = parse_uint(nonce, bits=64)
        data = write_transaction(
            {
                "signer": signer,
                "receiver": receiver,
                "public_key": key,
                "nonce": number,
                "block_hash": block,
                "actions": normal,
            }
        )
    except (BadAction, BadAmount, BorshError, KeyError, TypeError):
        return
    set_hash(draft, hashlib.sha256(data).digest(), data)
    draft.sheet.row("key", "Signing key", key, kind="code", source="publicKey")


def set_hash(draft: Draft, digest: bytes, data: bytes) -> None:
    """Keep the hash that is signed and the bytes that it is of."""
    draft.signing_hash, draft.signing_label = base58_encode(digest), "Transaction hash"
    draft.extra["borsh_hex"] = data.hex()


def judge_signature(draft: Draft, key: str, signature: tuple[int, bytes], digest: bytes) -> None:
    """Check the signature of a signed transaction against its key."""
    tag, data = signature
    kind, public = public_key_bytes(key)
    if tag != 0 or kind != 0:
        draft.sheet.skip("The signature was not checked: only ed25519 signatures can be checked here.")
        return
    from nacl.exceptions import BadSignatureError
    from nacl.signing import VerifyKey

    try:
        VerifyKey(public).verify(digest, data)
        valid = True
    except (BadSignatureError, ValueError):
        valid = False
    draft.extra["signature_valid"] = valid
    draft.sheet.row(
        "signature", "Signature", "valid for the key" if valid else "NOT valid for the key", raw=data.hex(), kind="code"
    )
    if not valid:
        draft.sheet.warn(
            "bad_encoding", "The signature does not belong to this transaction and key: a node would refuse it."
        )
