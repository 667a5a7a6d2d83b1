"""Readers of well-known typed data: permits, Permit2, Safe, EIP-3009, Seaport, CoW orders and delegations."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from bitte_nb.review.address import checksum, is_evm, is_zero
from bitte_nb.review.amounts import is_unlimited
from bitte_nb.review.card import Amount, Chain
from bitte_nb.review.context import ReviewContext
from bitte_nb.review.eip712 import TypedMessage, integer
from bitte_nb.review.evm_calls import read_call
from bitte_nb.review.evm_nested import is_multisend, safe_refund
from bitte_nb.review.evm_reading import CallSpec, judge_allowance, judge_spender, native_amount, new_budget
from bitte_nb.review.sheet import Sheet
from bitte_nb.review.text import judge_text, readable
from bitte_nb.review.times import clock, deadline, utc

__all__ = ["Typed", "read_known"]


@dataclass
class Typed:
    """Typed data being read."""

    data: TypedMessage
    sheet: Sheet
    chain: Chain
    signer: str | None
    kind: str = "unknown_typed_data"
    summary: str = ""

    @property
    def ctx(self) -> ReviewContext:
        """The context of the review."""
        return self.sheet.ctx

    @property
    def message(self) -> Mapping[str, Any]:
        """The signed struct."""
        return self.data.message

    @property
    def contract(self) -> str | None:
        """domain.verifyingContract, if it is an address."""
        value = self.data.domain.get("verifyingContract")
        return value if is_evm(value) else None

    @property
    def chain_id(self) -> int | None:
        """domain.chainId as a number."""
        return int(self.chain.id) if self.chain.id else None

    def name(self, address: str) -> str:
        """A name for sentences."""
        return self.ctx.name(address) or checksum(address)

    def mine(self, address: str) -> bool:
        """True for own accounts and the signer."""
        return address.lower() in self.ctx.own or (self.signer is not None and address.lower() == self.signer.lower())

    def number(self, source: Mapping[str, Any], key: str) -> int:
        """A checked whole number of the message."""
        return integer(source[key], key)

    def amount(self, role: str, token: str, raw: int, *, label: str, to: str | None = None) -> str:
        """Add an amount of a token of this chain."""
        return self.sheet.token_amount(role, self.ctx.token(self.chain_id, token), token, raw, label=label, to=to)


def _owner(t: Typed, owner: str, label: str = "Owner") -> None:
    t.sheet.account("owner", label, owner)
    if t.signer is not None and owner.lower() != t.signer.lower():
        t.sheet.warn("owner_mismatch", f"The permit is for tokens of {t.name(owner)}, not of the account that signs.")


def _allow(t: Typed, token: str, spender: str, raw: int) -> str:
    words = t.amount("allowance", token, raw, label="May spend up to", to=spender)
    if raw:
        judge_allowance(t.sheet, t.ctx.token(t.chain_id, token), token, spender, raw, chain_id=t.chain_id)
    return words


def _permit(t: Typed) -> None:
    m, token = t.message, cast("str", t.contract)
    words = _allow(t, token, m["spender"], t.number(m, "value"))
    t.sheet.account("spender", "Spender", m["spender"])
    _owner(t, m["owner"])
    deadline(t.sheet, t.number(m, "deadline"), row_id="deadline", label="Valid until", what="The permit")
    t.kind, t.summary = "erc20_permit", f"Let {t.name(m['spender'])} spend {words}, by signature"


def _dai_permit(t: Typed) -> None:
    m, token = t.message, cast("str", t.contract)
    entry, spender = t.ctx.token(t.chain_id, token), m["spender"]
    symbol = entry.symbol if entry else "token"
    t.kind = "erc20_permit"
    t.sheet.account("spender", "Spender", spender)
    _owner(t, m["holder"])
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


def _details(value: Any) -> list[Mapping[str, Any]]:
    items = cast("list[Any]", value) if isinstance(value, list) else [value]
    return [cast("Mapping[str, Any]", item) for item in items]


def _permit2(t: Typed) -> None:
    m, spender = t.message, t.message["spender"]
    t.sheet.account("spender", "Spender", spender)
    words: list[str] = []
    for item in _details(m["details"]):
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
    for item in _details(m["permitted"]):
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
    _owner(t, m["from"], "Out of")
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


_NATIVE, _ERC20 = 0, 1


def _item(t: Typed, item: Mapping[str, Any], role: str, label: str) -> str:
    kind, raw = t.number(item, "itemType"), max(t.number(item, "startAmount"), t.number(item, "endAmount"))
    to = item.get("recipient")
    if role == "in":
        raw = min(t.number(item, "startAmount"), t.number(item, "endAmount"))
    if kind == _NATIVE:
        return native_amount(t.sheet, role, t.chain, raw, label=label, to=to)
    if kind == _ERC20:
        return t.amount(role, item["token"], raw, label=label, to=to)
    token_id = str(t.number(item, "identifierOrCriteria"))
    wide = kind in (4, 5)
    words = f"any NFT of {t.name(item['token'])} that fits" if wide else f"NFT {token_id} of {t.name(item['token'])}"
    t.sheet.amounts.append(Amount(role, checksum(item["token"]), str(raw), token_id=None if wide else token_id, to=to))
    t.sheet.row(f"amount.{role}", label, words, raw=token_id, kind="amount", note=checksum(item["token"]))
    return words


def _seaport(t: Typed) -> None:
    m = t.message
    t.kind = "nft_order"
    offerer = m["offerer"]
    _owner(t, offerer, "Offered by")
    offer = [_item(t, item, "out", "You give") for item in _details(m["offer"])]
    got: list[str] = []
    mine: dict[str, int] = {}
    others: dict[str, int] = {}
    consideration = _details(m["consideration"])
    for item in consideration:
        own = t.mine(item["recipient"]) or item["recipient"].lower() == offerer.lower()
        words = _item(t, item, "in" if own else "move", "You get" if own else f"{t.name(item['recipient'])} gets")
        if own:
            got.append(words)
        if t.number(item, "itemType") in (_NATIVE, _ERC20):
            table = mine if own else others
            key = item["token"].lower()
            table[key] = table.get(key, 0) + t.number(item, "endAmount")
    worth = any(min(t.number(i, "startAmount"), t.number(i, "endAmount")) for i in consideration)
    if not worth:
        t.sheet.warn("order_gives_nothing", "You give the items away: the order gives you nothing for them.")
    elif not got or any(others.get(key, 0) > raw for key, raw in mine.items()):
        receivers = ", ".join(t.name(i["recipient"]) for i in consideration if not t.mine(i["recipient"]))
        t.sheet.warn("order_proceeds_not_me", f"What is paid goes to {receivers}, not to you.")
    deadline(t.sheet, t.number(m, "endTime"), row_id="deadline", label="Valid until", what="The order")
    t.summary = f"Offer {', '.join(offer) or 'nothing'} for {', '.join(got) or 'nothing'}"


def _cow(t: Typed) -> None:
    m = t.message
    given = t.amount("out", m["sellToken"], t.number(m, "sellAmount"), label="You give")
    got = t.amount("min_in", m["buyToken"], t.number(m, "buyAmount"), label="You get at least", to=m["receiver"])
    t.sheet.account("recipient", "Output goes to", m["receiver"], note="means you" if is_zero(m["receiver"]) else "")
    if not is_zero(m["receiver"]) and not t.mine(m["receiver"]):
        t.sheet.warn("swap_recipient_not_me", f"What is bought goes to {t.name(m['receiver'])}, not to you.")
    if t.number(m, "buyAmount") == 0:
        t.sheet.warn("no_slippage_limit", "No minimum is set: you may get nothing for what you give.")
    deadline(t.sheet, t.number(m, "validTo"), row_id="deadline", label="Valid until", what="The order")
    t.kind, t.summary = "swap_order", f"Sell {given} for at least {got}"


def _delegation(t: Typed) -> None:
    m = t.message
    caveats = cast("list[Any]", m.get("caveats") or [])
    t.sheet.account("delegate", "Gets the power", m["delegate"])
    if is_evm(m.get("delegator")):
        _owner(t, m["delegator"], "Over the account")
    t.sheet.row("caveats", "Limits", f"{len(caveats)} caveats" if caveats else "none")
    limits = "within the listed limits, which cannot be read here" if caveats else "without any limit"
    t.sheet.warn("account_delegation", f"{t.name(m['delegate'])} may act as your account {limits}.")
    t.sheet.lookalike(m["delegate"])
    t.kind, t.summary = "delegation", f"Let {t.name(m['delegate'])} act as your account {limits}"


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
    ("OrderComponents", frozenset({"offerer", "offer", "consideration", "endTime"}), True, _seaport),
    (
        "Order",
        frozenset({"sellToken", "buyToken", "receiver", "sellAmount", "buyAmount", "validTo"}),
        True,
        _cow,
    ),
    ("Delegation", frozenset({"delegate", "authority", "caveats"}), False, _delegation),
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
