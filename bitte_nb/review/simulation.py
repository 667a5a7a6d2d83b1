"""Running a request against a node without sending it: what would move, or why it would revert."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from bitte_nb.review.abi import Malformed, decode
from bitte_nb.review.abi_types import TooLarge, parse_types
from bitte_nb.review.address import checksum, is_evm
from bitte_nb.review.amounts import display
from bitte_nb.review.card import ReviewCard
from bitte_nb.review.context import ReviewContext
from bitte_nb.review.shapes import listed, table

__all__ = ["revert_reason", "simulate"]

_TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
_UPGRADED = "0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b"
_BEACON_UPGRADED = "0x1cf3b03a6cf19fa2baba4df148e9dcabedea7f8a5c07840e207e5c089be95d3e"
_NATIVE = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"
_PANICS = {
    0x01: "an assertion failed",
    0x11: "a number over- or underflowed",
    0x12: "a division by zero",
    0x21: "a value that its enumeration does not have",
    0x32: "an index outside its array",
    0x41: "too much memory was asked for",
}
_TRACER = {"tracer": "callTracer", "tracerConfig": {"withLog": True}}
_UNKNOWN_METHOD = (-32601, -32600)


def revert_reason(data: Any) -> str:
    """The words in revert data: Error(string), Panic(uint256) or the selector of a custom error."""
    if not isinstance(data, str) or not re.fullmatch(r"0x(?:[0-9a-fA-F]{2}){4,}", data):
        return ""
    raw = bytes.fromhex(data[2:])
    types = {"08c379a0": "string reason", "4e487b71": "uint256 code"}.get(raw[:4].hex())
    if types is None:
        return f"the contract's own error 0x{raw[:4].hex()}"
    try:
        value = decode(parse_types(types), raw[4:])[0][0]
    except (Malformed, TooLarge):
        return "an error that cannot be read"
    return str(value) if isinstance(value, str) else _PANICS.get(value, f"panic 0x{value:02x}")


def _calls(request: Any, sender: str) -> list[dict[str, Any]]:
    """The plain calls of a request, in the form that nodes take."""
    box = table(request)
    inner = next((box[key] for key in ("tx", "evmSignRequest") if isinstance(box.get(key), dict)), None)
    if inner is not None:
        return _calls(inner, sender)
    if box.get("method") == "wallet_sendCalls":
        box = table(next(iter(listed(box.get("params"))), None))
    items = listed(box.get("calls")) or listed(box.get("params")) or [box]
    found: list[dict[str, Any]] = []
    for item in items:
        call = table(item)
        shape = {"from": sender, "to": call.get("to"), "data": call.get("data") or call.get("input") or "0x"}
        value = call.get("value") or "0x0"
        shape["value"] = hex(int(value, 16 if "x" in value else 10)) if isinstance(value, str) else hex(int(value))
        found.append({key: part for key, part in shape.items() if part is not None})
    return found


async def simulate(
    request: Any,
    card: ReviewCard,
    ctx: ReviewContext,
    rpc: Callable[[str, list[Any]], Awaitable[Any]],
    found: dict[str, Any],
) -> None:
    """Put `simulation` into `found`: {"changes": [...]} or {"error": "..."}; nothing where the node cannot tell."""
    sender = card.facts["from"].value
    calls = _calls(request, sender)
    if "fee" not in card.facts or not all("to" in call or call["data"] != "0x" for call in calls):
        return  # a message, or a request in a form that is not a plain call
    block = {"blockStateCalls": [{"calls": calls}], "traceTransfers": True, "validation": False}
    try:
        answer = await rpc("eth_simulateV1", [block, "latest"])
    except LookupError as error:
        words, data, code = [*error.args, None, None, None][:3]
        if code not in _UNKNOWN_METHOD:
            found["simulation"] = {"error": revert_reason(data) or str(words)}
        else:
            await _without(calls, sender, card, ctx, rpc, found)
        return
    results = listed(table(next(iter(listed(answer)), None)).get("calls"))
    logs: list[Any] = []
    for result in map(table, results):
        if result.get("status") != "0x1":
            error = table(result.get("error"))
            reason = revert_reason(error.get("data") or result.get("returnData"))
            found["simulation"] = {"error": reason or str(error.get("message", "reverted without a reason"))}
            return
        logs += listed(result.get("logs"))
    if results:
        found["simulation"] = _told(logs, sender, card, ctx)


async def _without(
    calls: list[dict[str, Any]],
    sender: str,
    card: ReviewCard,
    ctx: ReviewContext,
    rpc: Callable[[str, list[Any]], Awaitable[Any]],
    found: dict[str, Any],
) -> None:
    """Without eth_simulateV1 one call can be traced, and of several only whether the first reverts."""
    if len(calls) == 1:
        try:
            frame = table(await rpc("debug_traceCall", [calls[0], "latest", _TRACER]))
        except LookupError:
            frame = table(None)
        if frame.get("type"):
            if frame.get("error"):
                reason = revert_reason(frame.get("output")) or str(frame.get("revertReason") or frame["error"])
                found["simulation"] = {"error": reason}
            else:
                found["simulation"] = _told(_traced(frame), sender, card, ctx)
            return
    try:
        await rpc("eth_call", [calls[0], "latest"])
    except LookupError as error:
        words, data = [*error.args, None, None][:2]
        found["simulation"] = {"error": revert_reason(data) or str(words)}


def _traced(frame: Mapping[str, Any]) -> list[Any]:
    """The logs of a call and of those inside it, moved native coins as Transfer logs like those of eth_simulateV1."""
    logs: list[Any] = []
    frames = [frame]
    while frames:
        one = frames.pop()
        if one.get("error"):
            continue  # what it did was taken back
        value = str(one.get("value") or "0x0")
        if one.get("type") not in ("DELEGATECALL", "STATICCALL", "CALLCODE") and int(value, 16):
            ends = ["0x" + str(one.get(name, ""))[2:].rjust(64, "0") for name in ("from", "to")]
            logs.append({"address": _NATIVE, "topics": [_TRANSFER, *ends], "data": "0x" + value[2:].rjust(64, "0")})
        logs += listed(one.get("logs"))
        frames += [table(inner) for inner in listed(one.get("calls"))]
    return logs


def _told(logs: list[Any], sender: str, card: ReviewCard, ctx: ReviewContext) -> dict[str, Any]:
    """What the logs tell: `changes` of the sender's balances, and `upgrades`: contracts that would run other code."""
    upgrades = [
        f"{checksum(address)} would run other code: {checksum('0x' + topics[1][-40:])}"
        for log in map(table, logs)
        if is_evm(address := log.get("address"))
        and len(topics := [str(one) for one in listed(log.get("topics"))]) == 2
        and topics[0] in (_UPGRADED, _BEACON_UPGRADED)
    ]
    return {"changes": _changes(logs, sender, card, ctx), **({"upgrades": upgrades} if upgrades else {})}


def _changes(logs: list[Any], sender: str, card: ReviewCard, ctx: ReviewContext) -> list[str]:
    """Net changes of the sending account, a sentence each, from Transfer logs and traced native transfers."""
    net: dict[tuple[str, str], int] = {}
    for log in map(table, logs):
        topics, token = [str(t) for t in listed(log.get("topics"))], str(log.get("address", "")).lower()
        if len(topics) not in (3, 4) or topics[0] != _TRANSFER:
            continue
        token_id = str(int(topics[3], 16)) if len(topics) == 4 else ""
        data = str(log.get("data", "0x"))
        raw = 1 if token_id else int(data, 16) if re.fullmatch(r"0x[0-9a-fA-F]{64}", data) else 0
        for topic, sign in ((topics[1], -1), (topics[2], 1)):
            if "0x" + topic[-40:].lower() == sender.lower():
                net[(token, token_id)] = net.get((token, token_id), 0) + sign * raw
    words: list[str] = []
    for (token, token_id), raw in net.items():
        if raw == 0:
            continue
        sign = "+" if raw > 0 else "-"
        known = ctx.token(int(card.chain.id), token)
        if token_id:
            words.append(f"{sign}NFT {token_id} of {ctx.name(token) or token}")
        elif token == _NATIVE:
            words.append(sign + display(abs(raw), card.chain.decimals, card.chain.symbol))
        elif known is not None:
            words.append(sign + display(abs(raw), known.decimals, known.symbol))
        else:
            words.append(f"{sign}{abs(raw)} base units of {token}")
    return words
