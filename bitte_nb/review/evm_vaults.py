"""Readers of tokenised vaults (ERC-4626): assets go in for shares, shares come back for assets."""

from __future__ import annotations

from collections.abc import Callable

from bitte_nb.review.address import checksum
from bitte_nb.review.amounts import display
from bitte_nb.review.evm_reading import Reading

__all__ = ["READERS"]

_WORDS = {
    "deposit": ("out", "You deposit", "assets", "Deposit"),
    "mint": ("in", "You get", "shares", "Mint"),
    "withdraw": ("in", "You get", "assets", "Withdraw"),
    "redeem": ("out", "You give back", "shares", "Redeem"),
}


def vault(r: Reading) -> None:
    """deposit, mint, withdraw and redeem: the amount exactly, in its own unit where that is known."""
    role, label, what, verb = _WORDS[r.known.function.name]
    asset = r.ctx.vaults.get(r.spec.to.lower())
    # Whatever answers asset() is a vault by its own word; else the function is only guessed, whoever is called.
    r.confirmed = asset is not None
    raw, address = r.args[what], asset if what == "assets" else r.spec.to
    token = r.token(address) if address is not None else None
    if address is not None and (r.confirmed or token is not None):
        words = r.sheet.token_amount(role, token, address, raw, label=label)
    else:
        words = f"{raw} base units of the vault's {what}"
        note = "decimals unknown: which token it is was not asked of a node"
        r.sheet.row(f"amount.{role}", label, words, raw=str(raw), kind="amount", note=note)
    if asset is not None:
        r.sheet.account("asset", "Asset of the vault", asset)
    receiver, owner = r.args["receiver"], r.args.get("owner")
    r.sheet.account("recipient", "For the account", receiver)
    whose = ""
    if not r.mine(receiver):
        whose = f" for {r.called(receiver)}"
        r.sheet.warn("swap_recipient_not_me", f"What comes of it belongs to {r.called(receiver)}, not to you.")
        r.sheet.lookalike(receiver)
    if owner is not None and not r.mine(owner):
        r.sheet.account("owner", "Out of the shares of", owner)
    if r.spec.value:
        whose += f" with {display(r.spec.value, r.spec.chain.decimals, r.spec.chain.symbol)}"
    r.kind, r.summary = "vault", f"{verb} {words}{whose} on {r.ctx.name(r.spec.to) or checksum(r.spec.to)}"


READERS: dict[str, Callable[[Reading], None]] = {"vault": vault}
