"""NEAR requests: transactions in any dialect or as Borsh, and NEP-366 delegate actions, checked and read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from bitte_nb.review.address import is_account_id
from bitte_nb.review.amounts import display, human
from bitte_nb.review.card import Call
from bitte_nb.review.context import ReviewContext
from bitte_nb.review.draft import Draft
from bitte_nb.review.near_dialects import conflict, field
from bitte_nb.review.near_reading import Totals, read_actions, read_network
from bitte_nb.review.near_scope import near_amount
from bitte_nb.review.near_signing import signing_hash
from bitte_nb.review.rules import worst
from bitte_nb.review.shapes import table
from bitte_nb.review.sheet import Sheet, merge_warnings

__all__ = ["draft_near"]


def draft_near(transactions: list[Any], request: Mapping[str, Any], ctx: ReviewContext) -> Draft:
    """Check and read one or more transactions; deposits and gas are summed over all actions of all of them."""
    sheet = Sheet(ctx)
    chain = read_network(request if len(transactions) != 1 else {**table(transactions[0]), **request}, sheet)
    draft = Draft(kind="near_transactions", title="NEAR transaction", chain=chain, sheet=sheet)
    if not transactions:
        sheet.warn("empty_batch", "The request holds no transaction: there is nothing to sign.")
        return draft.invalid("Request without transactions")
    if len(transactions) > 100:
        sheet.warn(
            "bad_value", f"The request holds {len(transactions)} transactions; more than 100 cannot be reviewed."
        )
        return draft.invalid("Request that is too long")
    totals = Totals()
    if len(transactions) == 1:
        _single(table(transactions[0]), draft, totals)
    else:
        _several(transactions, draft, totals)
    show_totals(draft, totals)
    return draft.invalid("NEAR transaction that cannot be signed") if totals.bad else draft


def _single(tx: Mapping[str, Any], draft: Draft, totals: Totals) -> None:
    signer, receiver, actions = _read_parties(tx, draft.sheet, totals)
    calls, plain, sentences = read_actions(actions, draft, totals, signer=signer, receiver=receiver, path="")
    draft.sheet.calls += calls
    draft.actions = list(plain)
    draft.title = draft.summary = "; then ".join(sentences[:6]) or "NEAR transaction"
    draft.kind = _kind(plain)
    if sentences:
        words = plain[0].get("method", plain[0]["kind"]) if len(plain) == 1 else f"{len(plain)} actions"
        draft.sheet.row("call", "Action", str(words), kind="code" if len(plain) == 1 else "text", note=draft.title)
    if len(plain) == 1 and plain[0]["kind"] == "FunctionCall":
        draft.function = str(plain[0]["method"])
    signing_hash(tx, draft, signer, receiver, actions)


def _kind(plain: list[dict[str, Any]]) -> str:
    if len(plain) != 1:
        return "near_actions"
    name = plain[0]["kind"]
    return "near_" + "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


def _several(transactions: list[Any], draft: Draft, totals: Totals) -> None:
    sheet = draft.sheet
    sheet.warn(
        "not_atomic", f"{len(transactions)} transactions follow one another: some can succeed while others fail."
    )
    titles: list[str] = []
    for index, item in enumerate(transactions):
        path = f"transactions[{index}]"
        inner = Sheet(sheet.ctx, path=path)
        signer, receiver, actions = _read_parties(table(item), inner, totals)
        calls, plain, sentences = read_actions(
            actions, draft, totals, signer=signer, receiver=receiver, path=path, own=inner
        )
        title = "; then ".join(sentences) or "transaction"
        titles.append(title)
        warnings = merge_warnings(inner.warnings, [w for call in calls for w in call.warnings])
        sheet.unchecked += [s for s in inner.unchecked if s not in sheet.unchecked]
        sheet.calls.append(
            Call(
                kind=_kind(plain),
                title=title,
                to=receiver,
                operation="transaction",
                path=path,
                rows=tuple(inner.rows),
                warnings=warnings,
                amounts=(*inner.amounts, *(a for call in calls for a in call.amounts)),
                calls=tuple(calls),
                severity=worst([w.severity for w in warnings]),
            )
        )
        sheet.row(f"call.{path}", f"Transaction {index + 1}", title, note=f"to {receiver}")
        draft.actions += plain
    first = table(transactions[0])
    signer = field(first, "signerId", "signer_id") or sheet.ctx.near_account
    sheet.rows.insert(1, _from_row(sheet, str(signer)))
    receivers = ", ".join(dict.fromkeys(call.to for call in sheet.calls if call.to))
    sheet.row("to", "To", receivers or "not stated", note="each transaction has its own receiver")
    sheet.row("call", "Action", f"{len(transactions)} transactions, one after the other")
    draft.title, draft.summary = f"{len(transactions)} NEAR transactions", "; then ".join(titles[:6])
    draft.extra["count"] = len(transactions)


def _from_row(sheet: Sheet, signer: str) -> Any:
    scratch = Sheet(sheet.ctx)
    scratch.account("from", "From", signer)
    return scratch.rows[0]


def _read_parties(tx: Mapping[str, Any], sheet: Sheet, totals: Totals) -> tuple[str, str, list[Any]]:
    ctx = sheet.ctx
    signer = field(tx, "signerId", "signer_id", "senderId", "sender_id", "signer")
    differ = conflict(tx)
    if differ is not None:
        sheet.warn("data_input_conflict", differ)
    receiver = field(tx, "receiverId", "receiver_id", "contractName", "contract_name", "contractId", "receiver")
    actions = tx.get("actions")
    if not isinstance(actions, list):
        actions = [tx] if field(tx, "methodName", "method_name") is not None else []
    if signer is None and ctx.near_account is not None:
        sheet.account("from", "From", ctx.near_account, note="the connected account; the request names none")
        signer = ctx.near_account
    elif isinstance(signer, str):
        sheet.account("from", "From", signer, source="signerId")
        if not is_account_id(signer):
            sheet.warn("invalid_address", f"The signer {signer[:80]!r} is not a NEAR account id.")
        elif ctx.near_account is None:
            sheet.skip("Whether the signer is your account was not checked: no account is connected.")
        elif signer != ctx.near_account:
            sheet.warn(
                "from_mismatch",
                f"The request is for {signer}, your connected account is {ctx.near_account}. "
                "Connect that account, or ask the agent for a request of yours.",
            )
    else:
        sheet.row("from", "From", "not stated", note="no account is connected")
        signer = ""
    if isinstance(receiver, str) and receiver:
        sheet.account("to", "To", receiver, source="receiverId")
        if not is_account_id(receiver):
            sheet.warn("invalid_address", f"The receiver {receiver[:80]!r} is not a NEAR account id.")
            totals.bad = True
    else:
        sheet.row("to", "To", "not stated")
        sheet.warn("missing_recipient", "The transaction names no receiver.")
        totals.bad, receiver = True, ""
    return str(signer), receiver, cast("list[Any]", actions)


def show_totals(draft: Draft, totals: Totals) -> None:
    sheet = draft.sheet
    deposit = display(totals.deposit, 24, "NEAR")
    sheet.row("value", "Total deposit", deposit, raw=str(totals.deposit), kind="amount", symbol="NEAR")
    tgas = human(totals.gas, 12)
    sheet.row(
        "gas_near",
        "Network fees",
        f"at most {tgas} TGas for calls",
        raw=str(totals.gas),
        note="summed over all actions; paid in NEAR",
    )
    draft.extra["totals"] = {
        "deposit_raw": str(totals.deposit),
        "deposit_near": near_amount(totals.deposit)["near"],
        "gas_raw": str(totals.gas),
        "gas_tgas": tgas,
    }
    balance = sheet.ctx.balance
    if balance is None:
        sheet.skip("Your balance was not checked: no node was asked.")
    elif totals.deposit > balance:
        sheet.warn(
            "insufficient_funds",
            f"{deposit} are more than the {display(balance, 24, 'NEAR')} in the account. Add funds or lower it.",
        )
