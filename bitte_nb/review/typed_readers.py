"""Readers of well-known typed data: permits, Permit2, Safe, EIP-3009, Seaport, CoW orders and delegations."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast

from bitte_nb.review.address import checksum
from bitte_nb.review.amounts import is_unlimited
from bitte_nb.review.card import Amount
from bitte_nb.review.evm_calls import read_call
from bitte_nb.review.evm_nested import is_multisend, safe_refund
from bitte_nb.review.evm_reading import CallSpec, judge_allowance, judge_spender, new_budget
from bitte_nb.review.text import judge_text, readable
from bitte_nb.review.times import clock, deadline, utc
from bitte_nb.review.typed import Typed, details, owner
from bitte_nb.review.typed_orders import cow, delegation, seaport

__all__ = ["read_known"]


def _allow(t: Typed, token: str, spender: str, raw: int) -> str:
    words = t.amount("allowance", token, raw, label="May spend up to", to=spender)
    if raw:
        judge_allowance(t.sheet, t.ctx.token(t.chain_id, token), token, spender, raw, chain_id=t.chain_id)
    return words


def _permit(t: Typed) -> None:
    m, token = t.message, cast("str", t.contract)
    words = _allow(t, token, m["spender"], t.number(m, "value"))
    t.sheet.account("spender", "Spender", m["spender"])
    owner(t, m["owner"])
    deadline(t.sheet, t.number(m, "deadline"), row_id="deadline", label="Valid until", what="The permit")
    t.kind, t.summary = "erc20_permit", f"Let {t.name(m['spender'])} spend {words}, by signature"


def _dai_permit(t: Typed) -> None:
    m, token = t.message, cast("str", t.contract)
    entry, spender = t.ctx.token(t.chain_id, token), m["spender"]
    symbol = entry.symbol if entry else "token"
    t.kind = "erc20_permit"
    t.sheet.account("spender", "Spender", spender)
    owner(t, m["holder"])
    if not m["allowed"]:
        t.amount("allowance", token, 0, label="May spend up to", to=spender)
        t.summary = f"Revoke the {symbol} allowance of {t.name(spender)}, by signature"
        return
    if entry is None:
        t.sheet.warn("unknown_token", f"The token {checksum(token)} is not known here.")
    t.sheet.amounts.append(
        Amount(
            "allowance",
            checksum(token),
            None,
            "unlimited",
            entry.symbol if entry else None,
            entry.decimals if entry else None,
            to=spender,
        )
    )
    t.sheet.row("amount.allowance", "May spend", f"unlimited {symbol}", kind="amount", note=checksum(token))
    t.sheet.warn(
        "approve_unlimited", f"{t.name(spender)} may take all your {symbol}: this kind of permit has no amount."
    )
    judge_spender(t.sheet, spender)
    deadline(t.sheet, t.number(m, "expiry"), row_id="deadline", label="Valid until", what="The permit", open_end=True)
    t.summary = f"Let {t.name(spender)} spend unlimited {symbol}, by signature"


def _nft_permit(t: Typed) -> None:
    m, collection = t.message, checksum(cast("str", t.contract))
    token_id = str(t.number(m, "tokenId"))
    t.sheet.amounts.append(Amount("allowance", collection, token_id=token_id, to=m["spender"]))
    t.sheet.row("amount.allowance", "NFT", f"NFT {token_id} of {t.name(collection)}", raw=token_id, kind="amount")
    t.sheet.account("spender", "Who may move it", m["spender"])
    judge_spender(t.sheet, m["spender"])
    deadline(t.sheet, t.number(m, "deadline"), row_id="deadline", label="Valid until", what="The permit")
    t.kind, t.summary = "nft_permit", f"Let {t.name(m['spender'])} move NFT {token_id}, by signature"


def _permit2(t: Typed) -> None:
    m, spender = t.message, t.message["spender"]
    t.sheet.account("spender", "Spender", spender)
    words: list[str] = []
    for item in details(m["details"]):
        words.append(_allow(t, item["token"], spender, t.number(item, "amount")))
        until = t.number(item, "expiration")
        if until:
            deadline(t.sheet, until, row_id="deadline", label="Allowance valid until", what="The allowance")
        else:
            t.sheet.row("deadline", "Allowance valid until", "only within the same block", raw="0", kind="time")
    deadline(
        t.sheet, t.number(m, "sigDeadline"), row_id="sig_deadline", label="Signature valid until", what="The signature"
    )
    t.kind, t.summary = (
        "permit2",
        f"Let {t.name(spender)} spend {', '.join(words) or 'nothing'} through Permit2, by signature",
    )


def _permit2_transfer(t: Typed) -> None:
    m, spender = t.message, t.message["spender"]
    t.sheet.account("spender", "Who may take it", spender)
    words: list[str] = []
    for item in details(m["permitted"]):
        raw = t.number(item, "amount")
        words.append(t.amount("out", item["token"], raw, label="May take once, up to", to=spender))
        if is_unlimited(raw):
            t.sheet.warn("approve_unlimited", f"{t.name(spender)} may take all of the token: the amount is unlimited.")
    judge_spender(t.sheet, spender)
    deadline(t.sheet, t.number(m, "deadline"), row_id="deadline", label="Valid until", what="The permission")
    t.kind, t.summary = (
        "permit2_transfer",
        f"Let {t.name(spender)} take {', '.join(words) or 'nothing'} once, by signature",
    )


def _erc3009(t: Typed) -> None:
    m, token = t.message, cast("str", t.contract)
    words = t.amount("out", token, t.number(m, "value"), label="Amount", to=m["to"])
    t.sheet.account("recipient", "Recipient", m["to"])
    owner(t, m["from"], "Out of")
    t.sheet.recipient(m["to"], sender=m["from"], chain_id=t.chain_id, token=token)
    after = t.number(m, "validAfter")
    t.sheet.row("valid_after", "Valid from", utc(after), raw=str(after), kind="time", note=clock(after))
    deadline(t.sheet, t.number(m, "validBefore"), row_id="deadline", label="Valid until", what="The authorization")
    if t.number(m, "value") == 0:
        t.sheet.warn("noop_transfer", "The amount is zero: nothing moves.")
    t.kind, t.summary = "erc3009_transfer", f"Send {words} to {t.name(m['to'])}, by signature"


def _safe_tx(t: Typed) -> None:
    m, operation = t.message, t.number(t.message, "operation")
    t.kind = "safe_tx"
    safe = cast("str", t.contract)
    t.sheet.account("safe", "Safe", safe)
    data = bytes.fromhex(m["data"][2:])
    name = {0: "call", 1: "delegatecall"}.get(operation)
    if name is None:
        t.sheet.warn(
            "malformed_calldata", f"Operation {operation} does not exist: a Safe knows 0 (call) and 1 (delegatecall)."
        )
        return
    if operation == 1 and not is_multisend(t.ctx.labels, m["to"]):
        t.sheet.warn(
            "delegatecall",
            f"{t.name(m['to'])} would run as the Safe itself (delegatecall): it can change owners and take everything.",
        )
    spec = CallSpec(
        to=m["to"],
        value=t.number(m, "value"),
        data=data,
        sender=safe,
        chain=t.chain,
        path="calls[0]",
        source="message.data",
        depth=1,
        operation=name,
    )
    call = read_call(spec, t.ctx, new_budget(), t.sheet.unchecked)
    t.sheet.calls.append(call)
    safe_refund(
        t.sheet, gas_price=t.number(m, "gasPrice"), gas_token=m["gasToken"], refund_receiver=m["refundReceiver"]
    )
    t.sheet.row("safe.nonce", "Safe nonce", str(t.number(m, "nonce")))
    t.summary = f"The Safe {t.name(safe)} does: {call.title}"


def _safe_message(t: Typed) -> None:
    data = bytes.fromhex(t.message["message"][2:])
    text = readable(data)
    t.kind, t.summary = "safe_message", "Sign a message as the Safe"
    if text is None and len(data) == 32:
        t.sheet.warn(
            "looks_like_hash", "The message is 32 opaque bytes, like a hash: nobody can tell what they approve."
        )
    elif text is None:
        t.sheet.warn("not_text", f"The message is {len(data)} bytes that are not readable text.")
    else:
        t.sheet.row("message.text", "Message", text, kind="message")
        judge_text(t.sheet, text)


def _cancel(t: Typed) -> None:
    t.kind, t.summary = "erc3009_cancel", "Void a signed transfer authorization"


# primary type pattern, fields that must be there, whether the domain must name a contract, reader
_KNOWN: tuple[tuple[str, frozenset[str], bool, Callable[[Typed], None]], ...] = (
    ("Permit", frozenset({"owner", "spender", "value", "deadline"}), True, _permit),
    ("Permit", frozenset({"holder", "spender", "expiry", "allowed"}), True, _dai_permit),
    ("Permit", frozenset({"spender", "tokenId", "deadline"}), True, _nft_permit),
    ("PermitSingle|PermitBatch", frozenset({"details", "spender", "sigDeadline"}), True, _permit2),
    (
        "Permit(?:Batch)?(?:Witness)?TransferFrom",
        frozenset({"permitted", "spender", "deadline"}),
        True,
        _permit2_transfer,
    ),
    (
        "TransferWithAuthorization|ReceiveWithAuthorization",
        frozenset({"from", "to", "value", "validAfter", "validBefore"}),
        True,
        _erc3009,
    ),
    ("CancelAuthorization", frozenset({"authorizer", "nonce"}), True, _cancel),
    (
        "SafeTx",
        frozenset({"to", "value", "data", "operation", "gasPrice", "gasToken", "refundReceiver", "nonce"}),
        True,
        _safe_tx,
    ),
    ("SafeMessage", frozenset({"message"}), True, _safe_message),
    ("OrderComponents", frozenset({"offerer", "offer", "consideration", "endTime"}), True, seaport),
    (
        "Order",
        frozenset({"sellToken", "buyToken", "receiver", "sellAmount", "buyAmount", "validTo"}),
        True,
        cow,
    ),
    ("Delegation", frozenset({"delegate", "authority", "caveats"}), False, delegation),
)


def read_known(t: Typed) -> bool:
    """Explain typed data that one of the readers knows; False if none does."""
    fields = {name for name, _ in t.data.types[t.data.primary]}
    for pattern, needed, contract, reader in _KNOWN:
        if not re.fullmatch(pattern, t.data.primary) or not needed <= fields or (contract and t.contract is None):
            continue
        try:
            reader(t)
        except (KeyError, TypeError, ValueError, AttributeError):
            # The name is that of a known type, the fields are not: it is shown as unknown.
            t.kind, t.summary = "unknown_typed_data", ""
            return False
        return True
    return False
