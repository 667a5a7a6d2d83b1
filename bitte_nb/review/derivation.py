"""The teaching view of a card: for each row, which bytes or fields of the request it was read from, and how."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, cast

from bitte_nb.core.card_text import printable
from bitte_nb.errors import ReviewRefused
from bitte_nb.review.card import ReviewCard
from bitte_nb.review.shapes import listed, table

__all__ = ["Derivation", "Step", "explain"]

_MOST = 400
"""Characters of what stands in the request that the printed form shows of one row."""
_HEX = re.compile(r"0x(?:[0-9a-fA-F]{2})*")
_RANGE = re.compile(r"data\[(\d+):(\d+)\]")
_PART = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Step:
    """How one row came about."""

    path: str
    """The nested call that the row belongs to, for example `calls[1]`; empty for the card's own rows."""
    row: str
    """Id of the row."""
    label: str
    value: str
    where: str
    """A byte range of the call's data or a path in the request; empty for what the card itself worked out."""
    taken: str
    """What stands there: hex of the bytes, or the JSON of the field."""
    how: str
    """One sentence from what stands there to what the row says."""


class Derivation(dict[str, Any]):
    """What `explain` returns: an ordinary dictionary, JSON throughout, that prints as text."""

    def __str__(self) -> str:
        lines: list[str] = []
        for step in self["steps"]:
            lines += [f"{step['path'] + ' ' if step['path'] else ''}{step['label']}: {step['value']}"]
            lines += [f"  {name}: {_short(step[name])}" for name in ("where", "taken", "how") if step[name]]
        return "\n".join(printable(line) for line in lines)


def _short(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[:_MOST]}… ({len(text) - _MOST} more characters)"


def explain(card: ReviewCard | Mapping[str, Any] | None) -> Derivation:
    """The derivation of every row of a card, or of its `to_json()`; nothing is decoded again.

    Returns `{digest, steps, data}`: steps in the order of the card, nested calls after the call that holds them, and
    the data of each call as hex by its path, so that a page can lay it out word by word. Everything is JSON.

    Raises:
        ReviewRefused: there is no review to explain.
    """
    shape = card.to_json() if isinstance(card, ReviewCard) else table(card)
    if not isinstance(shape.get("raw"), str):
        raise ReviewRefused("This call has no review, so there are no rows to explain.")
    request = json.loads(shape["raw"])
    steps: list[Step] = []
    payloads: dict[str, str] = {}
    _level(shape, request, _calldata(request), "", steps, payloads)
    return Derivation(digest=shape.get("digest", ""), steps=[asdict(step) for step in steps], data=payloads)


def _level(
    level: Mapping[str, Any], request: Any, data: bytes, path: str, steps: list[Step], payloads: dict[str, str]
) -> None:
    """The rows of the card or of a call in it, then those of the calls inside."""
    if data:
        payloads[path] = "0x" + data.hex()
    rows = [table(row) for row in listed(level.get("rows"))]
    read: dict[str, set[str]] = {}
    for row in rows:
        if row.get("source") and str(row.get("id")).startswith(("arg.", "field.")):
            read.setdefault(str(row.get("value", "")).lower(), set()).add(str(row["source"]))
    for row in rows:
        # What a reader explains again (the amount, the spender) stands where the one argument with that value stands.
        places = read.get(str(row.get("raw") or row.get("value")).lower(), set())
        again = next(iter(places)) if len(places) == 1 else ""
        steps.append(_step({**row, "source": row.get("source") or again}, request, data, path))
    for entry in listed(level.get("calls")):
        call = table(entry)
        _level(call, request, _inner(call, request, data), str(call.get("path", "")), steps, payloads)


def _inner(call: Mapping[str, Any], request: Any, outer: bytes) -> bytes:
    """The data of a nested call, from the place in its parent or in the request that it was read from."""
    source = str(call.get("source", ""))
    found = _RANGE.fullmatch(source)
    if found is not None:
        return outer[int(found[1]) : int(found[2])]
    text = _look(request, source) if source else None
    for name in ("transactions", "params", ""):  # a batch may also be given under these, or as a bare list
        text = text if text is not None or not source else _look(request, source.replace("calls", name, 1))
    return bytes.fromhex(text[2:]) if isinstance(text, str) and _HEX.fullmatch(text) else b""


def _calldata(request: Any) -> bytes:
    """The payload of the one transaction in a request; empty for anything else."""
    box = table(request)
    for key in ("tx", "evmSignRequest", "params"):
        inner = box.get(key)
        if isinstance(inner, list) and len(cast("list[Any]", inner)) == 1:
            inner = cast("list[Any]", inner)[0]
        if isinstance(inner, dict):
            return _calldata(cast("Any", inner))
    text = box.get("data") or box.get("input")
    return bytes.fromhex(text[2:]) if isinstance(text, str) and _HEX.fullmatch(text) else b""


def _step(row: Mapping[str, Any], request: Any, data: bytes, path: str) -> Step:
    name, label, value, source = (str(row.get(key, "")) for key in ("id", "label", "value", "source"))
    found = _RANGE.fullmatch(source)
    if found is not None:
        start, end = int(found[1]), int(found[2])
        return Step(path, name, label, value, source, "0x" + data[start:end].hex(), _bytes_how(row, end - start))
    # Fields of a nested call are named from that call.
    taken = _look(request, f"{path}.{source}" if path else source) if source else None
    if taken is None and path:
        source = ""
    shown = json.dumps(taken, ensure_ascii=False) if taken is not None else ""
    return Step(path, name, label, value, source, shown[:2_000], _field_how(row, taken is not None))


def _look(value: Any, path: str) -> Any:
    """The field that a path names, looked for in the request and in what it wraps; None if it is not there."""
    for root in _roots(value):
        here: Any = root
        for name, index in _PART.findall(path):
            items = listed(here)[int(index) :] if index else [table(here).get(name)]
            here = items[0] if items else None
            if here is None:
                break
        if here is not None and here is not root:
            return here
    return None


def _roots(value: Any) -> list[Any]:
    found: list[Any] = []
    todo: list[Any] = [value]
    while todo and len(found) < 20:
        here = todo.pop(0)
        found.append(here)
        box = table(here)
        todo += [box[key] for key in ("tx", "typed_data", "evmSignRequest", "params", "transactions") if key in box]
        if isinstance(here, list):
            todo += cast("list[Any]", here)[:2]
        if isinstance(here, str) and here[:1] == "{":
            try:
                todo.append(json.loads(here))
            except ValueError:
                continue
    return found


def _bytes_how(row: Mapping[str, Any], size: int) -> str:
    kind = str(row.get("note", ""))
    if row.get("id") in ("selector", "call"):
        return "The first four bytes are the start of the Keccak-256 hash of the function's signature: they choose it."
    if row.get("kind") == "address":
        return "A word of 32 bytes: twelve zeros, then the 20 bytes of the address, shown with its EIP-55 capitals."
    if row.get("kind") == "amount":
        return "A word of 32 bytes, one big-endian number of base units, divided by ten to the power of the decimals."
    if kind.endswith("]"):
        return f"{size} bytes of a list ({kind}): where its length is not fixed, the first word counts its items."
    if kind == "bool":
        return "A word of 32 bytes that may only be 0 (no) or 1 (yes)."
    if kind in ("bytes", "string"):
        return f"{size} bytes ({kind}); the word before them says how many, and the head of the data says where."
    if kind.startswith("bytes"):
        return f"A word of 32 bytes: the value ({kind}) stands at its front, zeros fill it up."
    if size == 32:
        return f"A word of 32 bytes, read as one big-endian number ({kind or 'uint256'})."
    return f"{size // 32} words of 32 bytes, one for each part of the value ({kind})."


_HOW = {
    "chain": "The number of the chain, looked up in the bundled table of chains.",
    "value": "Base units of the chain's coin, divided by ten to the power of its decimals, exactly.",
    "fee": "Gas limit times the highest price per gas: the most that it can cost.",
    "gas_near": "The gas of all calls of all transactions, added up.",
    "nonce": "As it stands in the request.",
    "origin": "Told by whoever started the review; it is never used as data.",
    "balance_changes": "From the decoded amounts; a simulation would run the code.",
    "amounts": "All amounts of the card and of the calls inside it.",
    "raw": "SHA-256 of the request as JSON with sorted keys and no blanks.",
    "selector": "The first four bytes of the data.",
    "signing_hash": "Worked out here from the exact bytes that the key signs.",
}


def _field_how(row: Mapping[str, Any], found: bool) -> str:
    if row.get("id") in _HOW:
        return _HOW[str(row["id"])]
    kind = row.get("kind")
    if kind == "amount":
        return "Base units divided by ten to the power of the token's decimals, exactly; the list of tokens has these."
    if kind == "address":
        return "The account as the request names it, with EIP-55 capitals; the remark is from your own lists."
    if kind == "time":
        return "Seconds since 1970, written as a date in UTC."
    if kind == "hash":
        return "Worked out here from the request."
    if kind == "message":
        return "The text as it is; characters that cannot be seen are written by their code point."
    return "As it stands in the request." if found else "Worked out from the parts above."
