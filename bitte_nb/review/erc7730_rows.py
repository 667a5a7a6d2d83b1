"""The formats of ERC-7730: described fields become rows, amounts in units, dates, names, nested calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from bitte_nb.review.abi import plain_value
from bitte_nb.review.address import checksum, is_evm
from bitte_nb.review.amounts import display, human
from bitte_nb.review.card import Amount, RowKind
from bitte_nb.review.chains import Chain, evm_chain
from bitte_nb.review.eip712 import TypedDataError, integer
from bitte_nb.review.erc7730 import Described
from bitte_nb.review.erc7730_paths import PathError, Scope, resolve
from bitte_nb.review.shapes import listed, table
from bitte_nb.review.sheet import Sheet
from bitte_nb.review.text import escape
from bitte_nb.review.times import clock, utc
from bitte_nb.review.tokens import Token

__all__ = ["DescriptionError", "Show", "show"]

_MAX_FIELDS = 200
_DEPTH = 4
_NATIVE = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"


class DescriptionError(ValueError):
    """The descriptor does not fit this data: it promises a value that is another one."""


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
class _Shown:
    text: str
    raw: str = ""
    kind: RowKind = "text"
    symbol: str = ""
    note: str = ""


def show(s: Show) -> str | None:
    """Add the described rows; returns the sentence of the descriptor's intent, or None if it does not fit."""
    shape, texts = s.described.format, dict[str, str]()
    before = len(s.sheet.rows)
    owner = table(s.described.descriptor.get("metadata")).get("owner")
    intent = shape.get("intent")
    words = intent if isinstance(intent, str) else "; ".join(f"{k}: {v}" for k, v in table(intent).items())
    try:
        if isinstance(owner, str):
            s.sheet.row("described.owner", "Interaction with", escape(owner)[:200], note="says the descriptor")
        _fields(s, _list_of_fields(shape.get("fields")), "", texts, 0)
    except DescriptionError as error:
        del s.sheet.rows[before:]
        s.sheet.skip(f"A descriptor for this request was set aside: {error}.")
        return None
    sentence = _interpolated(shape.get("interpolatedIntent"), texts) or words
    if sentence:
        s.sheet.row("described.intent", "Intent", escape(sentence)[:400], note="says the descriptor")
    return escape(sentence)[:400] or None


def _list_of_fields(value: object) -> list[Mapping[str, Any]]:
    if isinstance(value, Mapping):  # an early draft wrote {path: field}
        return [{"path": path, **table(field)} for path, field in cast("Mapping[str, Any]", value).items()]
    return [table(item) for item in listed(value)]


def _interpolated(text: object, texts: Mapping[str, str]) -> str | None:
    """The intent with the shown values put in; None unless every brace names a field that is visible on the card."""
    if not isinstance(text, str) or len(text) > 1_000:
        return None
    marked = text.replace("{{", "\0").replace("}}", "\1")
    names = re.findall(r"\{([^{}]*)\}", marked)
    if any(_key(name) not in texts for name in names) or "{" in re.sub(r"\{[^{}]*\}", "", marked):
        return None
    filled = re.sub(r"\{([^{}]*)\}", lambda m: texts[_key(m[1])], marked)
    return filled.replace("\0", "{").replace("\1", "}")


def _key(path: str) -> str:
    return path.strip().removeprefix("#.")


def _fields(s: Show, fields: list[Mapping[str, Any]], base: str, texts: dict[str, str], depth: int) -> None:
    if depth > _DEPTH:
        return
    for field in fields:
        s.left -= 1
        if s.left < 0:
            s.sheet.skip("The descriptor has too many fields; the raw arguments show all of them.")
            return
        entry = _with_definition(s, field)
        path = entry.get("path")
        if isinstance(entry.get("fields"), list | dict):
            inner = ".".join(filter(None, (base, str(path).removeprefix("#.") if isinstance(path, str) else "")))
            _fields(s, _list_of_fields(entry["fields"]), inner, texts, depth + 1)
            continue
        _field(s, entry, path, base, texts)


def _with_definition(s: Show, field: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = field.get("$ref")
    if not isinstance(reference, str):
        return field
    try:
        found = table(resolve(reference, s.scope)[0])
    except (PathError, IndexError):
        return field
    params = {**table(found.get("params")), **table(field.get("params"))}
    return {**found, **field, "params": params}


def _field(s: Show, entry: Mapping[str, Any], path: Any, base: str, texts: dict[str, str]) -> None:
    label = str(entry.get("label") or path or "value")[:100]
    try:
        values = resolve(path, s.scope, base=base) if isinstance(path, str) else [entry["value"]]
    except (PathError, KeyError):
        s.sheet.row("described.missing", escape(label), "not found in the data", note="the descriptor names it")
        return
    rule = entry.get("visible", "always")
    for value in values:
        plain = str(plain_value(value)).lower()
        must = [str(item).lower() for item in listed(table(rule).get("mustBe"))]
        if must and plain not in must:
            raise DescriptionError(f"{label} is {plain[:60]}, which it does not expect")
        hidden = [str(item).lower() for item in listed(table(rule).get("ifNotIn"))]
        if rule == "never" or must or plain in hidden:
            continue
        shown = _format(s, entry, value, base)
        s.sheet.row(
            f"described.{_key(path) if isinstance(path, str) else label}",
            escape(label),
            escape(shown.text)[:4_000],
            raw=shown.raw or str(plain_value(value)),
            kind=shown.kind,
            symbol=shown.symbol,
            note=shown.note,
            source=str(path or ""),
        )
        if isinstance(path, str):
            key = _key(".".join(filter(None, (base, path))))
            texts[key] = f"{texts[key]} and {shown.text}" if key in texts else shown.text


def _format(s: Show, entry: Mapping[str, Any], value: Any, base: str) -> _Shown:
    name, params = str(entry.get("format", "raw")), table(entry.get("params"))
    maker = _FORMATS.get(name, _raw)
    try:
        return maker(s, params, value, base)
    except (PathError, TypedDataError, ValueError, IndexError) as error:
        shown = _raw(s, params, value, base)
        return _Shown(shown.text, shown.raw, shown.kind, note=f"not formatted as {name[:20]}: {error}")


def _raw(s: Show, params: Mapping[str, Any], value: Any, base: str) -> _Shown:
    plain = plain_value(value)
    if is_evm(plain):
        return _Shown(checksum(plain), kind="address", note=s.sheet.ctx.name(plain))
    return _Shown(", ".join(map(str, cast("list[Any]", plain))) if isinstance(plain, list) else str(plain))


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


def _token_amount(s: Show, params: Mapping[str, Any], value: Any, base: str) -> _Shown:
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
        return _Shown(f"{message} {symbol}" if above else words, str(raw), "amount", symbol)
    token = _token(s, address) if address is not None else None
    if token is None:
        note = address or "the descriptor names no token"
        s.sheet.warn("unknown_token", f"A described amount is in base units: its token is not known here ({note}).")
        return _Shown(message if above else f"{raw} base units", str(raw), "amount", note=note)
    words = f"{message} {token.symbol}" if above else display(raw, token.decimals, token.symbol)
    number = "unlimited" if above else human(raw, token.decimals)
    s.sheet.amounts.append(Amount("described", token.address, str(raw), number, token.symbol, token.decimals))
    return _Shown(words, str(raw), "amount", token.symbol, token.address)


def _amount(s: Show, params: Mapping[str, Any], value: Any, base: str) -> _Shown:
    raw = integer(value, "amount")
    return _Shown(display(raw, s.chain.decimals, s.chain.symbol), str(raw), "amount", s.chain.symbol)


def _address_name(s: Show, params: Mapping[str, Any], value: Any, base: str) -> _Shown:
    address = _address(value)
    if address is None:
        return _raw(s, params, value, base)
    senders = params.get("senderAddress")
    sent = [str(item).lower() for item in listed(senders) or [senders]]
    note = s.sheet.ctx.name(address)
    if address.lower() in sent:
        note = "means the sender"
    s.sheet.lookalike(address)
    return _Shown(address, kind="address", note=note)


def _ticker(s: Show, params: Mapping[str, Any], value: Any, base: str) -> _Shown:
    address = _address(value)
    token = _token(s, address) if address is not None else None
    return _Shown(token.symbol, token.address, note=token.address) if token else _address_name(s, params, value, base)


def _nft(s: Show, params: Mapping[str, Any], value: Any, base: str) -> _Shown:
    collection = _address(_param(s, params, "collection", base))
    name = (s.sheet.ctx.name(collection) or collection) if collection else "an unnamed collection"
    return _Shown(f"NFT {integer(value, 'id')} of {name}", str(integer(value, "id")))


def _date(s: Show, params: Mapping[str, Any], value: Any, base: str) -> _Shown:
    number = integer(value, "date")
    if params.get("encoding") == "blockheight":
        return _Shown(f"block {number}", str(number), note="the present block is not known here")
    return _Shown("never" if number >= 2**48 - 1 else utc(number), str(number), "time", note=clock(number))


def _duration(s: Show, params: Mapping[str, Any], value: Any, base: str) -> _Shown:
    seconds = integer(value, "duration")
    hours, rest = divmod(seconds, 3600)
    return _Shown(f"{hours:02}:{rest // 60:02}:{rest % 60:02}", str(seconds), note="hours:minutes:seconds")


_PREFIXES = ((24, "Y"), (21, "Z"), (18, "E"), (15, "P"), (12, "T"), (9, "G"), (6, "M"), (3, "k"), (0, ""))


def _unit(s: Show, params: Mapping[str, Any], value: Any, base: str) -> _Shown:
    raw, decimals, unit = integer(value, "value"), params.get("decimals", 0), str(params.get("base", ""))[:20]
    if not isinstance(decimals, int) or not 0 <= decimals <= 77:
        raise ValueError("the descriptor's decimals are not usable")
    if params.get("prefix") is True:
        for power, letter in _PREFIXES:
            if raw >= 10 ** (decimals + power):
                return _Shown(f"{human(raw, decimals + power)} {letter}{unit}", str(raw))
    number = human(raw, decimals)
    return _Shown(f"{number}{'' if unit == '%' else ' '}{unit}", str(raw))


def _enum(s: Show, params: Mapping[str, Any], value: Any, base: str) -> _Shown:
    names = table(resolve(str(params.get("$ref")), s.scope)[0])
    key = str(plain_value(value))
    name = names.get(key)
    if not isinstance(name, str):
        return _Shown(key, note="has no name in the descriptor")
    return _Shown(name, key, note=key)


def _chain(s: Show, params: Mapping[str, Any], value: Any, base: str) -> _Shown:
    number = integer(value, "chain")
    return _Shown(evm_chain(number).name, str(number), note=str(number))


def _calldata(s: Show, params: Mapping[str, Any], value: Any, base: str) -> _Shown:
    data = value if isinstance(value, bytes) else bytes.fromhex(str(value).removeprefix("0x"))
    callee = _address(_param(s, params, "callee", base))
    selector = _param(s, params, "selector", base)
    if isinstance(selector, str) and re.fullmatch(r"0x[0-9a-fA-F]{8}", selector):
        data = bytes.fromhex(selector[2:]) + data
    amount = _param(s, params, "amount", base)
    paid = integer(amount, "amount") if amount is not None else 0
    if callee is None or s.call is None or not data:
        return _Shown("0x" + data.hex(), kind="code", note="an embedded call")
    s.call(callee, paid, data)
    return _Shown(
        f"a call of {s.sheet.ctx.name(callee) or callee}, shown below", "0x" + data.hex(), note="an embedded call"
    )


_FORMATS: dict[str, Callable[[Show, Mapping[str, Any], Any, str], _Shown]] = {
    "raw": _raw,
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
