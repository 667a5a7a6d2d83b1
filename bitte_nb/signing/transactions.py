"""EVM transactions as they are asked for: eth_sendTransaction and wallet_sendCalls (EIP-5792), read strictly."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from bitte_nb.errors import SigningError
from bitte_nb.signing.evm import address_text, chain_number
from bitte_nb.signing.requests import EvmSignRequest

__all__ = ["Batch", "read_batch", "read_transactions", "why_not_in_turn"]

_HEX = re.compile(r"0x(?:[0-9a-fA-F]{2})*")
_QUANTITIES = ("value", "gas", "gasPrice", "maxFeePerGas", "maxPriorityFeePerGas", "nonce")
_FIELDS = frozenset(
    {"to", "from", "data", "input", "gasLimit", "chainId", "type", "accessList", "authorizationList", *_QUANTITIES}
)
_BATCH_FIELDS = frozenset({"version", "id", "from", "chainId", "atomicRequired", "calls", "capabilities"})
_CALL_FIELDS = frozenset({"to", "value", "data"})


@dataclass(frozen=True, slots=True)
class Batch:
    """What a request asks to send; `atomic` and the rest only where it is a wallet_sendCalls."""

    transactions: list[dict[str, Any]]
    """Quantities as whole numbers, `data` and `gas` under those names only."""
    atomic: bool = False
    """All calls must run as one unit or none of them."""
    capabilities: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the wallet is asked for besides, as it stands."""
    name: str | None = None

    @property
    def required(self) -> list[str]:
        """The capabilities that are not marked optional."""
        return [
            name
            for name, given in self.capabilities.items()
            if not (isinstance(given, dict) and cast("dict[str, Any]", given).get("optional") is True)
        ]


def read_transactions(request: EvmSignRequest) -> list[dict[str, Any]]:
    """The transactions of a request; see `read_batch`."""
    return read_batch(request).transactions


def read_batch(request: EvmSignRequest) -> Batch:
    """Take eth_sendTransaction or wallet_sendCalls apart.

    Raises:
        SigningError: a field is unknown, contradictory or malformed; nothing is dropped in silence.
    """
    if request.method == "wallet_sendCalls":
        return _batch(request)
    read: list[dict[str, Any]] = []
    for index, given in enumerate(request.params):
        where = f"params[{index}]"
        if not isinstance(given, Mapping):
            raise SigningError(f"{where} must be a transaction object.")
        read.append(_transaction(dict(cast("Mapping[str, Any]", given)), where, request.chain_id))
    return Batch(read)


def why_not_in_turn(request: EvmSignRequest) -> str | None:
    """None where the transactions may go one after the other, else a sentence what they need besides.

    Raises:
        SigningError: as `read_batch`.
    """
    batch = read_batch(request)
    if batch.atomic:
        return (
            "The request asks for all calls as one unit (atomicRequired, EIP-5792), and one after the other they are "
            "not one."
        )
    if batch.required:
        return f"The request needs a wallet with the capability {batch.required[0][:60]!r} (EIP-5792)."
    return None


def _batch(request: EvmSignRequest) -> Batch:
    if len(request.params) != 1 or not isinstance(request.params[0], Mapping):
        raise SigningError("wallet_sendCalls takes one object in params: {version, from, calls} and more (EIP-5792).")
    given = {name: one for name, one in cast("Mapping[str, Any]", request.params[0]).items() if one is not None}
    _refuse_unknown(given, _BATCH_FIELDS, "params[0]")
    if "chainId" in given and chain_number(given["chainId"]) != request.chain_id:
        raise SigningError(f"params[0] is for chain {given['chainId']}, but the request is for {request.chain_id}.")
    calls, atomic, capabilities = given.get("calls"), given.get("atomicRequired", False), given.get("capabilities", {})
    if not isinstance(calls, list) or not calls:
        raise SigningError("params[0].calls must be a list that is not empty (EIP-5792).")
    if not isinstance(atomic, bool) or not isinstance(capabilities, Mapping):
        raise SigningError("params[0].atomicRequired must be true or false, and capabilities an object (EIP-5792).")
    sender = {"from": address_text(given["from"], "params[0].from")} if "from" in given else {}
    read: list[dict[str, Any]] = []
    for index, call in enumerate(cast("list[object]", calls)):
        where = f"params[0].calls[{index}]"
        if not isinstance(call, Mapping):
            raise SigningError(f"{where} must be an object with to, value or data.")
        fields = {name: one for name, one in cast("Mapping[str, Any]", call).items() if one is not None}
        _refuse_unknown(fields, _CALL_FIELDS, where)
        read.append({**_transaction(fields, where, request.chain_id), **sender})
    name: object = given.get("id")
    return Batch(read, atomic, cast("Mapping[str, Any]", capabilities), name if isinstance(name, str) else None)


def _refuse_unknown(given: Mapping[str, Any], known: frozenset[str], where: str) -> None:
    unknown = sorted(given.keys() - known)
    if unknown:
        raise SigningError(f"{where} has the field {unknown[0]}, which this signer does not know. Nothing was sent.")


def _transaction(given: dict[str, Any], where: str, chain_id: int) -> dict[str, Any]:
    given = {name: value for name, value in given.items() if value is not None}
    _refuse_unknown(given, _FIELDS, where)
    for name, other in (("data", "input"), ("gas", "gasLimit")):
        if other in given:
            value = given.pop(other)
            if given.setdefault(name, value) != value:
                raise SigningError(f"{where} has {name} and {other}, and they differ.")
    made: dict[str, Any] = {name: _quantity(given[name], f"{where}.{name}") for name in _QUANTITIES if name in given}
    if "chainId" in given and chain_number(given["chainId"]) != chain_id:
        raise SigningError(f"{where} is for chain {given['chainId']}, but the request is for chain {chain_id}.")
    if "gasPrice" in made and made.keys() & {"maxFeePerGas", "maxPriorityFeePerGas"}:
        raise SigningError(f"{where} has gasPrice beside maxFeePerGas or maxPriorityFeePerGas; only one kind can hold.")
    data = given.get("data", "0x")
    if not isinstance(data, str) or not _HEX.fullmatch(data):
        raise SigningError(f"{where}.data must be 0x and whole bytes in hexadecimal.")
    made["data"] = data
    if "to" in given:
        made["to"] = address_text(given["to"], f"{where}.to")
    elif data == "0x":
        raise SigningError(f"{where} has neither a recipient nor code to deploy.")
    if "from" in given:
        made["from"] = address_text(given["from"], f"{where}.from")
    if "accessList" in given:
        made["accessList"] = given["accessList"]
    if "authorizationList" in given:
        if "to" not in made or "gasPrice" in made:
            raise SigningError(f"{where} has an authorizationList, so it needs to and no gasPrice (EIP-7702).")
        made["authorizationList"] = _authorizations(given["authorizationList"], where, chain_id)
    return made


def _authorizations(value: object, where: str, chain_id: int) -> list[dict[str, Any]]:
    """EIP-7702 authorizations: address, chainId, nonce if given, and yParity, r, s where it is signed already."""
    if not isinstance(value, list) or not value:
        raise SigningError(f"{where}.authorizationList must be a list that is not empty (EIP-7702).")
    read: list[dict[str, Any]] = []
    for index, entry in enumerate(cast("list[object]", value)):
        place = f"{where}.authorizationList[{index}]"
        if not isinstance(entry, dict):
            raise SigningError(f"{place} must be an object.")
        fields = cast("dict[str, Any]", entry)
        made: dict[str, Any] = {
            "chainId": _quantity(fields.get("chainId", chain_id), f"{place}.chainId"),
            "address": address_text(fields.get("address"), f"{place}.address"),
        }
        if made["chainId"] != chain_id:
            raise SigningError(f"{place} is for chain {made['chainId']}, not for {chain_id} alone (0 is every chain).")
        made |= {
            name: _quantity(fields[name], f"{place}.{name}")
            for name in ("nonce", "yParity", "r", "s")
            if name in fields
        }
        if made.keys() & {"yParity", "r", "s"} and not made.keys() >= {"nonce", "yParity", "r", "s"}:
            raise SigningError(f"{place} is signed only in part: it needs nonce, yParity, r and s.")
        read.append(made)
    return read


def _quantity(value: object, where: str) -> int:
    number: int | None = None
    if isinstance(value, int) and not isinstance(value, bool):
        number = value
    elif isinstance(value, str) and re.fullmatch(r"0x[0-9a-fA-F]{1,64}", value):
        number = int(value, 16)
    elif isinstance(value, str) and re.fullmatch(r"[0-9]{1,78}", value):
        number = int(value)
    if number is None or not 0 <= number < 2**256:
        raise SigningError(f"{where} must be a whole number of 0 or more, as 0x and hexadecimal digits; not {value!r}.")
    return number
