"""Version 1 of eth_signTypedData: a flat list of values, bound to nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from bitte_nb.review.address import is_evm, keccak
from bitte_nb.review.draft import Draft
from bitte_nb.review.eip712 import TypedDataError, integer
from bitte_nb.review.shapes import table
from bitte_nb.review.text import escape, judge_text

__all__ = ["draft_version_one", "typed_v1_hash"]


def _packed(kind: str, value: Any, path: str) -> bytes:
    """Solidity's packed encoding of one value, as version 1 hashes it."""
    if kind == "string" and isinstance(value, str):
        return value.encode("utf-8")
    if kind == "address" and is_evm(value):
        return bytes.fromhex(value[2:])
    if kind == "bool" and isinstance(value, bool):
        return bytes([value])
    sized = re.fullmatch(r"bytes([0-9]{0,2})", kind)
    if sized is not None and isinstance(value, str) and re.fullmatch(r"0x(?:[0-9a-fA-F]{2})*", value):
        data = bytes.fromhex(value[2:])
        if len(data) == int(sized[1] or len(data)):
            return data
    match = re.fullmatch(r"(u?)int([0-9]{0,3})", kind)
    if match is not None:
        bits, number = int(match[2] or 256), integer(value, path)
        if (
            bits % 8 == 0
            and 8 <= bits <= 256
            and (0 if match[1] else -(2 ** (bits - 1))) <= number < 2 ** (bits - (not match[1]))
        ):
            return (number % 2**bits).to_bytes(bits // 8, "big")
    raise TypedDataError(f"{path} does not fit the type {kind[:40]!r}")


def typed_v1_hash(items: list[Any]) -> str:
    """The hash of version 1 typed data, `[{type, name, value}]`; TypedDataError if it is none."""
    schema, values = b"", b""
    for index, item in enumerate(items):
        entry = table(item)
        kind, name = entry.get("type"), entry.get("name")
        if not isinstance(kind, str) or not isinstance(name, str) or "value" not in entry:
            raise TypedDataError(f"item {index + 1} has no type, name or value")
        schema += f"{kind} {name}".encode()
        values += _packed(kind, entry["value"], name or str(index))
    if not items:
        raise TypedDataError("the list is empty")
    return "0x" + keccak(keccak(schema) + keccak(values)).hex()


def draft_version_one(items: list[Any], draft: Draft) -> Draft:
    """Read version 1 into the draft: its rows, its hash, and that it is bound to nothing."""
    sheet = draft.sheet
    sheet.row("chain", "Network", "any: version 1 typed data is not bound to a chain")
    try:
        digest = typed_v1_hash(items)
    except TypedDataError as error:
        sheet.warn(
            "bad_typed_data", f"This is not valid typed data of version 1: {error}. Ask the agent for version 4."
        )
        return draft.invalid("Typed data that cannot be signed")
    for item in cast("list[Mapping[str, Any]]", items)[:400]:
        value = item["value"]
        shown = escape(value) if isinstance(value, str) else str(value)
        sheet.row(
            f"field.{item['name']}",
            str(item["name"]),
            shown,
            kind="address" if item["type"] == "address" else "text",
            note=str(item["type"]),
        )
        if item["type"] == "string" and value:
            judge_text(sheet, value, what=f"The text of {item['name']}")
    sheet.warn("no_chain_binding", "The signature is bound to no chain and no contract: it can be used anywhere.")
    sheet.warn(
        "blind_typed_data",
        "What a signature of this old form of typed data does is not known here; all its fields are shown.",
    )
    draft.title = draft.summary = f"Sign {len(items)} values (typed data version 1)"
    draft.signing_hash, draft.signing_label = digest, "Hash to sign (typed data version 1)"
    return draft
