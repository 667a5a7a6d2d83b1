"""The magics, in a real kernel."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.widget.kernels import INSTALLED, Kernel

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Notes", "version": "1"},
    "servers": [{"url": "http://127.0.0.1:9"}],
    "paths": {
        "/notes": {
            "post": {"operationId": "add-note", "summary": "Adds a note.", "responses": {"200": {"description": ""}}}
        }
    },
}
SETUP = f"""
import os
os.environ["BITTE_NB_HISTORY"] = os.path.abspath("history.sqlite")
import bitte_nb as bn
from bitte_nb.testing import Call, Pause, ScriptedModel
document = {DOCUMENT!r}
words = [piece for n in range(20) for piece in (f"word{{n}} ", Pause(0.02))]
agent = bn.Agent(document, model=ScriptedModel([words, ["Second."], [Call("add-note", {{}})], ["After."]]))
%load_ext bitte_nb
"""


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    folder = tmp_path_factory.mktemp("magics")
    (folder / "notes.json").write_text(json.dumps(DOCUMENT))
    (folder / "my notes.yaml").write_text(json.dumps(DOCUMENT))
    (folder / "picture.png").write_bytes(b"")
    kernel = Kernel(INSTALLED, folder)
    try:
        kernel.run(SETUP)
        yield kernel
    finally:
        kernel.end()


def test_cells_stream_and_share_one_history_and_run_all_ends_at_a_decision(kernel: Kernel) -> None:
    assert "Notes: 1 tools" in kernel.run("%bitte use agent")
    kernel.messages.clear()
    first = kernel.start("%%bitte\nsay twenty words")
    kernel.finish(first)
    shown = [message for message in kernel.published(first) if message["msg_type"] == "display_data"]
    assert any("application/vnd.jupyter.widget-view+json" in one["content"]["data"] for one in shown)
    events = kernel.customs("events")
    assert len(events) > 3, "it streamed"
    kernel.run("%%bitte and then\ngo on")
    assert kernel.run("chat = %bitte chat\nprint([turn.text for turn in chat.turns])").strip() == repr(
        ["".join(f"word{n} " for n in range(20)), "Second."]
    )

    kernel.run("%%bitte\nnote it", timeout=60)  # it returns, although a person must decide
    assert "UsageError: The chat waits for your decision on add-note" in kernel.run("%%bitte\nand now this")
    kernel.run("chat.pending[0].deny(); _ = chat.turn.wait(60)")
    assert len(kernel.run("print(*(turn.phase for turn in chat.turns))").split()) == 3


def test_a_document_that_is_not_there_is_told_in_one_sentence(kernel: Kernel) -> None:
    with pytest.raises(AssertionError) as shown:
        kernel.run("chat = bn.Chat('no-such-document.yaml')\nchat")
    assert str(shown.value).startswith("DocumentError: 'no-such-document.yaml' cannot be read")
    assert len(str(shown.value).splitlines()) == 1


def test_help_says_what_there_is_and_a_mistake_gets_a_sentence(kernel: Kernel) -> None:
    for command in ("use", "chat", "chats", "open", "tools", "help"):
        assert f"%bitte {command}" in kernel.run("%bitte help")
    assert kernel.run("%bitte") == kernel.run("%bitte help")
    kernel.run("%bitte use agent")
    for line, said in {
        "%bitte us agent": "There is no `%bitte us`",
        "%bitte use": "the following arguments are required",
        "%bitte use agent --model offline": "is an agent: it has its model",
        "%bitte use no-such-file.json": "no-such-file.json",
        "%bitte open": "Which chat",
        "%bitte open nowhere": "`%bitte chats` shows those that are there",
        "%%bitte\n ": "nothing to say",
    }.items():
        refused = kernel.run(line)
        assert refused.startswith("UsageError: ")
        assert said in refused


@pytest.mark.parametrize("document", ["agent", "document", "notes.json", "'my notes.yaml'", "./notes.json"])
def test_a_document_is_a_path_or_a_variable(kernel: Kernel, document: str) -> None:
    assert "Notes: 1 tools" in kernel.run(f"%bitte use {document}")
    assert kernel.run("%bitte tools").split(maxsplit=1) == ["add-note", "Adds a note.\n"]


def test_a_chat_is_found_again_by_its_words(kernel: Kernel) -> None:
    kernel.run("%bitte use document --title Errands\n")
    kernel.run("%%bitte\nwhat about kumquats")
    listed = kernel.run("%bitte chats").splitlines()
    (name,) = [line.split()[0] for line in listed if "Errands" in line]
    assert name in kernel.run("%bitte chats kumquats")
    kernel.run("%bitte use agent\n")
    kernel.run(f"%bitte open {name}")
    assert kernel.run("c = %bitte chat\nc.title") == "'Errands'"


def test_words_are_completed(kernel: Kernel) -> None:
    kernel.run("%bitte use notes.json")
    kernel.run("%%bitte\nhello")
    assert "use" in kernel.complete("%bitte u")
    assert {"use", "chats", "open", "tools", "help"} <= set(kernel.complete("%bitte "))
    assert {"agent", "document", "notes.json"} <= set(kernel.complete("%bitte use "))
    assert "picture.png" not in kernel.complete("%bitte use ")
    assert "notes.json" in kernel.complete("%bitte use no")
    assert "--model" in kernel.complete("%bitte use notes.json --m")
    chat = kernel.run("%bitte chats").split()[0]
    assert chat in kernel.complete("%bitte open ")
