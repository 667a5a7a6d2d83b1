"""A turn as seen from a cell or a script: look at it, decide what is pending, wait for it.

Waiting returns when the turn is over *or needs a person*, so no cell is ever blocked by a click that cannot arrive;
`until="end"` waits through decisions and refuses where they could never be delivered.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, Literal

from bitte_nb.agent.waiting import clicks_arrive
from bitte_nb.core import plan
from bitte_nb.core.answer import model_result
from bitte_nb.core.fold import Turn as TurnState
from bitte_nb.core.invocation import Invocation
from bitte_nb.core.result import ToolResult
from bitte_nb.errors import WaitRefused

if TYPE_CHECKING:
    from bitte_nb.agent.chat import Chat

__all__ = ["Pending", "Turn"]


class Pending:
    """A call that waits for a decision; deciding it is bound to what it showed when it was looked up."""

    def __init__(self, chat: Chat, call: Invocation) -> None:
        self._chat = chat
        self._call = call

    @property
    def call(self) -> Invocation:
        """The invocation as it was shown."""
        return self._call

    @property
    def tool(self) -> str:
        """The operation or primitive."""
        return self._call.tool

    @property
    def args(self) -> dict[str, Any]:
        """Its arguments."""
        return copy.deepcopy(self._call.args or {})

    @property
    def review(self) -> dict[str, Any] | None:
        """The review card of a transaction or message, as data."""
        return self._call.prepared.review if self._call.prepared else None

    @property
    def rows(self) -> list[dict[str, str]]:
        """What the card shows, line by line, each with `label` and `value`."""
        if self.review is not None:
            return [{"label": str(row["label"]), "value": str(row["value"])} for row in self.review["rows"]]
        prepared = self._call.prepared
        if prepared is None:
            return []
        lines = [("Request", f"{prepared.method} {prepared.url}"), *prepared.headers.items(), ("Body", prepared.body)]
        return [{"label": label, "value": value} for label, value in lines if value]

    def __str__(self) -> str:
        lines = [f"{self.tool} waits for your decision", *(f"  {row['label']}: {row['value']}" for row in self.rows)]
        if self.review is not None:
            lines += [f"  {one['severity']}: {one['sentence']}" for one in self.review["warnings"]]
        return "\n".join(lines)

    def approve(self) -> None:
        """Let it run, once, exactly as shown.

        Raises:
            DecisionRefused: it has changed, was decided already, or its review forbids it.
        """
        self._chat.decide(self._call, "approve")

    def deny(self, reason: str = "") -> None:
        """Refuse it; the model is told, with the reason.

        Raises:
            DecisionRefused: it was decided already.
        """
        self._chat.decide(self._call, "deny", reason=reason)

    def respond(self, text: str) -> None:
        """Give its result: a signature or hash from a wallet elsewhere, checked before it counts.

        Raises:
            BitteError: it is not a valid result.
        """
        self._chat.respond(self._call, text)

    def __repr__(self) -> str:
        prepared = self._call.prepared
        what = f"{prepared.method} {prepared.url}".strip() if prepared and prepared.url else str(self._call.args)
        return f"<{self.tool} waits for your decision: {what}>"


class Turn:
    """One message of the person and what comes of it; `await turn` is `turn.wait()` for a loop."""

    def __init__(self, chat: Chat, number: int) -> None:
        self.chat = chat
        self.number = number

    @property
    def state(self) -> TurnState:
        """The turn as far as the log tells."""
        turn = self.chat.state.turn(self.number)
        assert turn is not None  # a handle is made for a turn that exists
        return turn

    @property
    def phase(self) -> str:
        """The session's phase."""
        return self.state.session.phase

    @property
    def outcome(self) -> str | None:
        """`success` or `capped` once it is done."""
        return self.state.session.outcome

    @property
    def reason(self) -> str:
        """Why it failed, was stopped or tries again; a sentence."""
        return self.state.session.reason

    @property
    def text(self) -> str:
        """The words of the answer so far, Markdown."""
        return "\n\n".join(step.text for step in self.state.steps if step.text)

    @property
    def invocations(self) -> list[Invocation]:
        """Its calls, in order."""
        state = self.chat.state
        turn = state.turn(self.number)
        return [state.invocations[key] for key in turn.calls] if turn else []

    @property
    def results(self) -> list[ToolResult | None]:
        """What the model reads of its calls, in order, denied ones included; None where there is nothing yet."""
        return [model_result(call) for call in self.invocations]

    @property
    def pending(self) -> list[Pending]:
        """The calls that wait for a person; waits until the turn is over or needs one."""
        self.wait()
        state = self.chat.state
        turn = state.turn(self.number)
        return [Pending(self.chat, call) for call in plan.pending_calls(state, turn)] if turn else []

    def _rests(self, until: Literal["rest", "end"]) -> bool:
        state = self.chat.state
        turn = state.turn(self.number)
        if turn is None or self.chat.notice:
            return True
        if until == "end":
            return plan.ended(turn) and plan.at_rest(state, turn) and not plan.pending_calls(state, turn)
        return plan.at_rest(state, turn)

    def wait(self, timeout: float | None = None, *, until: Literal["rest", "end"] = "rest") -> Turn:
        """Wait until the turn is over or needs a person; `until="end"` waits through decisions too.

        Args:
            timeout: Seconds; None waits as long as it takes.
            until: `rest` or `end`.

        Raises:
            TimeoutError: the time is over; the turn goes on.
            WaitRefused: `until="end"`, and a click could never arrive while this cell runs.
        """
        if until == "end":
            self._check_clicks(blocking=True)
        if not self.chat.wait_for(lambda: self._rests(until), timeout):
            raise TimeoutError(self._late(timeout))
        return self

    async def finished(self, *, until: Literal["rest", "end"] = "end") -> Turn:
        """The same as `wait`, for a running loop; bound it with `asyncio.timeout`.

        Raises:
            WaitRefused: `until="end"`, and a click could never arrive while this cell runs.
        """
        if until == "end":
            self._check_clicks(blocking=False)
        await asyncio.wrap_future(self.chat.thread.submit(self._until(until)))
        return self

    async def _until(self, until: Literal["rest", "end"]) -> None:
        while not self._rests(until):
            await self.chat.conversation.change()

    def _late(self, seconds: float | None) -> str:
        assert seconds is not None  # without a limit nothing is late
        return f"Turn {self.number} is still {self.phase} after {seconds:g} seconds; it goes on."

    def __await__(self) -> Generator[Any, None, Turn]:
        return self.finished(until="rest").__await__()

    def _check_clicks(self, *, blocking: bool) -> None:
        why_not = clicks_arrive(blocking=blocking, seen_off_main=self.chat.clicks_off_main)
        if why_not and plan.pending_calls(self.chat.state, self.state):
            raise WaitRefused(why_not)

    def __repr__(self) -> str:
        waits = plan.pending_calls(self.chat.state, self.state)
        if waits:
            names = ", ".join(call.tool for call in waits)
            return f"<Turn {self.number}: waits for your decision on {names}>"
        last = f", {self.outcome}" if self.outcome == "capped" else ""
        why = f": {self.reason}" if self.phase in {"failed", "cancelled"} and self.reason else ""
        return f"<Turn {self.number}: {self.phase}{last}{why}>"
