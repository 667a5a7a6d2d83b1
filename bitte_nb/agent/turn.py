"""A turn as seen from a cell or a script: look at it, decide what is pending, wait for it.

Waiting returns when the turn is over *or needs a person*, so no cell is ever blocked by a click that cannot arrive;
`until="end"` waits through decisions and refuses where they could never be delivered.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from bitte_nb.agent import acts
from bitte_nb.agent.context import request_of
from bitte_nb.agent.waiting import clicks_arrive, has_one_shell
from bitte_nb.core import plan
from bitte_nb.core.answer import model_result
from bitte_nb.core.card_text import card_lines
from bitte_nb.core.fold import Turn as TurnState
from bitte_nb.core.invocation import Invocation
from bitte_nb.core.log import Choice
from bitte_nb.core.result import ToolResult
from bitte_nb.core.session import Transition
from bitte_nb.core.session_rules import offered_rule
from bitte_nb.errors import ArgumentRefused, WaitRefused
from bitte_nb.model.port import ModelRequest

if TYPE_CHECKING:
    from bitte_nb.agent.chat import Chat
    from bitte_nb.agent.conversation import Conversation

__all__ = ["Pending", "Turn"]


def _indented(lines: list[str]) -> list[str]:
    return [f"  {line}" for text in lines for line in text.split("\n")]


class Pending:
    """A call that waits for a decision; deciding it is bound to what it showed when it was looked up."""

    def __init__(self, chat: Chat, call: Invocation, conversation: Conversation | None = None) -> None:
        self._chat = chat
        self._call = call
        self._conversation = conversation or chat.conversation

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
        lines = [("Request", f"{prepared.method} {prepared.url}"), *self._call.headers.items(), ("Body", prepared.body)]
        return [{"label": label, "value": value} for label, value in lines if value]

    def __str__(self) -> str:
        lines = card_lines(self.review or {"rows": self.rows})
        return "\n".join([f"{self.tool} waits for your decision", *_indented(lines)])

    def approve(self, *, always: bool = False) -> None:
        """Let it run, once, exactly as shown.

        Args:
            always: Allow what `scope` says as well, until `chat.revoke(...)` or the end of the program.

        Raises:
            DecisionRefused: it has changed, was decided already, expired, or its review forbids it; or it cannot
                always be allowed.
        """
        self._chat.decide(self._call, "approve", always=always, conversation=self._conversation)

    @property
    def scope(self) -> str:
        """What `approve(always=True)` would allow, as a sentence; empty where that cannot be."""
        rule = offered_rule(self._call)
        return rule.sentence if rule is not None else ""

    def edit(self, args: Mapping[str, Any]) -> Pending:
        """Give it other arguments, all of them; returns the card that comes back, which still has to be approved.

        Operation and server stay. The model is told what was changed once it ran.

        Raises:
            BitteError: the arguments are not valid or the same, or somebody decided meanwhile.
        """
        call, shown = self._call, self._call.prepared.digest if self._call.prepared else ""
        edited = acts.edit(self._conversation, call.key, dict(args), digest=shown, version=call.version, actor="code")
        self._chat.run(edited)
        return Pending(self._chat, self._conversation.call(call.key), self._conversation)

    def deny(self, reason: str = "") -> None:
        """Refuse it; the model is told, with the reason.

        Raises:
            DecisionRefused: it was decided already.
        """
        self._chat.decide(self._call, "deny", reason=reason, conversation=self._conversation)

    def respond(self, text: str) -> None:
        """Give its result: a signature or hash from a wallet elsewhere, checked before it counts.

        Raises:
            BitteError: it is not a valid result.
        """
        self._chat.respond(self._call, text, conversation=self._conversation)

    def __repr__(self) -> str:
        prepared = self._call.prepared
        what = f"{prepared.method} {prepared.url}".strip() if prepared and prepared.url else str(self._call.args)
        return f"<{self.tool} waits for your decision: {what}>"


class Turn:
    """One message of the person and what comes of it; `await turn` is `turn.wait()` for a loop.

    It stays with the chat that it was made in, whichever chat is opened in its place later.
    """

    def __init__(self, chat: Chat, number: int) -> None:
        self.chat = chat
        self.number = number
        self._conversation = chat.conversation

    @property
    def state(self) -> TurnState:
        """The turn as far as the log tells."""
        turn = self._conversation.state.turn(self.number)
        assert turn is not None  # a handle is made for a turn that exists
        return turn

    @property
    def phase(self) -> str:
        """The session's phase; `awaiting` is while a decision is open or a call runs, and `print(turn)` says which."""
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
    def transitions(self) -> tuple[Transition, ...]:
        """The log of its session: each change of phase, attempt or reason, with its time and what made it."""
        return self.state.transitions

    @property
    def text(self) -> str:
        """The words of the answer so far, Markdown."""
        return "\n\n".join(step.text for step in self.state.steps if step.text)

    def request(self, step: int = 1) -> ModelRequest:
        """What the model was given for a step of this turn: the system text, the messages and the tools.

        Made again from the history and the agent as they are, and never sent by this.

        Raises:
            ValueError: the turn has no such step.
        """
        return request_of(self._conversation.state, self._conversation.agents, self.number, step)

    @property
    def offers(self) -> tuple[Choice, ...]:
        """The choices that its last step gives, each with `tool`, `label`, `args` and what is `missing`."""
        return self.state.steps[-1].offers if self.state.steps else ()

    @property
    def invocations(self) -> list[Invocation]:
        """Its calls, in order."""
        state = self._conversation.state
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
        state = self._conversation.state
        turn = state.turn(self.number)
        return (
            [Pending(self.chat, call, self._conversation) for call in plan.pending_calls(state, turn)] if turn else []
        )

    def _rests(self, until: Literal["rest", "end"]) -> bool:
        state = self._conversation.state
        turn = state.turn(self.number)
        if turn is None or self._conversation.notice:
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
        self._check_clicks(until, blocking=True)
        deaf = until == "end" and has_one_shell()
        if not self.chat.wait_for(lambda: self._rests(until) or (deaf and self._needs_person()), timeout):
            raise TimeoutError(self._late(timeout))
        if not self._rests(until):
            self._check_clicks(until, blocking=True)
        return self

    async def finished(self, *, until: Literal["rest", "end"] = "end") -> Turn:
        """The same as `wait`, for a running loop; bound it with `asyncio.timeout`.

        Raises:
            WaitRefused: `until="end"`, and a click could never arrive while this cell runs.
        """
        self._check_clicks(until, blocking=False)
        deaf = until == "end" and has_one_shell()
        await asyncio.wrap_future(self.chat.thread.submit(self._until(until, deaf=deaf)))
        if not self._rests(until):
            self._check_clicks(until, blocking=False)
        return self

    async def _until(self, until: Literal["rest", "end"], *, deaf: bool) -> None:
        while not self._rests(until) and not (deaf and self._needs_person()):
            await self._conversation.change()

    def _late(self, seconds: float | None) -> str:
        assert seconds is not None  # without a limit nothing is late
        return f"Turn {self.number} is not over after {seconds:g} seconds ({self._standing()}); it goes on."

    def __await__(self) -> Generator[Any, None, Turn]:
        return self.finished(until="rest").__await__()

    def _check_clicks(self, until: Literal["rest", "end"], *, blocking: bool) -> None:
        if until not in ("rest", "end"):
            raise ArgumentRefused(f"until is {until!r}; write 'rest' (the turn is over or needs a person) or 'end'.")
        why_not = clicks_arrive(blocking=blocking, seen_off_main=self.chat.clicks_off_main)
        if until == "end" and why_not and self._needs_person():
            raise WaitRefused(why_not)

    def _needs_person(self) -> bool:
        return bool(plan.pending_calls(self._conversation.state, self.state))

    def _standing(self) -> str:
        """How it stands, in words: by the calls that are open, where the phase alone does not tell."""
        waits = [call.tool for call in plan.pending_calls(self._conversation.state, self.state)]
        runs = [call.tool for call in self.invocations if call.state in {"approved", "executing"}]
        lost = [call.tool for call in self.invocations if call.state == "unknown"]
        if waits or self.phase == "awaiting":
            open_calls = {"waits for your decision on": waits, "runs": runs, "nobody knows what came of": lost}
            said = [f"{what} {', '.join(tools)}" for what, tools in open_calls.items() if tools]
            if said:
                return "; ".join(said)
        last = f", {self.outcome}" if self.outcome == "capped" else ""
        why = f": {self.reason}" if self.phase in {"failed", "cancelled"} and self.reason else ""
        return f"{self.phase}{last}{why}"

    def __repr__(self) -> str:
        return f"<Turn {self.number}: {self._standing()}>"
