"""From the moment in which a turn is stopped or a chat ends here, nothing of it leaves any more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

import pytest

from bitte_nb.agent.bindings.binding import Ready
from bitte_nb.agent.calls import show_later
from bitte_nb.agent.chat import Chat
from bitte_nb.agent.conversation import Conversation
from bitte_nb.core.fold import ChatState
from bitte_nb.core.log import Entry, StepStarted
from bitte_nb.core.prepared import Prepared
from bitte_nb.testing import Call, ScriptedModel
from tests.agent.conftest import ChatMaker

ENDS: dict[str, Callable[[Conversation], object]] = {
    "closed": lambda its: its.close(),
    "stopped": lambda its: its.stop(),
    "deleted": lambda its: its.end("This chat was deleted."),
    "elsewhere": lambda its: its.end("Another kernel goes on with it.", elsewhere=True),
}


def model_of(chat: Chat) -> ScriptedModel:
    return cast("ScriptedModel", chat.agent.model)


def rest(chat: Chat) -> None:
    """Wait until no task of the chat is left."""

    async def none_left() -> None:
        while tasks := tuple(chat.conversation._tasks):
            await asyncio.wait(tasks)

    chat.thread.submit(none_left()).result(60)


@pytest.mark.parametrize("later", [False, True], ids=["at once", "before the reading begins"])
@pytest.mark.parametrize("how", ENDS)
def test_no_request_leaves_that_was_about_to(make_chat: ChatMaker, how: str, later: bool) -> None:
    chat = make_chat([["Hello."]])

    def end(_before: ChatState, entries: tuple[Entry, ...], _after: ChatState) -> None:
        if any(isinstance(one, StepStarted) for one in entries):
            if later:  # the loop runs this before the task that asks the model, which is made after it
                chat.thread.loop.call_soon(ENDS[how], chat.conversation)
            else:
                ENDS[how](chat.conversation)

    chat.thread.call(lambda: chat.conversation.subscribe(end))
    chat.ask("hi")
    rest(chat)
    assert any(turn.steps for turn in chat.state.turns)
    assert model_of(chat).requests == []


@pytest.mark.parametrize("how", ENDS)
def test_whatever_the_loop_was_about_to_do_it_asks_nothing_more(make_chat: ChatMaker, how: str) -> None:
    async def asked_by_then(chat: Chat, steps: int) -> int:
        chat.conversation.ask("hi")
        for _ in range(steps):
            await asyncio.sleep(0)
        ENDS[how](chat.conversation)
        return len(model_of(chat).requests)

    for steps in range(12):
        chat = make_chat([[Call("get-weather", {"city": "Oslo"})], ["Cold."]])
        asked = chat.thread.submit(asked_by_then(chat, steps)).result(60)
        rest(chat)
        assert len(model_of(chat).requests) == asked, f"after {steps} steps of the loop"


@pytest.mark.parametrize("how", [how for how in ENDS if how != "stopped"])
@pytest.mark.parametrize("before", [False, True], ids=["after it", "before it"])
def test_nothing_more_is_looked_up_for_a_card(make_chat: ChatMaker, how: str, before: bool) -> None:
    chat = make_chat([["Hello."]])
    looked: list[str] = []

    async def later() -> Prepared | None:
        looked.append("up")
        return None

    async def never(_key: str) -> object:
        raise AssertionError

    prepared = Prepared.model_construct(digest="d")
    ready = Ready(args={}, prepared=prepared, run=never, later=later)  # pyright: ignore[reportArgumentType]
    acts = [lambda: show_later(chat.conversation, "1.1.0", ready), lambda: ENDS[how](chat.conversation)]
    chat.thread.call(lambda: [act() for act in (acts if before else reversed(acts))])
    rest(chat)
    assert looked == []
