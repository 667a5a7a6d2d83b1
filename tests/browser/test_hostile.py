"""Hostile text drawn by the real page in a real browser: nothing runs, and nothing is asked of anybody."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Route

    from bitte_nb.widget import protocol as page_protocol

from bitte_nb.widget.protocol import AgentView, ChatView, ChoiceView, InvocationView, Snapshot, StepView, TurnView

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "bitte_nb" / "static"
CORPUS: dict[str, list[str]] = json.loads((ROOT / "tests" / "hostile" / "corpus.json").read_text(encoding="utf-8"))

HOST = "http://chat.test"
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Chat</title><body><div id="here"></div>
<script type="module">
  window.ran = [];
  window.alert = window.print = (...words) => window.ran.push(words);
  globalThis[Symbol.for("bitte_nb/1")] = { load: async (names) => {
    let last;
    for (const name of names) last = await import("./" + name);
    return last;
  } };
  const { core } = await (await fetch("/files.json")).json();
  let made;
  for (const name of core) made = await import("./" + name);
  const snapshot = await (await fetch("/snapshot.json")).json();
  const model = { get: (name) => (name === "snapshot" ? snapshot : "1"), on() {}, send() {} };
  const { initialize, render } = made.default();
  initialize({ model });
  render({ model, el: document.querySelector("#here") });
  window.drawn = true;
</script>"""


def chat_of(texts: list[str]) -> ChatView:
    """A chat that holds each text wherever a text of somebody else may stand."""
    cards: dict[str, InvocationView] = {}
    turns: list[TurnView] = []
    for number, text in enumerate(texts, 1):
        card = InvocationView(
            key=f"{number}.1.0", tool=text, kind="operation", executor="http", agent="a", state="succeeded", path=text,
            url=text, args={text: text}, result={"data": {text: [text]}},
        )  # fmt: skip
        failed = card.model_copy(update={"key": f"{number}.1.1", "state": "failed", "result": {"error": text}})
        asked = card.model_copy(update={"key": f"{number}.1.2", "state": "pending", "body": text, "result": None})
        cards |= {one.key: one for one in (card, failed, asked)}
        offer = ChoiceView(tool=text, label=text, args={}, missing=[], fields={})
        step = StepView(step=1, text=text, thinking=text, calls=[card.key, failed.key, asked.key], offers=[offer])
        turns.append(
            TurnView(
                turn=number,
                text=text,
                agent="a",
                at=1,
                phase="failed",
                attempt=1,
                max_attempts=3,
                reason=text,
                steps=[step],
            )
        )
    agent = AgentView(agent="a", name=texts[0], description=texts[0], model=texts[0], account=texts[0])
    return ChatView(chat="c", title=texts[0], agents=[agent], turns=turns, invocations=cards, notice=" ".join(texts))


def wire(chat: page_protocol.ChatView) -> str:
    """The snapshot as the page reads it; a lone surrogate cannot be sent and is left out by the kernel as well."""
    message: dict[str, Any] = Snapshot(boot="b", seq=1, chat=chat).model_dump()
    return json.dumps(message)


@pytest.fixture
def spied(context: BrowserContext) -> tuple[Page, list[str]]:
    """A page with nothing but our own files, and everything else that it asks for."""
    page = context.new_page()
    asked: list[str] = []
    page.on("dialog", lambda dialog: asked.append(f"dialog: {dialog.message}"))
    page.on("popup", lambda popup: asked.append(f"popup: {popup.url}"))

    def serve(route: Route) -> None:
        name = route.request.url.removeprefix(HOST).lstrip("/")
        path = STATIC / name
        if route.request.url.startswith(HOST) and name and path.is_file():
            route.fulfill(path=path)
        else:
            asked.append(route.request.url)
            route.abort()

    page.route("**/*", serve)
    page.route(f"{HOST}/", lambda route: route.fulfill(body=PAGE, content_type="text/html"))
    return page, asked


@pytest.mark.parametrize("kind", CORPUS)
def test_hostile_text_runs_nothing_and_asks_nobody(spied: tuple[Page, list[str]], kind: str) -> None:
    page, asked = spied
    texts = CORPUS[kind]
    page.route(f"{HOST}/snapshot.json", lambda route: route.fulfill(body=wire(chat_of(texts))))
    page.goto(f"{HOST}/")
    expect(page.locator(".bnb-turn")).to_have_count(len(texts))
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    page.wait_for_function("document.querySelector('[data-bnb-plain], [data-bnb-tex]') === null")
    page.mouse.move(300, 300)
    page.keyboard.press("Tab")
    assert page.evaluate("window.ran") == []
    assert asked == []
    assert page.url == f"{HOST}/"
