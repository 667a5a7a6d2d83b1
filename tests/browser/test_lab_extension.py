"""The JupyterLab extension: commands, launcher card, panel and saved chats, in a real JupyterLab."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.chat_view import SETUP, ChatView, chat_in

if TYPE_CHECKING:
    from scripts.server import Server
    from tests.browser.conftest import OpenNotebook
    from tests.browser.lab import Lab

DOCUMENT = "{}/.well-known/ai-plugin.json"

pytestmark = pytest.mark.usefixtures("demo_agent")


def test_a_chat_begins_in_the_launcher_waits_in_the_panel_and_is_read_without_a_kernel(
    notebook: OpenNotebook, lab: Lab, demo_agent: Server
) -> None:
    book = notebook([SETUP, "chat", "chat.export('talk.bitte.json'); chat.stop()"])
    page = book.page
    book.run_cell(0)
    book.run_cell(1)
    chat = chat_in(book, 1)
    chat.say("add a note saying buy milk")
    chat.expect_card("add-note", "pending")

    # The panel knows of it from the history; a click goes to the cell.
    book.command("launcher:create")
    page.evaluate("window.jupyterapp.shell.activateById('bitte-nb-chats')")
    panel = page.locator("#bitte-nb-chats")
    waiting = panel.locator("section", has_text="Waiting for you").locator("button").first
    expect(waiting).to_contain_text("1 waiting", timeout=20_000)
    expect(chat.root).not_to_be_in_viewport()
    page.screenshot(path=lab.pictures / "extension-panel.png")
    waiting.click()
    expect(chat.root).to_be_in_viewport(timeout=20_000)

    # The saved chat is a file that shows every card and offers no act.
    book.run_cell(2)
    page.evaluate("window.jupyterapp.commands.execute('docmanager:open', {path: 'talk.bitte.json'})")
    saved = page.locator(".jp-BitteChat [data-bnb-chat]")
    expect(saved.locator('[data-bnb-call][aria-label="add-note"]')).to_be_visible(timeout=30_000)
    expect(saved).to_contain_text("buy milk")
    expect(saved.locator("textarea.bnb-composer-text")).to_be_hidden()
    for act in ("approve", "decline"):
        for button in saved.locator(f'[data-bnb-action="{act}"]').all():
            expect(button).to_be_hidden()
    page.screenshot(path=lab.pictures / "extension-saved.png")

    # The palette and the launcher offer a new chat.
    page.keyboard.press("ControlOrMeta+Shift+C")
    page.locator(".lm-CommandPalette-input:visible").fill("agent")
    for label in ("New agent chat", "Open OpenAPI document as agent"):
        expect(page.locator(".lm-CommandPalette-item", has_text=label).last).to_be_visible()
    page.keyboard.press("Escape")
    book.command("launcher:create")
    page.locator(".jp-LauncherCard:visible", has_text="New agent chat").click()
    dialog = page.locator(".jp-Dialog")
    dialog.locator("input").fill(DOCUMENT.format(demo_agent.url))
    page.screenshot(path=lab.pictures / "extension-new.png")
    dialog.get_by_role("button", name="Ok").click()
    new = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)").filter(has_text="bn.Chat(")
    view = ChatView(book, new.last)
    view.say("list the chains")
    view.expect_card("get-blockchains", "succeeded")
    page.screenshot(path=lab.pictures / "extension-chat.png")
