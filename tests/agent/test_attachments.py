"""Files that a person attaches: kept with the chat, named to the model, sent only by an approved call."""

from __future__ import annotations

import base64
import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import bitte_nb as bn
from bitte_nb.agent.attachments import LARGEST, accepted, checked
from bitte_nb.agent.chat import Chat
from bitte_nb.core.attachment import Attachment, find_attachment
from bitte_nb.errors import HistoryError
from bitte_nb.history.store import Store, open_store
from bitte_nb.testing import Call, ScriptedModel

PNG = b"\x89PNG\r\n\x1a\n\x00\xff" * 40
DIGEST = hashlib.sha256(PNG).hexdigest()
REFERENCE = f"attachment:{DIGEST[:12]}"


class Server:
    """Takes uploads and keeps what came."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        bodies = self.bodies

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                bodies.append(self.rfile.read(int(self.headers["content-length"])))
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.end_headers()
                self.wfile.write(b'{"ok": true}')

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    one = Server()
    yield one
    one.close()


@pytest.fixture(params=["history.sqlite", "history.jsonl"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    one = open_store(tmp_path / request.param)
    yield one
    one.close()


def document(url: str) -> dict[str, Any]:
    binary = {"type": "string", "format": "binary"}
    forms = {
        "upload": {"multipart/form-data": {"schema": {"type": "object", "properties": {"photo": binary}}}},
        "post-json": {
            "application/json": {
                "schema": {"type": "object", "properties": {"photo": {"type": "string", "contentEncoding": "base64"}}}
            }
        },
    }
    paths = {
        f"/{name}": {
            "post": {
                "operationId": name,
                "requestBody": {"content": content},
                "responses": {"200": {"description": "ok"}},
            }
        }
        for name, content in forms.items()
    }
    return {"openapi": "3.1.0", "info": {"title": "Files", "version": "1"}, "servers": [{"url": url}], "paths": paths}


def open_chat(server: Server, store: Store, steps: list[list[Any]]) -> Chat:
    return Chat(bn.Agent(document(server.url), model=ScriptedModel(steps)), store=store)


def upload(reference: str = REFERENCE, tool: str = "upload") -> Call:
    return Call(tool, {"photo": reference})


def test_the_model_gets_a_reference_and_the_server_gets_the_bytes(server: Server, store: Store) -> None:
    chat = open_chat(server, store, [[upload()], ["Sent."]])
    turn = chat.ask("send this", files=[("holiday/photo.png", PNG)]).wait(60)
    assert turn.state.files == (Attachment(digest=DIGEST, name="photo.png", media="image/png", size=len(PNG)),)
    [asked] = chat.agent.model.requests[0].messages  # type: ignore[attr-defined]
    assert asked.text == (
        f"send this\n\nAttached file: photo.png (image/png, {len(PNG)} bytes). To hand it to a tool, give "
        f'"{REFERENCE}" as the value of the file argument.'
    )
    [pending] = turn.pending
    assert pending.args == {"photo": REFERENCE}  # the log holds no bytes
    assert f"[photo.png, image/png, {len(PNG)} bytes, SHA-256 {DIGEST}]" in pending.call.prepared.body
    assert server.bodies == []
    pending.approve()
    turn.wait(60)
    assert PNG in server.bodies[0]
    chat.close()


def test_a_card_shows_the_boundary_that_is_sent_and_base64_as_the_file(server: Server, store: Store) -> None:
    chat = open_chat(server, store, [[upload(), upload(tool="post-json")], ["Sent."]])
    turn = chat.ask("", files=[("a.png", PNG)]).wait(60)
    form, json = turn.pending
    boundary = form.call.prepared.headers["content-type"].partition("boundary=")[2]
    assert form.call.prepared.body.startswith(f"--{boundary}\r\n")
    assert json.call.prepared.body == f'{{"photo":"[a.png, image/png, {len(PNG)} bytes, SHA-256 {DIGEST}]"}}'
    for pending in (form, json):
        pending.approve()
    turn.wait(60)
    assert any(base64.b64encode(PNG) in body for body in server.bodies)
    chat.close()


def test_other_bytes_give_another_digest(server: Server, store: Store) -> None:
    other = PNG + b"!"
    reference = f"attachment:{hashlib.sha256(other).hexdigest()[:12]}"
    chat = open_chat(server, store, [[upload(), upload(reference)]])
    turn = chat.ask("both", files=[("same.png", PNG), ("same.png", other)]).wait(60)
    first, second = turn.pending
    assert first.call.prepared.digest != second.call.prepared.digest
    chat.close()


@pytest.mark.parametrize("reference", ["attachment:000000000000", "attachment:", "attachment:../../etc/passwd"])
def test_a_reference_to_nothing_is_an_error_result_that_names_what_there_is(
    server: Server, store: Store, reference: str
) -> None:
    chat = open_chat(server, store, [[upload(reference)], ["Sorry."]])
    turn = chat.ask("go", files=[("a.png", PNG)]).wait(60)
    [call] = turn.invocations
    assert call.state == "failed"
    assert REFERENCE in call.result.error  # type: ignore[union-attr]
    assert server.bodies == []
    chat.close()


def test_a_file_of_another_chat_or_version_is_out_of_reach(server: Server, store: Store) -> None:
    chat = open_chat(server, store, [["Hi."], [upload()], ["x"], [upload()], ["x"]])
    chat.ask("first", files=[("a.png", PNG)]).wait(60)
    assert chat.edit(1, "again").wait(60).invocations[0].state == "pending"  # an edited message keeps its files
    chat.new()
    turn = chat.ask("no file here").wait(60)
    turn = turn if turn.invocations else chat.ask("more").wait(60)
    assert turn.invocations[0].state == "failed"
    chat.close()


def test_a_file_outlives_the_program_and_still_can_be_sent(server: Server, store: Store) -> None:
    chat = open_chat(server, store, [[upload()], ["Sent."]])
    chat.ask("send", files=[("a.png", PNG)]).wait(60)
    chat.close()
    again = Chat.load(chat.id, agent=chat.agent, store=store)
    assert again.turns[0].state.files[0].name == "a.png"
    again.pending[0].approve()
    again.turns[0].wait(60, until="end")
    assert PNG in server.bodies[0]
    again.close()


def test_a_lost_file_sends_nothing(server: Server, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    chat = open_chat(server, store, [[upload()], ["Sorry."]])
    turn = chat.ask("send", files=[("a.png", PNG)]).wait(60)
    monkeypatch.setattr(type(store), "file", lambda *_: b"other bytes")
    turn.pending[0].approve()
    turn.wait(60)
    assert "no longer" in turn.invocations[0].reason
    assert server.bodies == []
    chat.close()


def test_files_go_with_the_chat(server: Server, store: Store) -> None:
    chat = open_chat(server, store, [["Hi."]])
    chat.ask("a", files=[("a.png", PNG)]).wait(60)
    first = chat.id
    assert store.file(first, DIGEST) == PNG
    chat.delete(first)
    assert store.file(first, DIGEST) is None
    chat.close()


@pytest.mark.parametrize("ending", [".jsonl", ".json"])
def test_an_export_carries_the_files(server: Server, store: Store, tmp_path: Path, ending: str) -> None:
    chat = open_chat(server, store, [["Hi."], [upload()]])
    chat.ask("a", files=[("a.png", PNG), ("b.txt", b"b")]).wait(60)
    file = chat.export(tmp_path / f"chat{ending}")
    chat.close()
    other = open_store(tmp_path / "other.sqlite")
    again = Chat.import_from(file, agent=chat.agent, store=other)
    assert [one.name for one in again.turns[0].state.files] == ["a.png", "b.txt"]
    assert other.file(again.id, DIGEST) == PNG
    assert again.ask("send it").wait(60).invocations[0].state == "pending"
    again.close()


def test_a_damaged_file_of_an_export_is_left_out(server: Server, store: Store, tmp_path: Path) -> None:
    chat = open_chat(server, store, [["Hi."]])
    chat.ask("a", files=[("a.png", PNG)]).wait(60)
    text = chat.export(tmp_path / "chat.jsonl").read_text()
    chat.close()
    evil = text.replace(base64.b64encode(PNG).decode(), base64.b64encode(b"evil").decode())
    other = open_store(tmp_path / "other.sqlite")
    again = Chat.import_from(evil.encode(), agent=chat.agent, store=other)
    assert other.file(again.id, DIGEST) is None
    again.close()


def test_what_people_read_names_the_file(server: Server, store: Store, tmp_path: Path) -> None:
    chat = open_chat(server, store, [["Hi."]])
    chat.ask("a", files=[("<b>.png", PNG)]).wait(60)
    assert "Attached: \\<b\\>.png (image/png" in chat.export(tmp_path / "c.md").read_text()
    assert "Attached: &lt;b&gt;.png (image/png" in chat.export(tmp_path / "c.html").read_text()
    chat.close()


def test_too_large_too_many_and_nothing_are_refused(server: Server, store: Store, tmp_path: Path) -> None:
    chat = open_chat(server, store, [["Hi."]])
    with pytest.raises(ValueError, match="at most"):
        checked("big.bin", "", bytes(LARGEST + 1))
    with pytest.raises(ValueError, match="10 files at most"):
        chat.ask("x", files=[("a", b"a")] * 11)
    with pytest.raises(ValueError, match="empty"):
        chat.ask(" ")
    with pytest.raises(FileNotFoundError):
        chat.ask("x", files=[tmp_path / "nowhere.png"])
    assert chat.turns == []
    chat.close()
    with pytest.raises(HistoryError):
        chat.ask("x", files=[("a", b"a")])


@pytest.mark.parametrize(
    ("name", "media", "kept", "kind"),
    [
        ("../../etc/passwd", "text/plain", "passwd", "text/plain"),
        ("C:\\photos\\a.png", "image/PNG; x=y", "a.png", "image/png"),
        ("a\nb\u202ec.png", "text/html\r\nx: y", "abc.png", "application/octet-stream"),
        ("", "", "file", "application/octet-stream"),
    ],
)
def test_a_name_is_a_name_and_a_type_a_type(name: str, media: str, kept: str, kind: str) -> None:
    file, _ = checked(name, media, b"x")
    assert (file.name, file.media) == (kept, kind)


def test_only_agents_whose_documents_take_files_accept_some(server: Server) -> None:
    agent = bn.Agent(document(server.url))
    assert accepted([agent]) == ("*/*",)
    none = {**document(server.url), "paths": {}}
    assert accepted([bn.Agent(none)]) == ()


def test_a_reference_is_found_by_its_digits_only() -> None:
    file = Attachment(digest=DIGEST, name="a.png", media="image/png", size=1)
    assert find_attachment(f" {REFERENCE.upper().replace('ATTACHMENT', 'attachment')} ", [file]) == file
    assert find_attachment(f"attachment:{DIGEST}", [file]) == file
    assert find_attachment("attachment:" + DIGEST[:4], [file]) is None
