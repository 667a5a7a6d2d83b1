"""The page alone in a real browser, over a chat that the test plays: reading, scrolling, keys, and what axe finds."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.browser.axe import AXE, violations
from tests.browser.lab import new_context
from tests.browser.notebook import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, BrowserContext, Page

JS = Path(__file__).parents[2] / "js"
STATES = [
    "empty",
    "answer",
    "math",
    "streaming",
    "approvals",
    "states",
    "failed",
    "offers",
    "capped",
    "notice",
    "versions",
    "deciding",
    "cards",
    "words",
]


CUT_OFF = """() => [...document.querySelectorAll('.bnb-head button')].filter(button => {
  const inner = button.getBoundingClientRect(), outer = button.closest('.bnb').getBoundingClientRect();
  return inner.left < outer.left || inner.right > outer.right;
}).map(button => button.getAttribute('aria-label'))"""
"""The buttons of the head that are not wholly within the chat, by name."""


@pytest.fixture(scope="session")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the gallery: every chat worth looking at, without a kernel."""
    if not AXE.is_file():
        pytest.skip("needs the packages of js/: run `npm ci` there")
    folder = tmp_path_factory.mktemp("gallery")
    subprocess.run(["node", "dev/gallery.mjs", folder], cwd=JS, check=True, capture_output=True)
    return (folder / "index.html").as_uri()


@pytest.fixture
def show(context: BrowserContext, gallery: str) -> Callable[[str], Page]:
    """Opens one chat of the gallery."""

    def open_chat(name: str) -> Page:
        page = context.new_page()
        page.goto(f"{gallery}#{name}")
        expect(page.locator(".bnb-composer-text")).to_be_visible()
        return page

    return open_chat


def say(page: Page, words: str) -> None:
    """More words of the newest answer."""
    page.evaluate(
        """words => {
          const turn = Number([...document.querySelectorAll('[data-bnb-turn]')].at(-1).dataset.bnbTurn);
          model.happen({ type: 'text_delta', turn, step: 1, text: words });
        }""",
        words,
    )


def top(page: Page) -> float:
    """How far the transcript is scrolled, once the page has drawn all that it had to."""
    return float(
        page.locator(".bnb-transcript").evaluate(
            """log => new Promise(done => {
              const frame = before =>
                requestAnimationFrame(() => (log.scrollTop === before ? done(before) : frame(log.scrollTop)));
              requestAnimationFrame(() => frame(log.scrollTop));
            })"""
        )
    )


AT_END = """() => {
  const log = document.querySelector('.bnb-transcript');
  return log.scrollHeight - log.clientHeight - log.scrollTop <= 2;
}"""


def test_a_long_chat_follows_its_end_until_one_notch_of_the_wheel_and_never_jumps(show: Callable[[str], Page]) -> None:
    page = show("long")
    log = page.locator(".bnb-transcript")
    expect(page.locator(".bnb-turn")).to_have_count(200)
    page.wait_for_function(AT_END)
    for word in range(20):
        say(page, f"growing {word}\n\n")
    expect(log).to_contain_text("growing 19")
    page.wait_for_function(AT_END)

    end = top(page)
    log.hover()
    page.mouse.wheel(0, -120)
    pill = page.locator('[data-bnb-action="latest"]')
    expect(pill).to_be_visible()
    page.wait_for_function("end => end - document.querySelector('.bnb-transcript').scrollTop >= 119", arg=end)
    before = top(page)
    for word in range(20):
        say(page, f"unseen {word}\n\n")
    expect(log).to_contain_text("unseen 19")
    assert abs(top(page) - before) <= 2, "it jumped"

    page.evaluate("model.happen({ type: 'turn', head: { ...turnHead, turn: 1000, text: 'from code' } })")
    expect(pill).to_contain_text("1 new")
    pill.click()
    expect(pill).to_have_count(0)
    page.wait_for_function(AT_END)


IN_VIEW = """part => {
  const log = document.querySelector('.bnb-transcript').getBoundingClientRect();
  const { top, bottom } = part.getBoundingClientRect();
  return log.top <= top && bottom <= log.bottom;
}"""


def test_a_card_that_waits_comes_with_its_head_and_stays_where_the_person_scrolled_it(
    show: Callable[[str], Page],
) -> None:
    page = show("approvals")
    log = page.locator(".bnb-transcript")
    head = page.locator('[data-bnb-state="pending"] .bnb-card-head').first
    page.wait_for_function(f"part => ({IN_VIEW})(part)", arg=head.element_handle())
    top(page)
    assert head.evaluate(IN_VIEW), "it did not stay"
    assert not page.evaluate(AT_END)

    before = top(page)
    log.hover()
    page.mouse.wheel(0, 60)
    page.wait_for_function("before => document.querySelector('.bnb-transcript').scrollTop >= before + 59", arg=before)
    read = top(page)
    say(page, "more words above the cards\n\n" * 3)
    expect(log).to_contain_text("more words above the cards")
    card = page.locator('[data-bnb-state="pending"]').first
    card.locator('[data-bnb-action="edit-call"]').evaluate("button => button.click()")
    expect(card.locator(".bnb-edit")).to_be_visible()
    assert top(page) >= read, "it jumped back"

    log.hover()
    page.mouse.wheel(0, 100_000)
    page.wait_for_function(AT_END)
    say(page, "and more of them\n\n" * 3)
    expect(log).to_contain_text("and more of them")
    page.wait_for_function(AT_END)


def test_a_table_that_becomes_long_stays_where_it_is_and_one_table(show: Callable[[str], Page]) -> None:
    page = show("streaming")
    table = page.locator(".bnb-markdown table").last
    say(page, "\n\n| name | amount | note |\n|---|--:|---|\n")

    def places(rows: int) -> list[float]:
        """Where the cells of the head and of the tenth row are, once there are so many rows."""
        expect(table.locator("tbody tr")).to_have_count(rows)
        cells = (
            "cells => cells.flatMap(cell => { const { x, width } = cell.getBoundingClientRect(); return [x, width]; })"
        )
        return table.locator("thead th, tr:nth-child(10) td").evaluate_all(f"cells => ({cells})(cells.slice(0, 6))")

    def add(start: int, end: int) -> None:
        for row in range(start, end):
            say(page, f"| row {row} | {row * 1000} | **some** words and `code` |\n")

    add(0, 64)
    before = places(64)
    add(64, 140)
    assert places(140) == pytest.approx(before, abs=0.6)
    expect(page.locator(".bnb-table-held")).to_have_count(1)
    last = (
        table.locator("tr")
        .last.locator("td")
        .evaluate_all("cells => cells.map(cell => cell.getBoundingClientRect().x)")
    )
    assert last == pytest.approx(before[0:6:2], abs=0.6), "columns of different groups are in line"
    expect(page.get_by_role("table").last.get_by_role("row")).to_have_count(141)


def test_a_search_on_the_page_finds_what_is_out_of_sight(show: Callable[[str], Page]) -> None:
    page = show("long")
    expect(page.locator(".bnb-turn")).to_have_count(200)
    assert page.evaluate("window.find('message number 3.')")


def test_everything_is_reached_by_key(show: Callable[[str], Page]) -> None:
    page = show("approvals")
    page.locator(".bnb-transcript").focus()
    page.keyboard.press("?")
    sheet = page.locator("dialog")
    expect(sheet).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    page.keyboard.press("d")
    expect(page.locator('[data-bnb-state="pending"]').first).to_be_focused()
    reached: set[str] = set()
    for _ in range(80):
        page.keyboard.press("Tab")
        reached.add(str(page.evaluate("document.activeElement.dataset.bnbAction ?? document.activeElement.className")))
    assert {"approve", "decline", "bnb-composer-text"} <= reached


def test_a_card_is_changed_always_allowed_and_a_rule_revoked_by_key_alone(show: Callable[[str], Page]) -> None:
    page = show("deciding")
    page.locator('[data-bnb-action="edit-call"]').press("Enter")
    expect(page.get_by_label("text")).to_be_focused()
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("butter")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")  # this page has no kernel to answer with the changed card
    expect(page.get_by_label("text")).to_have_count(0)
    page.locator('[data-bnb-action="always"]').press("Enter")
    approve_always = page.locator('[data-bnb-action="approve-always"]')
    expect(approve_always).to_be_enabled()
    approve_always.press("Enter")
    page.locator('[data-bnb-action="rules"]').press("Enter")
    page.locator('[data-bnb-rule="always-1.2.0"] button').press("Enter")
    page.locator('[data-bnb-action="happened"]').press("Enter")
    asked = page.evaluate("model.sent.filter(({ type }) => /edit_call|decide|revoke|reconcile/.test(type))")
    edit, approve, revoke, happened = asked
    assert edit["args"] == {"text": "butter", "tags": ["food"]}
    assert (approve["decision"], approve["always"]) == ("approve", True)
    assert (revoke["rule"], happened["happened"]) == ("always-1.2.0", True)


def test_five_hundred_cards_that_wait_are_drawn_and_the_one_that_is_pressed_is_decided_once(
    show: Callable[[str], Page],
) -> None:
    page = show("pending500")
    expect(page.locator('[data-bnb-state="pending"]')).to_have_count(500)
    page.locator('[data-bnb-action="approve"]').last.dblclick()
    decided = page.evaluate("model.sent.filter(({ type }) => type === 'decide').map(({ key }) => key)")
    assert decided == ["1.1.499"]
    page.locator(".bnb-composer-text").press_sequentially("meanwhile")
    expect(page.locator(".bnb-composer-text")).to_have_value("meanwhile")


def test_a_result_of_a_megabyte_is_drawn_by_its_beginning_and_read_on_request(show: Callable[[str], Page]) -> None:
    page = show("large")
    expect(page.locator("[data-bnb-call]")).to_have_count(4)
    assert page.evaluate("document.querySelectorAll('.bnb *').length") < 4_000
    assert len(page.locator(".bnb-transcript").inner_text()) < 20_000
    text = page.get_by_label("text", exact=True)
    text.get_by_role("button", name="Show all").click()
    wait_until(page, lambda: len(text.inner_text()) > 1_000_000, what="all of it")


@pytest.mark.parametrize(
    ("width", "theme", "colors"), [(1000, "light", "none"), (360, "dark", "none"), (1000, "dark", "active")]
)
def test_axe_finds_nothing(chrome: Browser, gallery: str, width: int, theme: str, colors: str) -> None:
    found: dict[str, list[Any]] = {}
    context = new_context(
        chrome, viewport={"width": width, "height": 900}, reduced_motion="reduce", forced_colors=colors
    )
    # One page, emptied in between: a new one for each would compile axe and the chat anew.
    page = context.new_page()
    for name in STATES:
        page.goto("about:blank")
        page.goto(f"{gallery}?theme={theme}#{name}")
        box = page.locator(".bnb-composer-text")
        expect(box).to_be_visible()
        page.wait_for_function("document.querySelector('[data-bnb-plain], [data-bnb-tex]') === null")
        page.add_style_tag(content=".bnb { --bnb-height: 4000px }")
        if name == "streaming":
            box.fill("and then?")
            box.press("Enter")
            expect(page.locator(".bnb-queued")).to_be_visible()
        if name == "empty":
            page.locator('[data-bnb-action="keys"]').click()
        if name == "versions":
            page.locator('[data-bnb-action="edit"]').first.click()
            if wrong := violations(page):
                found["editor"] = wrong
            page.locator('[data-bnb-action="history"]').click()
            expect(page.locator(".bnb-drawer-row")).to_have_count(3)
        if name == "deciding":
            box.fill("@")
            expect(page.locator(".bnb-mention")).to_have_count(2)
            if wrong := violations(page):
                found["mention"] = wrong
            box.fill("")
            page.locator('[data-bnb-action="rules"]').click()
            page.locator('[data-bnb-action="always"]').click()
            if wrong := violations(page):
                found["always"] = wrong
            page.locator('[data-bnb-action="edit-call"]').click()
            expect(page.get_by_label("text")).to_be_focused()
        if wrong := violations(page):
            found[name] = wrong
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), name
        assert page.evaluate(CUT_OFF) == [], name
    context.close()
    assert found == {}
