"""Wallet requests between signers and the pages of a chat: to the page that approved, once; late answers refused."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, cast

import pytest

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.signing.development import EVM_ADDRESSES
from bitte_nb.signing.injected import InjectedSigner
from bitte_nb.signing.pages import Seen
from bitte_nb.testing import Call, ScriptedModel
from bitte_nb.widget import protocol
from bitte_nb.widget.driver import Driver

ME = EVM_ADDRESSES[0]
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Shop", "version": "1"},
    "servers": [{"url": "http://127.0.0.1:9"}],
    "paths": {},
    "x-mb": {"assistant": {"name": "Shop", "tools": [{"type": "generate-evm-tx"}]}},
}
SIGN = Call("generate-evm-tx", {"method": "personal_sign", "chainId": 1, "params": ["0x4869", ME]})


class Line:
    """A chat with a driver, and what the driver sent to every page."""

    def __init__(self, folder: Path) -> None:
        agent = bn.Agent(
            DOCUMENT, model=ScriptedModel([[SIGN], ["Noted."]]), wallet=bn.Wallet(evm_address=ME), signer="injected"
        )
        self.chat = Chat(agent, store=folder / "history.sqlite")
        self.sent: list[dict[str, Any]] = []
        self.driver = Driver(self.chat, self._take)
        self.signer = cast("InjectedSigner", agent.signer)

    def _take(self, message: dict[str, Any]) -> None:
        protocol.to_page.validate_python(message)
        self.sent.append(message)

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in self.sent if message["type"] == kind]

    def until(self, kind: str, mid: str = "") -> dict[str, Any]:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            for message in self.of(kind):
                if not mid or message.get("mid") == mid:
                    return message
            time.sleep(0.005)
        raise AssertionError(f"no {kind} came")

    def ask(self, mid: str, **request: Any) -> dict[str, Any]:
        self.driver.receive({"mid": mid, **request})
        return self.until("ack", mid)

    def approve(self, page: str) -> None:
        self.chat.ask("sign it")
        assert self.chat.wait_for(lambda: bool(self.chat.pending), 60)
        call = self.chat.invocations[-1]
        assert call.prepared is not None
        ack = self.ask(
            "a", type="decide", key=call.key, digest=call.prepared.digest, version=call.version, decision="approve",
            page=page,
        )  # fmt: skip
        assert ack["ok"], ack


@pytest.fixture
def line(tmp_path: Path) -> Any:
    line = Line(tmp_path)
    yield line
    line.chat.close()


def test_the_request_names_the_page_that_approved_and_comes_after_the_card_says_that_it_runs(line: Line):
    line.approve("page-1")
    request = line.until("wallet_request")
    assert (request["page"], request["key"], request["method"]) == ("page-1", "1.1.0", "personal_sign")
    assert request["account"] == ME
    states = [
        event["view"]["state"]
        for message in line.sent[: line.sent.index(request)]
        if message["type"] == "events"
        for event in message["events"]
        if event["type"] == "invocation"
    ]
    assert states[-1] == "executing"
    assert len(line.of("wallet_request")) == 1


def test_an_answer_is_taken_once_from_the_page_that_was_asked_and_repeats_are_answered_alike(line: Line):
    line.approve("page-1")
    request = line.until("wallet_request")
    said = {"type": "wallet_answer", "key": request["key"], "nonce": request["nonce"]}
    declined = {"error": {"code": 4001, "message": "User rejected the request."}}
    assert not line.ask("b", **said, **declined, page="page-2")["ok"], "another page"
    assert line.ask("c", **said, **declined, page="page-1")["ok"]
    assert line.chat.wait_for(lambda: line.chat.invocations[-1].settled, 60)
    assert line.chat.invocations[-1].state == "failed"
    assert "Declined in the wallet" in line.chat.invocations[-1].reason
    late = line.ask("d", **said, result="0x00", page="page-1")
    assert not late["ok"]
    assert "nobody waits for it any more" in late["message"]
    line.sent.clear()
    assert line.ask("c", **said, **declined, page="page-1")["ok"], "a repeated act is answered again"


def test_a_page_that_says_nothing_of_itself_is_asked_for_nothing(line: Line):
    line.approve("")
    assert line.chat.wait_for(lambda: line.chat.invocations[-1].settled, 60)
    assert "no page approved this" in line.chat.invocations[-1].reason
    assert line.of("wallet_request") == []


def test_what_pages_say_of_their_wallets_is_kept_as_a_claim(line: Line):
    found = [{"rdns": "test.fox", "name": "Fox"}]
    assert line.ask("w", type="wallets", page="p1", found=found, accounts=[ME], network="1")["ok"]
    assert line.ask("p", type="ping", page="p1")["ok"]
    assert line.signer.pages.seen == (Seen(wallets=(("test.fox", "Fox"),), accounts=(ME,), network="1"),)
    assert line.signer.accounts.evm_address == ME, "the wallet is what the person typed, not what a page says"
