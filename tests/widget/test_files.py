"""Files between a page and its chat: in pieces to the kernel, with a message, and back in pieces."""

from __future__ import annotations

import base64
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitte_nb as bn
from bitte_nb.agent.attachments import LARGEST, MOST
from bitte_nb.agent.chat import Chat
from bitte_nb.history.store import open_store
from bitte_nb.testing import ScriptedModel
from bitte_nb.widget import protocol
from bitte_nb.widget.driver import Driver
from bitte_nb.widget.files import PIECE, Drafts
from tests.widget.pages import DOCUMENT
from tests.widget.test_drawer import Open

DATA = bytes(range(256)) * 2_000


def upload(offset: int, data: bytes, *, size: int = len(DATA), draft: str = "d") -> protocol.Upload:
    return protocol.Upload(
        mid="m",
        draft=draft,
        name="a.bin",
        media="",
        size=size,
        offset=offset,
        data=base64.b64encode(data).decode(),
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 300), max_size=6), st.lists(st.integers(0, 5), max_size=4))
def test_pieces_of_any_size_asked_twice_make_the_file(cuts: list[int], again: list[int]) -> None:
    data = DATA[:300]
    places = sorted({0, *cuts, 300})
    pieces = [upload(a, data[a:b], size=300) for a, b in pairwise(places)]
    for place in again:
        if place < len(pieces):
            pieces.insert(place, pieces[place])
    drafts = Drafts()
    for piece in pieces:
        drafts.take(piece)
    [(file, content)] = drafts.given(["d"])
    assert (content, file.size) == (data, 300)


def test_what_does_not_fit_is_refused() -> None:
    drafts = Drafts()
    with pytest.raises(ValueError, match="at most"):
        drafts.take(upload(0, b"", size=LARGEST + 1))
    with pytest.raises(ValueError, match="does not fit"):
        drafts.take(upload(5, b"x", size=10))
    with pytest.raises(ValueError, match="does not fit"):
        drafts.take(upload(0, b"x" * 11, size=10))
    with pytest.raises(ValueError, match="not base64"):
        drafts.take(upload(0, b"").model_copy(update={"data": "é"}))
    drafts.take(upload(0, b"x", size=10))
    for names in (["d"], ["nowhere"]):
        with pytest.raises(ValueError, match="Attach it again"):
            drafts.given(names)


def test_files_that_nobody_sends_give_way() -> None:
    drafts = Drafts()
    for number in range(100):
        drafts.take(upload(0, b"x", size=1, draft=f"d{number}"))
    with pytest.raises(ValueError, match="Attach it again"):
        drafts.given(["d0"])
    assert len(drafts.given(["d99"])) == 1


def test_files_that_nobody_sends_give_way_by_their_bytes_too() -> None:
    drafts = Drafts()
    for number in range(MOST + 1):
        drafts.take(upload(0, b"x", size=LARGEST, draft=f"d{number}"))
    with pytest.raises(ValueError, match="does not fit"):
        drafts.take(upload(1, b"y", size=LARGEST, draft="d0"))
    assert drafts.take(upload(1, b"y", size=LARGEST, draft=f"d{MOST}")) == {"received": 2}


def test_an_empty_file_is_a_file() -> None:
    drafts = Drafts()
    drafts.take(upload(0, b"", size=0))
    assert drafts.given(["d"])[0][1] == b""


def with_uploads() -> dict[str, Any]:
    body = {"content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}}
    put = {"operationId": "put", "requestBody": body, "responses": {"200": {"description": ""}}}
    return {**DOCUMENT, "paths": {"/f": {"post": put}}}


def test_a_page_sends_a_file_with_a_message_and_reads_it_back(tmp_path: Path) -> None:
    opened = Open(open_store(tmp_path / "h.sqlite"))
    chat = Chat(bn.Agent(with_uploads(), model=ScriptedModel([["Hi."]])), store=tmp_path / "h.sqlite")
    opened.chat, opened.driver = chat, Driver(chat, opened.sent.append)
    snapshot = opened.driver.snapshot()["chat"]
    assert snapshot["attach"] == {"accept": ["image/png"], "largest": LARGEST, "most": 10}
    for offset in range(0, len(DATA), PIECE):
        piece = upload(offset, DATA[offset : offset + PIECE]).model_dump(exclude={"mid"})
        answer = opened.ask(**piece)
        assert answer["data"] == {"received": min(offset + PIECE, len(DATA))}
    assert opened.ask(type="send", text="", files=["d"])["ok"]
    chat.turns[0].wait(60)
    [file] = opened.driver.snapshot()["chat"]["turns"][0]["files"]
    assert (file["name"], file["size"]) == ("a.bin", len(DATA))
    back = b""
    while len(back) < file["size"]:
        part = opened.ask(type="fetch_file", digest=file["digest"], offset=len(back))["data"]
        back += base64.b64decode(part["data"])
    assert back == DATA
    assert not opened.ask(type="fetch_file", digest="f" * 64)["ok"]
    assert not opened.ask(type="send", text="again", files=["d"])["ok"]  # it went with its message
    assert not opened.ask(type="send", text=" ")["ok"]
    opened.ask(**upload(0, b"", size=0).model_dump(exclude={"mid"}))
    assert opened.ask(type="drop_upload", draft="d")["ok"]
    assert not opened.ask(type="send", text="taken away", files=["d"])["ok"]
    chat.close()


def test_without_a_tool_that_takes_files_nothing_is_offered(tmp_path: Path) -> None:
    opened = Open(open_store(tmp_path / "h.sqlite"))
    assert opened.driver.snapshot()["chat"]["attach"] is None
    opened.chat.close()
