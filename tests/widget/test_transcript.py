"""The static transcript: plain data whatever was said, and never too much for a notebook."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from bitte_nb.core.fold import ChatState, fold
from bitte_nb.core.log import ChatOpened
from bitte_nb.widget.transcript import Pages
from tests.history import chats

CORPUS: dict[str, list[str]] = json.loads(
    (Path(__file__).parents[1] / "hostile" / "corpus.json").read_text(encoding="utf-8")
)
ALLOWED = {
    *("div", "h1", "h2", "h3", "h4", "h5", "h6", "p", "strong", "em", "del", "code", "pre", "blockquote", "br", "hr"),
    *("ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td", "a", "details", "summary"),
}


def said(*turns: tuple[str, str]) -> ChatState:
    """A chat of messages and answers."""
    opened = chats.opened()
    record = opened.agents[0]
    entries = [ChatOpened(at=1, chat=opened.chat, title=turns[0][0], agents=(record,))]
    for number, (user, model) in enumerate(turns, 1):
        entries += [chats.turn(number, user), chats.step(number, 1), chats.says(number, 1, model)]
    return fold(entries)


class Harmless(HTMLParser):
    """Fails at the first thing that could run, load or lead elsewhere."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED, tag
        for name, value in attrs:
            assert name in {"class", "href", "rel", "start", "style", "open"}, (tag, name)
            if name == "href":
                assert (value or "").startswith(("http:", "https:", "mailto:")), value
            if name == "style":
                assert (value or "").startswith("text-align:"), value


@pytest.mark.parametrize("kind", CORPUS)
def test_hostile_text_stays_text(kind: str) -> None:
    for text in CORPUS[kind]:
        html = Pages().bundle(said((text, text)))["text/html"]
        parser = Harmless(convert_charrefs=True)
        parser.feed(html)
        parser.close()


def test_a_long_chat_leaves_its_oldest_turns_out_and_says_so() -> None:
    state = said(*((f"question {number}.", "word " * 2_000) for number in range(200)))
    bundle = Pages().bundle(state)
    assert len(bundle["text/html"]) < 500_000
    assert "question 199." in bundle["text/html"]
    assert "question 3." not in bundle["text/html"]
    for text in bundle.values():
        assert "This copy leaves out the oldest" in text
        assert "of 200 turns" in text


def test_a_short_chat_is_whole() -> None:
    bundle = Pages().bundle(said(("a", "b"), ("c", "d")))
    assert "leaves out" not in bundle["text/markdown"]


def test_a_chat_in_which_nothing_was_said_yet_says_which_it_is_and_how_to_go_on() -> None:
    opened = chats.opened()
    for text in Pages().bundle(fold([opened])).values():
        assert f"Transcript of chat {opened.chat} before its first message." in text
        assert f'bn.Chat.load("{opened.chat}")' in text


def test_a_copy_says_how_far_it_goes() -> None:
    state = said(("a", "b"), ("c", "d"))
    for text in Pages().bundle(state).values():
        assert f"Transcript of chat {state.chat} after 2 turns." in text


def test_a_very_long_answer_is_cut_and_says_so() -> None:
    bundle = Pages().bundle(said(("question", "x" * 1_000_000)))
    for text in bundle.values():
        assert len(text) < 110_000
        assert "(900,000 more characters are in the chat)" in text
