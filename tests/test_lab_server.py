"""The server half of the JupyterLab extension, in a real server: only for whoever is logged in, reading only."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import bitte_nb as bn
from bitte_nb.testing import Call, ScriptedModel
from bitte_nb.widget import assets
from bitte_nb.widget.chat import Chat
from bitte_nb.widget.saved import MIME_TYPE
from scripts.lab_server import LabServer
from tests.widget.pages import DOCUMENT

SECRET = "sk-proj-0123456789abcdefghijABCDEFGHIJ0123456789"


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chat]:
    model = ScriptedModel([["Hello."], [Call("add-note", {})]])
    chat = Chat(bn.Agent(DOCUMENT, model=model), store=tmp_path_factory.mktemp("history") / "h.sqlite")
    chat.ask(f"my key is {SECRET}").wait(60)
    chat.ask("note").wait(60)
    yield chat
    chat.close()


@pytest.fixture(scope="module")
def server(chat: Chat, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    root = tmp_path_factory.mktemp("root")
    history = chat.conversation.recorder.store.where
    with (
        LabServer(root, root / "home", env={"BITTE_NB_HISTORY": str(history)}) as lab,
        httpx.Client(base_url=lab.url, trust_env=False, timeout=60) as client,
    ):
        client.headers["Authorization"] = f"token {lab.token}"
        yield client


def test_the_chats_are_listed_with_what_waits(server: httpx.Client, chat: Chat) -> None:
    (listed,) = server.get("/bitte-nb/chats").json()
    assert (listed["chat"], listed["turns"], listed["pending"]) == (chat.id, 2, 1)
    assert set(listed) == {"chat", "title", "updated", "turns", "pending"}


def test_a_chat_is_a_snapshot_with_its_keys_masked_and_reading_it_changes_nothing(
    server: httpx.Client, chat: Chat
) -> None:
    head = chat.state.seq
    answer = server.get(f"/bitte-nb/chats/{chat.id}")
    snapshot = answer.json()
    assert snapshot["type"] == "snapshot"
    assert [one["state"] for one in snapshot["chat"]["invocations"].values()] == ["pending"]
    assert SECRET not in answer.text
    assert chat.state.seq == head
    assert server.get("/bitte-nb/chats/nowhere").status_code == 404


def test_the_core_comes_by_name(server: httpx.Client) -> None:
    names = list(assets.core_files())
    answer = server.get("/bitte-nb/files", params=[("name", name) for name in [*names, "../errors.py"]])
    assert list(answer.json()["files"]) == names


@pytest.mark.parametrize("path", ["chats", "chats/x", "files?name=x"])
def test_nobody_else_is_answered(server: httpx.Client, path: str) -> None:
    assert httpx.get(server.base_url.join(f"/bitte-nb/{path}"), trust_env=False, timeout=60).status_code == 403


def test_a_saved_chat_is_shown_by_its_own_type_and_as_a_transcript(chat: Chat, tmp_path: Path) -> None:
    bundle = chat.saved._repr_mimebundle_()
    assert set(bundle) == {MIME_TYPE, "text/html", "text/markdown", "text/plain"}
    assert SECRET not in json.dumps(bundle)
    exported = json.loads(chat.export(tmp_path / "talk.bitte.json").read_text("utf-8"))
    assert exported == bundle[MIME_TYPE]
    assert chat.export(tmp_path / "talk.md").read_text("utf-8").startswith("#")
