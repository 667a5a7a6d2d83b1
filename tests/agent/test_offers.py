"""The choices that a model gives, read from a script."""

from __future__ import annotations

from tests.agent.conftest import ChatMaker


def test_the_choices_of_an_answer_are_on_the_turn(make_chat: ChatMaker) -> None:
    turn = make_chat().ask("what can you do?").wait(60)
    assert turn.offers == turn.state.steps[-1].offers
    assert [choice.tool for choice in turn.offers]
