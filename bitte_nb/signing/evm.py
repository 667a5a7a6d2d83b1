"""EVM signature requests taken apart, and signatures checked: EIP-191 messages and EIP-712 typed data."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, cast

from bitte_nb.errors import SigningError
from bitte_nb.signing.eth import eth_account
from bitte_nb.signing.requests import EvmSignRequest

__all__ = [
    "SIGNATURE_METHODS",
    "Signable",
    "address_text",
    "bound_chain",
    "chain_number",
    "read_signable",
    "same_address",
    "signature_result",
    "signing_digest",
]

_RECOVERY = frozenset({0, 1, 27, 28})
"""The last byte of a message's signature: the recovery id, plain or plus 27 (EIP-191 has no chain in it)."""

_HALF_ORDER = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0
"""Half the order of secp256k1: of the two values of s that verify, only the one up to here is canonical (EIP-2)."""

SIGNATURE_METHODS = frozenset({"personal_sign", "eth_signTypedData", "eth_signTypedData_v4"})
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
_HEX = re.compile(r"0x(?:[0-9a-fA-F]{2})*")


@dataclass(frozen=True, slots=True)
class Signable:
    """A signature request ready for its digest: the account asked, and the text bytes or the typed data."""

    address: str
    text: bytes | None = None
    typed: dict[str, Any] | None = None


def address_text(value: object, where: str) -> str:
    """Read an address, `0x` and 40 hex digits, as it is written.

    Raises:
        SigningError: it is something else.
    """
    if not isinstance(value, str) or not _ADDRESS.fullmatch(value):
        raise SigningError(f"{where} must be an address, 0x and 40 hexadecimal digits, not {str(value)[:50]!r}.")
    return value


def same_address(one: str, other: str) -> bool:
    """Whether two addresses are the same 20 bytes, however their letters are written."""
    return one.lower() == other.lower()


def read_signable(request: EvmSignRequest) -> Signable:
    """Take a signature request apart.

    Raises:
        SigningError: the params do not fit the method, or the typed data is for another chain.
    """
    if len(request.params) != 2:
        raise SigningError(f"{request.method} takes two params, not {len(request.params)}.")
    first, second = request.params
    if request.method == "personal_sign":
        if not isinstance(first, str) or not _HEX.fullmatch(first):
            raise SigningError(
                "personal_sign takes the message as 0x and the hexadecimal bytes of its UTF-8 text, then the address."
            )
        if _ADDRESS.fullmatch(first) and not (isinstance(second, str) and _ADDRESS.fullmatch(second)):
            raise SigningError("personal_sign takes the message first and the address second; these are the other way.")
        return Signable(address=address_text(second, "params[1]"), text=bytes.fromhex(first[2:]))
    if request.method not in SIGNATURE_METHODS:
        raise SigningError(f"{request.method} is not a way to sign that is known here.")
    address = address_text(first, "params[0]")
    typed = _typed_data(second)
    domain = cast("dict[str, Any]", typed["domain"])
    if "chainId" in domain and chain_number(domain["chainId"]) != request.chain_id:
        raise SigningError(
            f"The typed data is for chain {domain['chainId']}, but the request is for chain {request.chain_id}. A "
            "signature for another chain than the one shown is refused."
        )
    return Signable(address=address, typed=typed)


def _typed_data(value: object) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value, object_pairs_hook=_no_duplicates)
        except ValueError as error:
            raise SigningError(f"The typed data is not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise SigningError("The typed data must be an object with types, primaryType, domain and message (EIP-712).")
    typed = cast("dict[str, Any]", value)
    for name, kind in (("types", dict), ("primaryType", str), ("domain", dict), ("message", dict)):
        if not isinstance(typed.get(name), kind):
            raise SigningError(f"The typed data lacks {name}, or it is malformed (EIP-712).")
    if "EIP712Domain" not in typed["types"]:
        raise SigningError("The typed data lacks types.EIP712Domain (EIP-712).")
    return typed


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in one object, so readers could disagree on what is signed")
    return found


def chain_number(value: object) -> int | None:
    """A chain id from a number, decimal text or 0x hex; None where it is none."""
    try:
        return int(value, 0) if isinstance(value, str) else int(cast("int", value))
    except (TypeError, ValueError):
        return None


def encoded(signable: Signable) -> Any:
    """The eth-account message of a request; imports eth-account, which takes about a second the first time.

    Raises:
        SigningError: the typed data cannot be encoded.
    """
    messages: Any = eth_account().messages
    if signable.text is not None:
        return messages.encode_defunct(primitive=signable.text)
    try:
        return messages.encode_typed_data(full_message=signable.typed)
    except Exception as error:  # whatever eth-account and eth-abi raise on malformed data
        raise SigningError(f"The typed data cannot be encoded (EIP-712): {error}") from None


def bound_chain(request: EvmSignRequest) -> int | None:
    """The chain that a wallet must be on: that of transactions and of typed data that names one; None for any.

    Raises:
        SigningError: the request is malformed.
    """
    if request.sends:
        return request.chain_id
    typed = read_signable(request).typed
    return request.chain_id if typed is not None and "chainId" in typed["domain"] else None


def signing_digest(request: EvmSignRequest) -> bytes:
    """The 32 bytes that are signed (EIP-191, EIP-712); imports eth-account.

    Raises:
        SigningError: the request is malformed.
    """
    return _digest(encoded(read_signable(request)))


def _digest(message: Any) -> bytes:
    from eth_utils.crypto import keccak

    return keccak(b"\x19" + message.version + message.header + message.body)


def signature_result(request: EvmSignRequest, signature: str) -> dict[str, Any]:
    """Check a signature against the request and make the result; imports eth-account.

    Args:
        request: What was shown and approved.
        signature: `0x` and 65 bytes in hex: r, s, v (EIP-191, EIP-712).

    Raises:
        SigningError: it is malformed, or another account signed, or something else was signed.
    """
    signable = read_signable(request)
    if not re.fullmatch(r"0x[0-9a-fA-F]{130}", signature):
        raise SigningError("The signature must be 0x and 130 hexadecimal digits (65 bytes).")
    if int(signature[-2:], 16) not in _RECOVERY:
        raise SigningError("The signature is malformed: its last byte must be 27 or 28 (or 0 or 1).")
    if int(signature[66:130], 16) > _HALF_ORDER:
        raise SigningError(
            "The signature is written with the larger of its two values for s, which contracts refuse (EIP-2). It was "
            "not accepted."
        )
    message = encoded(signable)
    try:
        signer = cast("str", eth_account().Account.recover_message(message, signature=bytes.fromhex(signature[2:])))
    except Exception:  # eth-keys and eth-account name many ways to be no signature
        raise SigningError("The signature is malformed: no account can be recovered from it.") from None
    if not same_address(signer, signable.address):
        raise SigningError(
            f"The signature is not one of {signable.address} over this request: it recovers to {signer}. Signatures of "
            "contract accounts (ERC-1271) cannot be checked here. It was not accepted."
        )
    return {
        "status": "signed",
        # Contracts take 27 and 28 only, whichever way the wallet wrote it.
        "signature": f"{signature[:-2].lower()}{27 + int(signature[-2:], 16) % 27:02x}",
        "address": signer,
        "digest": "0x" + _digest(message).hex(),
        "method": request.method,
        "chainId": request.chain_id,
    }
