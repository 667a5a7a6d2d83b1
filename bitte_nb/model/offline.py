"""The default model: matches words to operations and says so; it needs no key, no network and no language model."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from bitte_nb.core.tool import Tool
from bitte_nb.model.answer import answer_outcomes
from bitte_nb.model.chain import holds_payload, is_chart
from bitte_nb.model.plan import Plan, plan
from bitte_nb.model.port import (
    CallArgsDelta,
    CallStarted,
    Choice,
    Connected,
    Finished,
    ModelEvent,
    ModelRequest,
    Offer,
    TextDelta,
    ThinkingDelta,
)
from bitte_nb.model.retrieval import Index
from bitte_nb.model.wording import word_question

__all__ = ["OfflineModel"]

_ARGUMENT_PIECE = 24
_LARGE = 60


class OfflineModel:
    """Answers any tool list deterministically: acts where it is sure, asks with choices where it is not, else refuses.

    Args:
        delay: Seconds between two pieces of text, so that people see it stream; 0 answers at once.
        budget: The most seconds that one answer's pieces may wait in all.
        sleep: What waits; injected in tests.
    """

    def __init__(
        self,
        *,
        delay: float = 0.012,
        budget: float = 0.9,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._delay = delay
        self._budget = budget
        self._sleep = sleep
        self._index: tuple[tuple[Tool, ...], Index] | None = None

    @property
    def name(self) -> str:
        """How the model is called on the page."""
        return "offline model"

    def __repr__(self) -> str:
        return "OfflineModel()"

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Answer one step; it never fails."""
        yield Connected()
        large = len(request.tools) > _LARGE  # reading a long list takes a second or two, which must not stall the loop
        step = await asyncio.to_thread(self._plan, request) if large else self._plan(request)
        if step.calls:
            yield ThinkingDelta(" ".join(dict.fromkeys(step.notes)))
            for index, call in enumerate(step.calls):
                yield CallStarted(index, f"offline-{len(request.messages)}-{index}", call.tool.name)
                text = json.dumps(call.args, ensure_ascii=False)
                pieces = [text[at : at + _ARGUMENT_PIECE] for at in range(0, len(text), _ARGUMENT_PIECE)]
                async for piece in self._paced(pieces):
                    yield CallArgsDelta(index, piece)
            yield Finished("tool_calls")
            return
        words, choices = _words(step, request)
        async for piece in self._paced(re.findall(r"\s*\S+\s*$|\s*\S+", words)):
            yield TextDelta(piece)
        if choices:
            yield Offer(choices)
        yield Finished("stop")

    def _plan(self, request: ModelRequest) -> Plan:
        # To whom a person speaks is theirs to say here; no retrieval is good enough to hand a conversation over.
        index = self._indexed([tool for tool in request.tools if tool.kind != "handoff"])
        return plan(request.messages, index, wallet=request.wallet, instructions=request.instructions)

    async def _paced(self, pieces: Sequence[str]) -> AsyncIterator[str]:
        pause = min(self._delay, self._budget / max(1, len(pieces)))
        for number, piece in enumerate(pieces):
            if number and pause > 0:
                await self._sleep(pause)
            yield piece

    def _indexed(self, tools: Sequence[Tool]) -> Index:
        key = tuple(tools)
        if self._index is None or self._index[0] != key:
            self._index = key, Index(key)
        return self._index[1]


def _words(step: Plan, request: ModelRequest) -> tuple[str, tuple[Choice, ...]]:
    """The end of a turn: what came back, then what is still open."""
    blocks = _results(step, request)
    choices: list[Choice] = []
    for question in step.questions if request.tools else []:
        text, offered = word_question(question, request.tools)
        blocks.append(text)
        choices += [choice for choice in offered if choice not in choices]
    if not blocks:
        blocks.append("I may call no operation in this step, so nothing was done.")
    return "\n\n".join(blocks), tuple(choices[:3])


def _results(step: Plan, request: ModelRequest) -> list[str]:
    """What came back, without a payload that went on to its primitive, and with a word where a payload went nowhere."""
    primitives = {tool.name for tool in request.tools if tool.kind == "primitive"}
    outcomes = step.turn.outcomes
    chained = any(one.name in primitives for one in outcomes)
    built = [one for one in outcomes if one.name not in primitives and holds_payload(one.data)]
    drawn = any(one.name == "render-chart" and one.error is None for one in outcomes)
    left = [one for one in outcomes if not (chained and one in built) and not (drawn and is_chart(one.data))]
    blocks = answer_outcomes(left)
    if drawn:
        blocks.append("Here is the chart.")
    if built and not chained:
        blocks.append("This only prepares a request: nothing was signed or sent.")
    return blocks
