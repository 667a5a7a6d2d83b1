"""Readers of calls that carry calls: Safe, MultiSend, Multicall3; and of changes of control."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bitte_nb.review.abi import plain_value
from bitte_nb.review.address import checksum, is_zero
from bitte_nb.review.amounts import display
from bitte_nb.review.chains import MULTISEND
from bitte_nb.review.evm_reading import Reading
from bitte_nb.review.sheet import Sheet
from bitte_nb.review.text import one_line

__all__ = ["READERS", "delegated", "is_multisend", "safe_refund"]

_OPERATIONS = {0: "call", 1: "delegatecall"}


def is_multisend(r_ctx_labels: Any, to: str) -> bool:
    """True for Safe's own MultiSend contracts and those the person labelled so."""
    return to.lower() in MULTISEND or "multisend" in str(r_ctx_labels.get(to.lower(), "")).lower()


def delegated(r: Reading, to: str) -> None:
    """Warn that foreign code would run as the account itself."""
    r.sheet.warn(
        "delegatecall",
        f"{r.called(to)} would run as the account itself (delegatecall): it can change owners and take everything.",
    )


def safe_refund(sheet: Sheet, *, gas_price: int, gas_token: str, refund_receiver: str) -> None:
    """A Safe that pays back gas gives away funds beside the call itself."""
    if gas_price or not is_zero(gas_token) or not is_zero(refund_receiver):
        sheet.account("refund", "Refund receiver", refund_receiver)
        sheet.warn("safe_gas_refund", "The Safe also pays a gas refund: check the price, token and receiver.")


def safe_exec(r: Reading) -> None:
    """execTransaction: the Safe makes the inner call."""
    a = r.args
    _safe_call(r, a["to"], a["value"], a["data"], a["operation"])
    safe_refund(r.sheet, gas_price=a["gasPrice"], gas_token=a["gasToken"], refund_receiver=a["refundReceiver"])


def safe_module(r: Reading) -> None:
    """execTransactionFromModule: a module makes the Safe call."""
    _safe_call(r, r.args["to"], r.args["value"], r.args["data"], r.args["operation"])


def _safe_call(r: Reading, to: str, value: int, data: bytes, operation: int) -> None:
    r.kind = "safe_exec"
    if operation not in _OPERATIONS:
        r.sheet.warn(
            "malformed_calldata", f"Operation {operation} does not exist: a Safe knows 0 (call) and 1 (delegatecall)."
        )
        return
    name = _OPERATIONS[operation]
    if name == "delegatecall" and not is_multisend(r.ctx.labels, to):
        delegated(r, to)
    call = r.nest(to=to, value=value, data=data, sender=r.spec.to, operation=name, count_value=True)
    r.summary = f"The Safe {r.called(r.spec.to)} does: {call.title}"


def multisend(r: Reading) -> None:
    """multiSend(bytes): packed (operation, to, value, length, data) until the exact end."""
    data: bytes = r.args["transactions"]
    r.kind = "multisend"
    sender = r.spec.sender if r.spec.operation == "delegatecall" else r.spec.to
    at = 0
    while at < len(data):
        if at + 85 > len(data):
            _torn(r, at)
            return
        operation, to = data[at], "0x" + data[at + 1 : at + 21].hex()
        value, size = (int.from_bytes(data[i : i + 32], "big") for i in (at + 21, at + 53))
        end = at + 85 + size
        if end > len(data) or operation not in _OPERATIONS:
            _torn(r, at)
            return
        r.budget[0] -= 1
        if r.budget[0] < 0:
            r.sheet.warn("blind_call", "The batch holds too many calls to read them all.")
            return
        if operation == 1:
            delegated(r, to)
        r.nest(
            to=to,
            value=value,
            data=data[at + 85 : end],
            sender=sender,
            operation=_OPERATIONS[operation],
            count_value=True,
        )
        at = end
    r.summary = f"Batch of {len(r.sheet.calls)} calls"
    if not r.sheet.calls:
        r.sheet.warn("empty_batch", "The batch holds no call: there is nothing to sign.", severity="warn")


def _torn(r: Reading, at: int) -> None:
    r.sheet.warn("malformed_calldata", f"The packed batch breaks off at byte {at}: it does not end with a whole call.")
    r.kind, r.summary = "contract_call", "Batch that cannot be read to its end"


def multicall3(r: Reading) -> None:
    """Multicall3: the contract itself makes the calls, so it is their sender."""
    calls: list[Any] = r.args["calls"]
    has_value = "aggregate3Value" in r.known.function.name
    for item in calls:
        target, data = item[0], item[-1]
        value = item[2] if has_value else 0
        r.nest(to=target, value=value, data=data, sender=r.spec.to, count_value=False)
    r.kind = "multicall"
    r.summary = f"Run {len(calls)} calls through {r.called(r.spec.to)}"
    r.sheet.row("sender.inside", "Sender of the calls inside", checksum(r.spec.to), kind="address", note="not you")


def admin(r: Reading) -> None:
    """Functions that change who controls a contract or what code it runs."""
    r.kind = "admin"
    name = r.known.function.name
    parts: list[str] = []
    for kind, value in zip(r.known.function.inputs, r.values, strict=True):
        if kind.canonical == "address":
            r.sheet.account(f"admin.{kind.name}", kind.name.lstrip("_"), value)
            r.sheet.lookalike(value)
            parts.append(f"{kind.name.lstrip('_')} {r.called(value)}")
        elif kind.canonical.startswith("uint"):
            parts.append(f"{kind.name.lstrip('_')} {value}")
    detail = f" ({', '.join(parts)})" if parts else ""
    r.sheet.warn("ownership_change", f"{name} changes who controls {r.called(r.spec.to)} or what it does{detail}.")
    r.summary = f"{name} on {r.called(r.spec.to)}{detail}"
    if r.args.get("data") and name in ("upgradeToAndCall", "upgradeAndCall"):
        r.nest(to=r.spec.to, value=0, data=r.args["data"], sender=r.spec.to, count_value=False)


def plain(r: Reading) -> None:
    """A function that is decoded but not explained further."""
    words = ", ".join(
        f"{t.name or i} = {one_line(str(plain_value(v)))}"
        for i, (t, v) in enumerate(zip(r.known.function.inputs, r.values, strict=True))
    )
    r.summary = f"Call {r.known.function.name}({words[:200]}) on {r.called(r.spec.to)}"
    if r.spec.value:
        r.summary += f" with {display(r.spec.value, r.spec.chain.decimals, r.spec.chain.symbol)}"


READERS: dict[str, Callable[[Reading], None]] = {
    f.__name__: f
    for f in (
        safe_exec, safe_module, multisend, multicall3, admin, plain,
    )
}  # fmt: skip
