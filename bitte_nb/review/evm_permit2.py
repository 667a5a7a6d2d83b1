"""Readers of Permit2: allowances with an end, transfers and revocations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bitte_nb.review.address import checksum, is_zero
from bitte_nb.review.evm_reading import Reading
from bitte_nb.review.evm_tokens import allowance, moved
from bitte_nb.review.sheet import Sheet
from bitte_nb.review.times import deadline

__all__ = ["READERS", "allowance_end"]


def permit2_approve(r: Reading) -> None:
    """Permit2's own approve(token, spender, amount, expiration)."""
    allowance(r, r.args["token"], r.args["spender"], r.args["amount"], kind="permit2_approve", revoke="permit2_revoke")
    if r.args["amount"]:
        allowance_end(r.sheet, r.args["expiration"])


def allowance_end(sheet: Sheet, seconds: int) -> None:
    """When an allowance of Permit2 ends; 0 means with this block."""
    if seconds == 0:
        sheet.row("deadline", "Valid until", "only within the same block", raw="0", kind="time")
    else:
        deadline(sheet, seconds, row_id="deadline", label="Valid until", what="The allowance")


def permit2_transfer(r: Reading) -> None:
    """Permit2.transferFrom."""
    _permit2_move(r, r.args)


def permit2_transfer_batch(r: Reading) -> None:
    """Permit2.transferFrom of several."""
    for source, to, amount, token in r.args["transferDetails"]:
        _permit2_move(r, {"from": source, "to": to, "amount": amount, "token": token})
    r.summary = f"Move {len(r.args['transferDetails'])} amounts through Permit2"


def _permit2_move(r: Reading, args: dict[str, Any]) -> None:
    role = moved(r, args["from"], args["to"], args["amount"])
    words = r.sheet.token_amount(
        role, r.token(args["token"]), args["token"], args["amount"], label="Amount", to=args["to"]
    )
    r.sheet.account("arg.from", "Out of", args["from"])
    r.sheet.account("recipient", "Recipient", args["to"])
    if is_zero(args["to"]):
        r.sheet.warn("zero_address", "The recipient is the zero address: what is sent there is lost.")
    elif args["to"].lower() == args["token"].lower():
        r.sheet.warn("recipient_is_token_contract", "The recipient is the token contract itself: the tokens are lost.")
    elif args["to"].lower() == args["from"].lower():
        r.sheet.warn("self_transfer", "The recipient is the sending account itself.")
    else:
        r.sheet.lookalike(args["to"])
    r.kind, r.summary = "permit2_transfer", f"Send {words} to {r.called(args['to'])} through Permit2"


def permit2_permit(r: Reading) -> None:
    """Permit2.permit with one signed allowance."""
    details, spender, until = r.args["permitSingle"]
    _permit2_details(r, [details], spender, until)


def permit2_permit_batch(r: Reading) -> None:
    """Permit2.permit with several signed allowances."""
    details, spender, until = r.args["permitBatch"]
    _permit2_details(r, details, spender, until)


def _permit2_details(r: Reading, details: list[Any], spender: str, until: int) -> None:
    for token, amount, expiration, _nonce in details:
        allowance(r, token, spender, amount, kind="permit2", revoke="permit2")
        allowance_end(r.sheet, expiration)
    deadline(r.sheet, until, row_id="sig_deadline", label="Signature valid until", what="The signature")
    r.kind = "permit2"


def permit2_lockdown(r: Reading) -> None:
    """Permit2.lockdown takes allowances away."""
    for token, spender in r.args["approvals"]:
        entry = r.token(token)
        r.sheet.row("revoked", "Revoked", f"{entry.symbol if entry else checksum(token)} from {r.called(spender)}")
    r.kind, r.summary = "permit2_revoke", f"Revoke {len(r.args['approvals'])} Permit2 allowances"


def permit2_nonces(r: Reading) -> None:
    """Permit2.invalidateNonces voids signed allowances."""
    r.kind, r.summary = "permit2_revoke", f"Void the signed Permit2 allowances of {r.called(r.args['spender'])}"


READERS: dict[str, Callable[[Reading], None]] = {
    f.__name__: f
    for f in (
        permit2_approve,
        permit2_transfer,
        permit2_transfer_batch,
        permit2_permit,
        permit2_permit_batch,
        permit2_lockdown,
        permit2_nonces,
    )
}
