"""Build the payload, then call the primitive: finds in a result the arguments of a declared primitive, by shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from bitte_nb.core.tool import Tool
from bitte_nb.core.wallet import Wallet
from bitte_nb.model.said import Outcome

__all__ = ["follow_up", "holds_payload", "is_chart"]

_DEPTH = 4
_SIGNERS = {"signerId": "account_id", "accountId": "account_id", "evmAddress": "evm_address", "chainId": "chain_id"}
"""Arguments that name the person's own account or chain, by the wallet's field."""
_WELCOME = {"signerId", "evmAddress"}
"""Those that are filled where the primitive takes them, needed or not: they say who signs."""
_MARKS = ({"receiverId", "actions"}, {"method", "params"}, {"to", "data"}, {"evmSignRequest"}, {"transactionPayload"})


def follow_up(
    outcome: Outcome, tools: Sequence[Tool], wallet: Wallet, instructions: str
) -> tuple[Tool, dict[str, Any]] | None:
    """The primitive that an operation's result is made for, with its arguments, or None.

    Only structured arguments count (a list or an object must come from the result), so that a result which merely says
    something is never taken for a text to sign. Where several primitives fit, one that the instructions name is taken.
    """
    if outcome.error is not None or any(tool.name == outcome.name and tool.kind == "primitive" for tool in tools):
        return None
    primitives = [tool for tool in tools if tool.kind == "primitive"]
    primitives.sort(key=lambda tool: tool.name not in instructions)
    for tool in primitives:
        for found in _objects(outcome.data, _DEPTH):
            args = _arguments(tool.input_schema, found, wallet)
            if args is not None and _valid(args, tool.input_schema):
                return tool, args
    return None


def holds_payload(data: Any) -> bool:
    """True where a result looks like something to sign or send, whether or not a primitive for it is declared."""
    return any(any(mark <= found.keys() for mark in _MARKS) for found in _objects(data, _DEPTH))


def is_chart(data: Any) -> bool:
    """True for the arguments of `render-chart` and for its result, which are looked at and not read."""
    return isinstance(data, dict) and "chartType" in data and ("dataPoints" in data or "chartData" in data)


def _objects(data: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    if isinstance(data, dict):
        found = cast("dict[str, Any]", data)
        yield found
        if depth > 0:
            for value in found.values():
                yield from _objects(value, depth - 1)
    elif isinstance(data, list) and depth > 0 and len(cast("list[Any]", data)) == 1:
        yield from _objects(data[0], depth - 1)


def _arguments(schema: Mapping[str, Any], found: Mapping[str, Any], wallet: Wallet) -> dict[str, Any] | None:
    properties = cast("dict[str, Any]", schema.get("properties") or {})
    required = cast("list[str]", schema.get("required") or [])
    args: dict[str, Any] = {}
    structured = False
    for name in properties:
        value = found.get(name)
        if value is None:
            value = _wrapped(properties[name], schema, found, wallet)
        if value is None and name in _SIGNERS and (name in required or name in _WELCOME):
            value = getattr(wallet, _SIGNERS[name])
        if value is None:
            if name in required:
                return None
            continue
        structured = structured or isinstance(value, list | dict)
        args[name] = value
    return args if structured else None


def _wrapped(prop: Any, schema: Mapping[str, Any], found: Mapping[str, Any], wallet: Wallet) -> list[Any] | None:
    """The found object as the one item of a list argument, its signer taken from the wallet."""
    if not isinstance(prop, dict):
        return None
    item: Any = cast("dict[str, Any]", prop).get("items")
    if isinstance(item, dict) and isinstance(reference := cast("dict[str, Any]", item).get("$ref"), str):
        item = cast("dict[str, Any]", schema.get("$defs") or {}).get(reference.removeprefix("#/$defs/"))
    if not isinstance(item, dict):
        return None
    needed = cast("list[str]", cast("dict[str, Any]", item).get("required") or [])
    known = cast("dict[str, Any]", cast("dict[str, Any]", item).get("properties") or {})
    filled = {name: found[name] for name in known if name in found}
    for name in known:
        wanted = name in needed or name in _WELCOME
        if wanted and name not in filled and name in _SIGNERS and (own := getattr(wallet, _SIGNERS[name])) is not None:
            filled[name] = own
    structured = any(isinstance(value, list | dict) for value in filled.values())
    return [filled] if structured and all(name in filled for name in needed) else None


def _valid(args: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    # Its import reads a whole grammar beside what JupyterLab brings, for seconds: nobody waits before it is needed.
    import jsonschema

    validator: Any = jsonschema.Draft202012Validator(dict(schema))
    try:
        return bool(validator.is_valid(dict(args)))
    except Exception:  # a schema that cannot be applied says nothing for the arguments
        return False
