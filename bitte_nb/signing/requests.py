"""What a person may be asked to sign or send, read strictly from the arguments of the primitives."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from bitte_nb.errors import SigningError

__all__ = [
    "EvmSignRequest",
    "NearTransactions",
    "SignMessageRequest",
    "SigningRequest",
    "read_evm",
    "read_near",
    "read_nonce",
    "read_sign_message",
]

NONCE_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class SignMessageRequest:
    """A text to sign with a NEAR account (NEP-413).

    Raises:
        SigningError: the nonce does not have exactly 32 bytes.
    """

    message: str
    nonce: bytes
    """Exactly 32 bytes."""
    recipient: str
    callback_url: str | None = None
    """None and the empty string are different messages: only the latter is signed as present."""
    state: str | None = None
    """Handed back with the result; not signed."""

    def __post_init__(self) -> None:
        if len(self.nonce) != NONCE_BYTES:
            raise SigningError(f"The nonce has {len(self.nonce)} bytes; NEP-413 asks for exactly {NONCE_BYTES}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvmSignRequest:
    """A wallet call on an EVM chain: a signature or one or more transactions (EIP-1193 names)."""

    method: str
    chain_id: int
    """EIP-155 chain id."""
    params: tuple[Any, ...]
    """In the order of the method: transactions, [batch], [hex message, address], or [address, typed data]."""

    @property
    def sends(self) -> bool:
        """Whether it asks for transactions: one, several in turn, or a batch (EIP-5792)."""
        return self.method in ("eth_sendTransaction", "wallet_sendCalls")


@dataclass(frozen=True, slots=True, kw_only=True)
class NearTransactions:
    """NEAR transactions in the order they are meant to run, each `{signerId?, receiverId, actions}`."""

    transactions: tuple[Mapping[str, Any], ...]
    network: Literal["mainnet", "testnet"] = "mainnet"


SigningRequest = SignMessageRequest | EvmSignRequest | NearTransactions


def read_nonce(value: object) -> bytes:
    """Read a nonce: base64 or base64url text, or a list of byte values; never padded, never cut.

    Raises:
        SigningError: it is neither, or it does not hold exactly 32 bytes.
    """
    if isinstance(value, list):
        numbers = cast("list[object]", value)
        if not all(isinstance(one, int) and not isinstance(one, bool) and 0 <= one <= 255 for one in numbers):
            raise SigningError("The nonce is a list, so each entry must be a whole number from 0 to 255.")
        nonce = bytes(cast("list[int]", numbers))
    elif isinstance(value, str):
        plain = value.replace("-", "+").replace("_", "/")
        try:
            nonce = base64.b64decode(plain + "=" * (-len(plain) % 4) if "=" not in plain else plain, validate=True)
        except (binascii.Error, ValueError):
            raise SigningError("The nonce is not base64. Leave it out to have a fresh one made.") from None
    else:
        raise SigningError(f"The nonce must be base64 text, not {type(value).__name__}.")
    if len(nonce) != NONCE_BYTES:
        raise SigningError(
            f"The nonce holds {len(nonce)} bytes; NEP-413 asks for exactly {NONCE_BYTES}. Leave it out to have a fresh "
            "one made."
        )
    return nonce


def read_sign_message(
    arguments: Mapping[str, Any], *, fresh_nonce: bytes, default_recipient: str | None
) -> SignMessageRequest:
    """Read the arguments of the primitive sign-message: message, recipient?, nonce?, callbackUrl?, state?.

    Raises:
        SigningError: an argument is absent or malformed; the sentence names it.
    """
    message = arguments.get("message")
    if not isinstance(message, str):
        raise SigningError("sign-message needs message: the exact text to sign.")
    recipient = arguments.get("recipient", default_recipient)
    if not isinstance(recipient, str) or not recipient:
        raise SigningError("sign-message needs recipient: the account or domain that the signature is for.")
    nonce = arguments.get("nonce")
    return SignMessageRequest(
        message=message,
        nonce=fresh_nonce if nonce is None else read_nonce(nonce),
        recipient=recipient,
        callback_url=_text_or_none(arguments, "callbackUrl"),
        state=_text_or_none(arguments, "state"),
    )


def read_evm(arguments: Mapping[str, Any]) -> EvmSignRequest:
    """Read the arguments of the primitive generate-evm-tx: method, chainId, params.

    Raises:
        SigningError: an argument is absent or malformed; the sentence names it.
    """
    method = arguments.get("method")
    if not isinstance(method, str) or not method:
        raise SigningError("The request names no method, for example eth_sendTransaction.")
    params = arguments.get("params")
    if not isinstance(params, list | tuple) or not params:
        raise SigningError("The request has no params: there is nothing to sign.")
    return EvmSignRequest(
        method=method,
        chain_id=_chain_id(arguments.get("chainId")),
        params=tuple(cast("list[Any]", params)),
    )


def read_near(arguments: Mapping[str, Any]) -> NearTransactions:
    """Read the arguments of the primitive generate-transaction: transactions, network?.

    Raises:
        SigningError: an argument is absent or malformed; the sentence names it.
    """
    transactions = arguments.get("transactions")
    if not isinstance(transactions, list | tuple) or not transactions:
        raise SigningError("The request has no transactions: there is nothing to sign.")
    read: list[Mapping[str, Any]] = []
    for index, one in enumerate(cast("list[object]", transactions)):
        if not isinstance(one, dict):
            raise SigningError(f"transactions[{index}] must be an object with receiverId and actions.")
        read.append(cast("dict[str, Any]", one))
    network = arguments.get("network", "mainnet")
    if network not in {"mainnet", "testnet"}:
        raise SigningError(f"network must be mainnet or testnet, not {network!r}.")
    return NearTransactions(transactions=tuple(read), network=network)


def _chain_id(value: object) -> int:
    if isinstance(value, str):
        if re.fullmatch(r"[1-9][0-9]{0,15}", value):
            return int(value)
        if re.fullmatch(r"0x[1-9a-fA-F][0-9a-fA-F]{0,12}", value):
            return int(value, 16)
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**53:
        return value
    raise SigningError(f"chainId must be a chain id such as 8453, not {value!r}.")


def _text_or_none(arguments: Mapping[str, Any], name: str) -> str | None:
    value = arguments.get(name)
    if value is not None and not isinstance(value, str):
        raise SigningError(f"{name} must be text, not {type(value).__name__}.")
    return value
