"""The acts that make, choose and rate versions of a chat: edit a message, answer it anew, go back to what was there.

Nothing is ever taken away: an edited message and a new answer are further turns beside the old ones. Each act ends what
is open, as a new message does; only for the agent thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bitte_nb.core.branches import line_of
from bitte_nb.core.fold import Turn
from bitte_nb.core.invocation import refusal
from bitte_nb.core.invocation_events import Cancel
from bitte_nb.core.log import BranchChosen, Rated, Rating
from bitte_nb.errors import DecisionRefused

if TYPE_CHECKING:
    from bitte_nb.agent.conversation import Conversation

__all__ = ["choose", "edit", "rate", "regenerate"]


def edit(chat: Conversation, number: int, text: str) -> int:
    """Say something else in the place of a turn's message, to the same agent; returns the new turn's number.

    Raises:
        DecisionRefused: there is no such turn.
    """
    turn = _turn(chat, number)
    _leave_behind(chat, chat.state.turn(turn.after))
    return chat.ask(text, agent=turn.agent, after=turn.after, files=turn.files)


def regenerate(chat: Conversation, number: int) -> int:
    """Answer a turn's message once more; returns the new turn's number.

    Raises:
        DecisionRefused: there is no such turn.
    """
    return edit(chat, number, _turn(chat, number).text)


def choose(chat: Conversation, number: int) -> None:
    """Go to the version of the chat in which the turn is, and to its end as it was last seen.

    Raises:
        DecisionRefused: there is no such turn.
    """
    turn = _turn(chat, number)
    if number not in chat.state.elsewhere:
        return
    chat.leave_turn("superseded", "You went to another version of the chat.")
    _leave_behind(chat, turn)
    chat.append(BranchChosen(at=chat.clock.now(), turn=number))


def rate(chat: Conversation, number: int, rating: Rating) -> None:
    """Keep what the person thinks of an answer; the model is not told.

    Raises:
        DecisionRefused: there is no such turn.
    """
    if _turn(chat, number).rating != rating:
        chat.append(Rated(at=chat.clock.now(), turn=number, rating=rating))


def _turn(chat: Conversation, number: int) -> Turn:
    turn = chat.state.turn(number)
    if turn is None:
        raise DecisionRefused(f"There is no turn {number} in this chat.")
    return turn


def _leave_behind(chat: Conversation, upto: Turn | None) -> None:
    """Cancel the undos that wait in turns which are about to be out of sight: what is not shown must not wait."""
    cancel = Cancel(reason="superseded", at=chat.clock.now())
    stays = line_of(chat.state, upto) if upto is not None else set[int]()
    calls = [chat.state.invocations[key] for turn in chat.state.turns if turn.turn not in stays for key in turn.actions]
    chat.call_events(
        [(call.key, cancel) for call in calls if call.state != "executing" and refusal(call, cancel) is None]
    )
