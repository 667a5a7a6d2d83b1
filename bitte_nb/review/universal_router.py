"""The Universal Router: one byte a command, one packed input each, read like the swaps they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from bitte_nb.review.abi import Malformed, decode, plain_value
from bitte_nb.review.abi_types import AbiType, TooLarge, parse_types
from bitte_nb.review.address import checksum
from bitte_nb.review.amounts import display
from bitte_nb.review.card import Call
from bitte_nb.review.evm_permit2 import allowance_end
from bitte_nb.review.evm_reading import MAX_CALL_DEPTH, Reading, judge_allowance, native_amount
from bitte_nb.review.evm_swaps import (
    minimum,
    path_fees,
    pool_fees,
    portion,
    route,
    swap_recipient,
    token_amount,
    v3_path,
)
from bitte_nb.review.evm_tokens import moved
from bitte_nb.review.rules import worst
from bitte_nb.review.sheet import Sheet, merge_warnings
from bitte_nb.review.times import deadline
from bitte_nb.review.uniswap_v4 import v4_swap

__all__ = ["READERS"]


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
    0x10: ("V4_SWAP", "bytes actions,bytes[] params"),
    0x21: ("EXECUTE_SUB_PLAN", "bytes commands,bytes[] inputs"),
    0x0E: ("BALANCE_CHECK_ERC20", "address owner,address token,uint256 minBalance"),
}
"""Universal Router commands that are read; others are shown as blind."""


def universal_router(r: Reading) -> None:
    """execute(commands, inputs, deadline): one byte a command, one input each."""
    summaries = _plan(r, r.sheet, r.args["commands"], r.args["inputs"])
    if summaries is None:
        return
    r.kind = "swap"
    if "deadline" in r.args:
        deadline(r.sheet, r.args["deadline"], row_id="deadline", label="Valid until", what="The swap")
    r.summary = "; ".join(summaries) or f"Run {len(r.args['commands'])} commands on {r.called(r.spec.to)}"


def _plan(r: Reading, sheet: Sheet, commands: bytes, inputs: list[bytes]) -> list[str] | None:
    """Put each command on the sheet as a call; returns them in words, or None where they do not fit together."""
    if len(commands) != len(inputs):
        sheet.warn("malformed_calldata", f"{len(commands)} commands have {len(inputs)} inputs; the call would revert.")
        return None
    summaries: list[str] = []
    for index, (command, data) in enumerate(zip(commands, inputs, strict=True)):
        part = Sheet(r.ctx, path=f"{sheet.path}.calls[{index}]".lstrip("."))
        later = _paid_out(commands[index + 1 :], inputs[index + 1 :])
        name, words, values, types = _command(r, part, command & 0x3F, data, later=later)
        if words:
            summaries.append(words)
        if command & 0x80:
            part.row("may_fail", "May fail", "the rest goes on if this part fails")
        sheet.unchecked += part.unchecked
        merged = merge_warnings(part.warnings, [w for call in part.calls for w in call.warnings])
        sheet.calls.append(
            Call(
                kind="router_command",
                title=name,
                to=checksum(r.spec.to),
                function=name,
                selector=f"0x{command:02x}",
                args=tuple(plain_value(v) for v in values),
                arg_names=tuple(t.name for t in types),
                path=part.path,
                source=r.place(data),
                rows=tuple(part.rows),
                warnings=merged,
                amounts=(*part.amounts, *(a for call in part.calls for a in call.amounts)),
                calls=tuple(part.calls),
                severity=worst([w.severity for w in merged]),
            )
        )
    return summaries


def _paid_out(commands: bytes, inputs: list[bytes]) -> frozenset[str]:
    """What these commands pay out at least an amount of: token addresses in lower case, and "wrapped" for WETH."""
    found: set[str] = set()
    for command, data in zip(commands, inputs, strict=True):
        if command & 0x80:  # it may fail, so it promises nothing
            continue
        if command & 0x3F == 0x04 and int.from_bytes(data[64:96], "big"):
            found.add("0x" + data[12:32].hex())
        elif command & 0x3F == 0x0C and int.from_bytes(data[32:64], "big"):
            found.add("wrapped")
    return frozenset(found)


def _bounded_later(r: Reading, token: str, recipient: str, later: frozenset[str]) -> bool:
    """True if the router keeps what is bought and a later command pays out at least an amount of it."""
    if int(recipient, 16) != 2 and recipient.lower() != r.spec.to.lower():
        return False
    known = r.token(token)
    wrapped = known is not None and known.symbol == f"W{r.spec.chain.symbol}"
    return token.lower() in later or (wrapped and "wrapped" in later)


def _command(
    r: Reading, sheet: Sheet, command: int, data: bytes, *, later: frozenset[str]
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
    return name, _explain(r, sheet, name, args, later=later), values, types


def _explain(r: Reading, sheet: Sheet, name: str, a: dict[str, Any], *, later: frozenset[str]) -> str:
    chain = r.spec.chain
    if name == "V4_SWAP":
        return v4_swap(r, sheet, a["actions"], a["params"], later=later)
    if name == "EXECUTE_SUB_PLAN":
        if sheet.path.count("calls[") > MAX_CALL_DEPTH:
            sheet.warn("blind_call", f"It lies more than {MAX_CALL_DEPTH} plans deep and is not read.")
            return ""
        return "; ".join(_plan(r, sheet, a["commands"], a["inputs"]) or [])
    if "SWAP" in name:
        try:
            path = v3_path(a["path"]) if isinstance(a["path"], bytes) else a["path"]
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
            given = token_amount(r, sheet, role, path[0], raw, "You give")
        role, raw = ("in", a["amountOut"]) if exact_out else ("min_in", a["amountOutMin"])
        got = ""
        if raw or not _bounded_later(r, path[-1], a["recipient"], later):
            got = token_amount(r, sheet, role, path[-1], raw, "You get" if exact_out else "You get at least")
            if not exact_out:
                minimum(sheet, raw)
        route(r, sheet, path)
        if isinstance(a["path"], bytes):
            pool_fees(sheet, path_fees(a["path"]))
        swap_recipient(r, sheet, a["recipient"])
        return f"Swap {given or 'what the router holds'} for at least {got}" if got else ""
    if name in ("WRAP_ETH", "UNWRAP_WETH"):
        if name == "WRAP_ETH":
            whole = a["amount"] >= 2**255  # the router's word for all that it holds
            words = "all it holds" if whole else display(a["amount"], chain.decimals, chain.symbol)
            sheet.row("amount", "Amount", words, raw=str(a["amount"]), kind="amount", symbol=chain.symbol)
        if name == "UNWRAP_WETH":
            native_amount(sheet, "min_in", chain, a["amountMin"], label="You get at least")
            swap_recipient(r, sheet, a["recipient"])
        return ""
    if name in ("SWEEP", "TRANSFER", "PERMIT2_TRANSFER_FROM"):
        raw: int = next(a[key] for key in ("amountMin", "value", "amount") if key in a)
        native = int(a["token"], 16) == 0
        role = {"SWEEP": "min_in", "TRANSFER": "move"}.get(name, "out")
        if native:
            native_amount(sheet, role, chain, raw, label="Amount")
        else:
            token_amount(r, sheet, role, a["token"], raw, "Amount")
        swap_recipient(r, sheet, a["recipient"])
        return ""
    if name.startswith("PERMIT2_PERMIT"):
        details, spender, until = a["permit"]
        allowances = cast("list[Any]", details if isinstance(details, list) else [details])
        for token, amount, expiration, _nonce in allowances:
            sheet.token_amount("allowance", r.token(token), token, amount, label="May spend up to", to=spender)
            if amount:
                judge_allowance(sheet, r.token(token), token, spender, amount, chain_id=r.spec.chain_id)
                allowance_end(sheet, expiration)
        deadline(sheet, until, row_id="sig_deadline", label="Signature valid until", what="The signature")
        return ""
    if name == "PERMIT2_TRANSFER_FROM_BATCH":
        for source, to, raw, token in a["details"]:
            sheet.account("arg.from", "Out of", source)
            token_amount(r, sheet, moved(r, source, to, raw), token, raw, "Amount")
            swap_recipient(r, sheet, to)
        return ""
    for key, value in a.items():
        sheet.row(f"arg.{key}", key, str(plain_value(value)))
    if name == "PAY_PORTION":
        portion(r, sheet, a["recipient"], a["bips"])
    return ""


READERS: dict[str, Callable[[Reading], None]] = {"universal_router": universal_router}
