"""The last step of a review: the facts that every card has, the checks against state, and the frozen card."""

from __future__ import annotations

import json
from typing import Any

from bitte_nb.review.amounts import parse_human
from bitte_nb.review.card import Amount, ReviewCard, Row
from bitte_nb.review.draft import Draft
from bitte_nb.review.rules import worst
from bitte_nb.review.sheet import Sheet, merge_warnings
from bitte_nb.review.text import escape

__all__ = ["finish"]

_FIRST = ("chain", "from", "to", "value", "call")


def finish(draft: Draft, *, raw: str, digest: str) -> ReviewCard:
    """Freeze a draft into a card."""
    sheet = draft.sheet
    amounts = (*sheet.amounts, *(a for call in sheet.calls for a in call.amounts))
    _state(sheet, digest)
    _upgrades(sheet)
    _claim(sheet, amounts, draft)
    if not draft.message:
        _changes(sheet, amounts, draft)
    _complete(sheet, amounts, draft)
    if draft.signing_hash is not None:
        sheet.row("signing_hash", draft.signing_label, draft.signing_hash, kind="hash")
    sheet.row(
        "raw",
        "Digest of this request",
        digest,
        raw=raw,
        kind="hash",
        note="SHA-256 of the canonical request; an approval is bound to it",
    )
    nested = [w for call in sheet.calls for w in call.warnings]
    warnings = merge_warnings(sheet.warnings, nested)
    stated = draft.message or draft.chain.namespace != "evm" or draft.chain.id
    network = "" if stated else " on a network that is not stated"
    return ReviewCard(
        kind=draft.kind,
        title=draft.title + network,
        summary=(draft.summary or draft.title).removesuffix(".") + network if network else draft.summary or draft.title,
        chain=draft.chain,
        rows=_ordered(sheet.rows),
        warnings=warnings,
        severity=worst([w.severity for w in warnings]),
        digest=digest,
        raw=raw,
        amounts=amounts,
        calls=tuple(sheet.calls),
        actions=tuple(draft.actions),
        function=draft.function,
        selector=draft.selector,
        args=draft.args,
        arg_names=draft.arg_names,
        signing_hash=draft.signing_hash,
        unchecked=tuple(sheet.unchecked),
        extra=draft.extra,
    )


def _complete(sheet: Sheet, amounts: tuple[Amount, ...], draft: Draft) -> None:
    """The facts that a reader had no reason to show are still said: nothing is left to be guessed."""
    held = {row.id for row in sheet.rows}
    near = draft.chain.namespace == "near"
    wanted = [("chain", "Network", draft.chain.name)]
    if not draft.message:
        words = "; ".join(filter(None, (_amount(a) for a in amounts))) or "none"
        wanted += [
            ("from", "From", "not stated"),
            ("to", "To", "not stated"),
            ("value", "Value", "not stated"),
            ("call", "Call", "none: a plain transfer" if draft.kind == "native_transfer" else "see below"),
            ("amounts", "Amounts", words),
            ("gas_near" if near else "fee", "Network fee", "not stated: the wallet sets it"),
            ("nonce", "Nonce", "not stated: the wallet sets it"),
        ]
    for row_id, label, value in wanted:
        if row_id not in held:
            sheet.row(row_id, label, value)


def _amount(amount: Amount) -> str:
    if amount.token_id is not None:
        return f"{amount.role.replace('_', ' ')} NFT {amount.token_id}"
    number = amount.human if amount.human is not None else f"{amount.raw} base units"
    return f"{amount.role.replace('_', ' ')} {number} {amount.symbol or amount.token}"


def _ordered(rows: list[Row]) -> tuple[Row, ...]:
    """Chain, from, to, value and call first, the digest last; the rest in the order it was read."""
    head = [row for name in _FIRST for row in rows if row.id == name]
    return (*head, *(row for row in rows if row.id not in _FIRST))


def _state(sheet: Sheet, digest: str) -> None:
    ctx = sheet.ctx
    if ctx.reviewed_digest is not None and ctx.reviewed_digest != digest:
        sheet.warn("stale_review", "The request changed after you looked at it. Look at the new one before you decide.")
    if ctx.decided is not None:
        sheet.warn(
            "already_decided",
            f"This request was already decided: {ctx.decided}. It cannot be signed again; ask for a new one.",
        )
    if ctx.simulation is not None and ctx.simulation.get("error"):
        sheet.warn("sim_failed", f"The simulation failed, so the transaction would revert: {ctx.simulation['error']}")


def _upgrades(sheet: Sheet) -> None:
    """Contracts that the simulation saw take other code are a danger, whichever function did it."""
    for sentence in (sheet.ctx.simulation or {}).get("upgrades", []):
        sheet.warn("ownership_change", f"The simulation shows an upgrade: {sentence}.")


def _claim(sheet: Sheet, amounts: tuple[Amount, ...], draft: Draft) -> None:
    ctx = sheet.ctx
    asked = " · ".join(filter(None, (ctx.tool, ctx.origin, ctx.call_id)))
    quote = f"“{escape(ctx.claim)}”" if ctx.claim else ""
    sheet.row(
        "origin", "Asked by", quote or asked or "not stated",
        note=f"the agent's words, not checked{'; ' + asked if asked else ''}" if quote else "",
    )  # fmt: skip
    for sentence in _mismatches(ctx.intent, amounts, draft):
        sheet.warn("intent_mismatch", sentence)


def _mismatches(intent: Any, amounts: tuple[Amount, ...], draft: Draft) -> list[str]:
    found: list[str] = []
    wanted = _text(intent, "amount", "quantity", "value")
    if wanted is not None:
        shown = {a.human for a in amounts if a.human} | {a.raw for a in amounts if a.raw}
        equal = any(
            a.raw is not None and a.decimals is not None and parse_human(wanted, a.decimals) == int(a.raw)
            for a in amounts
        )
        if not equal and wanted not in shown:
            found.append(
                f"The agent was asked for {wanted}; the request moves {', '.join(sorted(shown)) or 'nothing'}."
            )
    to = _text(intent, "to", "recipient", "receiver", "receiverId", "receiver_id", "spender")
    if to is not None:
        places = {str(a.to).lower() for a in amounts if a.to} | {
            row.value.lower() for row in draft.sheet.rows if row.kind == "address"
        }
        places |= {row.value.lower() for call in draft.sheet.calls for row in call.rows if row.kind == "address"}
        if to.lower() not in places:
            found.append(f"The agent was asked to send to {to}; the request does not mention that account.")
    token = _text(intent, "token", "symbol", "tokenIn", "tokenIdentifier")
    if token is not None:
        names = {str(n).lower() for a in amounts for n in (a.symbol, a.token) if n}
        if names and token.lower() not in names:
            found.append(f"The agent was asked for {token}; the request moves {', '.join(sorted(names))}.")
    return found


def _text(intent: Any, *names: str) -> str | None:
    for name in names:
        value = intent.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return None


def _changes(sheet: Sheet, amounts: tuple[Amount, ...], draft: Draft) -> None:
    simulated = sheet.ctx.simulation
    if simulated is not None and isinstance(simulated.get("changes"), list):
        text = "; ".join(str(item) for item in simulated["changes"]) or "none"
        sheet.row("balance_changes", "Balance changes", text, raw=json.dumps(simulated["changes"]), note="simulated")
        return
    parts = [_change(a) for a in amounts if a.role not in ("allowance", "allowance_delta")]
    text = "; ".join(filter(None, parts)) or (
        "unknown" if draft.kind in ("contract_call", "contract_creation") else "none"
    )
    sheet.row("balance_changes", "Balance changes", text, note="expected from what was decoded, not simulated")
    sheet.skip("Balance changes were not simulated: no node was asked.")


def _change(amount: Amount) -> str:
    sign = {"out": "-", "in": "+"}.get(amount.direction, "")
    bound = {"min_in": "at least ", "max_out": "at most "}.get(amount.role, "")
    if amount.token_id is not None:
        return f"{sign}NFT {amount.token_id}"
    if amount.human is None:
        return f"{sign}{bound}{amount.raw} units of {amount.token}"
    return f"{sign}{bound}{amount.human} {amount.symbol or ''}".rstrip()
