"""The teaching view of a card: for each row, which bytes or fields of the request it was read from, and how."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, cast

from bitte_nb.review.card import ReviewCard, Row
from bitte_nb.review.shapes import listed, table

__all__ = ["Step", "explain"]

_RANGE = re.compile(r"data\[(\d+):(\d+)\]")
_PART = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Step:
    """How one row came about."""

    row: str
    """Id of the row."""
    label: str
    value: str
    where: str
    """A byte range of the calldata or a path in the request; empty for what the card itself worked out."""
    taken: str
    """What stands there: hex of the bytes, or the JSON of the field."""
    how: str
    """One sentence from what stands there to what the row says."""


def explain(card: ReviewCard) -> tuple[Step, ...]:
    """The derivation of every row, in the order of the card; nothing is decoded again."""
    request = json.loads(card.raw)
    data = _calldata(request)
    return tuple(_step(row, request, data) for row in card.rows)


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
    return bytes.fromhex(text[2:]) if isinstance(text, str) and re.fullmatch(r"0x(?:[0-9a-fA-F]{2})*", text) else b""


def _step(row: Row, request: Any, data: bytes) -> Step:
    found = _RANGE.fullmatch(row.source)
    if found is not None:
        start, end = int(found[1]), int(found[2])
        return Step(
            row.id, row.label, row.value, row.source, "0x" + data[start:end].hex(), _bytes_how(row, end - start)
        )
    taken = _look(request, row.source) if row.source else None
    shown = json.dumps(taken, ensure_ascii=False) if taken is not None else ""
    return Step(row.id, row.label, row.value, row.source, shown[:2_000], _field_how(row, taken is not None))


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


def _bytes_how(row: Row, size: int) -> str:
    if size == 4:
        return "The first four bytes are the start of the Keccak-256 hash of the function's signature: they choose it."
    if row.kind == "address":
        return "A word of 32 bytes: twelve zeros, then the 20 bytes of the address, shown with its EIP-55 capitals."
    kind = row.note
    if kind.startswith(("uint", "int")) and size == 32:
        return f"A word of 32 bytes, read as one big-endian number ({kind})."
    if kind == "bool":
        return "A word of 32 bytes that may only be 0 (no) or 1 (yes)."
    if size == 32:
        return f"A word of 32 bytes: the value itself, or how far behind the arguments its content lies ({kind})."
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


def _field_how(row: Row, found: bool) -> str:
    if row.id in _HOW:
        return _HOW[row.id]
    if row.kind == "amount":
        return "Base units divided by ten to the power of the token's decimals, exactly; the list of tokens has these."
    if row.kind == "address":
        return "The account as the request names it, with EIP-55 capitals; the remark is from your own lists."
    if row.kind == "time":
        return "Seconds since 1970, written as a date in UTC."
    if row.kind == "hash":
        return "Worked out here from the request."
    if row.kind == "message":
        return "The text as it is; characters that cannot be seen are written by their code point."
    return "As it stands in the request." if found else "Worked out from the parts above."
