"""Readers of swaps: Uniswap V2 and V3 routers, their multicall, and the Universal Router's command list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from bitte_nb.review.abi import AbiType, Malformed, TooLarge, decode, parse_types, plain_value
from bitte_nb.review.address import checksum
from bitte_nb.review.amounts import display, human
from bitte_nb.review.card import Call
from bitte_nb.review.evm_reading import Reading, judge_allowance, native_amount
from bitte_nb.review.rules import worst
from bitte_nb.review.sheet import Sheet, merge_warnings
from bitte_nb.review.times import deadline

__all__ = ["READERS"]

_SENTINELS = {1, 2}
"""Routers read 0x1 as the sender and 0x2 as themselves."""


def _token_amount(r: Reading, sheet: Sheet, role: str, token: str, raw: int, label: str) -> str:
    return sheet.token_amount(role, r.token(token), token, raw, label=label)


def _recipient(r: Reading, sheet: Sheet, to: str) -> None:
    number = int(to, 16)
    sheet.account("recipient", "Output goes to", to, note={1: "means you", 2: "means the router"}.get(number, ""))
    inner = bool(r.spec.path) and number == 0  # a V3 router inside a multicall keeps the output for the next call
    if number in _SENTINELS or inner or r.mine(to) or to.lower() == r.spec.to.lower():
        return
    sheet.warn("swap_recipient_not_me", f"What is bought goes to {r.called(to)}, not to you.")
    sheet.lookalike(to)


def _minimum(sheet: Sheet, raw: int) -> None:
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
        given = _token_amount(r, r.sheet, "max_out", path[0], args["amountInMax"], "You give at most")
    else:
        given = _token_amount(r, r.sheet, "out", path[0], args["amountIn"], "You give")
    role, label = ("in", "You get") if exact_out else ("min_in", "You get at least")
    raw = args["amountOut"] if exact_out else args["amountOutMin"]
    if "ForETH" in name or "ForExactETH" in name:
        got = native_amount(r.sheet, role, chain, raw, label=label)
    else:
        got = _token_amount(r, r.sheet, role, path[-1], raw, label)
    _route(r, r.sheet, path)
    _recipient(r, r.sheet, args["to"])
    _minimum(r.sheet, raw)
    if "deadline" in args:
        deadline(r.sheet, args["deadline"], row_id="deadline", label="Valid until", what="The swap")
    _swapped(r, given, got, exact_out=exact_out)


def native_words(r: Reading) -> str:
    """The native value of the call in words."""
    return display(r.spec.value, r.spec.chain.decimals, r.spec.chain.symbol)


def _route(r: Reading, sheet: Sheet, path: list[str]) -> None:
    names = [(r.token(token).symbol if r.token(token) else checksum(token)) for token in path]  # pyright: ignore[reportOptionalMemberAccess]
    sheet.row("route", "Route", " → ".join(names), raw=" ".join(path))


def v2_add(r: Reading) -> None:
    """AddLiquidity and addLiquidityETH."""
    a = r.args
    pairs = [("tokenA", "amountADesired"), ("tokenB", "amountBDesired"), ("token", "amountTokenDesired")]
    for token, amount in pairs:
        if token in a:
            _token_amount(r, r.sheet, "max_out", a[token], a[amount], "You give at most")
    _liquidity_end(r)
    r.summary = "Add liquidity to a pool"


def v2_remove(r: Reading) -> None:
    """RemoveLiquidity and removeLiquidityETH."""
    a = r.args
    for token, amount in [("tokenA", "amountAMin"), ("tokenB", "amountBMin"), ("token", "amountTokenMin")]:
        if token in a:
            _token_amount(r, r.sheet, "min_in", a[token], a[amount], "You get at least")
    if "amountETHMin" in a:
        native_amount(r.sheet, "min_in", r.spec.chain, a["amountETHMin"], label="You get at least")
    _liquidity_end(r)
    r.summary = "Take liquidity out of a pool"


def _liquidity_end(r: Reading) -> None:
    r.kind = "liquidity"
    _recipient(r, r.sheet, r.args["to"])
    if not any(v for k, v in r.args.items() if k.endswith("Min")):
        _minimum(r.sheet, 0)
    deadline(r.sheet, r.args["deadline"], row_id="deadline", label="Valid until", what="The order")


def _v3_path(path: bytes) -> list[str]:
    if len(path) < 43 or (len(path) - 20) % 23:
        raise Malformed("the packed path is not tokens and fees in turn")
    return [checksum("0x" + path[i : i + 20].hex()) for i in range(0, len(path), 23)]


def _fees(sheet: Sheet, fees: list[int]) -> None:
    """Pool fees in hundredths of a basis point."""
    sheet.row("pool_fee", "Pool fee", ", ".join(f"{human(fee, 4)} %" for fee in fees), raw=" ".join(map(str, fees)))


def _path_fees(path: bytes) -> list[int]:
    return [int.from_bytes(path[i : i + 3], "big") for i in range(20, len(path), 23)]


def v3_swap(r: Reading) -> None:
    """exactInput(Single) and exactOutput(Single) of both V3 routers."""
    kind = r.known.function.inputs[0]
    p: dict[str, Any] = {c.name: v for c, v in zip(kind.components, r.values[0], strict=True)}
    exact_out = "amountOut" in p
    if "path" in p:
        try:
            tokens = _v3_path(p["path"])
        except Malformed as error:
            r.sheet.warn("malformed_calldata", f"The swap cannot be read: {error}.")
            return
        tokens = tokens[::-1] if exact_out else tokens
        _fees(r.sheet, _path_fees(p["path"]))
    else:
        tokens = [p["tokenIn"], p["tokenOut"]]
        _fees(r.sheet, [p["fee"]])
    paid = r.spec.value and (entry := r.token(tokens[0])) and entry.symbol == f"W{r.spec.chain.symbol}"
    if exact_out:
        given = _token_amount(r, r.sheet, "max_out", tokens[0], p["amountInMaximum"], "You give at most")
        got = _token_amount(r, r.sheet, "in", tokens[-1], p["amountOut"], "You get")
    else:
        given = native_words(r) if paid else _token_amount(r, r.sheet, "out", tokens[0], p["amountIn"], "You give")
        got = _token_amount(r, r.sheet, "min_in", tokens[-1], p["amountOutMinimum"], "You get at least")
        _minimum(r.sheet, p["amountOutMinimum"])
    _route(r, r.sheet, tokens)
    _recipient(r, r.sheet, p["recipient"])
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
        words = _token_amount(r, r.sheet, "min_in", r.args["token"], raw, "You get at least")
    else:
        words = native_amount(r.sheet, "min_in", r.spec.chain, raw, label="You get at least")
    if "recipient" in r.args:
        _recipient(r, r.sheet, r.args["recipient"])
    r.summary = f"Pay out at least {words}"


_PERMIT_DETAILS = "(address token,uint160 amount,uint48 expiration,uint48 nonce)"
_COMMANDS: dict[int, tuple[str, str]] = {
    0x00: ("V3_SWAP_EXACT_IN", "address recipient,uint256 amountIn,uint256 amountOutMin,bytes path,bool payerIsUser"),
    0x01: ("V3_SWAP_EXACT_OUT", "address recipient,uint256 amountOut,uint256 amountInMax,bytes path,bool payerIsUser"),
    0x02: ("PERMIT2_TRANSFER_FROM", "address token,address recipient,uint160 amount"),
    0x03: (
        "PERMIT2_PERMIT_BATCH",
        f"({_PERMIT_DETAILS}[] details,address spender,uint256 sigDeadline) permit,bytes signature",
    ),
    0x04: ("SWEEP", "address token,address recipient,uint256 amountMin"),
    0x05: ("TRANSFER", "address token,address recipient,uint256 value"),
    0x06: ("PAY_PORTION", "address token,address recipient,uint256 bips"),
    0x08: (
        "V2_SWAP_EXACT_IN",
        "address recipient,uint256 amountIn,uint256 amountOutMin,address[] path,bool payerIsUser",
    ),
    0x09: (
        "V2_SWAP_EXACT_OUT",
        "address recipient,uint256 amountOut,uint256 amountInMax,address[] path,bool payerIsUser",
    ),
    0x0A: ("PERMIT2_PERMIT", f"({_PERMIT_DETAILS} details,address spender,uint256 sigDeadline) permit,bytes signature"),
    0x0B: ("WRAP_ETH", "address recipient,uint256 amount"),
    0x0C: ("UNWRAP_WETH", "address recipient,uint256 amountMin"),
    0x0D: ("PERMIT2_TRANSFER_FROM_BATCH", "(address from,address to,uint160 amount,address token)[] details"),
    0x0E: ("BALANCE_CHECK_ERC20", "address owner,address token,uint256 minBalance"),
}
"""Universal Router commands that are read; others are shown as blind."""


def universal_router(r: Reading) -> None:
    """execute(commands, inputs, deadline): one byte a command, one input each."""
    commands, inputs = r.args["commands"], r.args["inputs"]
    r.kind = "swap"
    if len(commands) != len(inputs):
        r.sheet.warn(
            "malformed_calldata", f"{len(commands)} commands have {len(inputs)} inputs; the call would revert."
        )
        return
    paid_later = any((c & 0x3F) in (0x04, 0x0C) and _last_word(i) > 0 for c, i in zip(commands, inputs, strict=True))
    summaries: list[str] = []
    for index, (command, data) in enumerate(zip(commands, inputs, strict=True)):
        sheet = Sheet(r.ctx, path=f"{r.spec.path}.calls[{index}]".lstrip("."))
        name, words, values, types = _command(r, sheet, command & 0x3F, data, paid_later=paid_later)
        if words:
            summaries.append(words)
        if command & 0x80:
            sheet.row("may_fail", "May fail", "the rest goes on if this part fails")
        r.sheet.unchecked += sheet.unchecked
        merged = merge_warnings(sheet.warnings)
        r.sheet.calls.append(
            Call(
                kind="router_command",
                title=name,
                to=checksum(r.spec.to),
                function=name,
                selector=f"0x{command:02x}",
                args=tuple(plain_value(v) for v in values),
                arg_names=tuple(t.name for t in types),
                path=sheet.path,
                rows=tuple(sheet.rows),
                warnings=merged,
                amounts=tuple(sheet.amounts),
                severity=worst([w.severity for w in merged]),
            )
        )
    if "deadline" in r.args:
        deadline(r.sheet, r.args["deadline"], row_id="deadline", label="Valid until", what="The swap")
    r.summary = "; ".join(summaries) or f"Run {len(commands)} commands on {r.called(r.spec.to)}"


def _last_word(data: bytes) -> int:
    return int.from_bytes(data[64:96], "big") if len(data) >= 96 else int.from_bytes(data[32:64], "big")


def _command(
    r: Reading, sheet: Sheet, command: int, data: bytes, *, paid_later: bool
) -> tuple[str, str, list[Any], tuple[AbiType, ...]]:
    name, text = _COMMANDS.get(command, ("", ""))
    if not name:
        sheet.warn("blind_call", f"Command 0x{command:02x} of the router cannot be read here.")
        sheet.row("data", "Data", "0x" + data.hex(), kind="code")
        return f"command 0x{command:02x}", "", [], ()
    types = parse_types(text)
    try:
        values, _ = decode(types, data, nodes=r.budget[0])
    except (Malformed, TooLarge) as error:
        sheet.warn("malformed_calldata", f"The input of {name} does not fit: {error}.")
        return name, "", [], types
    r.budget[0] -= len(values)
    args = {t.name: v for t, v in zip(types, values, strict=True)}
    return name, _explain(r, sheet, name, args, paid_later=paid_later), values, types


def _explain(r: Reading, sheet: Sheet, name: str, a: dict[str, Any], *, paid_later: bool) -> str:
    chain = r.spec.chain
    if "SWAP" in name:
        try:
            path = _v3_path(a["path"]) if isinstance(a["path"], bytes) else a["path"]
        except Malformed as error:
            sheet.warn("malformed_calldata", f"The swap cannot be read: {error}.")
            return ""
        exact_out = "amountOut" in a
        if len(path) < 2:
            sheet.warn("malformed_calldata", "The swap names fewer than two tokens.")
            return ""
        path = path[::-1] if exact_out and name.startswith("V3") else path
        given = ""
        if a["payerIsUser"]:
            role, raw = ("max_out", a["amountInMax"]) if exact_out else ("out", a["amountIn"])
            given = _token_amount(r, sheet, role, path[0], raw, "You give")
        role, raw = ("in", a["amountOut"]) if exact_out else ("min_in", a["amountOutMin"])
        got = ""
        if raw or not paid_later:
            got = _token_amount(r, sheet, role, path[-1], raw, "You get" if exact_out else "You get at least")
            if not exact_out:
                _minimum(sheet, raw)
        _route(r, sheet, path)
        if isinstance(a["path"], bytes):
            _fees(sheet, _path_fees(a["path"]))
        _recipient(r, sheet, a["recipient"])
        return f"Swap {given or 'what the router holds'} for at least {got}" if got else ""
    if name in ("WRAP_ETH", "UNWRAP_WETH"):
        if name == "WRAP_ETH":
            whole = a["amount"] >= 2**255  # the router's word for all that it holds
            words = "all it holds" if whole else display(a["amount"], chain.decimals, chain.symbol)
            sheet.row("amount", "Amount", words, raw=str(a["amount"]), kind="amount", symbol=chain.symbol)
        if name == "UNWRAP_WETH":
            native_amount(sheet, "min_in", chain, a["amountMin"], label="You get at least")
            _recipient(r, sheet, a["recipient"])
        return ""
    if name in ("SWEEP", "TRANSFER", "PERMIT2_TRANSFER_FROM"):
        raw: int = next(a[key] for key in ("amountMin", "value", "amount") if key in a)
        native = int(a["token"], 16) == 0
        role = {"SWEEP": "min_in", "TRANSFER": "move"}.get(name, "out")
        if native:
            native_amount(sheet, role, chain, raw, label="Amount")
        else:
            _token_amount(r, sheet, role, a["token"], raw, "Amount")
        _recipient(r, sheet, a["recipient"])
        return ""
    if name.startswith("PERMIT2_PERMIT"):
        details, spender, until = a["permit"]
        allowances = cast("list[Any]", details if isinstance(details, list) else [details])
        for token, amount, expiration, _nonce in allowances:
            sheet.token_amount("allowance", r.token(token), token, amount, label="May spend up to", to=spender)
            judge_allowance(sheet, r.token(token), token, spender, amount, chain_id=r.spec.chain_id)
            deadline(sheet, expiration, row_id="deadline", label="Valid until", what="The allowance")
        deadline(sheet, until, row_id="sig_deadline", label="Signature valid until", what="The signature")
        return ""
    for key, value in a.items():
        sheet.row(f"arg.{key}", key, str(plain_value(value)))
    if "recipient" in a:
        sheet.account("recipient", "Goes to", a["recipient"], note="a share of the output")
    return ""


READERS: dict[str, Callable[[Reading], None]] = {
    f.__name__: f for f in (v2_swap, v2_add, v2_remove, v3_swap, router_multicall, router_payout, universal_router)
}
