"""EVM requests: one transaction, a batch of calls (EIP-5792), or a signed raw transaction, checked and read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from bitte_nb.review.abi import plain_value
from bitte_nb.review.address import checksum, is_evm
from bitte_nb.review.amounts import BadAmount, display
from bitte_nb.review.card import Call, Chain
from bitte_nb.review.context import ReviewContext
from bitte_nb.review.draft import Draft
from bitte_nb.review.evm_calls import read_call, reading_of
from bitte_nb.review.evm_checks import (
    Checked,
    chain_row,
    check,
    evm_chain_id,
    judge_fee,
    judge_nonce,
    parse_chain_id,
    read_chain,
    read_sender,
)
from bitte_nb.review.evm_reading import CallSpec, native_amount, new_budget
from bitte_nb.review.shapes import listed, table
from bitte_nb.review.sheet import Sheet

__all__ = ["draft_batch", "draft_transaction"]


def _authorizations(tx: Mapping[str, Any], sheet: Sheet, chain: Chain) -> str | None:
    """Judge an EIP-7702 list; returns a title if there is one."""
    entries = tx.get("authorizationList")
    if entries is None or entries == []:
        return None
    if not isinstance(entries, list):
        sheet.warn("bad_value", "authorizationList is no list (EIP-7702): what a wallet makes of it cannot be told.")
        return None
    title = "Remove smart-account code"
    for index, entry in enumerate(cast("list[object]", entries)):
        item = table(entry)
        address = item.get("address", item.get("contractAddress"))
        source = f"authorizationList[{index}]"
        if not is_evm(address):
            sheet.warn("invalid_address", f"Authorization {index + 1} does not name an address.")
            continue
        if item.get("contractAddress", address) != address:
            sheet.warn("data_input_conflict", f"Authorization {index + 1} names two addresses, and they differ.")
            continue
        try:
            chain_id = parse_chain_id(item.get("chainId"))
        except BadAmount as error:
            sheet.warn("bad_value", f"The chain of authorization {index + 1} is not usable: {error}.")
            continue
        if chain_id not in (None, 0) and str(chain_id) != chain.id:
            sheet.warn("chain_mismatch", f"Authorization {index + 1} is for chain {chain_id}, not for {chain.name}.")
        if chain_id == 0:
            sheet.warn("eip7702_all_chains", "The authorization is valid on every chain, not only on this one.")
        if int(address, 16) == 0:
            sheet.row("delegation", "Account code", "removed", source=source)
            continue
        title = f"Let your account run the code at {checksum(address)}"
        sheet.account("delegation", "Code your account will run", address, source=source)
        sheet.warn(
            "eip7702_delegation",
            f"Your account will run the code at {sheet.ctx.name(address) or checksum(address)}, "
            "which can move everything you have.",
        )
    return title


def draft_transaction(tx: Mapping[str, Any], ctx: ReviewContext) -> Draft:
    """Check and read one transaction object of eth_sendTransaction."""
    sheet = Sheet(ctx)
    chain = read_chain(tx, sheet)
    chain_row(sheet, chain)
    sender = read_sender(tx, sheet)
    checked = check(tx, sheet)
    draft = Draft(kind="contract_call", title="Transaction", chain=chain, sheet=sheet)
    if checked.bad:
        _show_as_is(tx, sheet, ("to", "value", "data", "input"))
        return draft.invalid("Transaction that cannot be sent")
    if checked.to is None:
        sheet.row("to", "To", "nobody: a new contract is created")
        sheet.row(
            "value",
            "Value",
            display(checked.value, chain.decimals, chain.symbol),
            raw=str(checked.value),
            kind="amount",
        )
        sheet.row(
            "call", "Code", f"{len(checked.data)} bytes", raw="0x" + checked.data.hex(), kind="code", source="data"
        )
        sheet.warn(
            "contract_creation",
            f"A new contract of {len(checked.data)} bytes is deployed; what it does cannot be read here.",
        )
        paid = ""
        if checked.value:
            paid = f" with {native_amount(sheet, 'value', chain, checked.value, label='Value')}"
        draft.kind, draft.title = "contract_creation", f"Deploy a contract{paid}"
        draft.summary = draft.title
    else:
        _read_into(draft, checked, sender, chain)
    title = _authorizations(tx, sheet, chain)
    if title is not None:
        draft.kind, draft.title, draft.summary = "set_code", title, title
        ignored = {"self_transfer", "noop_transfer", "data_to_eoa"}
        if not checked.data and not checked.value:
            sheet.warnings = [w for w in sheet.warnings if w.id not in ignored]
    judge_fee(tx, sheet, chain, checked)
    judge_nonce(tx, sheet)
    _next_nonce(draft)
    _others(tx, sheet)
    return draft


def _next_nonce(draft: Draft) -> None:
    """Keep the account's next nonce with the card: it tells later which transactions are older than the card."""
    if draft.sheet.ctx.nonce is not None:
        draft.extra["next_nonce"] = str(draft.sheet.ctx.nonce)


_UNDERSTOOD = frozenset(
    {
        *("to", "from", "value", "data", "input", "chainId", "nonce", "type", "accessList", "authorizationList"),
        *("gas", "gasLimit", "gasPrice", "maxFeePerGas", "maxPriorityFeePerGas"),
    }
)


def _others(tx: Mapping[str, Any], sheet: Sheet) -> None:
    """What else the request carries: the access list, and fields that mean nothing here."""
    if not isinstance(tx.get("accessList", []), list):
        sheet.warn("bad_value", "accessList is no list (EIP-2930).")
    entries = listed(tx.get("accessList"))
    if entries:
        names = ", ".join(str(table(entry).get("address")) for entry in entries[:20])
        words = f"{len(entries)} contracts"
        sheet.row("access_list", "Access list", words, raw=names, note="only lowers gas", source="accessList")
    unknown = {key: value for key, value in tx.items() if key not in _UNDERSTOOD and value is not None}
    if unknown:
        text = json.dumps(unknown, ensure_ascii=False, sort_keys=True)
        note = "not understood here; nothing is sent with them"
        sheet.row("others", "Other fields", ", ".join(unknown)[:300], raw=text, note=note)
    folded = {name.lower(): name for name in _UNDERSTOOD}
    for name in unknown:
        meant = folded.get(name.lower().replace("_", ""))
        if meant is not None:
            sheet.warn("data_input_conflict", f"{name} looks like {meant} but is another field: say {meant}.")


def _read_into(draft: Draft, checked: Checked, sender: str | None, chain: Chain) -> None:
    sheet = draft.sheet
    to = cast("str", checked.to)
    known, key = sheet.ctx, to.lower()
    note = "contract" if key in known.contracts else "plain account" if {key} & {*known.eoas, *known.delegated} else ""
    if not note and not known.name(to):
        note = "contract or plain account: not checked"
    sheet.account("to", "To", to, note="" if known.name(to) else note, source="to")
    spec = CallSpec(to=to, value=checked.value, data=checked.data, sender=sender, chain=chain)
    shape = reading_of(spec, sheet, new_budget())
    draft.kind, draft.title, draft.summary = shape.kind, shape.title, shape.title
    draft.function, draft.selector = shape.function, shape.selector
    draft.args = tuple(plain_value(v) for v in shape.values)
    draft.arg_names = shape.names


def _show_as_is(tx: Mapping[str, Any], sheet: Sheet, keys: tuple[str, ...]) -> None:
    for key in keys:
        if key in tx:
            sheet.row(key, key, str(tx[key])[:500], note="as given", source=key)


def draft_batch(request: Mapping[str, Any], calls: list[Any], ctx: ReviewContext, *, atomic: bool | None) -> Draft:
    """Check and read several calls; `atomic` None means that the request does not say."""
    sheet = Sheet(ctx)
    chain = read_chain(request, sheet)
    chain_row(sheet, chain)
    sender = read_sender(request, sheet)
    draft = Draft(kind="batch", title=f"Batch of {len(calls)} calls", chain=chain, sheet=sheet)
    if not calls:
        sheet.warn("empty_batch", "The batch holds no call: there is nothing to sign.")
        return draft.invalid("Batch without calls")
    if len(calls) > 200:
        sheet.warn("bad_value", f"The batch holds {len(calls)} calls; more than 200 cannot be reviewed by a person.")
        return draft.invalid("Batch that is too long")
    if atomic is False and len(calls) > 1:
        sheet.warn("not_atomic", f"The {len(calls)} calls are not one unit: some can succeed while others fail.")
    budget, bad, total = new_budget(), False, 0
    for index, given in enumerate(calls):
        tx = table(given)
        inner = Sheet(ctx, path=f"calls[{index}]")
        own_chain = tx.get("chainId")
        if own_chain is not None and str(evm_chain_id(own_chain)) != chain.id:
            inner.warn(
                "chain_mismatch", f"Call {index + 1} names another chain than the batch. Ask for one batch per chain."
            )
        if isinstance(tx.get("from"), str) and sender is not None and tx["from"].lower() != sender.lower():
            inner.warn("from_mismatch", f"Call {index + 1} is for another account than the batch.")
        checked = check(tx, inner, what=f"call {index + 1}")
        _authorizations(tx, inner, chain)
        _others(tx, inner)
        sheet.warnings += inner.warnings
        bad = bad or checked.bad
        if checked.bad:
            continue
        total += checked.value
        if checked.to is None:
            sheet.warn("contract_creation", f"Call {index + 1} deploys a contract of {len(checked.data)} bytes.")
            continue
        spec = CallSpec(
            to=checked.to,
            value=checked.value,
            data=checked.data,
            sender=sender,
            chain=chain,
            path=inner.path,
            source=f"{inner.path}.{'data' if 'data' in tx else 'input'}",
            depth=1,
        )
        call = read_call(spec, ctx, budget, sheet.unchecked)
        sheet.calls.append(replace(call, rows=(*call.rows, *inner.rows)))
    if bad:
        return draft.invalid("Batch with a call that cannot be sent")
    words = display(total, chain.decimals, chain.symbol)
    sheet.row("value", "Value of all calls", words, raw=str(total), kind="amount", symbol=chain.symbol)
    targets = dict.fromkeys(call.to for call in sheet.calls if call.to)
    sheet.row("to", "To", ", ".join(targets), note="each call has its own target")
    sheet.row("call", "Function", f"{len(calls)} calls")
    for call in sheet.calls:
        sheet.row(f"call.{call.path}", f"Call {call.path[6:-1]}", call.title)
    _unused_approvals(sheet)
    draft.summary = "; then ".join(call.title for call in sheet.calls[:6])
    merged = Checked()
    merged.to, merged.value = "", total
    judge_fee({k: v for k, v in request.items() if k in ("gas", "gasPrice", "maxFeePerGas")}, sheet, chain, merged)
    sheet.row("nonce", "Nonce", "not stated: the wallet sets it")
    _next_nonce(draft)
    if atomic is not None:
        words = "all calls or none" if atomic else "each call for itself"
        sheet.row("atomic", "Atomic", words, source="atomicRequired")
    capabilities = table(request.get("capabilities"))
    if capabilities:
        text = json.dumps(capabilities, ensure_ascii=False, sort_keys=True)
        note = "what the wallet does with them is not known here"
        names = ", ".join(capabilities)[:300]
        sheet.row("capabilities", "Asked of the wallet", names, raw=text, note=note, source="capabilities")
    return draft


def _unused_approvals(sheet: Sheet) -> None:
    """An allowance that no later call of the batch needs is what a thief would slip in."""
    if len(sheet.calls) < 2:
        return
    for index, call in enumerate(sheet.calls):
        later = " ".join(str(replace(c, warnings=(), rows=())) for c in sheet.calls[index + 1 :]).lower()
        for spender, what in _approved(call):
            if spender.lower()[2:] not in later:
                sheet.warn(
                    "unused_approval",
                    f"Call {index + 1} lets {sheet.ctx.name(spender) or checksum(spender)} take {what}, "
                    "and no later call of the batch uses that.",
                )


def _approved(call: Call) -> list[tuple[str, str]]:
    """(who, what) of each power over tokens that the call or a call inside it gives."""
    found = [
        (amount.to, amount.symbol or "tokens")
        for amount in call.amounts
        if amount.role in ("allowance", "allowance_delta") and amount.to is not None and amount.raw != "0"
    ]
    todo = [call]
    while todo:
        one = todo.pop()
        todo += one.calls
        if one.kind == "nft_approve_all":
            found.append((str(one.args[0]), "a whole collection"))
    return found
