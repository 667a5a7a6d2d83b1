"""Readers of lending pools in the manner of Aave: an asset goes in or comes out, for oneself or for another."""

from __future__ import annotations

from collections.abc import Callable

from bitte_nb.review.evm_reading import Reading

__all__ = ["READERS"]

_ALL = 2**256 - 1
"""The pool's word for the whole balance or debt."""

_WORDS = {
    "supply": ("out", "You supply", "Supply"),
    "repay": ("out", "You repay", "Repay"),
    "withdraw": ("in", "You withdraw", "Withdraw"),
    "borrow": ("in", "You borrow", "Borrow"),
}


def lending(r: Reading) -> None:
    """supply, withdraw, borrow and repay with (asset, amount, ...)."""
    role, label, verb = _WORDS[r.known.function.name]
    asset, raw = r.args["asset"], r.args["amount"]
    token = r.token(asset)
    if raw == _ALL:
        words = f"all {token.symbol if token else 'of the asset'}"
        r.sheet.row(f"amount.{role}", label, words, raw=str(raw), kind="amount", note=asset)
    else:
        words = r.sheet.token_amount(role, token, asset, raw, label=label)
    other = r.args.get("onBehalfOf", r.args.get("to"))
    whose = ""
    if other is not None:
        r.sheet.account("recipient", "For the account", other)
        if not r.mine(other):
            whose = f" for {r.called(other)}"
            if r.known.function.name in ("withdraw", "supply"):
                r.sheet.warn("swap_recipient_not_me", f"What comes of it belongs to {r.called(other)}, not to you.")
            r.sheet.lookalike(other)
    r.kind, r.summary = "lending", f"{verb} {words}{whose}"


READERS: dict[str, Callable[[Reading], None]] = {"lending": lending}
