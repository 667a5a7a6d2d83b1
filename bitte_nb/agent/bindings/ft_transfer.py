"""The transactions of `transfer-ft`: a NEAR token transfer (NEP-141) from a token's name and an amount in its own unit.

The reference's server looks up tokens and registrations; a notebook has no such service. So only well-known tokens are
taken, whose decimals are certain, and the receiver's registration (NEP-145) always goes first: a contract gives its
deposit back where the receiver is registered already.
"""

from __future__ import annotations

from typing import Any

from bitte_nb.errors import RequestRefused
from bitte_nb.review.amounts import parse_human
from bitte_nb.review.tokens import Token

__all__ = ["NEAR_TOKENS", "ft_transfer"]

_GAS = "15000000000000"
_REGISTRATION_GAS = "30000000000000"
_REGISTRATION = "1250000000000000000000"
"""yoctoNEAR that the storage of one account costs in the reference implementation of NEP-145."""

_MAINNET = """
wrap.near wNEAR 24
17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1 USDC 6
usdt.tether-token.near USDT 6
a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48.factory.bridge.near USDC.e 6
dac17f958d2ee523a2206206994597c13d831ec7.factory.bridge.near USDT.e 6
6b175474e89094c44da98b954eedeac495271d0f.factory.bridge.near DAI 18
2260fac5e5542a773aa44fbcfedf7c193bc2c599.factory.bridge.near WBTC 8
aurora ETH 18
token.v2.ref-finance.near REF 18
meta-pool.near STNEAR 24
linear-protocol.near LINEAR 24
"""
_TESTNET = """
wrap.testnet wNEAR 24
3e2210e1184b45b64c8a434c0a7e7b23cc04ea7eb7a6c3c32520d03d4afcb8af USDC 6
"""


def _tokens(lines: str) -> tuple[Token, ...]:
    rows = (line.split() for line in lines.splitlines() if line)
    return tuple(Token(address, symbol, int(decimals)) for address, symbol, decimals in rows)


_BY_NETWORK = {"mainnet": _tokens(_MAINNET), "testnet": _tokens(_TESTNET)}
NEAR_TOKENS = (*_BY_NETWORK["mainnet"], *_BY_NETWORK["testnet"])
"""Well-known NEP-141 tokens of both networks."""


def ft_transfer(args: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `generate-transaction` that carry the transfer out.

    Args:
        args: Checked arguments of `transfer-ft`: receiverId, tokenIdentifier, amount, and perhaps signerId and network.

    Raises:
        RequestRefused: the token is not known here, or the amount is none of it.
    """
    network = str(args.get("network", "mainnet"))
    token = _token(str(args["tokenIdentifier"]), network)
    written = str(args["amount"]).strip()
    # A comma may group thousands or begin the fraction, so nobody can say what it means.
    amount = None if "," in written else parse_human(written, token.decimals)
    if amount is None:
        raise RequestRefused(
            f"transfer-ft: amount {written[:40]!r} is not an amount of {token.symbol}: write digits and at most one "
            f"decimal point with up to {token.decimals} places, for example 12.5."
        )
    if amount == 0:
        raise RequestRefused("transfer-ft: amount is zero. Ask the person how much to transfer.")
    receiver = str(args["receiverId"])
    register = {"account_id": receiver, "registration_only": True}
    transfer = {"receiver_id": receiver, "amount": str(amount), "memo": None}
    return {
        "transactions": [
            _call(args, token, "storage_deposit", register, gas=_REGISTRATION_GAS, deposit=_REGISTRATION),
            _call(args, token, "ft_transfer", transfer, gas=_GAS, deposit="1"),
        ],
        "network": network,
    }


def _token(named: str, network: str) -> Token:
    wanted = named.strip().lstrip("$").lower()
    wanted = "wnear" if wanted == "near" else wanted  # as in the reference: NEAR itself is moved as wNEAR
    for token in _BY_NETWORK[network]:
        if wanted in (token.symbol.lower(), token.address):
            return token
    known = ", ".join(token.symbol for token in _BY_NETWORK[network])
    raise RequestRefused(
        f"Token {named!r} not found: on {network} this notebook knows {known}. For another token, its decimals must be "
        "known: use generate-transaction with the exact ft_transfer instead."
    )


def _call(
    args: dict[str, Any], token: Token, method: str, arguments: dict[str, Any], *, gas: str, deposit: str
) -> dict[str, Any]:
    params = {"methodName": method, "args": arguments, "gas": gas, "deposit": deposit}
    signer = {"signerId": args["signerId"]} if args.get("signerId") else {}
    return {**signer, "receiverId": token.address, "actions": [{"type": "FunctionCall", "params": params}]}
