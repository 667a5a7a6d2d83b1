"""What nobody plans for: huge uploads, two pages at once, a kernel that freezes or ends, a page that closes."""

from __future__ import annotations

import os
import re
import signal
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.chat_view import SETUP, ChatView, chat_in

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.conftest import OpenNotebook

UPLOADS = """
import bitte_nb as bn
from bitte_nb.testing import ScriptedModel
body = {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
put = {"operationId": "put", "requestBody": body, "responses": {"200": {"description": "ok"}}}
document = {
    "openapi": "3.1.0", "info": {"title": "Files", "version": "1"}, "servers": [{"url": "http://127.0.0.1:9"}],
    "paths": {"/f": {"post": put}},
}
chat = bn.Chat(bn.Agent(document, model=ScriptedModel([["Seen."], ["Seen."]])))
"""


def open_chat(notebook: OpenNotebook, setup: str) -> ChatView:
    book = notebook([setup, "chat"])
    book.run_all()
    return chat_in(book, 1)


def attach(chat: ChatView, *paths: Path) -> None:
    chat.root.locator('input[type="file"]').set_input_files([str(path) for path in paths])


def sized(folder: Path, name: str, size: int) -> Path:
    """A file of that many bytes, which takes no room on the disk."""
    path = folder / name
    with path.open("wb") as file:
        file.truncate(size)
    return path


def test_files_of_no_bytes_and_of_too_many_and_one_that_is_cancelled(notebook: OpenNotebook, tmp_path: Path) -> None:
    chat = open_chat(notebook, UPLOADS)
    files = chat.root.locator(".bnb-tray .bnb-file")
    attach(
        chat,
        sized(tmp_path, "nothing.bin", 0),
        sized(tmp_path, "huge.bin", 200_000_000),
        sized(tmp_path, "some.bin", 900_000),
        sized(tmp_path, "cancelled.bin", 19_000_000),
    )
    expect(files).to_have_count(4)
    expect(files.nth(1)).to_contain_text("20 MB at most")
    files.nth(3).locator('[data-bnb-action="remove-file"]').click()
    expect(files.nth(2)).to_have_attribute("data-bnb-file", "done")
    files.nth(1).locator('[data-bnb-action="remove-file"]').click()
    expect(files).to_have_count(2)
    chat.say("here they are")
    chat.expect_text("Seen.")
    told = chat.book.python("[(f.name, f.size) for t in chat.conversation.state.turns for f in t.files]")
    assert told == "[('nothing.bin', 0), ('some.bin', 900000)]"
    drafts = "[d.name for d in chat.widget.driver._drafts._drafts.values()]"
    chat.book.wait_until(lambda: chat.book.python(drafts) == "[]", what="the kernel to let go of the cancelled file")


def test_an_upload_ends_with_a_sentence_when_its_kernel_is_killed(notebook: OpenNotebook, tmp_path: Path) -> None:
    chat = open_chat(notebook, UPLOADS)
    book = chat.book
    stopped = book.kernel_pid()
    os.kill(stopped, signal.SIGSTOP)  # so that the file is surely half-way
    attach(chat, sized(tmp_path, "half.bin", 9_000_000))
    expect(chat.root.locator('[data-bnb-file="sending"]')).to_have_count(1)
    os.kill(stopped, signal.SIGKILL)
    fault = chat.root.locator('[data-bnb-file="fault"]')
    expect(fault).to_contain_text("did not answer")
    book.page.get_by_role("button", name="Ok").click()
    book.wait_kernel()


def test_a_page_that_is_closed_while_it_sends_a_file_leaves_the_words_and_no_half_file(
    notebook: OpenNotebook, tmp_path: Path
) -> None:
    chat = open_chat(notebook, UPLOADS)
    book = chat.book
    book.save()
    chat.box.fill("with a file")
    kernel = book.kernel_pid()
    os.kill(kernel, signal.SIGSTOP)  # so that the file is surely half-way
    attach(chat, sized(tmp_path, "half.bin", 19_000_000))
    expect(chat.root.locator('[data-bnb-file="sending"]')).to_have_count(1)
    book.page.goto("about:blank")
    os.kill(kernel, signal.SIGCONT)
    chat = chat_in(book.open(), 1)
    expect(chat.box).to_have_value("with a file")
    expect(chat.root.locator(".bnb-tray")).to_have_count(0)
    chat.box.press("Enter")
    chat.expect_text("Seen.")
    assert book.python("[f.name for t in chat.conversation.state.turns for f in t.files]") == "[]"


@pytest.mark.usefixtures("demo_agent")
def test_two_pages_decide_and_change_at_once_and_one_act_counts(notebook: OpenNotebook) -> None:
    first = open_chat(notebook, SETUP)
    first.book.save()
    first.say("add a note saying both")
    first.expect_card("add-note", "pending")
    second = chat_in(notebook(path=first.book.path, own_page=True), 1)
    card = second.expect_card("add-note", "pending")
    second.press("edit-call", of=card)
    card.get_by_label("text").fill("neither")
    # One page changes the call, the other approves what it shows at that moment.
    press = "button => button.click()"
    card.locator('[data-bnb-action="use-edit"]').evaluate(press)
    first.card("add-note", "pending").locator('[data-bnb-action="approve"]').evaluate(press)
    changed = first.card("add-note", "pending").filter(has_text="neither")
    expect(changed.or_(first.card("add-note", "succeeded"))).to_be_attached()
    # Where the change came first, the approval of what was there before is refused.
    notes = "[c.args['text'] for c in chat.conversation.state.invocations.values() if c.state == 'succeeded']"
    assert first.book.python(notes) == ("[]" if first.states() == ["pending"] else "['both']")
    first.book.wait_until(lambda: second.written() == first.written(), what="both pages to show the same")


FREEZE = """
import ctypes, os, threading
def freeze():
    pipe = os.open({pipe!r}, os.O_RDWR)
    os.read(pipe, 1)
    # PyDLL keeps the interpreter's lock, as a regular expression or a sum in C does: no thread runs until it returns.
    ctypes.PyDLL(None).read(pipe, ctypes.create_string_buffer(1), 1)
{freeze}
"""


@pytest.mark.usefixtures("demo_agent")
@pytest.mark.parametrize(
    ("by", "line"),
    [("freeze()", "busy"), ("threading.Thread(target=freeze).start()", "waiting")],
    ids=["cell", "thread"],
)
def test_a_frozen_kernel_is_not_lost_and_hears_what_was_clicked_and_typed_meanwhile(
    notebook: OpenNotebook, tmp_path: Path, by: str, line: str
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    chat = open_chat(notebook, SETUP)
    chat.say("add a note saying patience")
    card = chat.expect_card("add-note", "pending")
    cell = chat.book.run(FREEZE.format(pipe=str(pipe), freeze=by), wait=line == "waiting")
    with pipe.open("wb", buffering=0) as end:
        end.write(b"1")
        expect(chat.root).to_have_attribute("data-bnb-connection", line)
        chat.box.press_sequentially("typed meanwhile")
        for _ in range(3):
            chat.press("approve", of=card)
        expect(card.locator(".bnb-decision")).to_have_attribute("aria-busy", "true")
        chat.box.press("Enter")
        expect(chat.root.locator(".bnb-queued")).to_contain_text("typed meanwhile")
        # Longer than a kernel that never answered is waited for.
        expect(chat.root.get_by_role("timer")).to_have_text(re.compile(r"for (1[2-9]|[2-9]\d) s"))
        expect(chat.root).to_have_attribute("data-bnb-connection", line)
        end.write(b"2")
    chat.expect_card("add-note", "succeeded")
    expect(chat.said("typed meanwhile")).to_be_attached()
    expect(chat.root).to_have_attribute("data-bnb-connection", "live")
    chat.book.wait_done(cell)
    said = "[t.text for t in chat.conversation.state.turns]"
    assert chat.book.python(said) == "['add a note saying patience', 'typed meanwhile']"
    assert chat.book.python("[c.state for c in chat.conversation.state.invocations.values()]") == "['succeeded']"
