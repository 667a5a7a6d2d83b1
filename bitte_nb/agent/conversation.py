"""A chat on the agent thread: its state, its log, and the acts of a person.

Everything here runs on the agent thread only, so acts happen one after another: the first decision wins. An act is
checked, written to disk, then folded into the state and told to the subscribers; effects come after that.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence

from bitte_nb.agent.agent import Agent, together
from bitte_nb.agent.clock import Clock
from bitte_nb.agent.handoff import addressed
from bitte_nb.agent.journal import Journal
from bitte_nb.agent.loop import run_turn
from bitte_nb.agent.recorder import Recorder
from bitte_nb.agent.runner import drive
from bitte_nb.agent.thread import AgentThread
from bitte_nb.core import plan
from bitte_nb.core.attachment import Attachment
from bitte_nb.core.fold import STEP_CAP, ChatState, turn_of
from bitte_nb.core.invocation import Invocation, refusal
from bitte_nb.core.invocation_events import (
    Cancel,
    CancelReason,
    Lost,
)
from bitte_nb.core.log import (
    BudgetExtended,
    Entry,
    InvocationChanged,
    Renamed,
    SessionChanged,
    TurnStarted,
)
from bitte_nb.core.rehydrate import recovery
from bitte_nb.core.session_events import Cancel as CancelSession
from bitte_nb.core.session_events import Interrupt, Offline, Online, Retry, Start
from bitte_nb.errors import DecisionRefused, UnknownTool
from bitte_nb.history.record import storable

__all__ = ["Conversation"]

_TITLE = 60


class Conversation(Journal):
    """See the module."""

    def __init__(
        self,
        *,
        state: ChatState,
        unwritten: list[Entry],
        agents: dict[str, Agent],
        recorder: Recorder,
        clock: Clock,
        thread: AgentThread,
    ) -> None:
        super().__init__(state=state, unwritten=unwritten, recorder=recorder, clock=clock, thread=thread)
        self.agents = together(agents)
        self.boot = secrets.token_hex(4)
        self._turn_task: asyncio.Task[None] | None = None
        self._drives: dict[str, asyncio.Task[None]] = {}

    # Acts of a person ------------------------------------------------------------------------------------------------

    def ask(self, text: str, *, agent: str = "", after: int | None = None, files: Sequence[Attachment] = ()) -> int:
        """Begin a turn; whatever was still open is cancelled as superseded. Returns the turn's number.

        Args:
            text: What the person says.
            agent: Who answers where the text addresses nobody as `@name`; by default whoever spoke last.
            after: The turn that it follows, 0 for none; the last one by default.
            files: What is attached; `recorder.keep` has their bytes already.
        """
        text = storable(text)
        self.leave_turn("superseded", "You sent a new message.")
        number = self.state.count + 1
        now = self.clock.now()
        agent = addressed(text, [(one.id, one.name) for one in self.agents.values()]) or agent or self._speaking(after)
        started = TurnStarted(at=now, turn=number, text=text, agent=agent, after=after, files=tuple(files))
        entries: list[Entry] = [started]
        if number == 1 and not self.state.title:
            entries.append(Renamed(at=now, title=" ".join(text.split())[:_TITLE]))
        entries.append(SessionChanged(at=now, turn=number, event=Start()))
        self.append(*entries)
        self._run(number)
        return number

    def stop(self) -> None:
        """Stop the newest turn at once; a call that already left is marked unknown unless it only reads."""
        self.leave_turn("stopped", "Stopped.")

    def retry(self, number: int) -> None:
        """Try a failed turn again; finished calls keep their results.

        Raises:
            DecisionRefused: the turn has not failed or is not the newest.
        """
        turn = self.state.turn(number)
        if turn is None or turn is not self.state.last or turn.session.phase != "failed":
            raise DecisionRefused(f"Turn {number} cannot be retried: only the newest turn can, once it has failed.")
        self._begin_again(number, Retry())

    def extend(self, number: int) -> None:
        """Go on with a capped turn: a new budget of model calls.

        Raises:
            DecisionRefused: the turn was not capped or is not the newest.
        """
        turn = self.state.turn(number)
        if turn is None or turn is not self.state.last or turn.session.outcome != "capped":
            raise DecisionRefused(f"Turn {number} cannot be continued: only the newest turn can, once it was capped.")
        self._begin_again(number, Start(), BudgetExtended(at=self.clock.now(), turn=number, calls=STEP_CAP))

    def _begin_again(self, number: int, event: Start | Retry, *before: Entry) -> None:
        """Go on with a turn that had ended; where a call of it is open, the model is asked once that has its result."""
        turn = self.state.turn(number)
        now = self.clock.now()
        entries = [*before, SessionChanged(at=now, turn=number, event=event)]
        if turn is not None and plan.open_calls(self.state, turn):
            entries.append(SessionChanged(at=now, turn=number, event=Interrupt()))
        self.append(*entries)
        self._run(number)

    # Calls -----------------------------------------------------------------------------------------------------------

    @property
    def first(self) -> Agent:
        """The agent that answers where none is named."""
        return next(iter(self.agents.values()))

    def _speaking(self, after: int | None) -> str:
        """The id of the agent that goes on after that turn."""
        turn = self.state.last if after is None else self.state.turn(after)
        spoke = plan.speaker(self.state, turn) if turn is not None else ""
        return spoke if spoke in self.agents else self.first.id

    def agent_of(self, call: Invocation) -> Agent:
        """The agent whose tool the call is; where only one is here, as after loading with another one, that one.

        Raises:
            UnknownTool: its agent is not part of this chat any more.
        """
        found = self.agents.get(call.agent) or (self.first if len(self.agents) == 1 else None)
        if found is None:
            raise UnknownTool(f"{call.tool} is a tool of {call.agent}, which is not part of this chat any more.")
        return found

    def call(self, key: str) -> Invocation:
        """The invocation of that key.

        Raises:
            DecisionRefused: there is none.
        """
        found = self.state.invocations.get(key)
        if found is None:
            raise DecisionRefused(f"There is no call {key!r} in this chat.")
        return found

    # Tasks -----------------------------------------------------------------------------------------------------------

    def _run(self, number: int) -> None:
        self._turn_task = self.spawn(run_turn(self, number))

    def ensure(self, key: str) -> None:
        """See that somebody drives the call and, where its turn waits for it, the turn."""
        self.drive(key)
        turn = self.state.turn(turn_of(key))
        idle = self._turn_task is None or self._turn_task.done()
        if idle and turn is not None and turn is self.state.last and turn.session.phase == "awaiting":
            self._run(turn.turn)

    def drive(self, key: str) -> asyncio.Task[None]:
        """The task that carries the call on; started where there is none."""
        task = self._drives.get(key)
        if task is None or task.done():
            task = self._drives[key] = self.spawn(drive(self, key))
            task.add_done_callback(lambda ended: self._driven(key, ended))
        return task

    def _driven(self, key: str, task: asyncio.Task[None]) -> None:
        if self._drives.get(key) is task:
            del self._drives[key]
        if not task.cancelled():
            task.exception()  # a failed write was already told; whoever waits for the task sees it too

    def leave_turn(self, reason: CancelReason, sentence: str) -> None:
        """Cancel what is open in the last turn, for this reason."""
        turn = self.state.last
        if turn is None:
            return
        now = self.clock.now()
        cancel = Cancel(reason=reason, at=now)
        # Stop means everything of the turn; a new message leaves an undo alone.
        keys = turn.calls if reason == "stopped" else [key for step in turn.steps for key in step.calls]
        calls = [self.state.invocations[key] for key in keys]
        left = [call for call in calls if refusal(call, cancel) is None]
        entries: list[Entry] = [InvocationChanged(at=now, key=call.key, event=cancel) for call in left]
        if not plan.ended(turn):
            entries.append(SessionChanged(at=now, turn=turn.turn, event=CancelSession(reason=sentence)))
        if entries:
            self.append(*entries)  # one write, however many calls are open: a stop returns at once
        for call in left:
            if call.state != "executing":
                continue
            if call.key in self._drives:
                self._drives[call.key].cancel()
            else:  # its answer could not be written, and nobody waits for another
                self.call_event(call.key, Lost(reason="Its outcome could not be recorded.", at=now))
        self._end_turn_task()

    def network(self, *, online: bool) -> None:
        """The machine lost its network, or has it back: an answer that streams fails at once, none begins by itself."""
        turn = self.state.last
        if turn is not None:
            self.session(turn.turn, Online() if online else Offline())
            if not online and self.state.turns[-1].session.cause == "offline":
                self._end_turn_task()

    def _end_turn_task(self) -> None:
        if self._turn_task is not None and not self._turn_task.done():
            self._turn_task.cancel()
        self._turn_task = None

    def close(self) -> None:
        """Record where everything stands, as loading would, and take no act any more; open approvals stay open."""
        if self.ended:
            return
        entries = recovery(self.state, at=self.clock.now())
        try:
            if self.recorder.begun and entries:
                self.append(*entries)
            self.save()
        finally:
            self.recorder.release()
            self.end(f"This chat is closed here. Go on with it by bitte_nb.Chat.load({self.recorder.chat!r}).")
