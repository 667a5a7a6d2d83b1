"""What a wallet call was made of: the words that the model put beside it, and the operation whose payload it carries.

A review shows the words as a claim and compares the operation's arguments with what was decoded; neither is data of the
request, so the digest does not cover them.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, cast

from bitte_nb.core.fold import ChatState, turn_of
from bitte_nb.core.result import ToolData

__all__ = ["Asked", "asked_for", "heard"]

_CLAIM = 500
"""Characters of the model's words that a card quotes."""
_DEPTH = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """See the module."""

    claim: str = ""
    intent: Mapping[str, Any] = field(default_factory=dict[str, Any])


heard: ContextVar[Asked] = ContextVar("bitte_nb_heard", default=Asked())  # noqa: B039 - frozen
"""What the call that is being prepared was made of; set around `binding.prepare`."""


def asked_for(state: ChatState, key: str, args: Mapping[str, Any]) -> Asked:
    """The words of the call's step, and the arguments of the call of the same turn that returned its payload."""
    turn = state.turn(turn_of(key))
    step = next((one for one in turn.steps if key in one.calls), None) if turn is not None else None
    if turn is None or step is None:
        return Asked()
    words = " ".join(step.text.split())
    claim = words if len(words) <= _CLAIM else f"{words[:_CLAIM]}…"
    payload = args.get("transactions") or args.get("params")
    intent: Mapping[str, Any] = {}
    for other in turn.calls:
        call = state.invocations[other]
        result = call.result
        if other != key and payload and isinstance(result, ToolData) and _holds(result.data, payload, _DEPTH):
            intent = call.args or {}
    return Asked(claim=claim, intent=intent)


def _holds(data: Any, payload: Any, depth: int) -> bool:
    """Whether the payload, or a list whose only member it is, stands somewhere in the data."""
    if data == payload or (isinstance(payload, list) and payload == [data]):
        return True
    if depth == 0:
        return False
    inner: list[Any] = []
    if isinstance(data, dict):
        inner = list(cast("dict[str, Any]", data).values())
    elif isinstance(data, list):
        inner = cast("list[Any]", data)
    return any(_holds(one, payload, depth - 1) for one in inner if isinstance(one, dict | list))
