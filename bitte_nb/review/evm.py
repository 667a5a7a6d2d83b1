"""EVM requests: one transaction, a batch of calls (EIP-5792), or a signed raw transaction, checked and read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from bitte_nb.review.abi import plain_value
from bitte_nb.review.address import checksum, checksum_fails, is_evm
from bitte_nb.review.amounts import BadAmount, display, parse_uint
from bitte_nb.review.card import Chain
from bitte_nb.review.chains import evm_chain
from bitte_nb.review.context import ReviewContext
from bitte_nb.review.draft import Draft
from bitte_nb.review.evm_calls import read_call, reading_of
from bitte_nb.review.evm_reading import CallSpec, new_budget
from bitte_nb.review.shapes import table
from bitte_nb.review.sheet import Sheet

__all__ = ["draft_batch", "draft_transaction", "parse_chain_id", "read_chain"]

_HEX = re.compile(r"0x(?:[0-9a-fA-F]{2})*")
_FEE_WARNING = 5 * 10**16
"""A fee above 0.05 of the native coin is pointed out."""


def parse_chain_id(value: object) -> int | None:
    """A chain id from a number, decimal text or 0x hex; None if absent; BadAmount if it is something else."""
    if value is None or value == "":
        return None
    return parse_uint(value, bits=64)


def read_chain(request: Mapping[str, Any], sheet: Sheet) -> Chain:
    """The chain that a request names, or the wallet's where it names none; warnings go to the sheet."""
    ctx = sheet.ctx
    try:
        chain_id = parse_chain_id(request.get("chainId"))
    except BadAmount as error:
        sheet.warn("bad_value", f"The chain id is not usable: {error}.")
        return evm_chain(None)
    if chain_id is None:
        if ctx.chain_id is None:
            sheet.skip("The request names no chain, and the wallet's chain is not known.")
            return evm_chain(None)
        sheet.skip("The request names no chain; the wallet's chain is assumed.")
        return evm_chain(ctx.chain_id)
    chain = evm_chain(chain_id)
    if not chain.known:
        sheet.warn(
            "unknown_chain", f"Chain {chain_id} is not in the table of known chains: check its id with the agent."
        )
    if ctx.chain_id is not None and ctx.chain_id != chain_id:
        sheet.warn(
            "chain_mismatch",
            f"The request is for {chain.name} ({chain_id}), the wallet is on {evm_chain(ctx.chain_id).name} "
            f"({ctx.chain_id}). Switch the wallet to {chain.name} to go on.",
        )
    return chain


def chain_row(sheet: Sheet, chain: Chain) -> None:
    """The row of the chain."""
    note = "test network" if chain.testnet else ""
    sheet.row(
        "chain",
        "Network",
        f"{chain.name} ({chain.id})" if chain.id else chain.name,
        raw=chain.id,
        note=note,
        source="chainId",
    )


class _Checked:
    """The usable parts of a transaction object; `bad` says that it cannot be sent as it stands."""

    def __init__(self) -> None:
        self.to: str | None = None
        self.value = 0
        self.data = b""
        self.bad = False


def _check(tx: Mapping[str, Any], sheet: Sheet, *, what: str = "transaction") -> _Checked:
    found = _Checked()
    found.data, found.bad = _payload(tx, sheet)
    value = tx.get("value")
    if value is not None and value not in ("", "0x"):
        try:
            found.value = parse_uint(value)
        except BadAmount as error:
            sheet.warn("bad_value", f"The value of the {what} is not usable: {error}.")
            found.bad = True
    to = tx.get("to")
    if to in (None, "", "0x"):
        if not found.data and not found.bad:
            sheet.warn("missing_recipient", f"The {what} names neither a recipient nor code to deploy.")
            found.bad = True
    elif is_evm(to):
        found.to = to
        if checksum_fails(found.to):
            sheet.warn("bad_checksum", f"The capitals of {to} do not fit its digits (EIP-55): a digit may be mistyped.")
    else:
        found.bad = True
        _bad_recipient(to, sheet)
    return found


def _bad_recipient(to: object, sheet: Sheet) -> None:
    if isinstance(to, str) and "." in to and not to.startswith("0x") and len(to) <= 255:
        sheet.warn("unresolved_name", f"{to} is a name. Resolve it to an address and put the address into the request.")
    else:
        sheet.warn("invalid_address", f"{str(to)[:80]!r} is not an Ethereum address (0x and 40 hex digits).")


def _payload(tx: Mapping[str, Any], sheet: Sheet) -> tuple[bytes, bool]:
    found: dict[str, bytes] = {}
    for key in ("data", "input"):
        text = tx.get(key)
        if text is None or text == "":
            continue
        if not isinstance(text, str) or not _HEX.fullmatch(text):
            sheet.warn("bad_hex", f"`{key}` is not hex data: it must be 0x and an even number of hex digits.")
            return b"", True
        found[key] = bytes.fromhex(text[2:])
    if len(set(found.values())) > 1:
        sheet.warn(
            "data_input_conflict", "`data` and `input` hold different payloads: which one is sent depends on the node."
        )
        return b"", True
    return next(iter(found.values()), b""), False


def _quantity(tx: Mapping[str, Any], sheet: Sheet, *names: str, bits: int = 256) -> int | None:
    for name in names:
        value = tx.get(name)
        if value is None or value == "":
            continue
        try:
            return parse_uint(value, bits=bits)
        except BadAmount as error:
            sheet.warn("bad_value", f"`{name}` is not usable: {error}.")
    return None


def _sender(tx: Mapping[str, Any], sheet: Sheet) -> str | None:
    ctx = sheet.ctx
    sender = tx.get("from")
    if sender in (None, ""):
        if ctx.evm_account is None:
            sheet.row("from", "From", "not stated", note="no account is connected")
            return None
        sheet.account("from", "From", ctx.evm_account, note="the connected account; the request names none")
        return ctx.evm_account
    if not is_evm(sender):
        sheet.row("from", "From", str(sender)[:80])
        sheet.warn("invalid_address", f"The sender {str(sender)[:80]!r} is not an Ethereum address.")
        return ctx.evm_account
    sheet.account("from", "From", sender, source="from")
    if ctx.evm_account is None:
        sheet.skip("Whether the sender is your account was not checked: no account is connected.")
    elif sender.lower() != ctx.evm_account.lower():
        sheet.warn(
            "from_mismatch",
            f"The request is for {checksum(sender)}, your connected account is {checksum(ctx.evm_account)}. "
            "Connect that account, or ask the agent for a request of yours.",
        )
    return sender


def _fee(tx: Mapping[str, Any], sheet: Sheet, chain: Chain, found: _Checked) -> None:
    gas = _quantity(tx, sheet, "gas", "gasLimit", bits=64)
    price = _quantity(tx, sheet, "gasPrice")
    cap = _quantity(tx, sheet, "maxFeePerGas")
    tip = _quantity(tx, sheet, "maxPriorityFeePerGas")
    if price is not None and (cap is not None or tip is not None):
        sheet.warn("bad_fee", "The request has a gas price and a max fee: a transaction can have only one of them.")
    if tip is not None and cap is not None and tip > cap:
        sheet.warn("bad_fee", "The tip is higher than the whole fee per gas: nodes refuse that.")
    if gas is not None:
        least = 21_000 + sum(16 if b else 4 for b in found.data) + (32_000 if found.to is None and found.data else 0)
        if gas < least:
            sheet.warn(
                "gas_low", f"The gas limit {gas} is below the {least} that every such transaction uses. Raise it."
            )
    per_gas = cap if cap is not None else price
    worst_fee = gas * per_gas if gas is not None and per_gas is not None else None
    if worst_fee is None:
        parts = [f"gas limit {gas}"] if gas is not None else []
        sheet.row("fee", "Network fee", ", ".join([*parts, "not stated: the wallet sets it"]), note="no node was asked")
    else:
        words = display(worst_fee, chain.decimals, chain.symbol)
        sheet.row(
            "fee", "Max network fee", words, raw=str(worst_fee), kind="amount", symbol=chain.symbol,
            note=f"gas limit {gas}, at most {display(per_gas or 0, 9, 'gwei')} per gas", source="gas",
        )  # fmt: skip
        plain_transfer = not found.data and found.value
        base = sheet.ctx.base_fee
        if (
            worst_fee > _FEE_WARNING
            or (plain_transfer and worst_fee > found.value)
            or (base and (per_gas or 0) > 10 * base)
        ):
            sheet.warn("fee_high", f"The fee can be as high as {words}.")
    balance = sheet.ctx.balance
    if balance is None:
        sheet.skip("Your balance was not checked: no node was asked.")
    elif found.value + (worst_fee or 0) > balance:
        sheet.warn(
            "insufficient_funds",
            f"Value and fee are more than the {display(balance, chain.decimals, chain.symbol)} in the account. "
            "Add funds or lower the amount.",
        )


def _nonce(tx: Mapping[str, Any], sheet: Sheet) -> None:
    nonce, ctx = _quantity(tx, sheet, "nonce", bits=64), sheet.ctx
    if nonce is None:
        sheet.row("nonce", "Nonce", "not stated: the wallet sets it")
        return
    sheet.row("nonce", "Nonce", str(nonce), source="nonce")
    if ctx.nonce is None:
        sheet.skip("The nonce was not compared with the account's: no node was asked.")
    elif nonce < ctx.nonce:
        sheet.warn("nonce_low", f"Nonce {nonce} was already used; the next one is {ctx.nonce}. Ask for a new request.")
    elif nonce > (ctx.pending_nonce if ctx.pending_nonce is not None else ctx.nonce):
        sheet.warn("nonce_gap", f"Nonce {nonce} leaves a gap: the transaction waits until the missing ones are sent.")


def _authorizations(tx: Mapping[str, Any], sheet: Sheet) -> str | None:
    """Judge an EIP-7702 list; returns a title if there is one."""
    entries = tx.get("authorizationList")
    if not isinstance(entries, list) or not entries:
        return None
    title = "Remove smart-account code"
    for index, entry in enumerate(cast("list[object]", entries)):
        item = table(entry)
        address = item.get("address", item.get("contractAddress"))
        source = f"authorizationList[{index}]"
        if not is_evm(address):
            sheet.warn("invalid_address", f"Authorization {index + 1} does not name an address.")
            continue
        try:
            chain_id = parse_chain_id(item.get("chainId"))
        except BadAmount as error:
            sheet.warn("bad_value", f"The chain of authorization {index + 1} is not usable: {error}.")
            continue
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
    sender = _sender(tx, sheet)
    checked = _check(tx, sheet)
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
        draft.kind, draft.title, draft.summary = "contract_creation", "Deploy a contract", "Deploy a contract"
        if checked.value:
            from bitte_nb.review.evm_reading import native_amount

            native_amount(sheet, "value", chain, checked.value, label="Value")
    else:
        _read_into(draft, checked, sender, chain)
    title = _authorizations(tx, sheet)
    if title is not None:
        draft.kind, draft.title, draft.summary = "set_code", title, title
        ignored = {"self_transfer", "noop_transfer", "data_to_eoa"}
        if not checked.data and not checked.value:
            sheet.warnings = [w for w in sheet.warnings if w.id not in ignored]
    _fee(tx, sheet, chain, checked)
    _nonce(tx, sheet)
    return draft


def _read_into(draft: Draft, checked: _Checked, sender: str | None, chain: Chain) -> None:
    sheet = draft.sheet
    to = cast("str", checked.to)
    note = (
        ""
        if sheet.ctx.name(to)
        else "not checked: no node was asked"
        if to.lower() not in sheet.ctx.contracts
        else "contract"
    )
    sheet.account("to", "To", to, note=note, source="to")
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
    sender = _sender(request, sheet)
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
    for index, call in enumerate(calls):
        tx = table(call)
        inner = Sheet(ctx, path=f"calls[{index}]")
        own_chain = tx.get("chainId")
        if own_chain is not None and str(evm_chain_id(own_chain)) != chain.id:
            inner.warn(
                "chain_mismatch", f"Call {index + 1} names another chain than the batch. Ask for one batch per chain."
            )
        if isinstance(tx.get("from"), str) and sender is not None and tx["from"].lower() != sender.lower():
            inner.warn("from_mismatch", f"Call {index + 1} is for another account than the batch.")
        checked = _check(tx, inner, what=f"call {index + 1}")
        sheet.warnings += inner.warnings
        bad = bad or checked.bad
        if checked.bad:
            continue
        total += checked.value
        if checked.to is None:
            sheet.warn("contract_creation", f"Call {index + 1} deploys a contract of {len(checked.data)} bytes.")
            continue
        spec = CallSpec(
            to=checked.to, value=checked.value, data=checked.data, sender=sender, chain=chain, path=inner.path, depth=1
        )
        sheet.calls.append(read_call(spec, ctx, budget, sheet.unchecked))
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
    merged = _Checked()
    merged.to, merged.value = "", total
    _fee({k: v for k, v in request.items() if k in ("gas", "gasPrice", "maxFeePerGas")}, sheet, chain, merged)
    sheet.row("nonce", "Nonce", "not stated: the wallet sets it")
    return draft


def evm_chain_id(value: object) -> int | None:
    """The id, or None where it is not one."""
    try:
        return parse_chain_id(value)
    except BadAmount:
        return None


def _unused_approvals(sheet: Sheet) -> None:
    """An allowance that no later call of the batch needs is what a thief would slip in."""
    if len(sheet.calls) < 2:
        return
    for index, call in enumerate(sheet.calls):
        for amount in call.amounts:
            if amount.role != "allowance" or amount.to is None or amount.raw == "0":
                continue
            needle = amount.to.lower()[2:]
            later = " ".join(str(replace(c, warnings=(), rows=())) for c in sheet.calls[index + 1 :]).lower()
            if needle not in later:
                sheet.warn(
                    "unused_approval",
                    f"Call {index + 1} lets {sheet.ctx.name(amount.to) or checksum(amount.to)} take "
                    f"{amount.symbol or 'tokens'}, and no later call of the batch uses that.",
                )
