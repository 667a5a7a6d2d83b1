"""The chat in a real JupyterLab, as a person uses it, with the demo agent over real HTTP."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.chat_view import LAST_WORD, SETUP, SLOW_WORDS, ChatView, chat_in
from tests.browser.notebook import PATIENCE

if TYPE_CHECKING:
    from scripts.server import Server
    from tests.browser.conftest import OpenNotebook
    from tests.browser.lab import Lab

pytestmark = pytest.mark.usefixtures("demo_agent")


def counted(agent: Server, what: str = "effects") -> int:
    """How many `requests` or `effects` the demo agent has counted, this question aside."""
    counts: dict[str, int] = httpx.get(f"{agent.url}/api/stats", trust_env=False, timeout=PATIENCE).json()[what]
    return sum(count for operation, count in counts.items() if operation != "count-effects")


def open_chat(notebook: OpenNotebook, setup: str = SETUP) -> ChatView:
    book = notebook([setup, "chat"])
    book.run_all()
    return chat_in(book, 1)


def test_a_message_is_answered_with_a_card_and_words(notebook: OpenNotebook) -> None:
    chat = open_chat(notebook)
    chat.say("list the chains")
    card = chat.expect_card("get-blockchains", "succeeded")
    expect(card).to_contain_text("GET")
    chat.expect_text("Arbitrum One")
    chat.expect_text("list the chains")


def test_an_answer_arrives_word_by_word_in_order(notebook: OpenNotebook) -> None:
    chat = open_chat(notebook, SETUP + SLOW_WORDS)
    chat.say("say sixty words")
    chat.expect_text("word9 ")
    assert LAST_WORD not in chat.written(), "the answer came at once"
    expect(chat.log).to_have_attribute("aria-busy", "true")
    chat.book.python("gate.set()")
    chat.expect_numbers(60)
    expect(chat.log).to_have_attribute("aria-busy", "false")


def test_stop_ends_the_turn_and_nothing_more_arrives(notebook: OpenNotebook) -> None:
    chat = open_chat(notebook, SETUP + SLOW_WORDS.replace("[words]", '[words, ["Another answer."]]'))
    chat.say("say sixty words")
    chat.expect_text("word9 ")
    chat.press("stop")
    chat.expect_phase("cancelled")
    chat.expect_text("Stopped")
    chat.book.python("gate.set()")
    chat.say("and now?")
    chat.expect_text("Another answer.")
    chat.expect_numbers(10)  # whatever more had been sent would have come first


def test_a_message_sent_while_an_answer_runs_waits_and_is_sent_when_it_is_complete(notebook: OpenNotebook) -> None:
    two = SLOW_WORDS.replace("[words]", '[words, ["The second answer."]]')
    chat = open_chat(notebook, SETUP + two)
    chat.say("say sixty words")
    chat.expect_text("word9 ")
    waiting = chat.root.locator(".bnb-queued")
    chat.box.fill("and")
    chat.box.press("Enter")
    expect(waiting).to_contain_text("and")
    chat.box.press("Escape")
    expect(chat.box).to_have_value("and")
    expect(waiting).to_have_count(0)
    chat.box.fill("and then?")
    chat.box.press("Enter")
    expect(waiting).to_contain_text("and then?")
    assert LAST_WORD not in chat.written()
    chat.book.python("gate.set()")
    chat.expect_text("The second answer.")
    expect(waiting).to_have_count(0)
    assert chat.written().index(LAST_WORD) < chat.written().index("and then?")


def test_escape_stops_a_call_in_flight(notebook: OpenNotebook) -> None:
    silent = """
import socket
from bitte_nb.testing import Call, ScriptedModel
server = socket.create_server(("127.0.0.1", 0))  # it takes whoever comes, and says nothing
document = {
    "openapi": "3.1.0", "info": {"title": "Silent", "version": "1"},
    "servers": [{"url": f"http://127.0.0.1:{server.getsockname()[1]}"}],
    "paths": {"/report": {"get": {"operationId": "read-report", "responses": {"200": {"description": "ok"}}}}},
}
chat = bn.Chat(bn.Agent(document, model=ScriptedModel([[Call("read-report")]])))
"""
    chat = open_chat(notebook, SETUP + silent)
    chat.say("read the report")
    chat.expect_card("read-report", "executing")
    chat.box.press("Escape")
    chat.expect_card("read-report", "failed")
    chat.expect_text("Stopped")


def test_a_failed_turn_is_retried_and_keeps_what_was_done(notebook: OpenNotebook, demo_agent: Server) -> None:
    flaky = """
from bitte_nb.testing import Call, Fault, ScriptedModel
model = ScriptedModel([
    [Call("add-note", {"text": "once"})],
    [Fault.http(401, "The key is not valid.")],
    ["All noted."],
])
chat = bn.Chat(bn.Agent(agent.document, model=model, wallet=agent.wallet))
"""
    before = counted(demo_agent)
    chat = open_chat(notebook, SETUP + flaky)
    chat.say("note it")
    chat.press("approve", of=chat.expect_card("add-note", "pending"))
    chat.expect_text("The key is not valid.")
    chat.press("retry")
    chat.expect_text("All noted.")
    expect(chat.cards).to_have_count(1)
    chat.expect_card("add-note", "succeeded")
    assert counted(demo_agent) == before + 1
    session = chat.root.locator(".bnb-session")
    session.locator("summary").click()
    expect(session.locator('tr[data-bnb-phase="failed"]')).to_contain_text("The key is not valid.")
    expect(session.locator('tr[data-bnb-phase="done"]')).to_be_visible()


def test_an_approved_call_runs_once_however_often_approve_is_clicked(
    notebook: OpenNotebook, demo_agent: Server
) -> None:
    before = counted(demo_agent)
    chat = open_chat(notebook)
    chat.say("add a note saying buy milk")
    card = chat.expect_card("add-note", "pending")
    expect(card).to_contain_text("POST")
    expect(card).to_contain_text("buy milk")
    expect(card).to_contain_text("made when it is sent")
    chat.approve_often(card)
    done = chat.expect_card("add-note", "succeeded")
    done.get_by_role("button", name="Details").click()
    expect(done.locator(".bnb-request")).to_contain_text("Sent at")
    expect(done).not_to_contain_text("made when it is sent")
    assert counted(demo_agent) == before + 1


def test_an_approved_note_can_be_undone_with_an_approval_of_its_own(notebook: OpenNotebook) -> None:
    chat = open_chat(notebook)
    chat.say("add a note saying buy bread")
    chat.press("approve", of=chat.expect_card("add-note", "pending"))
    chat.press("undo", of=chat.expect_card("add-note", "succeeded"))
    chat.press("approve", of=chat.expect_card("remove-note", "pending"))
    chat.expect_card("remove-note", "succeeded")
    chat.expect_card("add-note", "undone")


def test_a_declined_call_is_not_run_and_the_reason_reaches_the_model(
    notebook: OpenNotebook, demo_agent: Server
) -> None:
    before = counted(demo_agent)
    chat = open_chat(notebook)
    chat.say("add a note saying no thanks")
    card = chat.expect_card("add-note", "pending")
    chat.box.press("Escape")
    expect(chat.box).not_to_be_focused()
    card.press("Escape")
    reason = card.get_by_role("textbox").last
    card.get_by_role("button", name="reason").click()
    reason.fill("too early")
    reason.press("Escape")
    chat.expect_card("add-note", "pending")
    reason.press("Enter")
    chat.expect_card("add-note", "denied")
    chat.expect_text("too early")
    assert counted(demo_agent) == before


def test_three_calls_of_one_step_are_three_cards(notebook: OpenNotebook) -> None:
    chat = open_chat(notebook)
    chat.say("flip three coins")
    expect(chat.root.locator('[data-bnb-call][data-bnb-state="succeeded"]')).to_have_count(3)
    chat.expect_text("3 times")


def test_a_signature_shows_the_exact_message_and_is_made_after_approval(notebook: OpenNotebook) -> None:
    chat = open_chat(notebook)
    chat.say('sign the message "I own this account"')
    card = chat.expect_card("sign-message", "pending")
    for shown in ("I own this account", "alice.near"):
        expect(card).to_contain_text(shown)
    for label in ("Message", "Nonce", "Recipient"):
        expect(card).to_contain_text(label)
    chat.press("approve", of=card)
    done = chat.expect_card("sign-message", "succeeded")
    expect(done).to_contain_text("ed25519:")


def test_transactions_are_reviewed_with_every_digit(notebook: OpenNotebook) -> None:
    chat = open_chat(notebook)
    chat.say("send 0.1 NEAR to bob.near")
    near = chat.expect_card("generate-transaction", "pending")
    for shown in ("0.1 NEAR", "100000000000000000000000", "alice.near", "bob.near"):
        expect(near).to_contain_text(shown)
    chat.press("decline", of=near)
    chat.expect_card("generate-transaction", "denied")
    chat.expect_text("was not run")
    chat.say("send 0.01 ETH to 0x70997970C51812dc3A010C7d01b50e0d17dc79C8")
    evm = chat.expect_card("generate-evm-tx", "pending")
    for shown in ("0.01 ETH", "10000000000000000", "Base"):
        expect(evm).to_contain_text(shown)
    chat.press("approve", of=evm)
    chat.expect_card("generate-evm-tx", "succeeded")
    chat.expect_text("not signed or sent")


ASLEEP = """
import time
print("asleep", flush=True)
while chat.invocations[-1].state != "succeeded":
    time.sleep(0.1)
print("awake")
"""


def test_approve_works_while_a_cell_sleeps(notebook: OpenNotebook) -> None:
    chat = open_chat(notebook)
    chat.say("add a note saying while busy")
    card = chat.expect_card("add-note", "pending")
    book = chat.book  # the page says hello on its own shell soon after it opens
    book.wait_until(lambda: book.python("chat.clicks_off_main") == "True", what="the page's hello on a subshell")
    busy = book.run(ASLEEP, wait=False)  # it ends by the click and by nothing else
    book.wait_text(busy, "asleep")
    chat.press("approve", of=card)
    chat.expect_card("add-note", "succeeded")
    book.wait_done(busy)
    assert book.text(busy) == "asleep\nawake\n"


def test_a_page_reload_in_mid_stream_loses_nothing(notebook: OpenNotebook) -> None:
    slow = SLOW_WORDS.replace("range(60)", "range(240)")
    chat = open_chat(notebook, SETUP + slow)
    chat.book.save()
    chat.say("say many words")
    chat.expect_text("word9 ")
    chat.book.python("gate.set()")
    chat.book.reload()
    chat_in(chat.book, 1).expect_numbers(240)


def test_a_second_view_shows_the_same_and_either_can_decide(notebook: OpenNotebook) -> None:
    first = open_chat(notebook)
    first.say("add a note saying two views")
    first.expect_card("add-note", "pending")
    book = first.book
    second = chat_in(book, book.run("chat"))
    book.wait_until(lambda: second.written() == first.written(), what="two views of the same")
    second.press("approve", of=second.expect_card("add-note", "pending"))
    second.expect_card("add-note", "succeeded")
    first.expect_card("add-note", "succeeded")
    first.expect_phase("done")
    book.wait_until(lambda: second.written() == first.written(), what="two views of the same")


def test_a_killed_kernel_loses_nothing_and_the_open_approval_runs_once(
    notebook: OpenNotebook, demo_agent: Server
) -> None:
    before = counted(demo_agent)
    chat = open_chat(notebook)
    chat.say("list the chains")
    chat.expect_card("get-blockchains", "succeeded")
    chat.say("add a note saying survived")
    chat.expect_card("add-note", "pending")
    book, chat_id = chat.book, chat.book.python("chat.id")
    os.kill(book.kernel_pid(), signal.SIGKILL)
    expect(chat.root).not_to_have_attribute("data-bnb-connection", "live")
    book.page.get_by_role("button", name="Ok").click()  # JupyterLab says that the kernel has died
    book.wait_kernel()
    requests = counted(demo_agent, "requests")
    again = chat_in(book, book.run(f"import bitte_nb as bn; chat = bn.Chat.load({chat_id}); chat"))
    again.expect_card("get-blockchains", "succeeded")
    card = again.expect_card("add-note", "pending")
    assert counted(demo_agent, "requests") == requests, "loading sent something"
    again.press("approve", of=card)
    again.expect_card("add-note", "succeeded")
    assert counted(demo_agent) == before + 1


def test_a_saved_notebook_is_readable_without_a_kernel(notebook: OpenNotebook, lab: Lab) -> None:
    chat = open_chat(notebook)
    chat.say("flip three coins")
    chat.expect_text("3 times")
    book = chat.book
    book.wait_until(lambda: "3 times" in str(book.outputs(1)), what="the transcript of the answer")
    static = book.output(1).locator(".bnb-static")
    expect(static).to_be_hidden()
    bundles = [output["data"] for output in book.save().cells[1].outputs]
    assert any("flip three coins" in str(data.get("text/html", "")) for data in bundles)
    assert any("flip three coins" in str(data.get("text/markdown", "")) for data in bundles)
    book.close()
    lab.shut_down_kernels(book.path)
    fresh = notebook(path=book.path, kernel=False)
    expect(fresh.output(1).locator(".bnb-static")).to_be_visible()
    expect(fresh.output(1).locator(".bnb-static")).to_contain_text("flip-coin")
    fresh.close()
    again = notebook(path=book.path)  # with a kernel that knows no widget of it
    expect(again.output(1)).not_to_contain_text("Loading widget")
    expect(again.output(1).locator(".bnb-static")).to_be_visible()


def test_the_page_talks_to_nobody_but_its_jupyter_server(notebook: OpenNotebook, lab: Lab) -> None:
    book = notebook([SETUP, "chat"], own_page=True)
    asked: list[str] = []
    book.page.on("request", lambda request: asked.append(request.url))
    book.run_all()
    chat = chat_in(book, 1)
    chat.say("list the chains")
    chat.expect_text("Arbitrum One")
    elsewhere = [url for url in asked if not url.startswith((lab.url, "blob:", "data:"))]
    assert elsewhere == []


def test_pictures_for_the_readme(notebook: OpenNotebook) -> None:
    chat = open_chat(notebook)
    chat.book.page.set_viewport_size({"width": 1100, "height": 2600})
    chat.root.evaluate("chat => chat.style.setProperty('--bnb-height', '2400px')")  # nothing scrolled away
    chat.say("flip three coins")
    chat.expect_text("3 times")
    chat.say('sign the message "I own this account"')
    chat.expect_card("sign-message", "pending")
    chat.book.page.mouse.move(0, 0)  # nothing is shown for being under the pointer
    light, dark = chat.book.screenshots("chat", of=chat.root)
    assert light.stat().st_size > 10_000
    assert light.read_bytes() != dark.read_bytes()


def test_what_the_model_was_given_is_made_when_a_person_looks_and_saved_nowhere(notebook: OpenNotebook) -> None:
    chat = open_chat(notebook)
    chat.say("flip three coins")
    chat.expect_phase("done")
    chat.press("given")
    given = chat.root.locator(".bnb-given")
    expect(given.locator("pre").first).to_contain_text("You are Demo agent.")
    expect(given.locator("li").last).to_contain_text("Result of flip-coin")
    assert violations(chat.book.page) == [], "in JupyterLab's own page"
    given.get_by_role("button", name="Step 1").press("Enter")
    expect(given.locator("li")).to_have_count(1)
    given.get_by_role("button", name="JSON").press("Enter")
    expect(given.locator("pre")).to_contain_text('"system": "You are Demo agent.')
    assert "You are Demo agent." not in json.dumps(chat.book.save())


def test_code_of_an_answer_goes_into_a_new_cell_that_is_not_run(notebook: OpenNotebook) -> None:
    says = """
from bitte_nb.testing import ScriptedModel
answer = "Run this:\\n\\n```python\\nprint(6 * 7)\\n```\\n"
chat = bn.Chat(bn.Agent(agent.document, model=ScriptedModel([[answer]]), wallet=agent.wallet))
"""
    chat = open_chat(notebook, SETUP + says)
    chat.say("how do I multiply?")
    chat.expect_phase("done")
    chat.root.locator(".bnb-code-insert").click()
    book = chat.book
    book.wait_until(lambda: any("6 * 7" in str(cell["source"]) for cell in book.cells()[2:]), what="the new cell")
    assert [cell["outputs"] for cell in book.save().cells[2:]] == [[]]


def test_a_call_is_changed_on_its_card_and_then_always_allowed(notebook: OpenNotebook, demo_agent: Server) -> None:
    chat = open_chat(notebook)
    chat.say("add a note saying buy milk")
    card = chat.expect_card("add-note", "pending")
    chat.press("edit-call", of=card)
    field = card.get_by_label("text")
    expect(field).to_be_focused()
    field.fill("buy bread")
    field.press("Enter")
    expect(card.locator(".bnb-original")).to_be_attached()
    expect(card.locator('[data-bnb-action="approve"]')).to_be_enabled()
    chat.press("always", of=card)
    expect(card.locator(".bnb-always")).to_contain_text(f"Always allow add-note (POST) at {demo_agent.url}")
    chat.press("approve-always", of=card)
    chat.expect_card("add-note", "succeeded")
    before = counted(demo_agent)
    chat.say("add a note saying buy eggs")
    expect(chat.card("add-note", "succeeded")).to_contain_text("buy eggs")
    assert counted(demo_agent) == before + 1
    chat.press("rules")
    chat.press("revoke")
    expect(chat.root.locator(".bnb-rules")).to_have_count(0)
