"""NEAR Intents: signed messages that are payment orders, read so that the payment is seen."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from bitte_nb.review.amounts import BadAmount, display, human, parse_uint
from bitte_nb.review.card import Amount
from bitte_nb.review.shapes import table
from bitte_nb.review.sheet import Sheet
from bitte_nb.review.text import escape

__all__ = ["judge_intents", "parse_json"]

_LONG = 4_096
"""Characters of one value in a row; the message holds all of it."""


_SHOWN = frozenset({"intent", "receiver_id", "receiver", "tokens", "diff", "amount"})
"""Fields of an intent that have rows of their own kind."""


def parse_json(text: str) -> Any:
    """The JSON value of a message, or None."""
    try:
        return json.loads(text, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None


def _is_intents(recipient: str) -> bool:
    return recipient == "intents.near" or recipient.endswith(".intents.near") or recipient == "intents.testnet"


def judge_intents(sheet: Sheet, payload: Any, recipient: str) -> str | None:
    """Rows of a payment order; returns its sentence, or None if the message is no order."""
    order = table(payload)
    intents = order.get("intents")
    if not isinstance(intents, list) and not _is_intents(recipient):
        return None
    parts: list[str] = []
    for index, item in enumerate(cast("list[Any]", intents)[:100] if isinstance(intents, list) else []):
        intent = table(item)
        parts.append(_intent(sheet, intent, index))
    if isinstance(order.get("signer_id"), str):
        sheet.account("intents.signer", "Order of", str(order["signer_id"]))
        if sheet.ctx.near_account and order["signer_id"] != sheet.ctx.near_account:
            sheet.skip(f"The order names {order['signer_id']}, not your connected account.")
    if "deadline" in order:
        sheet.row("intents.deadline", "Valid until", str(order["deadline"]), kind="time")
    detail = "; ".join(parts) or "it cannot be read in detail"
    sheet.warn(
        "message_moves_funds",
        f"This message is a payment order: {detail}. Signing it moves funds without a transaction.",
    )
    return f"Payment order: {detail}"


def _intent(sheet: Sheet, intent: Mapping[str, Any], index: int) -> str:
    name = str(intent.get("intent", "unknown"))
    to = intent.get("receiver_id", intent.get("receiver"))
    tokens = intent.get("tokens", intent.get("diff"))
    words: list[str] = []
    if isinstance(tokens, Mapping):
        for token, amount in cast("Mapping[str, Any]", tokens).items():
            words.append(_amount(sheet, str(token), amount, to, swaps=name == "token_diff"))
    elif "amount" in intent:
        words.append(_amount(sheet, str(intent.get("token", "nep141:near")), intent["amount"], to))
    if isinstance(to, str):
        sheet.account(f"intent.{index}.to", "Goes to", to)
        sheet.lookalike(to)
    destination = f" to {to}" if isinstance(to, str) else ""
    for key, value in intent.items():
        if key not in _SHOWN:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            sheet.row(
                f"intent.{index}.{key}", f"Order {index + 1} · {key}", escape(text)[:_LONG], raw=text, kind="code"
            )
    if "public_key" in name:
        words.append(f"{intent.get('public_key')} {'may' if name.startswith('add') else 'may no longer'} sign orders")
    elif isinstance(intent.get("token_ids", intent.get("token_id")), list | str):
        words.append(f"NFT {intent.get('token_ids', intent.get('token_id'))} of {intent.get('token')}")
    sentence = " ".join(filter(None, (name, ", ".join(words)))) + destination
    sheet.row(f"intent.{index}", f"Order {index + 1}", sentence, raw=json.dumps(intent, ensure_ascii=False))
    return sentence


def _amount(sheet: Sheet, token: str, amount: Any, to: Any, *, swaps: bool = False) -> str:
    text = str(amount)
    try:
        raw = parse_uint(text.lstrip("-") if isinstance(amount, str) else amount)
    except BadAmount:
        return f"{text} of {token}"
    contract = token.split(":", 1)[-1]
    entry = sheet.ctx.near_token(contract)
    if entry is None and contract == "wrap.near":
        symbol, decimals = "wNEAR", 24
    else:
        symbol, decimals = (entry.symbol, entry.decimals) if entry else (None, None)
    sign = "in" if swaps and isinstance(amount, str) and not amount.startswith("-") else "out"
    number = human(raw, decimals) if decimals is not None else None
    sheet.amounts.append(
        Amount(sign, contract, str(raw), number, symbol, decimals, to=to if isinstance(to, str) else None)
    )
    words = display(raw, decimals, symbol or "") if decimals is not None else f"{raw} base units of {contract}"
    sheet.row(
        f"amount.{sign}", "You give" if sign == "out" else "You get", words, raw=str(raw), kind="amount", note=token
    )
    return words
