"""One trial: a case said once, in a chat of its own that nobody keeps, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from bitte_nb.agent.agent import Agent
from bitte_nb.agent.clock import Clock
from bitte_nb.agent.conversation import Conversation
from bitte_nb.agent.recorder import Recorder
from bitte_nb.agent.thread import AgentThread
from bitte_nb.core import plan
from bitte_nb.core.elapsed import elapsed
from bitte_nb.core.fold import ChatState, Turn
from bitte_nb.core.log import ChatOpened, Entry
from bitte_nb.history.record import storable_value
from bitte_nb.measuring.case import Case, call_words
from bitte_nb.measuring.rehearsal import BROKEN

__all__ = ["Made", "Outcome", "Trial", "run_trial"]

_LONGEST = 4_000
"""Characters of an answer that a trial keeps."""


Outcome = Literal["passed", "missed", "error"]


class Made(BaseModel):
    """A call that a model made, its arguments checked and converted."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: str
    args: dict[str, Any]


class Trial(BaseModel):
    """What came of a case that was said once."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    case: str
    """The case's name."""
    run: int
    """Which of the runs, from 1."""
    outcome: Outcome
    """`error`: the model or a check failed, so that this says nothing about the document."""
    calls: tuple[Made, ...] = ()
    refused: tuple[str, ...] = ()
    """Calls that could not be made as the model asked for them, each with the sentence that it read."""
    text: str = ""
    """The answer, its first 4,000 characters."""
    error: str = ""
    steps: int = 0
    """Model calls."""
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    """In which the model spoke or a function that stands in ran."""

    @property
    def words(self) -> str:
        """What the model did, on one line."""
        if self.error:
            return self.error
        made = [call_words(one.tool, one.args) for one in self.calls]
        made += [f"refused: {one}" for one in self.refused]
        return ", ".join(made) or f"no call: {self.text}"


class _Unkept(Recorder):
    """Keeps nothing: nobody loads a trial again."""

    def __init__(self, chat: str) -> None:
        self.chat, self.head = chat, 0  # there is no store, and nothing that could ask for one

    def record(self, entries: Sequence[Entry]) -> None:
        pass

    def flush(self) -> None:
        pass

    def release(self) -> None:
        pass

    @property
    def begun(self) -> bool:
        return False


async def run_trial(agent: Agent, case: Case, run: int, *, clock: Clock, thread: AgentThread) -> Trial:
    """Say a case to an agent of `rehearsed`, on the agent thread, until it has answered or waits for a decision."""
    opened = ChatOpened(at=clock.now(), chat=f"trial-{run}", agents=(agent.record(),))
    chat = Conversation(
        state=ChatState(),
        unwritten=[opened],
        agents={agent.id: agent},
        recorder=_Unkept(opened.chat),
        clock=clock,
        thread=thread,
    )
    try:
        number = chat.ask(case.prompt)
        while (turn := chat.state.turn(number)) is None or not plan.at_rest(chat.state, turn):
            await chat.change()
        return _judged(case, run, chat.state, turn)
    finally:
        chat.end("This trial is over.")


def _judged(case: Case, run: int, state: ChatState, turn: Turn) -> Trial:
    calls = [state.invocations[key] for key in turn.calls]
    calls = [one for one in calls if one.state != "cancelled"]  # of an attempt that broke off and was made again
    made = [(one.tool, one.args) for one in calls if one.args is not None and not one.input_failed]
    refused = [one for one in calls if one.input_failed]
    text = "\n\n".join(step.text for step in turn.steps if step.text)
    outcome, error = "missed", turn.session.reason if turn.session.phase == "failed" else ""
    error = error or next((one.reason for one in calls if one.reason.startswith(BROKEN)), "")
    if not error:
        try:
            outcome = "passed" if case.passes(made, text, refused=len(refused)) else "missed"
        except Exception as fault:  # a check is the person's function
            error = f"A check of this case raised {type(fault).__name__}: {fault}"
    return Trial(
        case=case.name,
        run=run,
        outcome="error" if error else outcome,
        calls=tuple(Made(tool=tool, args=storable_value(args)) for tool, args in made),
        refused=tuple(f"{one.tool}: {one.reason}" for one in refused),
        text=text[:_LONGEST],
        error=error,
        steps=len(turn.steps),
        input_tokens=sum(step.input_tokens for step in turn.steps),
        output_tokens=sum(step.output_tokens for step in turn.steps),
        seconds=elapsed(state, turn) / 1000,
    )
