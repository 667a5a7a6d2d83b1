"""What the offline model says and takes between two messages: text that stands alone, and no value that is none."""

from __future__ import annotations

import pytest

from tests.model.conversation import Conversation
from tests.model.toolsets import op, text, whole

SHELF = [
    op("get-book", "GET", "/books/{bookId}", "Get one book.", bookId=(text("Which book."), True)),
    op("list-shelves", "GET", "/shelves", "List the shelves of the house."),
]
DAYS = [op("get-forecast", "GET", "/f", "Forecast the weather.", days=(whole("Days.", minimum=1, maximum=30), True))]


@pytest.mark.parametrize(
    "answer",
    ["what can you do?", "help", "no", "never mind", "cancel that", "why do you ask", "how does this work?", "thanks"],
)
async def test_what_is_no_value_is_not_taken_for_one(answer: str) -> None:
    chat = Conversation(SHELF)
    assert (await chat.ask("get one book")).calls == []
    assert (await chat.ask(answer)).calls == []


async def test_a_value_is_still_taken_and_another_request_is_done() -> None:
    chat = Conversation(SHELF)
    await chat.ask("get one book")
    assert (await chat.ask("dom-casmurro-1")).calls == [("get-book", {"bookId": "dom-casmurro-1"})]
    await chat.ask("get one book")
    assert (await chat.ask("list the shelves")).calls == [("list-shelves", {})]


async def test_the_bounds_of_an_argument_are_said() -> None:
    said = await Conversation(DAYS).ask("forecast the weather for 45 days")
    assert said.calls == []
    assert "at most 30" in said.text


async def test_text_with_choices_stands_alone() -> None:
    tools = [op(f"get-{one}-report", "GET", f"/{one}", f"Get the {one} report.") for one in ("sales", "stock")]
    said = await Conversation(tools).ask("get the report")
    assert said.choices
    assert not said.text.rstrip().endswith(":")
    assert all(choice.tool in said.text for choice in said.choices)


async def test_with_and_the_name_of_an_argument_gives_its_value() -> None:
    tools = [op("search-books", "GET", "/books", "Search books.", title=(text("Title."), False), page=(whole(), False))]
    said = await Conversation(tools).ask("search books with title dom casmurro")
    assert said.calls == [("search-books", {"title": "dom casmurro"})]


async def test_words_that_no_argument_takes_are_said() -> None:
    said = await Conversation(SHELF).ask("list the shelves of the house casmurro")
    assert said.calls == [("list-shelves", {})]
    assert "casmurro" in said.text
