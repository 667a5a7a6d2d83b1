"""Readers of smart accounts: one call, a batch, the packed modes of ERC-7579 and ERC-7821, and ERC-7710 redemptions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from bitte_nb.review.abi import Malformed, decode
from bitte_nb.review.abi_types import TooLarge, parse_types
from bitte_nb.review.address import is_zero
from bitte_nb.review.evm_nested import delegated
from bitte_nb.review.evm_reading import MAX_CALL_DEPTH, Reading

__all__ = ["READERS"]

_CALLS = "(address to,uint256 value,bytes data)[] calls"

_BATCH_OF_BATCHES = bytes.fromhex("78210002")
"""Bytes 6 to 9 of an ERC-7821 mode that holds batches."""


def smart_account(r: Reading) -> None:
    """execute(to, value, data) of a smart account."""
    call = r.nest(to=r.args["to"], value=r.args["value"], data=r.args["data"], sender=r.spec.to, count_value=True)
    r.kind, r.summary = "smart_account", f"The account {r.called(r.spec.to)} does: {call.title}"


def smart_account_batch(r: Reading) -> None:
    """ExecuteBatch of a smart account."""
    for to, value, data in r.args["calls"]:
        r.nest(to=to, value=value, data=data, sender=r.spec.to, count_value=True)
    r.kind, r.summary = "smart_account", f"The account {r.called(r.spec.to)} makes {len(r.args['calls'])} calls"


def execution_mode(r: Reading) -> None:
    """execute(mode, executionData): the mode's first byte says how the data is packed (ERC-7579, ERC-7821)."""
    r.kind = "smart_account"
    _execution(r, r.args["mode"], r.args["executionData"], sender=r.spec.to)
    count = len(r.sheet.calls)
    does = f"does: {r.sheet.calls[0].title}" if count == 1 else f"makes {count} calls"
    r.summary = f"The account {r.called(r.spec.to)} {does}"


def delegation(r: Reading) -> None:
    """RedeemDelegations (ERC-7710): act with power that other accounts gave; each execution is an ERC-7579 one."""
    r.kind = "delegation"
    modes, executions = r.args["_modes"], r.args["_executionCallDatas"]
    if len(modes) != len(executions):
        r.sheet.warn("malformed_calldata", f"{len(modes)} modes have {len(executions)} executions; it would revert.")
    for mode, data in zip(modes, executions, strict=False):
        # Who makes the call is the account that gave the power; it stands packed in the permission context.
        _execution(r, mode, data, sender=None)
    r.sheet.skip("Which account gave the power was not checked: the permission contexts are packed by the manager.")
    r.summary = f"Act {len(executions)} times with permissions that other accounts signed"


def _execution(r: Reading, mode: bytes, data: bytes, *, sender: str | None, depth: int = 0) -> None:
    kind = mode[0]
    if kind == 0x01:
        _batch(r, mode, data, sender=sender, depth=depth)
        return
    if kind not in (0x00, 0xFF) or len(data) < (20 if kind else 52):
        r.sheet.warn("blind_call", f"An execution of mode 0x{mode.hex()[:8]} cannot be read here.")
        r.sheet.row("execution", "Execution", "0x" + data.hex(), kind="code")
        return
    to = "0x" + data[:20].hex()
    if kind == 0xFF:
        delegated(r, to)
        r.nest(to=to, value=0, data=data[20:], sender=sender, operation="delegatecall", count_value=False)
    else:
        value = int.from_bytes(data[20:52], "big")
        r.nest(to=to, value=value, data=data[52:], sender=sender, count_value=True)


def _batch(r: Reading, mode: bytes, data: bytes, *, sender: str | None, depth: int) -> None:
    if mode[6:10] == _BATCH_OF_BATCHES and depth < MAX_CALL_DEPTH:
        batches = _decoded(r, "bytes[] batches", data)
        for part in cast("list[bytes]", batches[0]) if batches else []:
            _execution(r, mode[:9] + b"\x01" + mode[10:], part, sender=sender, depth=depth + 1)
        return
    found = _decoded(r, _CALLS, data) or _decoded(r, f"{_CALLS},bytes opData", data)
    if not found:
        r.sheet.warn("malformed_calldata", "The batch does not fit: it is no list of calls.")
        r.sheet.row("execution", "Batch", "0x" + data.hex(), kind="code")
        return
    for to, value, inner in cast("list[tuple[str, int, bytes]]", found[0]):
        target = r.spec.to if is_zero(to) else to  # ERC-7821: the zero address means the account itself
        r.nest(to=target, value=value, data=inner, sender=sender, count_value=True)


def _decoded(r: Reading, types: str, data: bytes) -> list[Any] | None:
    try:
        values, used = decode(parse_types(types), data, nodes=r.budget[0])
    except (Malformed, TooLarge):
        return None
    r.budget[0] -= len(values)
    return list(values) if used == len(data) else None


READERS: dict[str, Callable[[Reading], None]] = {
    f.__name__: f for f in (smart_account, smart_account_batch, execution_mode, delegation)
}
