"""What is shown in place of results: the author's renderers, and values of Python functions."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anywidget
import ipywidgets
import pandas
import pytest

import bitte_nb as bn
from bitte_nb.testing import Call, ScriptedModel
from bitte_nb.widget.cell import say
from bitte_nb.widget.chat import Chat
from bitte_nb.widget.part import Parts
from bitte_nb.widget.renderers import Renderers
from bitte_nb.widget.transcript import Transcript
from tests.widget.pages import DOCUMENT


@bn.tool(safe=True)
def look(what: str = "sea") -> dict[str, str]:
    return {"seen": what}


@bn.tool(safe=True)
def slider() -> Any:
    return ipywidgets.IntSlider(value=3)


class Plot:
    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        return {"application/vnd.plotly.v1+json": {"data": []}, "text/html": "<b>plot</b>", "text/plain": "Plot"}


@bn.tool(safe=True)
def plot() -> Any:
    return Plot()


Opener = Callable[..., Chat]


@pytest.fixture
def open_chat(tmp_path: Path) -> Iterator[Opener]:
    opened: list[Chat] = []

    def make(*calls: Call) -> Chat:
        agent = bn.Agent(DOCUMENT, model=ScriptedModel([list(calls), ["Done."]]), tools=[look, slider, plot])
        opened.append(Chat(agent, store=tmp_path / f"{len(opened)}.sqlite"))
        return opened[-1]

    yield make
    for chat in opened:
        chat.close()


def shown(chat: Chat, monkeypatch: pytest.MonkeyPatch | None = None) -> dict[str, dict[str, Any]]:
    """What a page that opens now is told, by key."""
    assert chat.widget
    chat.showcase.wait(60)
    told: list[dict[str, Any]] = []
    chat.showcase.tell(told.append)
    assert all(json.loads(json.dumps(one)) == one and one["chat"] == chat.id for one in told)
    return {one["key"]: one for one in told}


def markdown(message: dict[str, Any]) -> str:
    kind, _, text = message["display"].partition(";base64,")
    assert kind == "data:text/markdown"
    return base64.b64decode(text).decode()


def test_a_renderer_gives_markdown_from_the_data(open_chat: Opener) -> None:
    chat = open_chat(Call("look"))
    chat.renderers["look"] = lambda data: f"I see the **{data['seen']}**"
    chat.ask("look").wait(60)
    [message] = shown(chat).values()
    assert markdown(message) == "I see the **sea**"
    assert (message["view"], message["note"]) == ("", "")


def test_a_renderer_that_comes_later_shows_what_is_there_and_one_that_goes_takes_it_away(open_chat: Opener) -> None:
    chat = open_chat(Call("look"), Call("look", {"what": "sky"}))
    chat.ask("look").wait(60)
    assert shown(chat) == {}
    chat.renderers["look"] = lambda data: data["seen"]
    assert [markdown(one) for one in shown(chat).values()] == ["sea", "sky"]
    del chat.renderers["look"]
    assert shown(chat) == {}


def test_a_renderer_may_give_a_widget_which_lives_on(open_chat: Opener) -> None:
    chat = open_chat(Call("look"))
    chat.renderers["look"] = lambda data: ipywidgets.Label(data["seen"])
    chat.ask("look").wait(60)
    [message] = shown(chat).values()
    [kept] = chat.showcase._shown.values()
    assert isinstance(kept.keep, ipywidgets.Label)
    assert (message["view"], message["portable"]) == (kept.keep.model_id, False)


def test_a_renderer_in_javascript_is_a_widget_with_the_data(open_chat: Opener, tmp_path: Path) -> None:
    module = tmp_path / "look.js"
    module.write_text("export default { render({ model, el }) { el.textContent = model.get('data').seen; } }")
    chat = open_chat(Call("look"))
    chat.renderers["look"] = bn.renderer(esm=module, css=".seen { color: teal }")
    chat.ask("look").wait(60)
    [message] = shown(chat).values()
    [kept] = chat.showcase._shown.values()
    assert isinstance(kept.keep, anywidget.AnyWidget)
    state = kept.keep.get_state()
    assert (state["data"], message["portable"]) == ({"seen": "sea"}, True)
    assert "model.get('data').seen" in state["_esm"]


def test_a_renderer_that_fails_leaves_the_result_and_says_so(open_chat: Opener) -> None:
    chat = open_chat(Call("look"))
    chat.renderers["look"] = lambda data: data["no such field"]
    chat.ask("look").wait(60)
    [message] = shown(chat).values()
    assert message["note"] == "The renderer failed, so the result is shown as it came. KeyError: 'no such field'"
    assert (message["view"], message["display"]) == ("", "")


def test_a_renderer_that_gives_nothing_leaves_the_result(open_chat: Opener) -> None:
    chat = open_chat(Call("look"))
    chat.renderers["look"] = lambda data: None
    chat.ask("look").wait(60)
    assert shown(chat) == {}


def test_failures_are_never_handed_to_a_renderer(open_chat: Opener) -> None:
    given: list[Any] = []
    chat = open_chat(Call("look", {"colour": "red"}))
    chat.renderers["look"] = lambda data: given.append(data)
    chat.ask("look").wait(60)
    assert shown(chat) == {}
    assert given == []


def test_a_widget_that_a_function_returns_is_shown_without_a_renderer(open_chat: Opener) -> None:
    chat = open_chat(Call("slider"))
    turn = chat.ask("slide").wait(60)
    [message] = shown(chat).values()
    [kept] = chat.showcase._shown.values()
    assert isinstance(kept.keep, ipywidgets.IntSlider)
    assert message["view"] == kept.keep.model_id
    assert turn.invocations[0].result == bn.ToolData(data={"type": "IntSlider", "text": "IntSlider(value=3)"})


def test_what_only_jupyter_can_draw_is_drawn_by_it_in_an_output(open_chat: Opener) -> None:
    chat = open_chat(Call("plot"))
    chat.ask("plot").wait(60)
    [message] = shown(chat).values()
    [kept] = chat.showcase._shown.values()
    assert isinstance(kept.keep, ipywidgets.Output)
    assert kept.keep.outputs[0]["data"]["application/vnd.plotly.v1+json"] == {"data": []}
    assert message["display"] == "data:text/html;base64,PGI+cGxvdDwvYj4="


def test_pages_are_told_again_with_every_snapshot(open_chat: Opener) -> None:
    chat = open_chat(Call("look"))
    chat.renderers["look"] = lambda data: "x"
    chat.ask("look").wait(60)
    chat.showcase.wait(60)
    told: list[dict[str, Any]] = []
    chat.widget.send = told.append  # pyright: ignore[reportAttributeAccessIssue]
    chat.widget._receive({"type": "ping", "mid": "1"})
    assert [one for one in told if one["type"] == "shown"] == []
    chat.widget._receive({"type": "resync", "mid": "2"})
    assert len([one for one in told if one["type"] == "shown"]) == 1


FRAME = "<table><tr><th>n</th></tr><tr><td>1</td></tr></table>"


class Table:
    def __repr__(self) -> str:
        return "Table at 0x7f0011223344"

    def _repr_html_(self) -> str:
        return f"<script>alert(1)</script>{FRAME}<img src=x onerror=alert(1)></div></blockquote>"


PICTURE = base64.b64encode(b"not a real picture").decode()


class Figure:
    def _repr_png_(self) -> str:
        return PICTURE


@pytest.mark.parametrize(
    ("made", "html", "markdown"),
    [
        (lambda data: f"I see **{data['seen']}** <b>", "I see <strong>sea</strong> &lt;b&gt;", "> I see **sea**"),
        (lambda data: Table(), FRAME, "Table\n"),
        (lambda data: Figure(), f'<img alt="Figure" src="data:image/png;base64,{PICTURE}">', "_Figure_"),
        (lambda data: ipywidgets.IntProgress(value=3), "<pre>IntProgress(value=3)</pre>", "IntProgress(value=3)"),
        (lambda data: pandas.DataFrame({"n": [1, 2]}), "<td>2</td>", "| 2 |"),
    ],
)  # fmt: skip
def test_what_a_renderer_shows_is_in_the_transcript_and_in_what_is_exported_to_read(
    open_chat: Opener, tmp_path: Path, made: Callable[[Any], Any], html: str, markdown: str
) -> None:
    chat = open_chat(Call("look"))
    chat.renderers["look"] = made
    chat.ask("look").wait(60)
    for name, wanted in {"talk.html": html, "talk.md": markdown}.items():
        text = chat.export(tmp_path / name).read_text("utf-8")
        assert wanted in text
        assert "<script" not in text
        assert "onerror" not in text
        assert "0x7f" not in text
    bundle = Transcript(chat, chat.showcase).bundle()
    assert html in bundle["text/html"]
    assert markdown in bundle["text/markdown"]
    assert html in chat.saved._repr_mimebundle_()["text/html"]
    del chat.renderers["look"]
    chat.showcase.wait(60)
    assert html not in Transcript(chat, chat.showcase).bundle()["text/html"]


def test_a_renderer_runs_once_for_a_result_however_many_cells_show_it(open_chat: Opener) -> None:
    chat = open_chat(Call("look"))
    ran: list[Any] = []
    chat.renderers["look"] = ran.append
    parts = Parts(chat.id)
    turn, cell = say(chat, parts, "look")
    turn.wait(60)
    assert chat.widget is not cell.widget
    chat.showcase.wait(60)
    assert len(ran) == 1


def test_a_loaded_chat_shows_its_results_by_the_renderers_of_this_notebook(tmp_path: Path) -> None:
    agent = bn.Agent(DOCUMENT, model=ScriptedModel([[Call("slider"), Call("look")], ["Done."]]), tools=[look, slider])
    chat = Chat(agent, store=tmp_path / "h.sqlite")
    chat.ask("x").wait(60)
    chat.close()
    loaded = Chat.load(chat.id, agent=agent, store=tmp_path / "h.sqlite")
    loaded.renderers["look"] = lambda data: data["seen"]
    assert [markdown(one) for one in shown(loaded).values() if one["display"]] == ["sea"]
    loaded.close()


def test_only_functions_are_renderers() -> None:
    with pytest.raises(TypeError, match="The renderer of 'look' must be a function"):
        Renderers()["look"] = "text"  # type: ignore[assignment]
