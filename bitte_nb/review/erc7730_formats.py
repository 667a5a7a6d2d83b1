"""The formats of ERC-7730: units, dates, names, enumerations and embedded calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from bitte_nb.review.abi import plain_value
from bitte_nb.review.address import checksum, is_evm
from bitte_nb.review.amounts import display, human, is_unlimited
from bitte_nb.review.card import Amount, RowKind
from bitte_nb.review.chains import Chain, evm_chain
from bitte_nb.review.eip712 import integer
from bitte_nb.review.erc7730 import Described
from bitte_nb.review.erc7730_paths import Scope, resolve
from bitte_nb.review.shapes import listed, table
from bitte_nb.review.sheet import Sheet
from bitte_nb.review.times import clock, utc
from bitte_nb.review.tokens import Token

__all__ = ["FORMATS", "Show", "Shown", "raw_format"]


_MAX_FIELDS = 200


@dataclass
class Show:
    """One described request being shown."""

    described: Described
    scope: Scope
    sheet: Sheet
    chain: Chain
    call: Callable[[str, int, bytes], None] | None = None
    """Reads an embedded call: callee, value, data."""
    left: int = _MAX_FIELDS

    @property
    def chain_id(self) -> int | None:
        """The chain as a number."""
        return int(self.chain.id) if self.chain.id else None


@dataclass(frozen=True, slots=True)
class Shown:
    """A formatted value: its words, what to copy, and how to draw it."""

    text: str
    raw: str = ""
    kind: RowKind = "text"
    symbol: str = ""
    note: str = ""


def raw_format(s: Show, params: Mapping[str, Any], value: Any, base: str) -> Shown:
    """The value in its natural form; addresses with the name the person knows."""
    plain = plain_value(value)
    if is_evm(plain):
        return Shown(checksum(plain), kind="address", note=s.sheet.ctx.name(plain))
    return Shown(", ".join(map(str, cast("list[Any]", plain))) if isinstance(plain, list) else str(plain))


def _param(s: Show, params: Mapping[str, Any], name: str, base: str) -> Any:
    """A parameter given directly, through the descriptor (`$.`), through a map, or as a path into the data."""
    value = params.get(name)
    if isinstance(value, Mapping):
        box = cast("Mapping[str, Any]", value)
        key = resolve(str(box.get("keyPath")), s.scope, base=base)[0]
        values = table(table(resolve(str(box.get("map")), s.scope)[0]).get("values"))
        wanted = str(plain_value(key)).lower()
        return next((v for k, v in values.items() if str(k).lower() == wanted), None)
    if isinstance(value, str) and value.startswith("$."):
        return resolve(value, s.scope)[0]
    if value is not None:
        return value
    path = params.get(f"{name}Path")
    if not isinstance(path, str):
        return None
    if is_evm(path):
        return path
    return resolve(path, s.scope, base=base)[0]


def _address(value: Any) -> str | None:
    if isinstance(value, bytes) and len(value) in (20, 32):
        return checksum("0x" + value[-20:].hex())
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return checksum("0x" + (value % 2**160).to_bytes(20, "big").hex())
    return checksum(value) if is_evm(value) else None


def _token(s: Show, address: str) -> Token | None:
    found = s.sheet.ctx.token(s.chain_id, address)
    if found is not None:
        return found
    own = table(table(s.described.descriptor.get("metadata")).get("token"))
    to = s.scope.container.get("to")
    ticker, decimals = own.get("ticker"), own.get("decimals")
    if is_evm(to) and address.lower() == to.lower() and isinstance(ticker, str) and isinstance(decimals, int):
        return Token(address, ticker[:20], decimals, s.chain_id) if 0 <= decimals <= 77 else None
    return None


def _natives(s: Show, params: Mapping[str, Any]) -> set[str]:
    value = params.get("nativeCurrencyAddress")
    items = listed(value) or [value]
    found: set[str] = set()
    for item in items:
        if not isinstance(item, str):
            continue
        text = resolve(item, s.scope)[0] if item.startswith("$.") else item
        found.add(str(text).lower())
    return found


def _token_amount(s: Show, params: Mapping[str, Any], value: Any, base: str) -> Shown:
    raw = integer(value, "amount")
    address = _address(_param(s, params, "token", base))
    threshold = params.get("threshold")
    if isinstance(threshold, str) and threshold.startswith("$."):
        threshold = resolve(threshold, s.scope)[0]
    above = threshold is not None and raw >= integer(threshold, "threshold")
    message = str(params.get("message") or "Unlimited")
    if address is not None and address.lower() in _natives(s, params):
        symbol, words = s.chain.symbol, display(raw, s.chain.decimals, s.chain.symbol)
        number = human(raw, s.chain.decimals)
        s.sheet.amounts.append(Amount("described", "native", str(raw), number, symbol, s.chain.decimals))
        return (
            Shown(f"{message} {symbol}", str(raw), "amount", symbol, words)
            if above
            else Shown(words, str(raw), "amount", symbol)
        )
    token = _token(s, address) if address is not None else None
    if token is None:
        note = address or "the descriptor names no token"
        s.sheet.warn("unknown_token", f"A described amount is in base units: its token is not known here ({note}).")
        words = f"{raw} base units"
        return (
            Shown(message, str(raw), "amount", note=f"{words}; {note}")
            if above
            else Shown(words, str(raw), "amount", note=note)
        )
    # The words for a large amount are the descriptor's own, so the amount itself stands beside them.
    words, note = display(raw, token.decimals, token.symbol), token.address
    if s.sheet.ctx.token(s.chain_id, token.address) is None:
        note += "; the unit is what the descriptor says"
    number = "unlimited" if is_unlimited(raw) else human(raw, token.decimals)
    s.sheet.amounts.append(Amount("described", token.address, str(raw), number, token.symbol, token.decimals))
    if above:
        return Shown(f"{message} {token.symbol}", str(raw), "amount", token.symbol, f"{words}; {note}")
    return Shown(words, str(raw), "amount", token.symbol, note)


def _amount(s: Show, params: Mapping[str, Any], value: Any, base: str) -> Shown:
    raw = integer(value, "amount")
    return Shown(display(raw, s.chain.decimals, s.chain.symbol), str(raw), "amount", s.chain.symbol)


def _address_name(s: Show, params: Mapping[str, Any], value: Any, base: str) -> Shown:
    address = _address(value)
    if address is None:
        return raw_format(s, params, value, base)
    senders = params.get("senderAddress")
    sent = [str(item).lower() for item in listed(senders) or [senders]]
    note = s.sheet.ctx.name(address)
    if address.lower() in sent:
        note = "means the sender"
    s.sheet.lookalike(address)
    return Shown(address, kind="address", note=note)


def _ticker(s: Show, params: Mapping[str, Any], value: Any, base: str) -> Shown:
    address = _address(value)
    token = _token(s, address) if address is not None else None
    return Shown(token.symbol, token.address, note=token.address) if token else _address_name(s, params, value, base)


def _nft(s: Show, params: Mapping[str, Any], value: Any, base: str) -> Shown:
    collection = _address(_param(s, params, "collection", base))
    name = (s.sheet.ctx.name(collection) or collection) if collection else "an unnamed collection"
    return Shown(f"NFT {integer(value, 'id')} of {name}", str(integer(value, "id")))


def _date(s: Show, params: Mapping[str, Any], value: Any, base: str) -> Shown:
    number = integer(value, "date")
    if params.get("encoding") == "blockheight":
        return Shown(f"block {number}", str(number), note="the present block is not known here")
    return Shown("never" if number >= 2**48 - 1 else utc(number), str(number), "time", note=clock(number))


def _duration(s: Show, params: Mapping[str, Any], value: Any, base: str) -> Shown:
    seconds = integer(value, "duration")
    hours, rest = divmod(seconds, 3600)
    return Shown(f"{hours:02}:{rest // 60:02}:{rest % 60:02}", str(seconds), note="hours:minutes:seconds")


_PREFIXES = ((24, "Y"), (21, "Z"), (18, "E"), (15, "P"), (12, "T"), (9, "G"), (6, "M"), (3, "k"), (0, ""))


def _unit(s: Show, params: Mapping[str, Any], value: Any, base: str) -> Shown:
    raw, decimals, unit = integer(value, "value"), params.get("decimals", 0), str(params.get("base", ""))[:20]
    if not isinstance(decimals, int) or not 0 <= decimals <= 77:
        raise ValueError("the descriptor's decimals are not usable")
    if params.get("prefix") is True:
        for power, letter in _PREFIXES:
            if raw >= 10 ** (decimals + power):
                return Shown(f"{human(raw, decimals + power)} {letter}{unit}", str(raw))
    number = human(raw, decimals)
    return Shown(f"{number}{'' if unit == '%' else ' '}{unit}", str(raw))


def _enum(s: Show, params: Mapping[str, Any], value: Any, base: str) -> Shown:
    names = table(resolve(str(params.get("$ref")), s.scope)[0])
    key = str(plain_value(value))
    name = names.get(key)
    if not isinstance(name, str):
        return Shown(key, note="has no name in the descriptor")
    return Shown(name, key, note=key)


def _chain(s: Show, params: Mapping[str, Any], value: Any, base: str) -> Shown:
    number = integer(value, "chain")
    return Shown(evm_chain(number).name, str(number), note=str(number))


def _calldata(s: Show, params: Mapping[str, Any], value: Any, base: str) -> Shown:
    data = value if isinstance(value, bytes) else bytes.fromhex(str(value).removeprefix("0x"))
    callee = _address(_param(s, params, "callee", base))
    selector = _param(s, params, "selector", base)
    if isinstance(selector, str) and re.fullmatch(r"0x[0-9a-fA-F]{8}", selector):
        data = bytes.fromhex(selector[2:]) + data
    amount = _param(s, params, "amount", base)
    paid = integer(amount, "amount") if amount is not None else 0
    if callee is None or s.call is None or not data:
        return Shown("0x" + data.hex(), kind="code", note="an embedded call")
    s.call(callee, paid, data)
    return Shown(
        f"a call of {s.sheet.ctx.name(callee) or callee}, shown below", "0x" + data.hex(), note="an embedded call"
    )


FORMATS: dict[str, Callable[[Show, Mapping[str, Any], Any, str], Shown]] = {
    "raw": raw_format,
    "amount": _amount,
    "tokenAmount": _token_amount,
    "addressName": _address_name,
    "interoperableAddressName": _address_name,
    "tokenTicker": _ticker,
    "nftName": _nft,
    "date": _date,
    "duration": _duration,
    "unit": _unit,
    "enum": _enum,
    "chainId": _chain,
    "calldata": _calldata,
}
