"""What the offline model says and takes between two messages: text that stands alone, and no value that is none."""

from __future__ import annotations

import socket
from typing import Any

import pytest

import bitte_nb as bn
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


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        ("HTTP 409 Conflict: The name is taken.", "Change what it complains about"),
        ("Argument days: 45 is more than 30.", "Change what it complains about"),
        ("ValueError: not a day", "Change what it complains about"),
        ("HTTP 404 Not Found", "check the names and numbers"),
        ("HTTP 401 Unauthorized: Who are you?", "its credential"),
        ("HTTP 403 Forbidden", "does not allow this"),
        ("HTTP 429 Too Many Requests", "wait a little"),
        ("HTTP 502 Bad Gateway", "the server's own fault"),
        ("HTTP error during tool execution: 500 Internal Server Error", "the server's own fault"),
        ("https://a.example did not answer in time.", "once that server runs"),
        ("The server did not finish its answer within 30 seconds.", "once that server runs"),
        ("The connection to https://a.example failed (reset).", "once that server runs"),
    ],
)
async def test_what_to_do_about_an_error_fits_the_error(error: str, advice: str) -> None:
    said = await Conversation(SHELF, result=lambda name, args: {"error": error}).ask("list the shelves")
    assert advice in said.text
    assert ("Change what it complains about" in said.text) == advice.startswith("Change")


async def test_a_server_that_is_down_is_not_the_fault_of_the_words() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        document: dict[str, Any] = {
            "openapi": "3.1.0",
            "info": {"title": "Shelves", "version": "1"},
            "servers": [{"url": url}],
            "paths": {"/shelves": {"get": {"operationId": "list-shelves", "summary": "List the shelves."}}},
        }
        answer = await bn.load_document(document).operation("list-shelves").call({})
    said = await Conversation(SHELF, result=lambda name, args: answer.model_dump()).ask("list the shelves")
    assert url in said.text
    assert "ask again once that server runs" in said.text
