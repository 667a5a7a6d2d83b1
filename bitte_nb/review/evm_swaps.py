"""Readers of swaps: Uniswap V2 and V3 routers, their multicall, and the Universal Router's command list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bitte_nb.review.abi import Malformed
from bitte_nb.review.address import checksum, is_burn, is_zero
from bitte_nb.review.amounts import display, human
from bitte_nb.review.evm_reading import Reading, native_amount
from bitte_nb.review.sheet import Sheet
from bitte_nb.review.times import deadline

__all__ = ["READERS"]

_SENTINELS = {1: "means you", 2: "means the router"}
"""What SwapRouter02 and the Universal Router read these addresses as."""

_FAIR_SHARE = 1_000
"""Basis points: a fee above a tenth of the output is no fee."""


def token_amount(r: Reading, sheet: Sheet, role: str, token: str, raw: int, label: str) -> str:
    return sheet.token_amount(role, r.token(token), token, raw, label=label)


def swap_recipient(r: Reading, sheet: Sheet, to: str, *, meanings: Mapping[int, str] = _SENTINELS) -> None:
    """Judge where the output goes; `meanings` are the small addresses that this router reads as words."""
    number = int(to, 16)
    sheet.account("recipient", "Output goes to", to, note=meanings.get(number, ""))
    if number in meanings or r.mine(to) or to.lower() == r.spec.to.lower():
        return
    sheet.warn("swap_recipient_not_me", f"What is bought goes to {r.called(to)}, not to you.")
    if is_zero(to):
        sheet.warn("zero_address", "The output goes to the zero address: it is lost.")
    elif is_burn(to):
        sheet.warn("burn_address", f"The output goes to {checksum(to)}, which belongs to nobody: it is lost.")
    else:
        sheet.lookalike(to)


def portion(r: Reading, sheet: Sheet, to: str, bips: int) -> None:
    """A share of the output that goes to a third party, in basis points."""
    sheet.account("portion.to", "Share goes to", to, note=f"{human(bips, 2)} % of the output")
    if bips > _FAIR_SHARE and int(to, 16) not in _SENTINELS and not r.mine(to):
        sheet.warn("swap_recipient_not_me", f"{human(bips, 2)} % of what is bought goes to {r.called(to)}, not to you.")
    if not is_zero(to):
        sheet.lookalike(to)


def _router_words(r: Reading, *, has_deadline: bool) -> Mapping[int, str]:
    """Functions with a deadline of their own are those of the first routers, which know no 0x1 and 0x2."""
    if not has_deadline:
        return _SENTINELS
    # The first V3 router keeps what goes to 0x0 for the next call of its multicall.
    return {0: "means the router"} if r.spec.path and r.known.function.name.startswith("exact") else {}


def minimum(sheet: Sheet, raw: int) -> None:
    if raw == 0:
        sheet.warn("no_slippage_limit", "No minimum is set: you may get nothing for what you give.")


def _swapped(r: Reading, given: str, got: str, *, exact_out: bool) -> None:
    r.kind = "swap"
    r.summary = f"Swap at most {given} for {got}" if exact_out else f"Swap {given} for at least {got}"


def v2_swap(r: Reading) -> None:
    """All swap functions of the V2 router, by the names of their arguments."""
    args, name, chain = r.args, r.known.function.name, r.spec.chain
    path = args["path"]
    exact_out = "amountOut" in args
    if len(path) < 2:
        r.sheet.warn("malformed_calldata", "The swap names fewer than two tokens; it would revert.")
        return
    if name.startswith(("swapExactETH", "swapETH")):
        given = f"{native_words(r)}"
    elif exact_out:
        given = token_amount(r, r.sheet, "max_out", path[0], args["amountInMax"], "You give at most")
    else:
        given = token_amount(r, r.sheet, "out", path[0], args["amountIn"], "You give")
    role, label = ("in", "You get") if exact_out else ("min_in", "You get at least")
    raw = args["amountOut"] if exact_out else args["amountOutMin"]
    if "ForETH" in name or "ForExactETH" in name:
        got = native_amount(r.sheet, role, chain, raw, label=label)
    else:
        got = token_amount(r, r.sheet, role, path[-1], raw, label)
    route(r, r.sheet, path)
    swap_recipient(r, r.sheet, args["to"], meanings=_router_words(r, has_deadline="deadline" in args))
    minimum(r.sheet, raw)
    if "deadline" in args:
        deadline(r.sheet, args["deadline"], row_id="deadline", label="Valid until", what="The swap")
    _swapped(r, given, got, exact_out=exact_out)


def native_words(r: Reading) -> str:
    """The native value of the call in words."""
    return display(r.spec.value, r.spec.chain.decimals, r.spec.chain.symbol)


def route(r: Reading, sheet: Sheet, path: list[str]) -> None:
    names = [(r.token(token).symbol if r.token(token) else checksum(token)) for token in path]  # pyright: ignore[reportOptionalMemberAccess]
    sheet.row("route", "Route", " → ".join(names), raw=" ".join(path))


def v2_add(r: Reading) -> None:
    """AddLiquidity and addLiquidityETH."""
    a = r.args
    pairs = [("tokenA", "amountADesired"), ("tokenB", "amountBDesired"), ("token", "amountTokenDesired")]
    for token, amount in pairs:
        if token in a:
            token_amount(r, r.sheet, "max_out", a[token], a[amount], "You give at most")
    _liquidity_end(r)
    r.summary = "Add liquidity to a pool"


def v2_remove(r: Reading) -> None:
    """RemoveLiquidity and removeLiquidityETH."""
    a = r.args
    for token, amount in [("tokenA", "amountAMin"), ("tokenB", "amountBMin"), ("token", "amountTokenMin")]:
        if token in a:
            token_amount(r, r.sheet, "min_in", a[token], a[amount], "You get at least")
    if "amountETHMin" in a:
        native_amount(r.sheet, "min_in", r.spec.chain, a["amountETHMin"], label="You get at least")
    _liquidity_end(r)
    r.summary = "Take liquidity out of a pool"


def _liquidity_end(r: Reading) -> None:
    r.kind = "liquidity"
    swap_recipient(r, r.sheet, r.args["to"], meanings={})
    if not any(v for k, v in r.args.items() if k.endswith("Min")):
        minimum(r.sheet, 0)
    deadline(r.sheet, r.args["deadline"], row_id="deadline", label="Valid until", what="The order")


def v3_path(path: bytes) -> list[str]:
    if len(path) < 43 or (len(path) - 20) % 23:
        raise Malformed("the packed path is not tokens and fees in turn")
    return [checksum("0x" + path[i : i + 20].hex()) for i in range(0, len(path), 23)]


def pool_fees(sheet: Sheet, fees: list[int]) -> None:
    """Pool fees in hundredths of a basis point."""
    sheet.row("pool_fee", "Pool fee", ", ".join(f"{human(fee, 4)} %" for fee in fees), raw=" ".join(map(str, fees)))


def path_fees(path: bytes) -> list[int]:
    return [int.from_bytes(path[i : i + 3], "big") for i in range(20, len(path), 23)]


def v3_swap(r: Reading) -> None:
    """exactInput(Single) and exactOutput(Single) of both V3 routers."""
    kind = r.known.function.inputs[0]
    p: dict[str, Any] = {c.name: v for c, v in zip(kind.components, r.values[0], strict=True)}
    exact_out = "amountOut" in p
    if "path" in p:
        try:
            tokens = v3_path(p["path"])
        except Malformed as error:
            r.sheet.warn("malformed_calldata", f"The swap cannot be read: {error}.")
            return
        tokens = tokens[::-1] if exact_out else tokens
        pool_fees(r.sheet, path_fees(p["path"]))
    else:
        tokens = [p["tokenIn"], p["tokenOut"]]
        pool_fees(r.sheet, [p["fee"]])
    paid = r.spec.value and (entry := r.token(tokens[0])) and entry.symbol == f"W{r.spec.chain.symbol}"
    if exact_out:
        given = token_amount(r, r.sheet, "max_out", tokens[0], p["amountInMaximum"], "You give at most")
        got = token_amount(r, r.sheet, "in", tokens[-1], p["amountOut"], "You get")
    else:
        given = native_words(r) if paid else token_amount(r, r.sheet, "out", tokens[0], p["amountIn"], "You give")
        got = token_amount(r, r.sheet, "min_in", tokens[-1], p["amountOutMinimum"], "You get at least")
        minimum(r.sheet, p["amountOutMinimum"])
    route(r, r.sheet, tokens)
    swap_recipient(r, r.sheet, p["recipient"], meanings=_router_words(r, has_deadline="deadline" in p))
    if "deadline" in p:
        deadline(r.sheet, p["deadline"], row_id="deadline", label="Valid until", what="The swap")
    _swapped(r, given, got, exact_out=exact_out)


def router_multicall(r: Reading) -> None:
    """multicall(bytes[]) runs calls of the router on itself, for the same sender."""
    if "deadline" in r.args:
        deadline(r.sheet, r.args["deadline"], row_id="deadline", label="Valid until", what="The batch")
    for data in r.args["data"]:
        r.nest(to=r.spec.to, value=0, data=data, sender=r.spec.sender, count_value=False)
    r.kind, r.summary = "multicall", f"Run {len(r.args['data'])} calls on {r.called(r.spec.to)}"


def router_payout(r: Reading) -> None:
    """unwrapWETH9 and sweepToken: the router hands out what it holds."""
    raw = r.args["amountMinimum"]
    if "token" in r.args:
        words = token_amount(r, r.sheet, "min_in", r.args["token"], raw, "You get at least")
    else:
        words = native_amount(r.sheet, "min_in", r.spec.chain, raw, label="You get at least")
    if "recipient" in r.args:
        swap_recipient(r, r.sheet, r.args["recipient"], meanings={})
    if "feeRecipient" in r.args:
        portion(r, r.sheet, r.args["feeRecipient"], r.args["feeBips"])
    r.summary = f"Pay out at least {words}"


READERS: dict[str, Callable[[Reading], None]] = {
    f.__name__: f for f in (v2_swap, v2_add, v2_remove, v3_swap, router_multicall, router_payout)
}
