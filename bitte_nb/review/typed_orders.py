"""Readers of signed orders and delegations: Seaport, CoW, ERC-7710."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from bitte_nb.review.address import checksum, is_evm, is_zero
from bitte_nb.review.card import Amount
from bitte_nb.review.evm_reading import native_amount
from bitte_nb.review.times import deadline
from bitte_nb.review.typed import Typed, details, owner

__all__ = ["cow", "delegation", "seaport"]


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


def seaport(t: Typed) -> None:
    """A Seaport order: what is offered, what comes back and to whom."""
    m = t.message
    t.kind = "nft_order"
    offerer = m["offerer"]
    owner(t, offerer, "Offered by")
    offer = [_item(t, item, "out", "You give") for item in details(m["offer"])]
    got: list[str] = []
    mine: dict[str, int] = {}
    others: dict[str, int] = {}
    consideration = details(m["consideration"])
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


def cow(t: Typed) -> None:
    """A CoW Protocol order: what is sold, what is bought at least and who gets it."""
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


def delegation(t: Typed) -> None:
    """An ERC-7710 delegation: another account may act as yours."""
    m = t.message
    caveats = cast("list[Any]", m.get("caveats") or [])
    t.sheet.account("delegate", "Gets the power", m["delegate"])
    if is_evm(m.get("delegator")):
        owner(t, m["delegator"], "Over the account")
    t.sheet.row("caveats", "Limits", f"{len(caveats)} caveats" if caveats else "none")
    limits = "within the listed limits, which cannot be read here" if caveats else "without any limit"
    t.sheet.warn("account_delegation", f"{t.name(m['delegate'])} may act as your account {limits}.")
    t.sheet.lookalike(m["delegate"])
    t.kind, t.summary = "delegation", f"Let {t.name(m['delegate'])} act as your account {limits}"
