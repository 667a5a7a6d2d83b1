"""Cells of the magic `%%bitte`: each shows what it said and what came of it, the newest is where the chat goes on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

import bitte_nb as bn
from bitte_nb.testing import Call, ScriptedModel
from bitte_nb.widget.cell import say
from bitte_nb.widget.chat import Chat
from bitte_nb.widget.part import Parts
from tests.browser.chat_view import SETUP, ChatView
from tests.browser.notebook import PATIENCE
from tests.browser.test_hosts import DOCUMENT, Host

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import BrowserContext, Locator

    from tests.browser.conftest import OpenNotebook
    from tests.browser.lab import Lab


def test_the_page_of_each_cell_shows_its_part_and_only_the_newest_has_a_box_to_write_in(
    context: BrowserContext, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    host = Host(context.new_page(), monkeypatch)
    model = ScriptedModel([["First answer."], ["Second answer."], [Call("add-note", {})], ["Third answer."]])
    chat = Chat(bn.Agent(DOCUMENT, model=model), store=tmp_path / "h.sqlite")
    parts = Parts(chat.id)

    def run(text: str) -> tuple[str, Locator]:
        turn, cell = say(chat, parts, text)
        name = host.open(cell.widget)
        view = host.render(name, name)
        turn.wait(PATIENCE)
        host.until(view)
        return name, view

    _, one = run("one")
    host.until(one.get_by_role("log"), text="First answer.")
    expect(one.locator("textarea.bnb-composer-text")).to_be_visible()
    _, two = run("two")
    host.until(two.get_by_role("log"), text="Second answer.")
    host.carry_until(lambda: one.locator("textarea.bnb-composer-text").count() == 0, what="the first cell to end")
    for view, own, other in ((one, "First answer.", "Second answer."), (two, "Second answer.", "First answer.")):
        expect(view.get_by_role("log")).to_contain_text(own)
        expect(view.get_by_role("log")).not_to_contain_text(other)
        expect(view.locator(".bnb-head")).to_have_count(0)

    # What came before is a click away, and goes again.
    unfold = two.locator('[data-bnb-action="unfold"]')
    expect(unfold).to_have_text("1 earlier message")
    unfold.click()
    host.until(two.get_by_role("log"), text="First answer.")
    expect(unfold).to_have_attribute("aria-expanded", "true")
    unfold.click()
    host.carry_until(lambda: "First answer." not in two.inner_text(), what="the earlier messages to be folded")

    # A decision in a cell is taken there, and its answer comes there.
    _, three = run("note it")
    decline = three.locator('[data-bnb-action="decline"]').last
    host.until(decline)
    decline.click()
    host.until(three.get_by_role("log"), text="Third answer.")
    expect(three.locator('[data-bnb-action="unfold"]')).to_have_text("2 earlier messages")
    assert "Third answer." not in one.inner_text() + two.inner_text()
    chat.close()


@pytest.mark.usefixtures("demo_agent")
def test_cells_of_a_notebook_each_show_and_save_what_they_said(notebook: OpenNotebook, lab: Lab) -> None:
    book = notebook(
        [
            f"{SETUP}\n%load_ext bitte_nb\n%bitte use agent",
            "%%bitte\nlist the chains",
            "%%bitte\nadd a note saying buy milk",
        ]
    )
    for index in range(3):
        book.run_cell(index)
    first, second = ChatView(book, book.output(1)), ChatView(book, book.output(2))
    second.expect_card("add-note", "pending")
    second.press("approve")
    second.expect_card("add-note", "succeeded")
    second.expect_phase("done")
    expect(second.root.locator('[data-bnb-action="unfold"]')).to_have_text("1 earlier message")
    expect(first.box).to_have_count(0)
    expect(second.box).to_be_visible()
    expect(first.log).not_to_contain_text("buy milk")
    expect(second.log).not_to_contain_text("list the chains")
    book.page.screenshot(path=lab.pictures / "cells.png")

    def saved(index: int) -> str:
        return json.dumps(book.outputs(index))

    book.wait_until(lambda: "list the chains" in saved(1), what="the saved output of the first cell")
    book.wait_until(lambda: "succeeded" in saved(2), what="the saved output of the second cell")
    assert "buy milk" in saved(2)
    assert "buy milk" not in saved(1)
    assert "list the chains" not in saved(2)
