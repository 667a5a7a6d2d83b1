"""What a node can add to a review: code, balances, allowances, nonces, fees and a simulation, gathered before it.

The review itself stays a pure function. This step asks a JSON-RPC endpoint within a time limit and returns a richer
`ReviewContext`; whatever does not answer in time is left out, and the card says that it was not checked.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import replace
from typing import Any

import httpx

from bitte_nb.review.address import checksum, is_evm, short
from bitte_nb.review.amounts import BadAmount, parse_uint
from bitte_nb.review.card import Amount, Call, ReviewCard
from bitte_nb.review.context import ReviewContext
from bitte_nb.review.dispatch import review
from bitte_nb.review.shapes import table
from bitte_nb.review.simulation import simulate
from bitte_nb.review.tokens import Token

__all__ = ["Rpc", "gather", "http_rpc"]

Rpc = Callable[[str, list[Any]], Awaitable[Any]]
"""Sends one JSON-RPC request (method, params) and returns its result; raises on an error answer."""

_MAX_CODES = 16
_BALANCE_OF, _ALLOWANCE = "0x70a08231", "0xdd62ed3e"
_ASSET, _DECIMALS, _IMPLEMENTATION = "0x38d52e0f", "0x313ce567", "0x5c60da1b"
_TARGET = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"
_BEACON = "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50"
"""Where a proxy keeps the address of its code, or of the beacon that names it (EIP-1967)."""
_MINIMAL = re.compile(r"0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3")
"""The code of a minimal proxy (EIP-1167)."""
_DELEGATION = re.compile(r"0xef0100([0-9a-f]{40})")
"""The code of a plain account that runs another's (EIP-7702)."""


def http_rpc(url: str, client: httpx.AsyncClient) -> Rpc:
    """JSON-RPC 2.0 over HTTP; an error answer raises LookupError with the node's words and data."""

    async def send(method: str, params: list[Any]) -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = table((await client.post(url, json=body)).json())
        if "error" in answer:
            error = table(answer["error"])
            raise LookupError(str(error.get("message", "the node refused")), error.get("data"), error.get("code"))
        return answer.get("result")

    return send


async def gather(
    request: Any,
    context: ReviewContext | Mapping[str, Any] | None = None,
    *,
    rpc: Rpc,
    timeout: float = 4.0,  # noqa: ASYNC109 - the limit of all questions together, kept here on purpose
    cache: MutableMapping[tuple[Any, ...], Any] | None = None,
) -> ReviewContext:
    """The context with what the node knows about this request; only EVM transactions are asked about.

    Args:
        request: What will be reviewed.
        context: What is known already; it wins over the node.
        rpc: Asks the node. A node of another chain than the request's adds nothing.
        timeout: Seconds for all questions together.
        cache: Keeps the code of addresses between reviews.
    """
    ctx = ReviewContext.of(context)
    card = review(request, ctx)
    if (
        card.chain.namespace != "evm"
        or not card.chain.id
        or card.kind == "invalid"
        or card.facts["from"].kind != "address"
    ):
        return ctx
    found: dict[str, Any] = {}
    try:
        async with asyncio.timeout(timeout):
            if _number(await rpc("eth_chainId", [])) != int(card.chain.id):
                return ctx
            tasks = [_account(card, rpc, found), _codes(card, ctx, rpc, found, {} if cache is None else cache)]
            tasks += [
                _allowances(card, rpc, found),
                _vaults(card, ctx, rpc, found),
                simulate(request, card, ctx, rpc, found),
            ]
            await asyncio.gather(*(_quietly(task) for task in tasks))
    except (TimeoutError, LookupError, ValueError, httpx.HTTPError):
        pass  # what did not answer is said on the card to be unchecked
    return _merged(ctx, found)


async def _quietly(task: Awaitable[None]) -> None:
    """One group of questions; a node that fails it does not end the others."""
    try:
        await task
    except (LookupError, ValueError, httpx.HTTPError):
        return


def _merged(ctx: ReviewContext, found: Mapping[str, Any]) -> ReviewContext:
    fresh = {name: value for name, value in found.items() if value is not None and getattr(ctx, name) is None}
    return replace(
        ctx,
        **fresh,
        contracts=ctx.contracts | found.get("contracts", frozenset()),
        eoas=ctx.eoas | found.get("eoas", frozenset()),
        implementations={**found.get("implementations", {}), **ctx.implementations},
        delegated={**found.get("delegated", {}), **ctx.delegated},
        vaults={**found.get("vaults", {}), **ctx.vaults},
        tokens=(*ctx.tokens, *found.get("tokens", ())),
    )


def _number(value: Any) -> int | None:
    try:
        return parse_uint(value)
    except BadAmount:
        return None


async def _ask(rpc: Rpc, method: str, params: list[Any]) -> Any:
    try:
        return await rpc(method, params)
    except (LookupError, ValueError, httpx.HTTPError):
        return None


async def _account(card: ReviewCard, rpc: Rpc, found: dict[str, Any]) -> None:
    """Balance, nonces and base fee of the sending account."""
    sender = card.facts["from"].value
    balance, latest, pending, block = await asyncio.gather(
        _ask(rpc, "eth_getBalance", [sender, "latest"]),
        _ask(rpc, "eth_getTransactionCount", [sender, "latest"]),
        _ask(rpc, "eth_getTransactionCount", [sender, "pending"]),
        _ask(rpc, "eth_getBlockByNumber", ["latest", False]),
    )
    found["balance"], found["nonce"], found["pending_nonce"] = _number(balance), _number(latest), _number(pending)
    found["base_fee"] = _number(table(block).get("baseFeePerGas"))


def _addresses(card: ReviewCard) -> list[str]:
    found: dict[str, None] = {}

    def visit(part: ReviewCard | Call) -> None:
        for row in part.rows:
            if row.kind == "address" and is_evm(row.value):
                found.setdefault(row.value.lower())
        for call in part.calls:
            visit(call)

    visit(card)
    return list(found)


async def _codes(
    card: ReviewCard, ctx: ReviewContext, rpc: Rpc, found: dict[str, Any], cache: MutableMapping[tuple[Any, ...], Any]
) -> None:
    """Which of the addresses on the card are contracts and which are plain accounts."""
    unknown = [a for a in _addresses(card) if a not in ctx.contracts | ctx.eoas | ctx.own][:_MAX_CODES]

    async def code(address: str) -> tuple[str, Any]:
        key = (card.chain.id, "code", address)
        if key in cache:
            return address, cache[key]
        answer = await _ask(rpc, "eth_getCode", [checksum(address), "latest"])
        if isinstance(answer, str) and len(answer) > 2:  # an account without code may get some
            cache[key] = answer
        return address, answer

    answers = await asyncio.gather(*(code(address) for address in unknown))
    codes = {a: c.lower() for a, c in answers if isinstance(c, str)}
    # A plain account that runs the code of another (EIP-7702) is no contract: its key still rules it.
    delegated = {a: "0x" + match[1] for a, c in codes.items() if (match := _DELEGATION.fullmatch(c))}
    contracts = {a for a, c in codes.items() if len(c) > 2 and not c.startswith("0xef0100")}
    found["eoas"], found["contracts"] = frozenset(a for a, c in codes.items() if c == "0x"), frozenset(contracts)
    found["delegated"] = delegated
    called = [a for a in _called(card) if a in contracts | ctx.contracts and a not in ctx.implementations]
    targets = await asyncio.gather(*(_implementation(rpc, a, codes.get(a, "")) for a in called[:_MAX_CODES]))
    found["implementations"] = {a: target for a, target in zip(called, targets, strict=False) if target}


def _called(card: ReviewCard, kind: str = "") -> list[str]:
    """The addresses that get data, in lower case; of `kind`, only those whose call is of it."""
    first = card.facts["to"].value.lower()
    found = [first] if card.selector and kind in ("", card.kind) else []
    todo = list(card.calls)
    while todo:
        call = todo.pop()
        todo += call.calls
        if call.to and call.selector and kind in ("", call.kind):
            found.append(call.to.lower())
    return list(dict.fromkeys(found))


async def _implementation(rpc: Rpc, address: str, code: str) -> str | None:
    """The address whose code a contract runs for every call: a minimal proxy's, or that in the slots of EIP-1967."""
    minimal = _MINIMAL.match(code)
    if minimal is not None:
        return "0x" + minimal[1]
    target, beacon = await asyncio.gather(
        *(_ask(rpc, "eth_getStorageAt", [checksum(address), slot, "latest"]) for slot in (_TARGET, _BEACON))
    )
    if (found := _address(target)) is not None:
        return found
    if (at := _address(beacon)) is not None:
        return _address(await _ask(rpc, "eth_call", [{"to": checksum(at), "data": _IMPLEMENTATION}, "latest"]))
    return None


def _address(word: Any) -> str | None:
    """The address in a word of 32 bytes; None for zero or anything else."""
    match = re.fullmatch(r"0x0{24}([0-9a-f]{40})", word.lower()) if isinstance(word, str) else None
    return None if match is None or not int(match[1], 16) else "0x" + match[1]


async def _vaults(card: ReviewCard, ctx: ReviewContext, rpc: Rpc, found: dict[str, Any]) -> None:
    """What the vaults that are called hold, and the decimals of those tokens that nobody told."""
    chain = int(card.chain.id)
    vaults = [a for a in _called(card, "vault") if a not in ctx.vaults][:4]
    said = await asyncio.gather(
        *(_ask(rpc, "eth_call", [{"to": checksum(a), "data": _ASSET}, "latest"]) for a in vaults)
    )
    found["vaults"] = {a: asset for a, one in zip(vaults, said, strict=True) if (asset := _address(one)) is not None}
    wanted = dict.fromkeys((*found["vaults"], *found["vaults"].values()))
    wanted |= dict.fromkeys(one.token.lower() for one in card.amounts if one.decimals is None and is_evm(one.token))
    unknown = [a for a in wanted if ctx.token(chain, a) is None][:8]
    told = await asyncio.gather(
        *(_ask(rpc, "eth_call", [{"to": checksum(a), "data": _DECIMALS}, "latest"]) for a in unknown)
    )
    found["tokens"] = tuple(
        Token(checksum(a), short(checksum(a)), int(one, 16), chain, claimed=True)
        for a, one in zip(unknown, told, strict=True)
        if isinstance(one, str) and re.fullmatch(r"0x0{62}[0-9a-fA-F]{2}", one) and int(one, 16) <= 77
    )


def _word(address: str) -> str:
    return address[2:].lower().rjust(64, "0")


async def _allowances(card: ReviewCard, rpc: Rpc, found: dict[str, Any]) -> None:
    """Balance and present allowance of each token that the request lets somebody spend."""
    owner = card.facts["from"].value
    wanted = {a.token.lower(): a for a in card.amounts if _is_allowance(a)}

    async def read(token: str, data: str) -> int | None:
        answer = await _ask(rpc, "eth_call", [{"to": checksum(token), "data": data}, "latest"])
        return int(answer, 16) if isinstance(answer, str) and len(answer) == 66 else None

    balances: dict[str, int] = {}
    allowances: dict[str, int] = {}
    for token, amount in list(wanted.items())[:8]:
        balance, allowed = await asyncio.gather(
            read(token, _BALANCE_OF + _word(owner)),
            read(token, _ALLOWANCE + _word(owner) + _word(str(amount.to))),
        )
        if balance is not None:
            balances[token] = balance
        if allowed is not None:
            allowances[token] = allowed
    found["token_balance"], found["allowance"] = balances or None, allowances or None


def _is_allowance(amount: Amount) -> bool:
    return amount.role == "allowance" and amount.token_id is None and is_evm(amount.token) and is_evm(amount.to)
