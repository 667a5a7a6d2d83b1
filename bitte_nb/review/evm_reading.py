"""One EVM call being read: what it is, what was decoded, and how a reader goes on to the calls inside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bitte_nb.review.abi import MAX_NODES
from bitte_nb.review.abi_table import Known
from bitte_nb.review.address import checksum, is_evm
from bitte_nb.review.amounts import display, human, is_unlimited
from bitte_nb.review.card import Amount, Call
from bitte_nb.review.chains import Chain
from bitte_nb.review.context import ReviewContext
from bitte_nb.review.sheet import Sheet
from bitte_nb.review.tokens import Token

__all__ = ["MAX_CALL_DEPTH", "CallSpec", "Reading", "judge_allowance", "native_amount"]

MAX_CALL_DEPTH = 5
"""Calls inside calls; deeper ones are shown undecoded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSpec:
    """A call to read; addresses are 0x hex of any case."""

    to: str
    value: int
    data: bytes
    sender: str | None
    chain: Chain
    path: str = ""
    source: str = ""
    """Where the data stands: a byte range of the outer call's data, or a path in the request."""
    depth: int = 0
    operation: str = "call"
    count_value: bool = True
    """Whether `value` leaves the person's account and belongs in the amounts (not inside a router that was paid)."""

    @property
    def chain_id(self) -> int | None:
        """The chain as a number."""
        return int(self.chain.id) if self.chain.id else None


@dataclass
class Reading:
    """What a reader of one function works with; it sets kind and summary and fills the sheet."""

    spec: CallSpec
    sheet: Sheet
    known: Known
    args: dict[str, Any]
    values: list[Any]
    descend: Callable[[CallSpec], Call]
    budget: list[int]
    kind: str = "contract_call"
    title: str = ""
    summary: str = ""
    arg_names: tuple[str, ...] | None = None
    """Set where the contract gives the parameters other names (an NFT's `tokenId`)."""
    confirmed: bool | None = None
    """Whether the contract is of the kind that the function was guessed to belong to, where its reader can tell."""
    placed: int = 4
    """Where the last part that was looked for ends in the data."""
    read: set[tuple[str, int, bytes]] = field(default_factory=set[tuple[str, int, bytes]])
    """The calls inside that were read: callee, value, data."""

    @property
    def ctx(self) -> ReviewContext:
        """The context of the review."""
        return self.sheet.ctx

    def token(self, address: str) -> Token | None:
        """The token at that address on this call's chain."""
        return self.ctx.token(self.spec.chain_id, address)

    def mine(self, address: str) -> bool:
        """True for own accounts and the account that this call is made from."""
        key = address.lower()
        return key in self.ctx.own or (self.spec.sender is not None and key == self.spec.sender.lower())

    def recipient(self, address: str, *, token: str | None = None) -> None:
        """Judge where something goes."""
        self.sheet.recipient(address, sender=self.spec.sender, chain_id=self.spec.chain_id, token=token)

    def called(self, address: str) -> str:
        """A name for sentences: the person's or the contract's, else the whole address."""
        return self.ctx.name(address) or (checksum(address) if is_evm(address) else address)

    def place(self, data: bytes) -> str:
        """Where the bytes stand in this call's data; empty for none."""
        if not data:
            return ""
        # Parts are read in their order, so equal ones stand one after the other.
        at = self.spec.data.find(data, self.placed)
        at = at if at >= 0 else self.spec.data.find(data)
        if at < 0:
            return ""
        self.placed = at + len(data)
        return f"data[{at}:{self.placed}]"

    def inside(self, spec: CallSpec) -> Call:
        """Read a nested call and keep it."""
        call = self.descend(spec)
        self.sheet.calls.append(call)
        return call

    def nest(
        self, *, to: str, value: int, data: bytes, sender: str | None, operation: str = "call", count_value: bool
    ) -> Call:
        """Read the next call inside this one."""
        self.read.add((to.lower(), value, data))
        path = f"{self.spec.path}.calls[{len(self.sheet.calls)}]".lstrip(".")
        return self.inside(
            CallSpec(
                to=to,
                value=value,
                data=data,
                sender=sender,
                chain=self.spec.chain,
                path=path,
                source=self.place(data),
                depth=self.spec.depth + 1,
                operation=operation,
                count_value=count_value,
            )
        )


def new_budget() -> list[int]:
    """Decoded values left for a whole request."""
    return [MAX_NODES]


def native_amount(
    sheet: Sheet, role: str, chain: Chain, raw: int, *, label: str, source: str = "", to: str | None = None
) -> str:
    """Add an amount of the chain's own coin and its row; returns it in words."""
    words = display(raw, chain.decimals, chain.symbol)
    sheet.amounts.append(
        Amount(role, "native", str(raw), human(raw, chain.decimals), chain.symbol, chain.decimals, to=to)
    )
    row_id = "value" if role == "value" else f"amount.{role}"
    sheet.row(row_id, label, words, raw=str(raw), kind="amount", symbol=chain.symbol, source=source)
    return words


def judge_allowance(
    sheet: Sheet, token: Token | None, address: str, spender: str, raw: int, *, chain_id: int | None
) -> None:
    """The warnings of letting `spender` move up to `raw` units of a token."""
    ctx = sheet.ctx
    name = token.symbol if token else "this token"
    who = ctx.name(spender) or checksum(spender)
    if is_unlimited(raw):
        sheet.warn("approve_unlimited", f"{who} may take all your {name}, now and later: the allowance is unlimited.")
    else:
        held = ctx.holds(token, address)
        if held is not None and raw > held:
            sheet.warn("approve_exceeds_balance", f"The allowance is more {name} than you have.")
        elif held is None:
            sheet.skip("Your token balance was not checked: no node was asked.")
    judge_spender(sheet, spender)
    present = ctx.allows(token, address)
    if present and raw and token is not None and token.symbol.upper().startswith("USDT"):
        sheet.warn(
            "approve_nonzero_to_nonzero",
            f"{name} refuses to change an allowance that is not zero: set it to 0 first, or the call reverts.",
        )


def judge_spender(sheet: Sheet, spender: str) -> None:
    """Warn if the one who gets power over tokens is a plain account or imitates a known address."""
    ctx, key = sheet.ctx, spender.lower()
    if key in ctx.delegated:
        sheet.warn(
            "approve_to_eoa",
            f"{ctx.name(spender) or checksum(spender)} is an account with a key, though it runs the code of "
            f"{checksum(ctx.delegated[key])}: whoever holds the key can take the tokens.",
        )
    elif key in ctx.eoas or (key in ctx.own and key not in ctx.contracts):
        sheet.warn(
            "approve_to_eoa",
            f"{ctx.name(spender) or checksum(spender)} is a plain account, not a contract: "
            "whoever holds its key can take the tokens.",
        )
    elif key not in ctx.contracts and not ctx.name(spender):
        sheet.skip(f"Whether the spender {checksum(spender)} is a contract was not checked: no node was asked.")
    sheet.lookalike(spender)
