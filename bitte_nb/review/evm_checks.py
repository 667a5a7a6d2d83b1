"""The checks of an EVM transaction object: chain, sender, amounts, payload, fee and nonce."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bitte_nb.review.address import checksum, checksum_fails, is_evm
from bitte_nb.review.amounts import BadAmount, display, parse_uint
from bitte_nb.review.card import Chain
from bitte_nb.review.chains import evm_chain
from bitte_nb.review.sheet import Sheet

__all__ = [
    "Checked",
    "chain_row",
    "check",
    "evm_chain_id",
    "judge_fee",
    "judge_nonce",
    "parse_chain_id",
    "read_chain",
    "read_sender",
]


_HEX = re.compile(r"0x(?:[0-9a-fA-F]{2})*")


_FEE_WARNING = 5 * 10**16
"""A fee above 0.05 ETH is pointed out."""


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
    if chain_id == 0:
        sheet.warn("bad_value", "Chain 0 is no chain: what is signed for it would be valid on every one.")
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


class Checked:
    """The usable parts of a transaction object; `bad` says that it cannot be sent as it stands."""

    def __init__(self) -> None:
        self.to: str | None = None
        self.value = 0
        self.data = b""
        self.bad = False


def check(tx: Mapping[str, Any], sheet: Sheet, *, what: str = "transaction") -> Checked:
    """The usable parts of a transaction object; warnings about the others go to the sheet."""
    found = Checked()
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


def read_sender(tx: Mapping[str, Any], sheet: Sheet) -> str | None:
    """The row of the sender, compared with the connected account; returns who is taken to send."""
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


def judge_fee(tx: Mapping[str, Any], sheet: Sheet, chain: Chain, found: Checked) -> None:
    """The row of the fee and what may be wrong with it: fields, gas, size, balance."""
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
        present = sheet.ctx.base_fee
        note = "no node was asked" if present is None else f"at present {display(present, 9, 'gwei')} per gas"
        sheet.row("fee", "Network fee", ", ".join([*parts, "not stated: the wallet sets it"]), note=note)
    else:
        words = display(worst_fee, chain.decimals, chain.symbol)
        sheet.row(
            "fee", "Max network fee", words, raw=str(worst_fee), kind="amount", symbol=chain.symbol,
            note=f"gas limit {gas}, at most {display(per_gas or 0, 9, 'gwei')} per gas", source="gas",
        )  # fmt: skip
        plain_transfer = not found.data and found.value
        base = sheet.ctx.base_fee
        if (
            (worst_fee > _FEE_WARNING and chain.symbol in ("ETH", "native"))
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


def judge_nonce(tx: Mapping[str, Any], sheet: Sheet) -> None:
    """The row of the nonce, compared with the account where a node was asked."""
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


def evm_chain_id(value: object) -> int | None:
    """The id, or None where it is not one."""
    try:
        return parse_chain_id(value)
    except BadAmount:
        return None
