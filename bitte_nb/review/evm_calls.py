"""Reading one EVM call: selector, canonical decoding, explanation, and the calls inside it."""

from __future__ import annotations

from typing import Any

from bitte_nb.review import (
    erc7730,
    evm_accounts,
    evm_lending,
    evm_nested,
    evm_permit2,
    evm_swaps,
    evm_tokens,
    evm_vaults,
    universal_router,
)
from bitte_nb.review.abi import MAX_CALLDATA, Malformed, decode, plain_value
from bitte_nb.review.abi_table import Known, lookup
from bitte_nb.review.abi_types import TooLarge
from bitte_nb.review.address import checksum
from bitte_nb.review.amounts import display
from bitte_nb.review.card import Call
from bitte_nb.review.context import ReviewContext
from bitte_nb.review.erc7730_formats import Show
from bitte_nb.review.erc7730_paths import Scope
from bitte_nb.review.erc7730_rows import show
from bitte_nb.review.evm_arguments import LONG, argument_rows
from bitte_nb.review.evm_reading import MAX_CALL_DEPTH, CallSpec, Reading, native_amount
from bitte_nb.review.rules import worst
from bitte_nb.review.sheet import Sheet, merge_warnings

__all__ = ["read_call", "reading_of"]

_READERS = {
    **evm_tokens.READERS,
    **evm_permit2.READERS,
    **evm_swaps.READERS,
    **universal_router.READERS,
    **evm_nested.READERS,
    **evm_lending.READERS,
    **evm_accounts.READERS,
    **evm_vaults.READERS,
}


class _Shape:
    """What `reading_of` found, before it becomes a Call or the body of a card."""

    def __init__(self, kind: str, title: str) -> None:
        self.kind = kind
        self.title = title
        self.function: str | None = None
        self.selector: str | None = None
        self.values: list[Any] = []
        self.names: tuple[str, ...] = ()


def read_call(spec: CallSpec, ctx: ReviewContext, budget: list[int], notes: list[str]) -> Call:
    """A nested call as a frozen part of the card; what was not checked is added to `notes`."""
    sheet = Sheet(ctx, path=spec.path)
    shape = reading_of(spec, sheet, budget)
    notes += [note for note in sheet.unchecked if note not in notes]
    nested = [w for call in sheet.calls for w in call.warnings]
    warnings = merge_warnings(sheet.warnings, nested)
    return Call(
        kind=shape.kind,
        title=shape.title,
        to=checksum(spec.to),
        value=str(spec.value),
        operation=spec.operation,
        function=shape.function,
        selector=shape.selector,
        args=tuple(plain_value(v) for v in shape.values),
        arg_names=shape.names,
        path=spec.path,
        source=spec.source,
        rows=tuple(sheet.rows),
        warnings=warnings,
        amounts=(*sheet.amounts, *(a for call in sheet.calls for a in call.amounts)),
        calls=tuple(sheet.calls),
        severity=worst([w.severity for w in warnings]),
    )


def reading_of(spec: CallSpec, sheet: Sheet, budget: list[int]) -> _Shape:
    """Read a call into the sheet: amounts, rows, warnings and nested calls."""
    ctx, key = sheet.ctx, spec.to.lower()
    if spec.depth:
        sheet.account("to", "To", spec.to, note=spec.operation if spec.operation != "call" else "")
    _value(spec, sheet)
    if not spec.data:
        return _transfer(spec, sheet)
    sheet.lookalike(spec.to)
    if key in ctx.eoas:
        sheet.warn(
            "data_to_eoa", f"{_name(ctx, spec.to)} is a plain account without code: the data has no effect there."
        )
    elif (
        key not in {*ctx.contracts, *ctx.delegated}
        and not ctx.name(spec.to)
        and ctx.token(spec.chain_id, spec.to) is None
    ):
        sheet.skip(f"Whether {checksum(spec.to)} is a contract was not checked: no node was asked.")
    _runs(sheet, key)
    described = erc7730.for_call(ctx, spec.chain_id, spec.to, spec.data)
    known = described.known if described else lookup(ctx, spec.to, spec.data[:4])
    shape = _Shape("contract_call", f"Call {_name(ctx, spec.to)}")
    if len(spec.data) >= 4:
        shape.selector = "0x" + spec.data[:4].hex()
        sheet.row("selector", "Selector", shape.selector, kind="code", source="data[0:4]")
    if known is None or len(spec.data) < 4:
        _blind(spec, sheet, "no description of the function is known here")
        return shape
    if len(spec.data) > MAX_CALLDATA:
        _blind(spec, sheet, f"its data of {len(spec.data)} bytes is too large to decode")
        return shape
    try:
        values, used = decode(known.function.inputs, spec.data[4:], nodes=budget[0])
    except TooLarge as error:
        _blind(spec, sheet, f"it is too large to decode ({error})")
        return shape
    except Malformed as error:
        sheet.row("call", "Function", known.function.signature, kind="code", note="the data does not fit it")
        sheet.row("data", "Data", _hex(spec.data), raw="0x" + spec.data.hex(), kind="code")
        sheet.warn("malformed_calldata", f"The data does not fit {known.function.name}: {error}.")
        return shape
    budget[0] -= _count(values)
    shape.function, shape.values = known.function.signature, values
    shape.names = tuple(t.name for t in known.function.inputs)
    tail = len(spec.data) - 4 - used
    if tail:
        sheet.row(
            "tail", "Extra bytes", _hex(spec.data[4 + used :]), kind="code", note=f"{tail} bytes after the arguments"
        )
        sheet.warn(
            "trailing_calldata",
            f"{tail} extra bytes follow the arguments: often a referral tag, unread by the function.",
        )
    if spec.value and known.function.payable is False:
        sheet.warn(
            "value_to_nonpayable",
            f"{known.function.name} does not accept {spec.chain.symbol}: the call would revert or the value be lost.",
        )
    sheet.row(
        "call", "Function", known.function.signature, kind="code", note=f"ABI: {known.source}", source="data[0:4]"
    )
    if spec.operation == "delegatecall" and not evm_nested.is_multisend(ctx.labels, spec.to):
        # Run as another account's code, the function means whatever that code says.
        argument_rows(known, values, spec.data, sheet)
        shape.title = f"Run {known.function.name} of {_name(ctx, spec.to)} as the account itself"
        return shape
    _explain(spec, sheet, budget, known, values, shape, described)
    return shape


def _runs(sheet: Sheet, address: str) -> None:
    """Say whose code the called address runs, where that is another's."""
    proxied, delegated = sheet.ctx.implementations.get(address), sheet.ctx.delegated.get(address)
    if proxied is not None:
        sheet.account(
            "proxy", "Calls through a proxy to", proxied, note="its code can be exchanged by whoever rules it"
        )
    if delegated is not None:
        sheet.account("proxy", "An account that runs the code of", delegated, note="its key still rules it (EIP-7702)")


def _explain(
    spec: CallSpec,
    sheet: Sheet,
    budget: list[int],
    known: Known,
    values: list[Any],
    shape: _Shape,
    described: erc7730.Described | None,
) -> None:
    notes = sheet.unchecked
    reading = Reading(
        spec=spec,
        sheet=sheet,
        known=known,
        args={t.name: v for t, v in zip(known.function.inputs, values, strict=True)},
        values=values,
        descend=lambda inner: _descend(inner, sheet.ctx, budget, notes),
        budget=budget,
    )
    argument_rows(known, values, spec.data, sheet)
    reader = _READERS["plain"] if spec.to.lower() in sheet.ctx.eoas else _READERS[known.reader]
    reader(reading)
    sentence = _described(described, reading) if described is not None else None
    if sentence and known.reader == "plain":
        reading.summary = sentence
    # Where the amounts are explained, a contract that has a name is no guess any more.
    sure = reading.confirmed
    if sure is None:
        sure = known.reader != "plain" and bool(sheet.ctx.name(spec.to))
    if known.source == "guess" and not sure:
        sheet.warn(
            "blind_call",
            f"It fits {known.function.signature}, but the contract is not known: names and units are guesses.",
            severity="danger" if spec.value else None,
        )
    shape.kind = reading.kind
    shape.title = reading.summary or reading.title or f"{known.function.name} on {_name(sheet.ctx, spec.to)}"
    if reading.arg_names is not None:
        shape.names = reading.arg_names


def _described(described: erc7730.Described, reading: Reading) -> str | None:
    spec = reading.spec
    container = {"value": spec.value, "to": spec.to, "from": spec.sender, "chainId": spec.chain_id}
    # A built-in reader has put the same amounts on the card already, under their proper roles.
    held = list(reading.sheet.amounts)
    sentence = show(
        Show(
            described=described,
            scope=Scope(
                erc7730.call_data(described.function or reading.known.function, reading.values),
                described.descriptor,
                container,
            ),
            sheet=reading.sheet,
            chain=spec.chain,
            call=lambda to, value, data: _embedded(reading, to, value, data),
        )
    )
    if reading.known.reader != "plain":
        reading.sheet.amounts[:] = held
    return sentence


def _embedded(reading: Reading, to: str, value: int, data: bytes) -> None:
    if (to.lower(), value, data) not in reading.read:
        reading.nest(to=to, value=value, data=data, sender=reading.spec.to, count_value=False)


def _descend(spec: CallSpec, ctx: ReviewContext, budget: list[int], notes: list[str]) -> Call:
    if spec.depth <= MAX_CALL_DEPTH:
        return read_call(spec, ctx, budget, notes)
    sheet = Sheet(ctx, path=spec.path)
    sheet.account("to", "To", spec.to)
    _blind(spec, sheet, f"it lies more than {MAX_CALL_DEPTH} calls deep")
    warnings = merge_warnings(sheet.warnings)
    return Call(
        kind="contract_call",
        title=f"Call {_name(ctx, spec.to)}",
        to=checksum(spec.to),
        value=str(spec.value),
        operation=spec.operation,
        path=spec.path,
        source=spec.source,
        rows=tuple(sheet.rows),
        warnings=warnings,
        severity=worst([w.severity for w in warnings]),
    )


def _value(spec: CallSpec, sheet: Sheet) -> None:
    words = display(spec.value, spec.chain.decimals, spec.chain.symbol)
    if spec.count_value and (spec.value or not spec.data):
        native_amount(sheet, "value", spec.chain, spec.value, label="Value", source="value", to=spec.to)
    else:
        sheet.row("value", "Value", words, raw=str(spec.value), kind="amount", symbol=spec.chain.symbol, source="value")


def _transfer(spec: CallSpec, sheet: Sheet) -> _Shape:
    sheet.recipient(spec.to, sender=spec.sender, chain_id=spec.chain_id)
    if spec.value == 0:
        sheet.warn("noop_transfer", "The value is zero and there is no data: nothing happens.")
    words = display(spec.value, spec.chain.decimals, spec.chain.symbol)
    return _Shape("native_transfer", f"Send {words} to {_name(sheet.ctx, spec.to)}")


def _blind(spec: CallSpec, sheet: Sheet, why: str) -> None:
    sheet.row("call", "Function", "cannot be decoded", note=why)
    sheet.row("data", "Data", _hex(spec.data), raw="0x" + spec.data.hex(), kind="code", source="data")
    paid = f" and sends {display(spec.value, spec.chain.decimals, spec.chain.symbol)}" if spec.value else ""
    sheet.warn(
        "blind_call",
        f"The call cannot be decoded: {why}{paid}. Signing it means trusting it blindly.",
        severity="danger" if spec.value else None,
    )


def _hex(data: bytes) -> str:
    text = "0x" + data.hex()
    return text if len(text) <= LONG else f"{text[:LONG]}… ({len(data)} bytes)"


def _name(ctx: ReviewContext, address: str) -> str:
    return ctx.name(address) or checksum(address)


def _count(value: Any) -> int:
    return 1 + sum(_count(item) for item in value) if isinstance(value, list | tuple) else 1  # pyright: ignore[reportUnknownVariableType]
