"""Versions, the panel of chats and files in a real JupyterLab, by keyboard and pointer, in one sitting."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.chat_view import SETUP, chat_in

if TYPE_CHECKING:
    from tests.browser.conftest import OpenNotebook

pytestmark = pytest.mark.usefixtures("demo_agent")

UPLOADS = """
from bitte_nb.testing import Call, ScriptedModel
binary = {"type": "string", "format": "binary"}
body = {"content": {"multipart/form-data": {"schema": {"type": "object", "properties": {"photo": binary}}}}}
uploads = {
    "openapi": "3.1.0", "info": {"title": "Uploads", "version": "1"}, "servers": [{"url": "http://127.0.0.1:9"}],
    "paths": {"/f": {"post": {"operationId": "upload", "requestBody": body, "responses": {}}}},
}
def hand_over(request):
    return [Call("upload", {"photo": request.messages[-1].text.partition('give "')[2].partition('"')[0]})]
steps = [["Oslo is cold."], ["Rome is warm."], hand_over]
chat = bn.Chat(bn.Agent(uploads, model=ScriptedModel(steps)))
"""
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010800000000"
    "3a7e9b550000000a49444154789c6368000000820081d77cb5b60000000049454e44ae426082"
)


def test_a_message_is_edited_a_chat_reopened_and_a_file_handed_to_a_tool(notebook: OpenNotebook) -> None:
    book = notebook([SETUP + UPLOADS, "chat"])
    book.run_all()
    chat = chat_in(book, 1)
    chat.say("Weather in Oslo?")
    chat.expect_text("Oslo is cold.")
    chat.root.locator('[data-bnb-action="edit"]').focus()
    book.page.keyboard.press("Enter")
    editor = chat.root.locator(".bnb-editor-text")
    expect(editor).to_be_focused()
    editor.fill("Weather in Rome?")
    editor.press("Enter")
    chat.expect_text("Rome is warm.")
    versions = chat.root.locator(".bnb-versions")
    expect(versions).to_contain_text("2 / 2")
    versions.locator('[data-bnb-step="-1"]').press("ArrowLeft")
    chat.expect_text("Oslo is cold.")
    expect(versions).to_contain_text("1 / 2")

    chat.press("history")
    panel = chat.root.get_by_role("dialog")
    expect(panel.locator('[aria-current="true"]')).to_contain_text("Weather in Oslo?")
    panel.locator('[data-bnb-action="new-chat"]').click()
    expect(panel).to_have_count(0)
    expect(chat.root.locator(".bnb-turn")).to_have_count(0)

    chat.root.locator('input[type="file"]').set_input_files(
        [{"name": "pixel.png", "mimeType": "image/png", "buffer": PIXEL}]
    )
    expect(chat.root.locator('.bnb-tray [data-bnb-file="done"]')).to_have_count(1)
    chat.say("keep this")
    card = chat.expect_card("upload", "pending")
    expect(card).to_contain_text("[pixel.png, image/png, 67 bytes, SHA-256 ")
    picture = chat.root.locator(".bnb-file-picture")
    expect(picture).to_have_js_property("naturalWidth", 1)

    chat.press("history")
    panel.locator("input[type=search]").fill("oslo")
    row = panel.locator(".bnb-drawer-row", has_text="Weather in Oslo?")
    expect(row).to_have_count(1)
    with book.page.expect_download() as download:
        row.locator("select").select_option("markdown")
    assert download.value.suggested_filename == "Weather-in-Oslo.md"
    row.locator('[data-bnb-action="open-chat"]').click()
    chat.expect_text("Oslo is cold.")
    assert book.python("chat.turns[0].state.text") == "'Weather in Oslo?'"


GATED = """
import asyncio, threading
from bitte_nb.testing import Pause, ScriptedModel
gate = threading.Event()
async def sleep(seconds):
    while not gate.is_set():
        await asyncio.sleep(0.02)
def answer(request):
    return ["Answer to ", Pause(1), request.messages[-1].text, "."]
model = ScriptedModel([answer] * 20, sleep=sleep)
chat = bn.Chat(bn.Agent(agent.document, model=model, wallet=agent.wallet))
gate.set()
"""
"""A cell that makes `chat` with a model that begins an answer and ends it once `gate` is set."""


def test_each_button_pressed_at_the_wrong_time_acts_once_and_every_version_stays(notebook: OpenNotebook) -> None:
    book = notebook([SETUP + GATED, "chat"])
    book.run_all()
    chat = chat_in(book, 1)
    turns = chat.log.locator("[data-bnb-turn]")

    def edit_to(text: str) -> None:
        turns.first.locator('[data-bnb-action="edit"]').dblclick()
        editor = turns.first.locator(".bnb-editor-text")
        editor.fill(text)
        editor.press("Enter")
        book.page.keyboard.press("Enter")  # the editor is gone by then, and nothing else takes it
        expect(turns.first.locator(".bnb-bubble")).to_have_text(text)

    def path() -> list[str]:
        return turns.locator(".bnb-bubble").all_text_contents()

    def expect_path(*texts: str, phase: str) -> None:
        book.wait_until(lambda: path() == list(texts), what=f"the messages {texts}")
        chat.expect_phase(phase)

    chat.say("one")
    chat.expect_text("Answer to one.")
    book.python("gate.clear()")
    chat.say("two")
    chat.expect_phase("streaming")

    # An earlier message is edited while a later one is answered: that one is left, in its own version.
    edit_to("three")
    expect_path("three", phase="streaming")
    versions = turns.first.locator(".bnb-versions")
    expect(versions).to_contain_text("2 / 2")

    # To the other version and back while it is answered, twice each: nothing is asked anew.
    versions.locator('[data-bnb-step="-1"]').dblclick()
    expect_path("one", "two", phase="cancelled")
    expect(versions).to_contain_text("1 / 2")
    versions.locator('[data-bnb-step="1"]').dblclick()
    expect_path("three", phase="cancelled")
    assert book.python("len(model.requests)") == "3"

    # Another answer, twice; stopped twice; another one at once; Esc where nothing runs.
    chat.press_twice("regenerate")
    expect(versions).to_contain_text("3 / 3")
    chat.expect_phase("streaming")
    chat.press_twice("stop")
    chat.press("regenerate")
    expect(versions).to_contain_text("4 / 4")
    chat.expect_phase("streaming")
    chat.box.press("Escape")
    chat.expect_phase("cancelled")
    chat.box.press("Escape")
    edit_to("four")
    expect(versions).to_contain_text("5 / 5")
    chat.box.fill("five")
    for key in ("Enter", "Enter"):
        chat.box.press(key)
    expect(chat.root.locator(".bnb-queued")).to_contain_text("five")
    book.python("gate.set()")
    expect_path("four", "five", phase="done")
    assert book.python("len(model.requests)") == "7"
    assert book.python("[len(chat.branches(t)) for t in chat.turns]") == "[5, 1]"
    expect(chat.root.get_by_role("alert")).to_have_count(0)

    # The page holds what the kernel has: one that is drawn from it alone is the same.
    shown = path()
    book.save()
    book.reload()
    chat = chat_in(book, 1)
    turns = chat.log.locator("[data-bnb-turn]")
    expect_path(*shown, phase="done")
