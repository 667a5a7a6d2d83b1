"""One view of the chat widget on a page, as a person uses it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Locator

    from tests.browser.notebook import Notebook

SETUP = """
import bitte_nb as bn
from bitte_nb.demo.running import document_url
agent = bn.Agent(
    document_url(),
    wallet=bn.Wallet(account_id="alice.near", evm_address="0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", chain_id=8453),
    signer="development",
)
chat = bn.Chat(agent)
"""
"""A cell that makes `chat` with the demo agent."""

SLOW_WORDS = """
import asyncio, threading
from bitte_nb.testing import Pause, ScriptedModel
gate = threading.Event()
async def sleep(seconds):
    while seconds > 1 and not gate.is_set():
        await asyncio.sleep(0.02)
    await asyncio.sleep(min(seconds, 0.05))
words = [piece for n in range(60) for piece in (f"word{n} ", Pause(60 if n == 9 else 0.05))]
chat = bn.Chat(bn.Agent(agent.document, model=ScriptedModel([words], sleep=sleep), wallet=agent.wallet))
"""
"""A cell that makes `chat` with a model that says sixty words slowly, and stops after ten until `gate` is set."""

LAST_WORD = "word59"


class ChatView:
    """The widget in a cell's output (or in another place that holds it)."""

    def __init__(self, book: Notebook, place: Locator) -> None:
        self.book = book
        self.root = place.locator("[data-bnb-chat]").first
        self.cards = self.root.locator("[data-bnb-call]")
        expect(self.root).to_be_visible()
        expect(self.root).to_have_attribute("data-bnb-connection", "live")

    @property
    def box(self) -> Locator:
        """Where the person writes."""
        return self.root.locator("textarea.bnb-composer-text")

    @property
    def log(self) -> Locator:
        """The transcript."""
        return self.root.get_by_role("log")

    def say(self, text: str) -> None:
        """Type a message, press Enter, and wait until it is in the transcript.

        While an answer runs the message waits for it; so does this. Nothing is sent while a card waits for a decision.
        """
        before = self.said(text).count()
        box = self.box
        box.fill(text)
        box.press("Enter")
        expect(box).to_have_value("")
        expect(self.said(text)).to_have_count(before + 1)

    def said(self, text: str) -> Locator:
        """The person's messages of that text that the kernel has as turns; one still on its way is not among them."""
        return self.log.locator("[data-bnb-turn] .bnb-bubble").get_by_text(text, exact=True)

    def expect_phase(self, phase: str) -> None:
        """Wait until the newest turn is in that phase."""
        expect(self.log.locator("[data-bnb-turn]").last).to_have_attribute("data-bnb-phase", phase)

    def card(self, tool: str, state: str | None = None) -> Locator:
        """The newest card of a tool, in that state if one is given."""
        wanted = f'[data-bnb-call][aria-label="{tool}"]' + (f'[data-bnb-state="{state}"]' if state else "")
        return self.root.locator(wanted).last

    def expect_card(self, tool: str, state: str) -> Locator:
        """Wait for a card of that tool in that state."""
        card = self.card(tool, state)
        expect(card).to_be_attached()
        return card

    def press(self, action: str, *, of: Locator | None = None) -> None:
        """Press a button by what it does: approve, decline, undo, stop, retry, ..."""
        (of or self.root).locator(f'[data-bnb-action="{action}"]').last.click()

    def press_twice(self, action: str) -> None:
        """Press a button twice, as fast as a hand can: the second press meets whatever the first one left there."""
        self.root.locator(f'[data-bnb-action="{action}"]').last.dblclick()

    def approve_often(self, card: Locator) -> None:
        """Press Approve three times before anything can come of it: what stands there afterwards is not pressed."""
        approve = card.locator('[data-bnb-action="approve"]')
        expect(approve).to_be_enabled()
        approve.evaluate("button => { for (let press = 0; press < 3; press += 1) button.click(); }")

    def states(self) -> list[str]:
        """The states of all cards at this moment, in order."""
        return self.cards.evaluate_all("cards => cards.map((card) => String(card.dataset.bnbState))")

    def expect_text(self, text: str) -> None:
        """Wait until the transcript holds the text."""
        expect(self.log).to_contain_text(text)

    def written(self) -> str:
        """All that the transcript holds, laid out or not: what is out of sight has no inner text."""
        return self.log.text_content() or ""

    def numbers(self) -> list[int]:
        """The numbers of the words of `SLOW_WORDS` that are there, in their order."""
        return [int(number) for number in re.findall(r"word(\d+)", self.written())]

    def expect_numbers(self, count: int) -> None:
        """Wait until the first `count` words of `SLOW_WORDS` are there, each once and in order, and none else."""
        expected = list(range(count))
        self.book.wait_until(lambda: self.numbers() == expected, what=f"{count} words in their order")


def chat_in(book: Notebook, index: int) -> ChatView:
    """The chat widget in the output of a cell."""
    return ChatView(book, book.output(index))
