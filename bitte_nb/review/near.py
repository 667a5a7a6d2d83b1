"""NEAR requests: transactions in any dialect or as Borsh, and NEP-366 delegate actions, checked and read."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, cast

from bitte_nb.review.address import is_account_id
from bitte_nb.review.amounts import display, human
from bitte_nb.review.borsh import (
    BorshError,
    UnknownTag,
    base58_encode,
    read_delegate,
    read_signed,
    read_transaction,
)
from bitte_nb.review.borsh_write import write_delegate
from bitte_nb.review.card import Call, Chain
from bitte_nb.review.chains import near_chain
from bitte_nb.review.context import ReviewContext
from bitte_nb.review.draft import Draft
from bitte_nb.review.near_actions import read_action
from bitte_nb.review.near_args import parse_args
from bitte_nb.review.near_dialects import BadAction, Read, as_read, field, normal_action
from bitte_nb.review.near_scope import ActionScope, near_amount
from bitte_nb.review.near_signing import judge_signature, signing_hash
from bitte_nb.review.rules import worst
from bitte_nb.review.shapes import table
from bitte_nb.review.sheet import Sheet, merge_warnings

__all__ = ["draft_borsh", "draft_delegate", "draft_near", "read_network"]

_GAS_LIMIT = 300 * 10**12


def read_network(request: Mapping[str, Any], sheet: Sheet) -> Chain:
    """The NEAR network of the request, else of the wallet, else mainnet; never guessed from an account id."""
    ctx = sheet.ctx
    named = field(request, "network", "networkId", "network_id")
    network = named if isinstance(named, str) else ctx.network or "mainnet"
    chain = near_chain(network)
    if not isinstance(named, str) and ctx.network is None:
        sheet.skip("The request names no network; NEAR mainnet is assumed.")
    if not chain.known:
        sheet.warn("unknown_chain", f"{network[:40]!r} is not a NEAR network that is known here.")
    if isinstance(named, str) and ctx.network is not None and named != ctx.network:
        sheet.warn(
            "network_mismatch", f"The request is for {named}, the wallet is on {ctx.network}. Switch the wallet."
        )
    note = "test network" if chain.testnet else "" if isinstance(named, str) or ctx.network else "assumed"
    sheet.row("chain", "Network", chain.name, raw=network, note=note, source="network")
    return chain


class _Totals:
    def __init__(self) -> None:
        self.deposit = 0
        self.gas = 0
        self.bad = False


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
    totals = _Totals()
    if len(transactions) == 1:
        _single(table(transactions[0]), draft, totals)
    else:
        _several(transactions, draft, totals)
    _totals(draft, totals)
    return draft.invalid("NEAR transaction that cannot be signed") if totals.bad else draft


def _single(tx: Mapping[str, Any], draft: Draft, totals: _Totals) -> None:
    signer, receiver, actions = _read_parties(tx, draft.sheet, totals)
    calls, plain, sentences = _read_actions(actions, draft, totals, signer=signer, receiver=receiver, path="")
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


def _several(transactions: list[Any], draft: Draft, totals: _Totals) -> None:
    sheet = draft.sheet
    sheet.warn(
        "not_atomic", f"{len(transactions)} transactions follow one another: some can succeed while others fail."
    )
    titles: list[str] = []
    for index, item in enumerate(transactions):
        path = f"transactions[{index}]"
        inner = Sheet(sheet.ctx, path=path)
        signer, receiver, actions = _read_parties(table(item), inner, totals)
        calls, plain, sentences = _read_actions(
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


def _read_parties(tx: Mapping[str, Any], sheet: Sheet, totals: _Totals) -> tuple[str, str, list[Any]]:
    ctx = sheet.ctx
    signer = field(tx, "signerId", "signer_id", "senderId", "sender_id", "signer")
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


def _read_actions(
    actions: list[Any],
    draft: Draft,
    totals: _Totals,
    *,
    signer: str,
    receiver: str,
    path: str,
    own: Sheet | None = None,
) -> tuple[list[Call], list[dict[str, Any]], list[str]]:
    sheet = own or draft.sheet
    if not actions:
        sheet.warn("empty_batch", "The transaction holds no action: there is nothing to sign.")
        totals.bad = True
    normal: list[dict[str, Any]] = []
    for index, action in enumerate(actions[:200]):
        try:
            normal.append(as_read(action))
        except BadAction as error:
            Sheet(sheet.ctx, path=path, action=index, warnings=sheet.warnings).warn(
                error.rule, f"Action {index + 1}: {error}"
            )
            sheet.row(f"action.{index}", f"Action {index + 1}", "cannot be read", note=str(error))
            totals.bad = True
    if len(actions) > 200:
        sheet.warn("bad_value", "More than 200 actions cannot be reviewed by a person.")
        totals.bad = True
    if not receiver or totals.bad:
        return [], [], []
    scope = ActionScope(
        signer=signer, receiver=receiver, chain=draft.chain, creates=any(a["kind"] == "CreateAccount" for a in normal)
    )
    found = [_read_one(action, i, sheet, scope, path, totals) for i, action in enumerate(normal)]
    gas = sum(a["gas"] for a in normal if a["kind"] == "FunctionCall")
    if gas > _GAS_LIMIT:
        sheet.warn(
            "gas_over_limit", f"{human(gas, 12)} TGas are more than the 300 TGas of one transaction. Ask for less gas."
        )
    return [c for c, _, _ in found], [p for _, p, _ in found], [s for _, _, s in found]


def _read_one(
    action: dict[str, Any], index: int, outer: Sheet, scope: ActionScope, path: str, totals: _Totals
) -> tuple[Call, dict[str, Any], str]:
    where = f"{path}.actions[{index}]".lstrip(".")
    sheet = Sheet(outer.ctx, path=where, action=index)
    if action["kind"] == "Delegate":
        plain, sentence = _delegate(action, sheet, scope.chain, where, totals)
    else:
        plain, sentence = read_action(action, sheet, scope)
    totals.deposit += action.get("deposit", 0)
    totals.gas += action.get("gas", 0)
    outer.unchecked += [s for s in sheet.unchecked if s not in outer.unchecked]
    warnings = merge_warnings(sheet.warnings, [w for call in sheet.calls for w in call.warnings])
    call = Call(
        kind="near_action",
        title=sentence,
        to=scope.receiver,
        value=str(action.get("deposit", 0)),
        operation=action["kind"],
        function=action.get("method"),
        args=(plain.get("args"),) if "args" in plain else (),
        path=where,
        rows=tuple(sheet.rows),
        warnings=warnings,
        amounts=(*sheet.amounts, *(a for inner in sheet.calls for a in inner.amounts)),
        calls=tuple(sheet.calls),
        severity=worst([w.severity for w in warnings]),
    )
    return call, plain, sentence


def _delegate(
    action: dict[str, Any], sheet: Sheet, chain: Chain, path: str, totals: _Totals
) -> tuple[dict[str, Any], str]:
    sender, receiver = action["sender"], action["receiver"]
    sheet.account("delegate.sender", "On behalf of", sender, source="senderId")
    sheet.account("delegate.receiver", "To", receiver, source="receiverId")
    sheet.row("delegate.nonce", "Nonce of the key", str(action["nonce"]), source="nonce")
    height = action["max_block_height"]
    sheet.row(
        "delegate.until",
        "Valid until block",
        str(height),
        source="maxBlockHeight",
        note="the present block is not known here",
    )
    sheet.warn(
        "meta_transaction",
        f"Somebody else sends and pays this for {sender}: it can be sent at any time until block {height}.",
    )
    for name in (sender, receiver):
        if not is_account_id(name):
            sheet.warn("invalid_address", f"{name[:80]!r} is not a NEAR account id.")
    scope = ActionScope(
        signer=sender,
        receiver=receiver,
        chain=chain,
        creates=any(a["kind"] == "CreateAccount" for a in action["actions"]),
    )
    found = [_read_one(_with_json(a), i, sheet, scope, path, totals) for i, a in enumerate(action["actions"])]
    sheet.calls += [call for call, _, _ in found]
    if not found:
        sheet.warn("empty_batch", "The delegate action holds no action: there is nothing to sign.")
    sentence = "; then ".join(s for _, _, s in found) or "nothing"
    return {
        "kind": "Delegate",
        "sender": sender,
        "receiver": receiver,
        "actions": [p for _, p, _ in found],
    }, f"Let a relayer do: {sentence}"


def _with_json(action: dict[str, Any]) -> dict[str, Any]:
    """A FunctionCall read from Borsh has bytes only; its JSON is found here."""
    if action["kind"] != "FunctionCall" or "is_json" in action:
        return action
    data: bytes = action["args"]
    _, is_json, value = parse_args(list(data), base64_first=True) if data else parse_args(None)
    return {**action, "is_json": is_json, "json": value if is_json else None}


def _totals(draft: Draft, totals: _Totals) -> None:
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


def draft_delegate(delegate: Mapping[str, Any], ctx: ReviewContext, *, signed: bool = False) -> Draft:
    """A NEP-366 delegate action that is put before the person to sign."""
    sheet = Sheet(ctx)
    chain = read_network(delegate, sheet)
    draft = Draft(kind="near_delegate", title="Delegate action", chain=chain, sheet=sheet)
    try:
        action = delegate if isinstance(delegate, Read) else normal_action({"type": "Delegate", "params": delegate})
    except BadAction as error:
        sheet.warn(error.rule, str(error))
        return draft.invalid("Delegate action that cannot be signed")
    action = dict(action)
    totals = _Totals()
    sender = str(action["sender"])
    sheet.account("from", "From", sender, source="senderId")
    sheet.account("to", "To", str(action["receiver"]), source="receiverId")
    if ctx.near_account is not None and sender != ctx.near_account:
        sheet.warn("from_mismatch", f"The request is for {sender}, your connected account is {ctx.near_account}.")
    scope = ActionScope(signer=sender, receiver=str(action["receiver"]), chain=chain, creates=False)
    call, plain, sentence = _read_one(action, 0, sheet, scope, "", totals)
    sheet.calls.append(call)
    draft.actions, draft.title, draft.summary = [plain], sentence, sentence
    _totals(draft, totals)
    sheet.row("nonce", "Nonce", str(action["nonce"]), source="nonce")
    data = write_delegate(action)
    draft.signing_hash, draft.signing_label = hashlib.sha256(data).hexdigest(), "Hash to sign (NEP-366)"
    draft.extra["borsh_hex"] = data.hex()
    return draft


def draft_borsh(data: bytes, request: Mapping[str, Any], ctx: ReviewContext) -> Draft:
    """A transaction, a signed transaction or a delegate action as Borsh bytes."""
    sheet = Sheet(ctx)
    try:
        if data[:4] == (2**30 + 366).to_bytes(4, "little"):
            return draft_delegate(Read(read_delegate(data), kind="Delegate", signature=None), ctx)
        try:
            tx, signature, unsigned = read_transaction(data), None, hashlib.sha256(data).digest()
        except UnknownTag:
            raise
        except BorshError:
            tx, signature, unsigned = read_signed(data)
    except BorshError as error:
        chain = read_network(request, sheet)
        newer = data[:1] == b"\x01"  # transactions of version 1 begin so; a V0 signer of one letter cannot exist
        rule = "unknown_action" if newer or isinstance(error, UnknownTag) else "bad_encoding"
        sheet.warn(rule, f"The bytes are not a NEAR transaction that can be read here: {error}.")
        sheet.row("data", "Bytes", "0x" + data.hex()[:4096], kind="code")
        return Draft(kind="invalid", title="Bytes", chain=chain, sheet=sheet).invalid("Bytes that cannot be read")
    actions = [Read(_with_json(a)) for a in tx["actions"]]
    shape = {"signerId": tx["signer"], "receiverId": tx["receiver"], "actions": actions, "nonce": str(tx["nonce"]),
             "publicKey": tx["public_key"], "blockHash": tx["block_hash"]}  # fmt: skip
    draft = draft_near([shape], request, ctx)
    draft.signing_hash, draft.signing_label = base58_encode(unsigned), "Transaction hash"
    draft.extra["nonce"] = str(tx["nonce"])
    if signature is not None:
        judge_signature(draft, tx["public_key"], signature, unsigned)
    return draft
