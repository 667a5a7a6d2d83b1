"""A history that fits: nothing is left out in silence, and no call loses its result."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from bitte_nb.core.fold import ChatState
from bitte_nb.core.messages import (
    AssistantMessage,
    CoreMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from bitte_nb.history.budget import SHORT, fitted, size
from bitte_nb.history.core_messages import to_core_messages

from . import logs
from .test_core_messages import assert_provider_valid


def turn(number: int, result: object) -> list[CoreMessage]:
    call = ToolCallPart(toolCallId=f"c{number}", toolName="t", args={"n": number})
    return [
        UserMessage(content=f"question {number}"),
        AssistantMessage(content=[call]),
        ToolMessage(content=[ToolResultPart(toolCallId=f"c{number}", toolName="t", result=result)]),
        AssistantMessage(content=[TextPart(text=f"answer {number}")]),
    ]


@given(logs.chats(), st.integers(0, 4_000))
@settings(max_examples=100, deadline=None)
def test_whatever_is_left_keeps_the_providers_rules(state: ChatState, budget: int):
    messages = to_core_messages(state)
    short = fitted(messages, budget=budget)
    assert_provider_valid(short.messages)
    assert short.dropped + len(short.messages) == len(messages)
    assert short.messages[1:] == messages[short.dropped + 1 :]  # nothing is long here, so nothing is cut
    if size(messages) <= budget:
        assert short.messages == messages
        assert short.notice == ""
    users = [place for place, one in enumerate(messages) if isinstance(one, UserMessage)]
    assert not short.dropped or short.dropped in users


def test_the_newest_turn_stays_whatever_the_budget():
    messages = [*turn(1, {"data": 1}), *turn(2, {"data": 2})]
    short = fitted(messages, budget=0)
    assert short.dropped == 4
    assert short.messages[1:] == messages[5:]
    opening = short.messages[0]
    assert isinstance(opening, UserMessage)
    assert opening.text == "[What was said before this was left out, 1 turn: the history is too long.]\n\nquestion 2"
    assert (short.turns, short.notice) == (1, "To fit the model's context, the first turn was left out.")


def test_old_long_results_are_cut_before_any_turn_goes():
    long = {"data": [{"row": number} for number in range(5_000)], "undone": True}
    messages = [*turn(1, long), *turn(2, {"error": "e" * 50_000}), *turn(3, {"data": 3})]
    short = fitted(messages, budget=size(messages) - 1)
    assert (short.dropped, short.shortened) == (0, 1)
    first = short.messages[2]
    assert isinstance(first, ToolMessage)
    assert first.content[0].result["undone"] is True
    assert first.content[0].result["data"].startswith('[{"row": 0}, {"row": 1}')
    assert "further characters were left out" in first.content[0].result["data"]
    assert short.messages[6] == messages[6]
    both = fitted(messages, budget=10_000)
    assert (both.dropped, both.shortened) == (0, 2)
    assert size(both.messages) <= 10_000
    assert both.notice == "To fit the model's context, 2 long texts were shortened."


def test_what_is_said_about_cuts_counts_only_what_is_left():
    messages = [*turn(1, {"data": "x" * 50_000}), *turn(2, "y" * 50_000)]
    short = fitted(messages, budget=SHORT)
    assert (short.dropped, short.shortened) == (4, 1)
    assert "the first turn was left out and 1 long text was shortened" in short.notice


def test_a_picture_takes_no_room_from_what_was_said():
    picture = "data:image/png;base64," + "A" * 50_000
    messages = [*turn(1, {"data": "x"}), *turn(2, {"data": {"type": "Figure", "display": picture}})]
    short = fitted(messages, budget=2_000)
    assert (short.dropped, short.shortened) == (0, 0)
    assert "[image/png: the person sees it]" in str(short.messages)
    assert "AAAA" not in str(short.messages)


WORDS = st.text(st.sampled_from('a "\n\\é語'), min_size=0, max_size=60).flatmap(
    lambda piece: st.integers(1, 400).map(lambda times: piece * times)
)


@given(WORDS, st.lists(WORDS, max_size=3), st.integers(3 * SHORT, 12_000))
@example("\\" * 3, ["", "\\" * 954, "\\" * 2000], 5_900)
@settings(max_examples=100, deadline=None)
def test_a_message_longer_than_all_that_a_model_reads_is_given_without_its_middle(
    question: str, answers: list[str], budget: int
):
    said = f"First words. {question} Last words."
    messages: list[CoreMessage] = [
        UserMessage(content=said),
        *(AssistantMessage(content=[TextPart(text=f"{answer}.")]) for answer in answers),
    ]
    short = fitted(messages, budget=budget)
    assert len(short.messages) == len(messages)
    assert short.dropped == 0
    changed = [new for new, old in zip(short.messages, messages, strict=True) if new != old]
    assert short.shortened == len(changed)
    mark = "characters were left out here: the message is longer than what you can read at once"
    long = any(len(text) > SHORT + 2 * len(mark) for text in (said, *(f"{answer}." for answer in answers)))
    assert bool(changed) == (size(messages) > budget and long)  # escapes can fill a window with short texts only
    assert all(mark in one.model_dump_json() for one in changed)
    opening = short.messages[0]
    assert isinstance(opening, UserMessage)
    assert opening.text.startswith("First words.")
    assert opening.text.endswith("Last words.")
    least = 2 * SHORT + 500  # of a text, every character of it escaped
    assert size(short.messages) <= max(budget, least * len(messages))
