"""The widget in a front end that offers anywidget's contract and nothing else (as Colab and marimo do), in Chromium."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

import bitte_nb as bn
from bitte_nb.testing import Call, ScriptedModel
from bitte_nb.widget import assets
from bitte_nb.widget.chat import Chat
from tests.browser.notebook import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import BrowserContext, Locator, Page

    from bitte_nb.widget.page_widget import PageWidget

HOST = Path(__file__).with_name("host.js")
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Notes", "version": "1"},
    "servers": [{"url": "http://127.0.0.1:9"}],
    "paths": {"/notes": {"post": {"operationId": "add-note", "responses": {"200": {"description": "ok"}}}}},
}


class Host:
    """One page with widgets of this process in it; messages go over a queue, as over a line."""

    def __init__(self, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
        self.page = page
        self.sent: list[tuple[str, dict[str, Any]]] = []
        """What widgets sent and the page has not got yet."""
        self.asked: list[dict[str, Any]] = []
        """What the page sent."""
        self.requests: list[str] = []
        self._widgets: dict[str, PageWidget] = {}
        page.on("request", lambda request: self.requests.append(request.url))
        page.route("http://host.test/", lambda route: route.fulfill(body="<!doctype html><html lang=en><body>"))
        page.goto("http://host.test/")
        self.requests.clear()
        page.expose_function("toKernel", self._take)
        page.add_script_tag(content=HOST.read_text("utf-8"))
        self._monkeypatch = monkeypatch

    def open(self, widget: PageWidget) -> str:
        """Give the page the widget as it is now: its traits, as JSON."""
        name = f"w{len(self._widgets)}"
        self._widgets[name] = widget
        self._monkeypatch.setattr(
            widget, "send", lambda content, _buffers=None: self.sent.append((name, json.loads(json.dumps(content))))
        )
        state = {key: value for key, value in widget.get_state().items() if key in {"_esm", "snapshot", "face"}}
        self.page.evaluate("([n, s]) => host.open(n, s)", [name, state])
        return name

    def render(self, name: str, place: str) -> Locator:
        self.page.evaluate("([n, p]) => host.render(n, p)", [name, place])
        return self.page.locator(f"#{place} [data-bnb-chat]")

    def _take(self, name: str, content: dict[str, Any]) -> None:
        self.asked.append(content)
        self._widgets[name]._on_page(None, content, [])

    def files_asked(self) -> list[list[str]]:
        """The names of each request for files; one that is answered late is sent again."""
        return [one["names"] for one in self.asked if one["type"] == "files"]

    def carry(self) -> None:
        """Deliver what waits."""
        while self.sent:
            name, content = self.sent.pop(0)
            self.page.evaluate("([n, c]) => host.say(n, c)", [name, content])

    def until(self, place: Locator, text: str = "") -> None:
        """Carry messages until the place is there (with this text)."""
        self.carry_until(lambda: place.count() and text in place.first.inner_text(), what=f"{place} with {text!r}")

    def carry_until(self, condition: Callable[[], object], *, what: str) -> None:
        """Carry messages until `condition` is true."""

        def carried() -> object:
            self.carry()
            return condition()

        wait_until(self.page, carried, what=what)


@pytest.fixture
def host(context: BrowserContext, monkeypatch: pytest.MonkeyPatch) -> Host:
    return Host(context.new_page(), monkeypatch)


@pytest.fixture
def chat(tmp_path: Path) -> Iterator[Chat]:
    model = ScriptedModel([[Call("add-note", {})], ["All **done**."]])
    chat = Chat(bn.Agent(DOCUMENT, model=model), store=tmp_path / "history.sqlite")
    yield chat
    chat.close()


def test_a_host_with_five_methods_shows_the_chat_in_every_view_and_takes_clicks(host: Host, chat: Chat) -> None:
    name = host.open(chat.widget)
    view, shadow = host.render(name, "plain"), host.render(name, "shadow")
    host.until(view)
    host.until(shadow)
    assert {tuple(names) for names in host.files_asked()} == {tuple(_core())}, "the core is all that is asked for"
    for one in (view, shadow):  # the style sheet is where the view is, also in a shadow root
        expect(one).to_have_css("display", "flex")
    view.locator("textarea.bnb-composer-text").fill("note it")
    view.locator("textarea.bnb-composer-text").press("Enter")
    decline = shadow.locator('[data-bnb-action="decline"]').last
    host.until(decline)
    decline.click()
    host.until(view.get_by_role("log"), text="All done.")
    host.until(shadow.get_by_role("log"), text="All done.")

    host.page.evaluate("n => host.clear(n)", name)
    expect(view).to_have_count(0)
    again = host.render(name, "again")  # drawn anew from what the page has, without asking for anything
    expect(again.get_by_role("log")).to_contain_text("All done.")
    assert host.requests == [one for one in host.requests if one.startswith("blob:")], "nothing came by an address"


def test_a_second_widget_of_a_page_brings_nothing_but_its_loader(host: Host, chat: Chat, tmp_path: Path) -> None:
    host.until(host.render(host.open(chat.widget), "one"))
    asked = host.files_asked()
    other = Chat(bn.Agent(DOCUMENT, model=ScriptedModel([])), store=tmp_path / "other.sqlite")
    try:
        host.until(host.render(host.open(other.widget), "two"))
    finally:
        other.close()
    assert host.files_asked() == asked

    chunks = _chunks()
    for chunk in chunks:  # whatever loads late comes the same way
        host.page.evaluate(
            """names => {
              globalThis[Symbol.for("bitte_nb/1")].load(names).then((module) => { globalThis[names.at(-1)] = module; });
            }""",
            chunk,
        )
    last = [chunk[-1] for chunk in chunks]
    host.carry_until(
        lambda: host.page.evaluate("names => names.every((name) => name in globalThis)", last), what=f"{last}"
    )


def test_where_no_kernel_answers_a_line_says_so(host: Host, chat: Chat) -> None:
    host.page.clock.install()
    name = host.open(chat.widget)
    host.render(name, "dead")
    host.page.clock.fast_forward("01:00")
    expect(host.page.locator("#dead")).to_contain_text("not connected to a kernel")
    host.until(host.page.locator("#dead [data-bnb-chat]"))  # and the chat is drawn once one does


def _core() -> list[str]:
    return list(assets.core_files())


def _chunks() -> list[list[str]]:
    """The files of each chunk that the built page part loads late."""
    loads = [
        found for path in assets.STATIC.glob("*.js") for found in re.findall(r"\.load\((\[[^]]+\])\)", path.read_text())
    ]
    return [json.loads(one) for one in sorted(set(loads))]
