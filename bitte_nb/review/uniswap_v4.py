"""Uniswap V4 inside the Universal Router: one byte an action, its parameters beside it.

The numbers and shapes are those of `Actions.sol` and `IV4Router.sol` of v4-periphery. Swaps only move what is owed
inside the pool manager; SETTLE is where the person pays and TAKE is where the person is paid, so these set the amounts.
"""

from __future__ import annotations

from typing import Any, cast

from bitte_nb.review.abi import Malformed, decode
from bitte_nb.review.abi_types import TooLarge, parse_types
from bitte_nb.review.address import checksum, is_zero
from bitte_nb.review.amounts import display, human
from bitte_nb.review.evm_reading import Reading, native_amount
from bitte_nb.review.evm_swaps import minimum, pool_fees, portion, swap_recipient, token_amount
from bitte_nb.review.sheet import Sheet

__all__ = ["v4_swap"]

_KEY = "(address currency0,address currency1,uint24 fee,int24 tickSpacing,address hooks) poolKey"
_HOPS = "(address currency,uint24 fee,int24 tickSpacing,address hooks,bytes hookData)[] path"
_ACTIONS: dict[int, tuple[str, str]] = {
    0x06: (
        "SWAP_EXACT_IN_SINGLE",
        f"({_KEY},bool zeroForOne,uint128 amountIn,uint128 amountOutMinimum,bytes hookData) swap",
    ),
    0x07: ("SWAP_EXACT_IN", f"(address currencyIn,{_HOPS},uint128 amountIn,uint128 amountOutMinimum) swap"),
    0x08: (
        "SWAP_EXACT_OUT_SINGLE",
        f"({_KEY},bool zeroForOne,uint128 amountOut,uint128 amountInMaximum,bytes hookData) swap",
    ),
    0x09: ("SWAP_EXACT_OUT", f"(address currencyOut,{_HOPS},uint128 amountOut,uint128 amountInMaximum) swap"),
    0x0B: ("SETTLE", "address currency,uint256 amount,bool payerIsUser"),
    0x0C: ("SETTLE_ALL", "address currency,uint256 maxAmount"),
    0x0E: ("TAKE", "address currency,address recipient,uint256 amount"),
    0x0F: ("TAKE_ALL", "address currency,uint256 minAmount"),
    0x10: ("TAKE_PORTION", "address currency,address recipient,uint256 bips"),
    0x14: ("SWEEP", "address currency,address recipient"),
    0x15: ("WRAP", "uint256 amount"),
    0x16: ("UNWRAP", "uint256 amount"),
}
"""Actions that are read; others are shown as blind."""
_OPEN, _HELD = 0, 2**255
"""As an amount: all that is owed (`ActionConstants.OPEN_DELTA`), and all that the router holds."""


def v4_swap(r: Reading, sheet: Sheet, actions: bytes, params: list[bytes], *, later: frozenset[str]) -> str:
    """Fill the sheet with what the actions do; returns the swap in words, or nothing where there is none.

    `later` names what later commands of the router pay out at least an amount of, which then is the minimum.
    """
    if len(actions) != len(params):
        sheet.warn("malformed_calldata", f"{len(actions)} actions have {len(params)} parameters; it would revert.")
        return ""
    plan = _Plan(r, sheet)
    for code, data in zip(actions, params, strict=True):
        name, text = _ACTIONS.get(code, ("", ""))
        if not name:
            sheet.warn("blind_call", f"Action 0x{code:02x} of the pool manager cannot be read here.")
            sheet.row("data", f"Action 0x{code:02x}", "0x" + data.hex(), kind="code")
            continue
        types = parse_types(text)
        try:
            values, _ = decode(types, data, nodes=r.budget[0])
        except (Malformed, TooLarge) as error:
            sheet.warn("malformed_calldata", f"The parameters of {name} do not fit: {error}.")
            continue
        r.budget[0] -= len(values)
        if name.startswith("SWAP"):
            plan.swap({part.name: value for part, value in zip(types[0].components, values[0], strict=True)})
        else:
            plan.move(name, {t.name: v for t, v in zip(types, values, strict=True)})
    if plan.swapped and not plan.bounded and not plan.kept & later:
        minimum(sheet, 0)
    return f"Swap {plan.given or 'what the router holds'} for {plan.got}" if plan.got else ""


class _Plan:
    """What the actions so far mean for the person."""

    def __init__(self, r: Reading, sheet: Sheet) -> None:
        self.r, self.sheet = r, sheet
        self.given, self.got = "", ""
        self.swapped = self.bounded = False
        self.kept: set[str] = set()
        """Tokens that the router takes for itself, to be handed out by a later command."""
        self.owed: dict[str, tuple[str, int]] = {}
        """Role and amount that a swap asks for or gives, by token: what SETTLE and TAKE of "all" come down to."""

    def swap(self, swap: dict[str, Any]) -> None:
        """A swap inside the pool manager."""
        exact_out = "amountOut" in swap
        if "poolKey" in swap:
            first, second, fee, _spacing, hooks = cast("tuple[str, str, int, int, str]", swap["poolKey"])
            tokens = [first, second] if swap["zeroForOne"] else [second, first]
            fees, hooked = [fee], [hooks]
        else:
            hops = cast("list[tuple[str, int, int, str, bytes]]", swap["path"])
            around = [hop[0] for hop in hops]
            tokens = [*around, swap["currencyOut"]] if exact_out else [swap["currencyIn"], *around]
            fees, hooked = [hop[1] for hop in hops], [hop[3] for hop in hops]
        if len(tokens) < 2:
            self.sheet.warn("malformed_calldata", "The swap names fewer than two tokens; it would revert.")
            return
        names = [self._name(token) for token in tokens]
        self.sheet.row("route", "Route", " → ".join(names), raw=" ".join(tokens))
        pool_fees(self.sheet, fees)
        for hooks in dict.fromkeys(hooked):
            if not is_zero(hooks):
                self.sheet.account("hooks", "Pool runs code of", hooks, note="a hook can change what the swap gives")
        self.swapped = True
        self.bounded = self.bounded or exact_out or swap["amountOutMinimum"] > 0
        ends = (
            (tokens[0], "max_out", swap["amountInMaximum"]) if exact_out else (tokens[0], "out", swap["amountIn"]),
            (tokens[-1], "in", swap["amountOut"]) if exact_out else (tokens[-1], "min_in", swap["amountOutMinimum"]),
        )
        for token, role, raw in ends:
            if raw != _OPEN:  # what comes from the swap before it is already known
                self.owed[token.lower()] = (role, raw)

    def move(self, name: str, a: dict[str, Any]) -> None:
        """An action that pays, takes or hands out."""
        match name:
            case "SETTLE" | "SETTLE_ALL":
                self._settle(a["currency"], a.get("maxAmount", a.get("amount", 0)), user=a.get("payerIsUser", True))
            case "TAKE" | "TAKE_ALL":
                if "recipient" in a:
                    swap_recipient(self.r, self.sheet, a["recipient"])
                    self._keep(a["currency"], a["recipient"])
                self._take(a["currency"], a.get("minAmount", a.get("amount", 0)))
            case "TAKE_PORTION":
                share = f"{human(a['bips'], 2)} % of {self._name(a['currency'])}"
                self.sheet.row("portion", "Share taken", share, raw=str(a["bips"]))
                portion(self.r, self.sheet, a["recipient"], a["bips"])
            case "SWEEP":
                swap_recipient(self.r, self.sheet, a["recipient"])
                self.sheet.row("sweep", "Paid out", f"all {self._name(a['currency'])} that is left", raw=a["currency"])
            case _:
                self.sheet.row("amount", name.capitalize(), str(a["amount"]), note="base units")

    def _keep(self, token: str, recipient: str) -> None:
        if int(recipient, 16) == 2 or recipient.lower() == self.r.spec.to.lower():
            known = self.r.token(token)
            wrapped = known is not None and known.symbol == f"W{self.r.spec.chain.symbol}"
            self.kept |= {token.lower(), "wrapped"} if wrapped else {token.lower()}

    def _settle(self, token: str, raw: int, *, user: bool) -> None:
        if not user or raw == _HELD:
            self.sheet.row("settle", "Paid by", "what the router holds", raw=str(raw))
            return
        role, known = self.owed.get(token.lower(), ("max_out", _OPEN))
        raw = raw if raw != _OPEN else known
        if raw == _OPEN:
            self.sheet.row("settle", "You give", f"all {self._name(token)} that the swap asks for", raw=token)
            self.given = self.given or f"some {self._name(token)}"
            return
        role = role if role in ("out", "max_out") and raw == known else "max_out"
        label = "You give" if role == "out" else "You give at most"
        if is_zero(token):  # it comes out of the value of the transaction, which the card counts already
            words = display(raw, self.r.spec.chain.decimals, self.r.spec.chain.symbol)
            self.sheet.row("settle", label, words, raw=str(raw), kind="amount", note="from the value of the call")
        else:
            words = token_amount(self.r, self.sheet, role, token, raw, label)
        self.given = self.given or (words if role == "out" else f"at most {words}")

    def _take(self, token: str, raw: int) -> None:
        role, known = self.owed.get(token.lower(), ("min_in", _OPEN))
        raw = raw if raw != _OPEN else known
        role = role if role in ("in", "min_in") and raw == known else "min_in"
        self.bounded = self.bounded or raw > 0
        label = "You get" if role == "in" else "You get at least"
        if is_zero(token):
            words = native_amount(self.sheet, role, self.r.spec.chain, raw, label=label)
        else:
            words = token_amount(self.r, self.sheet, role, token, raw, label)
        self.got = self.got or (words if role == "in" else f"at least {words}")

    def _name(self, token: str) -> str:
        known = self.r.token(token)
        return self.r.spec.chain.symbol if is_zero(token) else known.symbol if known else checksum(token)
