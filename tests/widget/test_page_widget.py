"""What every widget does towards a page: it carries a loader, sends files for names, takes messages as they come."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import ipywidgets
import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from bitte_nb.widget import assets, page_widget
from bitte_nb.widget.page_widget import PageWidget

pytestmark = pytest.mark.skipif(not assets.STATIC.is_dir(), reason="the page part is not built: run `make bundle`")


class Probe(PageWidget):
    """Remembers what pages say."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[object] = []
        self._begin()

    def _receive(self, content: object) -> None:
        self.heard.append(content)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What widgets send; the process has had no widget yet."""
    out: list[dict[str, Any]] = []

    def send(_self: object, content: dict[str, Any], _buffers: object = None) -> None:
        out.append(content)

    monkeypatch.setattr(ipywidgets.Widget, "send", send)
    monkeypatch.setattr(page_widget, "_first", threading.Lock())
    return out


def test_the_first_widget_of_a_kernel_brings_the_core_unasked_and_the_others_do_not(sent: list[dict[str, Any]]) -> None:
    for _ in range(5):
        Probe()
    assert sent == [{"type": "files", "files": assets.core_files()}]
    assert sum(map(len, assets.core_files().values())) > 100_000


def test_files_come_by_name_and_nothing_but_built_files_has_one(sent: list[dict[str, Any]]) -> None:
    widget = Probe()
    name = next(iter(assets.core_files()))
    names = [name, "../errors.py", "/etc/passwd", "", "no-such.js"]
    widget._handle_custom_msg({"type": "files", "names": names}, [])
    assert list(sent[-1]["files"]) == [name]
    assert widget.heard == []


@pytest.mark.parametrize(
    "content",
    [{"type": "files"}, {"type": "files", "names": "core.js"}, {"type": "ping", "mid": "m"}, None, [], "x", 7],
)
def test_any_other_message_goes_to_the_widget_as_the_page_sent_it(sent: list[dict[str, Any]], content: object) -> None:
    widget = Probe()
    before = len(sent)
    # The contract of `on_msg`: the widget, the content and the buffers, by position, from whatever thread.
    thread = threading.Thread(target=widget._handle_custom_msg, args=(content, []))
    thread.start()
    thread.join()
    assert widget.heard == [content]
    assert len(sent) == before


def test_a_widget_carries_little_and_no_style_sheet() -> None:
    state = Probe().get_state()
    assert len(state["_esm"]) < 4_000
    assert "_css" not in state


FIVE = """
import bitte_nb as bn
from bitte_nb.testing import ScriptedModel
document = {
    "openapi": "3.1.0", "info": {"title": "Nowhere", "version": "1"}, "servers": [{"url": "http://127.0.0.1:9"}],
    "paths": {"/notes": {"post": {"operationId": "add-note", "responses": {"200": {"description": "ok"}}}}},
}
def chat():
    return bn.Chat(bn.Agent(document, model=ScriptedModel([["An answer of some words. " * 20]])), store="h.sqlite")
"""


def test_a_notebook_with_five_chats_is_saved_with_less_than_a_hundred_kilobytes(tmp_path: Path) -> None:
    cells = [FIVE, *(f"c{n} = chat(); c{n}.ask('go').wait(60); c{n}" for n in range(5))]
    notebook = new_notebook(cells=[new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    models = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    assert sum("snapshot" in model["state"] for model in models.values()) == 5, "each chat's state is saved"
    for cell in notebook.cells:
        cell.outputs = [one for one in cell.outputs if "text/markdown" not in one.get("data", {})]
    assert len(nbformat.writes(notebook).encode()) < 100_000
    assert json.dumps(models).count("createObjectURL") == 5
