"""The chat widget and the static transcript, outside a notebook: what they carry, and what they never carry."""

from __future__ import annotations

import contextlib
import contextvars
import json
import random
import re
import subprocess
import sys
import threading
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import ipywidgets
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

import bitte_nb as bn
from bitte_nb.core.fold import ChatState, apply
from bitte_nb.core.log import Entry, Renamed, TextAdded, TurnStarted
from bitte_nb.history.export import masked
from bitte_nb.history.reading import Drawings, to_html, to_markdown
from bitte_nb.testing import Call, Pause, ScriptedModel
from bitte_nb.widget import protocol
from bitte_nb.widget import transcript as transcripts
from bitte_nb.widget.chat import Chat, ChatWidget
from bitte_nb.widget.transcript import Pages, Transcript
from bitte_nb.widget.wire import browser_text
from tests.core.logs import LOGS, valid_logs
from tests.widget.pages import DOCUMENT, HOSTILE, on_the_line, open_chat

FORBIDDEN = {"id", "log", "comm"}
"""Names that Jupyter gives a meaning in a message."""


@pytest.fixture
def chat(tmp_path: Path) -> Any:
    agent = bn.Agent(DOCUMENT, model=ScriptedModel([["Hello **you**."], [Call("add-note", {})], ["Done."]]))
    chat = Chat(agent, store=tmp_path / "history.sqlite")
    yield chat
    chat.close()


def models() -> list[type[BaseModel]]:
    return [
        value
        for value in vars(protocol).values()
        if isinstance(value, type) and issubclass(value, BaseModel) and value is not BaseModel
    ]


@pytest.mark.parametrize("model", models(), ids=lambda model: model.__name__)
def test_no_field_of_the_contract_has_a_name_that_jupyter_uses(model: type[BaseModel]) -> None:
    assert not set(model.model_fields) & FORBIDDEN


def test_every_message_to_a_page_is_json_and_survives_the_way(chat: Chat) -> None:
    chat.ask("hello é😀 \ud83d and more").wait(60)
    chat.ask("note \udc00").wait(60)
    snapshot = chat.widget.driver.snapshot()
    assert json.loads(on_the_line(snapshot)) == snapshot
    chat.thread.call(lambda: None)
    state = chat.widget.get_state()
    assert state["snapshot"]["chat"]["turns"][1]["text"] == "note \ufffd"
    on_the_line(state)


def test_a_program_without_jupyter_can_make_a_chat_and_its_widget(tmp_path: Path) -> None:
    program = f"""
import bitte_nb as bn
from bitte_nb.testing import ScriptedModel
chat = bn.Chat(bn.Agent({DOCUMENT!r}, model=ScriptedModel([["Hello."]])), store={str(tmp_path / "h.sqlite")!r})
widget = chat.widget
assert widget is chat.widget
print(chat.ask("hi").wait(60).text, len(widget.driver.snapshot()["chat"]["turns"]))
chat.close()
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (run.returncode, run.stdout.strip()) == (0, "Hello. 1"), run.stderr


def test_the_snapshot_trait_has_the_turn_once_it_rests(chat: Chat) -> None:
    widget = chat.widget
    assert widget.snapshot["chat"]["turns"] == []
    chat.ask("hello").wait(60)
    chat.thread.call(lambda: None)
    assert [turn["phase"] for turn in widget.snapshot["chat"]["turns"]] == ["done"]
    waiting = chat.ask("note").wait(60)
    chat.thread.call(lambda: None)
    assert widget.snapshot["chat"]["invocations"]["2.1.0"]["state"] == "pending"
    chat.stop()
    chat.thread.call(lambda: None)
    assert widget.snapshot["chat"]["invocations"]["2.1.0"]["state"] == "cancelled"
    assert waiting.phase == "cancelled"


def test_a_widget_made_late_begins_with_all_that_happened(chat: Chat) -> None:
    chat.ask("hello").wait(60)
    assert chat.widget.snapshot["chat"]["turns"][0]["steps"][0]["text"] == "Hello **you**."


def test_messages_go_out_in_the_context_of_the_latest_message_of_a_page(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell: contextvars.ContextVar[str] = contextvars.ContextVar("shell", default="main")
    seen: list[str] = []

    def send(_self: object, *_args: object, **_kwargs: object) -> None:
        seen.append(shell.get())

    monkeypatch.setattr(ipywidgets.Widget, "_send", send)
    widget = chat.widget
    widget.send({"type": "probe"})
    assert set(seen) == {"main"}
    seen.clear()

    def on_subshell() -> None:
        shell.set("subshell")
        message = {"content": {"data": {"method": "custom", "content": {"type": "ping", "mid": "p"}}}, "buffers": []}
        widget._handle_msg(message)

    thread = threading.Thread(target=on_subshell)
    thread.start()
    thread.join()
    chat.thread.call(lambda: None)
    widget.send({"type": "probe"})
    assert len(seen) >= 2  # the acknowledgement and the probe
    assert set(seen) == {"subshell"}
    assert shell.get() == "main"


def test_a_message_of_a_page_is_handled_on_the_agent_thread(chat: Chat) -> None:
    widget = chat.widget
    where: list[str] = []
    ask = chat.conversation.ask

    def watched(text: str, **more: Any) -> int:
        where.append(threading.current_thread().name)
        return ask(text, **more)

    chat.conversation.ask = watched  # pyright: ignore[reportAttributeAccessIssue]
    widget._handle_msg(
        {
            "content": {"data": {"method": "custom", "content": {"type": "send", "mid": "p", "text": "hello"}}},
            "buffers": [],
        }
    )
    chat.thread.call(lambda: None)
    assert where == ["bitte_nb agent"]
    assert chat.turns[0].wait(60).text == "Hello **you**."


def page_says(widget: ChatWidget, data: dict[str, Any]) -> None:
    widget._handle_msg({"content": {"data": data}, "buffers": []})


def test_a_handler_of_the_person_may_use_the_chat_while_words_stream(tmp_path: Path) -> None:
    steps = [[*["word ", Pause(0.002)] * 30] for _ in range(40)]
    chat = Chat(bn.Agent(DOCUMENT, model=ScriptedModel(steps)), store=tmp_path / "history.sqlite")
    widget, used = chat.widget, list[int]()

    def handler(*_: object) -> None:
        for _number in range(5):
            time.sleep(0.02)
            chat.stop()
            used.append(chat.ask("again é😀\ud83d").number)

    widget.on_msg(handler)
    chat.ask("go")
    ping = {"method": "custom", "content": {"type": "ping", "mid": "p"}}
    thread = threading.Thread(target=page_says, args=(widget, ping), daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive(), "the handler hangs"
    assert used == [2, 3, 4, 5, 6]
    chat.stop()
    chat.close()


def test_an_observer_of_the_trait_may_wait_for_another_thread_that_sends(chat: Chat) -> None:
    widget, sent = chat.widget, list[bool]()

    def observer(_change: object) -> None:
        thread = threading.Thread(target=widget.send, args=({"type": "probe"},), daemon=True)
        thread.start()
        thread.join(60)
        sent.append(not thread.is_alive())

    widget.observe(observer, "snapshot")
    chat.ask("hello").wait(60)
    chat.thread.call(lambda: None)
    assert sent
    assert all(sent)


def test_a_closed_widget_is_told_nothing_and_the_chat_makes_another(chat: Chat) -> None:
    closed = chat.widget
    closed.close()
    closed.close()
    chat.ask("hello").wait(60)
    chat.thread.call(lambda: None)
    assert closed.snapshot["chat"]["turns"] == []
    assert chat.widget is not closed
    assert chat.widget.snapshot["chat"]["turns"][0]["steps"][0]["text"] == "Hello **you**."


def test_a_page_cannot_write_a_trait(chat: Chat) -> None:
    widget = chat.widget
    before = widget.get_state()
    forged = {"snapshot": {"type": "snapshot", "chat": {}}, "_esm": "alert(1)"}
    page_says(widget, {"method": "update", "state": forged, "buffer_paths": []})
    assert widget.get_state() == before


def test_many_pages_and_cells_at_once_never_hold_each_other_up(tmp_path: Path) -> None:
    steps = [["Let me ", Pause(0.005), Call("add-note")] if n % 2 else ["word "] * 50 for n in range(2_000)]
    chat = Chat(bn.Agent(DOCUMENT, model=ScriptedModel(steps)), store=tmp_path / "history.sqlite")
    widget = chat.widget
    end = time.monotonic() + 2
    faults: list[BaseException] = []

    def page(seed: int) -> None:
        dice, number = random.Random(seed), 0
        while time.monotonic() < end:
            number += 1
            content: dict[str, Any] = {
                "type": dice.choice(["ping", "resync", "send", "stop"]),
                "mid": f"{seed}:{number}",
            }
            if content["type"] == "send":
                content["text"] = "go"
            data = {"method": "custom", "content": content} if dice.random() < 0.8 else {"method": "request_state"}
            try:
                widget._handle_msg({"content": {"data": data}, "buffers": []})
            except BaseException as error:
                faults.append(error)
                raise
            time.sleep(0.003)

    def cell() -> None:
        while time.monotonic() < end:
            turn = chat.ask("from a cell")
            with contextlib.suppress(TimeoutError):
                turn.wait(0.05)
            widget.get_state()

    threads = [threading.Thread(target=page, args=(seed,)) for seed in range(4)] + [threading.Thread(target=cell)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads), "a thread hangs"
    assert not faults
    chat.stop()
    chat.thread.call(lambda: None)
    assert widget.driver.snapshot()["chat"]["turns"][-1]["phase"] in {"cancelled", "done", "failed"}
    chat.close()


# The transcript -------------------------------------------------------------------------------------------------------

XSS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java\nscript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "![x](javascript:alert(1))",
    "![x](https://evil.example/pixel.png)",
    "<a href='javascript:alert(1)'>x</a>",
    "</pre></details><script>alert(1)</script>",
    '"><iframe src=//evil.example>',
    '[x](https://ok.example/" onmouseover="alert(1))',
    "<https://evil.example/'onclick='alert(1)>",
    "```html\n<script>alert(1)</script>\n```",
    "`<script>alert(1)</script>`",
    "<style>@import 'https://evil.example/x.css'</style>",
    "<base href=https://evil.example/>",
    "<form action=https://evil.example><button>x</button></form>",
    "| <img src=x onerror=alert(1)> | b |\n|---|---|\n| c | <svg onload=alert(1)> |",
    "[a]: javascript:alert(1)\n\n[x][a]",
    "\x00<script\x00>alert(1)</script>",
]
ELEMENTS = {
    "div", "p", "strong", "em", "del", "s", "blockquote", "code", "pre", "details", "summary", "a", "br", "hr", "ul",
    "ol", "li", "table", "thead", "tbody", "tr", "th", "td", "h1", "h2", "h3", "h4", "h5", "h6", "span", "input",
}  # fmt: skip
ATTRIBUTES = {"class", "href", "rel", "target", "start", "align", "type", "checked", "disabled"}


class Strict(HTMLParser):
    """Refuses every element, attribute and link that could act or ask for something."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ELEMENTS, tag
        for name, value in attrs:
            assert name in ATTRIBUTES, (tag, name)
            if name == "href":
                assert re.match(r"(https?://|mailto:)", value or ""), value

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(decl)


@pytest.mark.parametrize("payload", XSS)
def test_hostile_words_are_inert_in_the_transcript_wherever_they_stand(payload: str) -> None:
    opened = open_chat(
        [
            [payload, Call(payload, {payload: payload}), Call("add-note", {"x": payload}), Call("add-note", {})],
            [payload],
        ]
    )
    turn = opened.chat.ask(payload).wait(60)
    [pending] = turn.pending
    pending.deny(payload)
    assert turn.wait(60).phase == "done"
    bundle = Transcript(opened.chat).bundle()
    Strict(convert_charrefs=True).feed(bundle["text/html"])


def test_the_transcript_of_the_same_chat_is_the_same_text(tmp_path: Path) -> None:
    bundles: list[dict[str, str]] = []
    for name in ("a", "b"):
        model = ScriptedModel([["Hello. ", Call("add-note", {}), Call("no", {"b": 1, "a": [True]})], ["Done."]])
        chat = Chat(bn.Agent(DOCUMENT, model=model), store=tmp_path / f"{name}.sqlite")
        turn = chat.ask("hi")
        turn.pending[0].deny("no")
        turn.wait(60)
        for one in (chat, Chat.load(chat.id, agent=chat.agent, store=tmp_path / f"{name}.sqlite")):
            bundle = Transcript(one).bundle()
            assert all(f"chat {chat.id} after 1 turn" in text for text in bundle.values())
            bundles.append({kind: text.replace(chat.id, "ID") for kind, text in bundle.items()})
        chat.close()
    assert all(bundle == bundles[0] for bundle in bundles)
    assert set(bundles[0]) == {"text/html", "text/markdown", "text/plain"}


def test_no_key_of_the_person_is_in_the_page_the_transcript_or_the_history(tmp_path: Path) -> None:
    secret = "sk-this-is-a-very-secret-value-1234567890"
    document = bn.load_document(
        {
            **DOCUMENT,
            "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
            "security": [{"key": []}],
        }
    )
    document.credentials.give("key", secret, origin="http://127.0.0.1:9")
    path = tmp_path / "history.sqlite"
    model = ScriptedModel([[Call("add-note", {})], ["Done."]])
    chat = Chat(bn.Agent(document, model=model), store=path)
    turn = chat.ask("note")
    turn.pending[0].approve()
    assert turn.wait(60).invocations[0].state in {"failed", "unknown"}  # nobody listens there
    shown = json.dumps(chat.widget.driver.snapshot()) + "".join(Transcript(chat).bundle().values())
    told = json.dumps([message.model_dump() for message in model.requests[-1].messages])
    chat.close()
    assert secret not in shown
    assert secret not in told
    for file in filter(Path.is_file, tmp_path.rglob("*")):
        assert secret.encode() not in file.read_bytes()


KEYS = ["sk-proj-0123456789abcdefghij", "ghp_0123456789abcdefghijABCDEFGHIJ", "postgres://me:hunter2secret@db/x"]


@pytest.mark.parametrize("key", KEYS)
def test_what_looks_like_a_key_is_masked_in_what_a_notebook_saves_and_not_on_the_live_page(key: str) -> None:
    opened = open_chat([[f"Use {key}. ", Call("add-note", {}), Call(key, {"k": {key: key}})], [f"é😀 {key}"]])
    widget, transcript = ChatWidget(opened.chat), Transcript(opened.chat)
    turn = opened.chat.ask(f"My key is {key}").wait(60)
    opened.chat.thread.call(lambda: None)
    saved = json.dumps(widget.get_state(), ensure_ascii=False)
    assert key not in saved
    assert "•••" in saved
    turn.pending[0].deny(f"not with {key}")
    turn.wait(60)
    opened.chat.thread.call(lambda: None)
    hidden = key.split("@", maxsplit=1)[0].removeprefix("postgres://")
    bundle = transcript.bundle()
    for text in (json.dumps(widget.get_state(), ensure_ascii=False), *bundle.values()):
        assert hidden not in text
        assert "•••" in text
    assert key in json.dumps(widget.driver.snapshot(), ensure_ascii=False)


def without_foot(text: str) -> str:
    """The transcript without its last line, which names the chat and says how far the copy goes."""
    text = re.sub(r"\n<p><em>Transcript of chat [^\n]*</em></p>", "", text)
    return re.sub(r"(\A|\n\n)_Transcript of chat [^\n]*_\n$", "\n", text)


@settings(LOGS, max_examples=60)
@given(valid_logs(), st.sampled_from(HOSTILE))
def test_a_transcript_made_turn_by_turn_is_the_transcript_of_the_whole(entries: list[Entry], text: str) -> None:
    pages, state = Pages(), ChatState()
    for number, one in enumerate(entries):
        entry = one.model_copy(update={"text": one.text + text}) if isinstance(one, TurnStarted | TextAdded) else one
        state = apply(state, entry)
        if number % 7 == 0:
            pages.bundle(state)
    whole = {"text/html": to_html(state), "text/markdown": to_markdown(state), "text/plain": to_markdown(state)}
    made = {kind: without_foot(value) for kind, value in pages.bundle(state).items()}
    assert made == {kind: masked(browser_text(value)) for kind, value in whole.items()}
    on_the_line(made)


def test_a_turn_that_did_not_change_is_not_rendered_again(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    rendered: list[list[int]] = []

    def counted(state: ChatState, drawings: Drawings | None = None) -> str:
        rendered.append([turn.turn for turn in state.turns])
        return to_html(state, drawings)

    monkeypatch.setattr(transcripts, "to_html", counted)
    pages = Pages()
    chat.ask("hello é😀").wait(60)
    pages.bundle(chat.state)
    turn = chat.ask("note").wait(60)
    pages.bundle(chat.state)
    turn.pending[0].deny()
    turn.wait(60)
    pages.bundle(chat.state)
    assert [turns for turns in rendered if turns] == [[1], [2], [2]]


class Output:
    """Stands for a notebook's output."""

    def __init__(self) -> None:
        self.shown: list[dict[str, str]] = []
        self.updates: list[dict[str, str]] = []

    def display(self, obj: dict[str, str], **_kwargs: object) -> None:
        self.shown.append(obj)

    def update(self, obj: dict[str, str], **_kwargs: object) -> None:
        self.updates.append(obj)


def test_the_output_is_one_however_often_it_is_shown_and_is_replaced_once_per_rest(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Output] = []

    def show_bundle(bundle: dict[str, str]) -> Output:
        made.append(Output())
        made[-1].display(bundle)
        return made[-1]

    monkeypatch.setattr(transcripts, "show_bundle", show_bundle)
    transcript = Transcript(chat)
    for _ in range(3):
        transcript.show()
    [output] = made
    assert len(output.shown) == 3
    chat.ask("hello").wait(60)
    chat.thread.call(lambda: None)
    assert len(output.updates) == 1
    chat.thread.call(lambda: chat.conversation.append(*(Renamed(at=1, title=f"t{n}") for n in range(3))))
    chat.thread.call(lambda: [chat.conversation.append(Renamed(at=1, title=f"u{n}")) for n in range(5)])
    chat.thread.call(lambda: None)
    assert len(output.updates) == 3
    assert "u4" in output.updates[-1]["text/html"]
    assert "Hello" in output.updates[-1]["text/markdown"]


def test_a_widget_says_what_it_shows(chat: Chat) -> None:
    assert isinstance(chat.widget, ChatWidget)
    assert repr(chat.widget) == f"<ChatWidget of {chat!r}>"
