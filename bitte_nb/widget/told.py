"""What an open page must be told of one entry of the log, as numbered events. Pure; `view` makes what they hold."""

from __future__ import annotations

from bitte_nb.core.elapsed import elapsed
from bitte_nb.core.fold import ChatState, Turn, turn_of
from bitte_nb.core.invocation import Invocation
from bitte_nb.core.invocation_events import ArgsDelta as CallArgsDelta
from bitte_nb.core.log import (
    BranchChosen,
    BudgetExtended,
    ChatOpened,
    Entry,
    InvocationChanged,
    InvocationStarted,
    Offered,
    Rated,
    Renamed,
    RuleGranted,
    RuleRevoked,
    SessionChanged,
    StepFinished,
    StepStarted,
    TextAdded,
    ThinkingAdded,
    TurnStarted,
)
from bitte_nb.core.plan import ended
from bitte_nb.widget import protocol as page
from bitte_nb.widget.view import cards, invocation_view, step_view, turn_head, turn_view

__all__ = ["page_events"]


def page_events(before: ChatState, state: ChatState, one: Entry) -> list[page.PageEvent]:
    """What an open page must be told of one entry, given the state before it and the state after it."""
    match one:
        case TextAdded(turn=number, step=step) | ThinkingAdded(turn=number, step=step):
            return _text_events(state, one, number, step)
        case InvocationChanged(key=key, event=CallArgsDelta(text=text)):
            call = _shown_call(state, key)
            return [page.ArgsDelta(key=key, text=text)] if call is not None and call.state == "streaming" else []
        case InvocationChanged(key=key):
            call = _shown_call(state, key)
            return [page.InvocationChanged(view=invocation_view(call)), *_late(before, state, key)] if call else []
        case InvocationStarted(key=key):
            return _started_events(state, key)
        case (
            StepStarted(turn=number, step=step) | StepFinished(turn=number, step=step) | Offered(turn=number, step=step)
        ):
            return _step_events(state, number, step)
        case BranchChosen() | TurnStarted(after=int()):
            return _path_events(before, state)
        case TurnStarted(turn=number) | BudgetExtended(turn=number) | SessionChanged(turn=number) | Rated(turn=number):
            return _turn_events(state, number)
        case ChatOpened() | Renamed() | RuleGranted() | RuleRevoked():
            return []


def _shown(state: ChatState, number: int) -> Turn | None:
    """The turn, if pages show it."""
    return None if number in state.elsewhere else state.turn(number)


def _shown_call(state: ChatState, key: str) -> Invocation | None:
    """The invocation, if its turn is one that pages show."""
    call = state.invocations.get(key)
    return call if call is not None and _shown(state, turn_of(key)) is not None else None


def _text_events(state: ChatState, one: TextAdded | ThinkingAdded, number: int, step: int) -> list[page.PageEvent]:
    turn = _shown(state, number)
    if turn is None or not 0 < step <= len(turn.steps):
        return []
    text = turn.steps[step - 1].text if isinstance(one, TextAdded) else turn.steps[step - 1].thinking
    if text == one.text:  # the first piece of an attempt: it replaces what an earlier attempt left
        return _step_events(state, number, step)
    delta = page.TextDelta if isinstance(one, TextAdded) else page.ThinkingDelta
    return [delta(turn=number, step=step, text=one.text)]


def _started_events(state: ChatState, key: str) -> list[page.PageEvent]:
    call = _shown_call(state, key)
    if call is None:
        return []
    number = turn_of(key)
    turn = _shown(state, number)
    step = next((one.step for one in turn.steps if key in one.calls), 0) if turn is not None else 0
    place = _step_events(state, number, step) if step else _turn_events(state, number)  # or the person started it
    return [page.InvocationChanged(view=invocation_view(call)), *place]


def _late(before: ChatState, state: ChatState, key: str) -> list[page.PageEvent]:
    """A call that ends after its turn adds its time to it."""
    known, turn = before.turn(turn_of(key)), state.turn(turn_of(key))
    if known is None or turn is None or not ended(turn) or elapsed(before, known) == elapsed(state, turn):
        return []
    return [page.TurnChanged(head=turn_head(state, turn))]


def _step_events(state: ChatState, number: int, step: int) -> list[page.PageEvent]:
    turn = _shown(state, number)
    if turn is None or not 0 < step <= len(turn.steps):
        return []
    return [page.StepChanged(turn=number, view=step_view(turn.steps[step - 1]))]


def _turn_events(state: ChatState, number: int) -> list[page.PageEvent]:
    """The turn's head; the turn before it changes too, since only the newest can be retried or continued."""
    turn = _shown(state, number)
    if turn is None:
        return []
    changed = [*state.turns[-2:]] if turn is state.last else [turn]
    return [page.TurnChanged(head=turn_head(state, one)) for one in changed]


def _path_events(before: ChatState, state: ChatState) -> list[page.PageEvent]:
    """The path from where it leaves the one that was shown."""
    if before.turns is state.turns:
        return []
    kept = 0
    for old, new in zip(before.turns, state.turns, strict=False):
        if old.turn != new.turn:
            break
        kept += 1
    turns, last = state.turns[kept:], state.turns[:kept][-1:]
    changed = page.PathChanged(
        after=last[0].turn if last else 0,
        turns=[turn_view(state, turn) for turn in turns],
        invocations=cards(state, turns),
    )
    return [changed, *(page.TurnChanged(head=turn_head(state, turn)) for turn in last)]
