"""Reads one model call: joins its pieces, watches the time, and appends what came.

Pieces are joined for a thirtieth of a second before they become one entry, so that the log, the page and the disk see
at most 30 entries a second however fast a model is.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator
from typing import TYPE_CHECKING

from bitte_nb.agent.alarm import Alarm
from bitte_nb.agent.calls import start_call
from bitte_nb.agent.first import first_of
from bitte_nb.agent.recorder import gather
from bitte_nb.core.invocation_events import ArgsDelta, ArgsRejected
from bitte_nb.core.log import (
    Choice,
    Entry,
    InvocationChanged,
    Offered,
    StepFinished,
    StepStarted,
    TextAdded,
    ThinkingAdded,
)
from bitte_nb.core.plan import NextStep
from bitte_nb.core.session_events import Connected as SessionConnected
from bitte_nb.core.session_events import Stall, Token
from bitte_nb.errors import HistoryError, ModelError, ModelStreamCut
from bitte_nb.history.record import storable
from bitte_nb.model.port import (
    CallArgsDelta,
    CallStarted,
    Connected,
    Finished,
    ModelEvent,
    Offer,
    TextDelta,
    ThinkingDelta,
)

if TYPE_CHECKING:
    from bitte_nb.agent.agent import Agent
    from bitte_nb.agent.conversation import Conversation

__all__ = ["FLUSH_EVERY", "MOST_CALLS", "MOST_CHARACTERS", "MOST_SECONDS", "Endless", "StepStream"]

FLUSH_EVERY = 1 / 30
"""Seconds for which the pieces of an answer are joined, and between two messages to the pages of a chat."""
_CLOSE_WITHIN = 1.0
"""Seconds a source has to close; one that does not is left to itself, and the turn goes on."""
MOST_CHARACTERS = 8_000_000
"""Text, reasoning and arguments of one answer."""
MOST_CALLS = 1_000
"""Calls of one answer."""
MOST_SECONDS = 30 * 60
"""How long one answer may stream."""


class Endless(Exception):
    """An answer went beyond every bound."""


class StepStream:
    """One attempt at one step; `keys` are its calls in call order."""

    def __init__(self, chat: Conversation, turn: int, step: NextStep, agent: Agent) -> None:
        self.chat = chat
        self.turn = turn
        self.step = step.step
        self.keys: list[str] = []
        self._next = step
        self._agent = agent
        self._by_index: dict[int, str] = {}
        self._call_ids: set[str] = set()
        self._pieces: list[Entry] = []
        self._halves: dict[str | int, str] = {}
        self._due: float | None = None
        self._characters = 0
        current = chat.state.turn(turn)
        before = current.steps[-1].calls if current and current.steps and current.steps[-1].step == self.step else ()
        self._offset = _next_index(chat, turn, self.step, len(before))

    def begin(self, *, left_out: int = 0, shortened: int = 0) -> None:
        """Append the start of the attempt, and how much of the chat the model was not given."""
        now = self.chat.clock.now()
        self.chat.append(
            StepStarted(
                at=now,
                turn=self.turn,
                step=self.step,
                attempt=self._next.attempt,
                model=self._agent.model.name,
                agent=self._agent.id,
                tools=self._next.tools,
                left_out=left_out,
                shortened=shortened,
            )
        )

    async def read(self, events: AsyncIterator[ModelEvent]) -> str:
        """Read to the end; returns the endpoint's reason for finishing.

        Raises:
            ModelError: the endpoint failed.
            ModelStreamCut: it ended without saying that it was finished.
            TimeoutError: it took too long to answer or to go on; the message is a sentence.
            Endless: it said more, or took longer, than any answer needs.
        """
        clock, limits = self.chat.clock, self._agent.timeouts
        begun = clock.monotonic()
        reading: asyncio.Task[ModelEvent | None] | None = None
        alarm = Alarm(clock)
        connected, last = False, clock.monotonic()
        try:
            while True:
                if reading is None and self.chat.pressure.paused:
                    self.flush()
                    await self.chat.pressure.ready()
                    last = clock.monotonic()  # it was not the model that was silent
                reading = reading or asyncio.ensure_future(_next_event(events))
                limit = limits.limit(connected=connected)
                waits = [last + limit]
                if connected and last + limits.stall > clock.monotonic():
                    waits.append(last + limits.stall)
                if self._due is not None:
                    waits.append(self._due)
                await first_of(reading, alarm.ring_by(min(waits)))
                now = clock.monotonic()
                if not reading.done():
                    self._tick(now, last, connected=connected)
                    if now >= last + limit:
                        raise limits.passed(connected=connected)
                    continue
                event, reading = _event(reading), None
                if event is None:
                    raise ModelStreamCut("The model's answer broke off before it was finished.")
                last, connected = now, True
                self.chat.session(self.turn, SessionConnected())
                if isinstance(event, Finished):
                    self.flush()
                    self._finish(event)
                    return event.reason
                self._take(event, now)
                self._count(event, now - begun)
                if self._due is not None and now >= self._due:  # a model that never pauses is shown on the way too
                    self.flush()
        finally:
            alarm.cancel()
            self._last_flush()
            await _closed(events, reading)

    def _count(self, event: ModelEvent, seconds: float) -> None:
        """Bound what one answer may be; an endpoint that drips for ever must not hold a turn open."""
        if isinstance(event, TextDelta | ThinkingDelta | CallArgsDelta):
            self._characters += len(event.text)
        if self._characters > MOST_CHARACTERS or len(self.keys) > MOST_CALLS or seconds > MOST_SECONDS:
            raise Endless(
                f"The model's answer was ended here: it went beyond {MOST_CHARACTERS:,} characters, {MOST_CALLS} calls "
                f"or {MOST_SECONDS // 60} minutes. Nothing of it was run."
            )

    def _tick(self, now: float, last: float, *, connected: bool) -> None:
        if self._due is not None and now >= self._due:
            self.flush()
        if connected and now >= last + self._agent.timeouts.stall:
            self.chat.session(self.turn, Stall())

    def _take(self, event: ModelEvent, now: float) -> None:
        at = self.chat.clock.now()
        match event:
            case TextDelta(text=text):
                self._piece(TextAdded(at=at, turn=self.turn, step=self.step, text=self._whole("text", text)), now)
            case ThinkingDelta(text=text):
                whole = self._whole("thinking", text)
                self._piece(ThinkingAdded(at=at, turn=self.turn, step=self.step, text=whole), now)
            case CallArgsDelta(index=index, text=text):
                key = self._by_index.get(index)
                if key is not None:
                    more = ArgsDelta(text=self._whole(index, text))
                    self._piece(InvocationChanged(at=at, key=key, event=more), now)
            case CallStarted():
                self.flush()
                self._awake()
                self._start(event)
            case Offer():
                self.flush()
                self._awake()
                self._offer(event, at)
            case Connected() | Finished():
                pass

    def _offer(self, event: Offer, at: int) -> None:
        fields = {tool.name: tool.input_schema.get("properties", {}) for tool in self._agent.tools}
        offered = tuple(
            Choice(tool=one.tool, label=one.label, args=one.args, missing=one.missing, fields=fields.get(one.tool, {}))
            for one in event.choices
        )
        self.chat.append(Offered(at=at, turn=self.turn, step=self.step, choices=offered))

    def _whole(self, stream: str | int, text: str) -> str:
        """The text with a surrogate pair that two pieces split put together again; half a pair is no text."""
        text = self._halves.pop(stream, "") + text
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._halves[stream] = text[-1]
            text = text[:-1]
        return storable(text)

    def _start(self, event: CallStarted) -> None:
        if event.index in self._by_index:
            return  # a repeated start is not a twin
        key = f"{self.turn}.{self.step}.{self._offset + len(self.keys)}"
        self._by_index[event.index] = key
        self.keys.append(key)
        call_id = storable(event.call_id)
        start_call(self.chat, key, storable(event.name), agent=self._agent, call_id=call_id)
        if call_id and call_id in self._call_ids:
            sentence = f"The call id {call_id!r} was used twice in one answer; only the first call counts."
            self.chat.call_event(key, ArgsRejected(error=sentence))
        self._call_ids.add(call_id)

    def _piece(self, one: Entry, now: float) -> None:
        gather(self._pieces, one)
        self.chat.pressure.arrived()
        if self._due is None:
            self._due = now + FLUSH_EVERY

    def flush(self) -> None:
        """Append the joined pieces."""
        self._due = None
        pieces, self._pieces = self._pieces, []
        if pieces:
            self.chat.append(*pieces)
            self._awake()

    def _awake(self) -> None:
        """Take the hint back that nothing comes."""
        turn = self.chat.state.turn(self.turn)
        if turn is not None and turn.session.phase == "stalled":
            self.chat.session(self.turn, Token())

    def _last_flush(self) -> None:
        """Keep what came before the stream broke; after a stop nothing is added any more."""
        turn = self.chat.state.turn(self.turn)
        if turn is not None and turn.session.phase in {"connecting", "streaming", "stalled"}:
            self.flush()

    def _finish(self, event: Finished) -> None:
        self.chat.append(
            StepFinished(
                at=self.chat.clock.now(),
                turn=self.turn,
                step=self.step,
                reason=event.reason,
                input_tokens=event.usage.input_tokens,
                output_tokens=event.usage.output_tokens,
                raw=event.raw,
            )
        )


def _next_index(chat: Conversation, turn: int, step: int, count: int) -> int:
    """The first free index: calls of dropped attempts keep their keys."""
    while f"{turn}.{step}.{count}" in chat.state.invocations:
        count += 1
    return count


async def _next_event(events: AsyncIterator[ModelEvent]) -> ModelEvent | None:
    return await anext(events, None)


def _event(reading: asyncio.Task[ModelEvent | None]) -> ModelEvent | None:
    """What was read; a source's own failures never pass for a stop or for the history's."""
    if reading.cancelled():
        raise ModelStreamCut("The model's answer broke off before it was finished: its source cancelled itself.")
    try:
        return reading.result()
    except HistoryError as error:
        raise ModelError(f"The model failed: {error}") from error


async def _closed(events: AsyncIterator[ModelEvent], reading: asyncio.Task[ModelEvent | None] | None) -> None:
    """Drop the source, so that its connection closes; what it still has to say no longer matters."""
    if reading is not None:
        if not reading.cancelling():  # a second time would break off how it closes
            reading.cancel()
        await asyncio.wait({reading}, timeout=_CLOSE_WITHIN)
    if isinstance(events, AsyncGenerator):
        with contextlib.suppress(Exception):
            async with asyncio.timeout(_CLOSE_WITHIN):
                await events.aclose()
