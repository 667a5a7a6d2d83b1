"""What a person does about a call: change it, always allow it, be too late, say what came of it, try it again."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bitte_nb as bn
from bitte_nb.agent.bindings.binding import Outcome
from bitte_nb.agent.bindings.operation import OperationBinding
from bitte_nb.agent.chat import Chat
from bitte_nb.agent.turn import Pending, Turn
from bitte_nb.core.invocation import Invocation
from bitte_nb.core.messages import ToolMessage
from bitte_nb.core.result import ToolData, ToolError
from bitte_nb.errors import (
    AlreadyDecided,
    BitteError,
    DecisionExpired,
    DecisionRefused,
    RequestRefused,
    StaleDecision,
)
from bitte_nb.model.port import ModelEvent, ModelRequest
from bitte_nb.testing import Call, Fault, ScriptedModel
from tests.agent.conftest import WALLET, ChatMaker, Counts
from tests.agent.virtual import VirtualClock


def note(text: str, **more: Any) -> Call:
    return Call("add-note", {"text": text}, **more)


def seen(chat: Chat, request: int) -> list[Any]:
    """The results that the model reads in its request of that number."""
    model = chat.agent.model
    assert isinstance(model, ScriptedModel)
    messages = model.requests[request].messages
    return [part.result for message in messages if isinstance(message, ToolMessage) for part in message.content]


# Changing ------------------------------------------------------------------------------------------------------------


def test_a_changed_call_runs_as_changed_and_the_model_reads_what_it_asked_and_what_ran(
    make_chat: ChatMaker, counts: Counts
) -> None:
    chat = make_chat([[note("milk")], ["ok"]])
    turn = chat.ask("note")
    [card] = turn.pending
    changed = card.edit({"text": "bread"})
    assert (changed.call.state, changed.call.version, changed.args) == ("pending", 2, {"text": "bread"})
    assert changed.call.prepared is not None
    assert card.call.prepared is not None
    assert changed.call.prepared.digest != card.call.prepared.digest
    assert counts.effects == 0
    with pytest.raises(StaleDecision):
        card.approve()
    changed.approve()
    turn.wait(60)
    [call] = turn.invocations
    assert (call.args, call.original_args) == ({"text": "bread"}, {"text": "milk"})
    [result] = seen(chat, 1)
    assert result["argsEditedByPerson"] == {"text": "bread"}
    assert "bread" in str(result["data"])
    assert counts.effects == 1


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({}, "text"),
        ({"text": "x" * 281}, "280"),
        ({"text": "x", "server": "https://evil.example"}, "Unknown argument 'server'"),
        ({"text": "milk"}, "Nothing was changed"),
    ],
)
def test_what_cannot_be_sent_leaves_the_card_as_it_was(make_chat: ChatMaker, args: dict[str, Any], words: str) -> None:
    turn = make_chat([[note("milk")], ["ok"]]).ask("note")
    [card] = turn.pending
    with pytest.raises(BitteError, match=words):
        card.edit(args)
    assert turn.invocations[0] == card.call
    card.approve()
    assert turn.wait(60).text == "ok"


def test_a_late_edit_is_refused_and_changes_nothing(make_chat: ChatMaker) -> None:
    turn = make_chat([[note("milk")], ["ok"]]).ask("note")
    [card] = turn.pending
    card.edit({"text": "bread"})
    with pytest.raises(StaleDecision):
        card.edit({"text": "wine"})
    turn.pending[0].deny()
    with pytest.raises(AlreadyDecided):
        turn.pending or card.edit({"text": "beer"})
    assert turn.invocations[0].args == {"text": "bread"}


def test_an_edit_that_the_policy_forbids_is_refused(make_chat: ChatMaker) -> None:
    def no_wine(subject: Any) -> Any:
        return "deny" if "wine" in str(subject.args) else None

    turn = make_chat([[note("milk")], ["ok"]], policy=bn.Policy(checks=(no_wine,))).ask("note")
    [card] = turn.pending
    with pytest.raises(DecisionRefused, match="no_wine"):
        card.edit({"text": "wine"})
    card.approve()
    assert turn.wait(60).text == "ok"


def test_a_changed_transaction_is_reviewed_again(make_chat: ChatMaker) -> None:
    def asks(deposit: str) -> dict[str, Any]:
        action = {"type": "Transfer", "params": {"deposit": deposit}}
        return {"transactions": [{"receiverId": "bob.near", "actions": [action]}]}

    turn = make_chat([[Call("generate-transaction", asks("1" + "0" * 24))], ["ok"]]).ask("send")
    [card] = turn.pending
    changed = card.edit(asks("2" + "0" * 24))
    assert changed.review is not None
    assert changed.review != card.review
    assert "2 NEAR" in str(changed.rows)
    with pytest.raises(StaleDecision):
        card.approve()


def test_the_original_of_a_changed_call_needs_a_new_approval_even_where_it_would_be_allowed(
    make_chat: ChatMaker, counts: Counts
) -> None:
    chat = make_chat([[note("milk")], [note("milk")], [note("eggs")], ["ok"]])
    turn = chat.ask("note")
    turn.pending[0].edit({"text": "bread"}).approve(always=True)
    [again] = turn.pending
    assert (again.call.rule, again.args) == ("edited-before", {"text": "milk"})
    assert counts.effects == 1
    again.deny()
    turn.wait(60)
    assert [call.state for call in turn.invocations] == ["succeeded", "denied", "succeeded"]


# Always --------------------------------------------------------------------------------------------------------------


def test_what_is_always_allowed_runs_without_asking_in_this_chat_and_the_log_says_by_which_rule(
    make_chat: ChatMaker, counts: Counts
) -> None:
    chat = make_chat([[note("a")], [note("b")], ["ok"], [note("c")], ["ok"]])
    turn = chat.ask("notes")
    [card] = turn.pending
    assert card.scope.startswith("Always allow add-note (POST) at http://127.0.0.1:")
    card.approve(always=True)
    turn.wait(60)
    [rule] = chat.rules
    first, second = turn.invocations
    assert first.grant is not None
    assert (first.grant.source, first.state) == ("human", "succeeded")
    assert second.grant is not None
    assert (second.grant.source, second.grant.rule, second.state) == ("session", rule.rule, "succeeded")
    third = chat.ask("more").wait(60)
    assert [call.state for call in third.invocations] == ["succeeded"]
    assert counts.effects == 3


def test_a_revoked_rule_asks_again(make_chat: ChatMaker) -> None:
    chat = make_chat([[note("a")], ["ok"], [note("b")], ["ok"]])
    turn = chat.ask("note")
    turn.pending[0].approve(always=True)
    turn.wait(60)
    chat.revoke(chat.rules[0])
    assert chat.rules == ()
    assert [card.tool for card in chat.ask("more").pending] == ["add-note"]
    with pytest.raises(DecisionRefused, match="no rule"):
        chat.revoke("always-9.9.9")


def test_nothing_can_always_be_allowed_where_a_rule_asks_or_a_wallet_acts(make_chat: ChatMaker) -> None:
    policy = bn.Policy([{"name": "notes", "effect": "ask", "tools": ["add-note"]}])
    for call, options in ((note("a"), {"policy": policy}), (Call("sign-message", {"message": "hi"}), {})):
        chat = make_chat([[call], ["ok"]], **options)
        [card] = chat.ask("go").pending
        assert card.scope == ""
        with pytest.raises(DecisionRefused, match="cannot always be allowed"):
            card.approve(always=True)
        assert (chat.rules, chat.invocations[0].state) == ((), "pending")


def test_a_stale_always_grants_nothing(make_chat: ChatMaker) -> None:
    chat = make_chat([[note("a")], ["ok"]])
    [card] = chat.ask("note").pending
    card.edit({"text": "b"})
    with pytest.raises(StaleDecision):
        card.approve(always=True)
    assert chat.rules == ()


def test_a_rule_of_the_policy_is_stronger_than_what_is_always_allowed(make_chat: ChatMaker) -> None:
    chat = make_chat([[note("a")], [note("b")], ["ok"]])
    turn = chat.ask("note")
    [card] = turn.pending
    chat.agent.policy = bn.Policy([{"name": "closed", "effect": "deny", "tools": ["add-note"]}])
    chat.thread.call(lambda: None)
    chat.agent.policy = bn.Policy.default()
    card.approve(always=True)
    turn.wait(60)
    chat.agent.policy = bn.Policy([{"name": "look", "effect": "ask", "tools": ["add-note"]}])
    model = chat.agent.model
    assert isinstance(model, ScriptedModel)
    model._steps += [[note("c")], ["ok"]]  # pyright: ignore[reportPrivateUsage] - a longer script
    [card] = chat.ask("again").pending
    assert card.call.rule == "look"


def test_what_was_always_allowed_is_gone_after_loading(make_chat: ChatMaker, history: Path) -> None:
    chat = make_chat([[note("a")], ["ok"]])
    turn = chat.ask("note")
    turn.pending[0].approve(always=True)
    turn.wait(60)
    agent = bn.Agent(chat.agent.document, wallet=WALLET, model=ScriptedModel([[note("b")], ["ok"]]))
    chat.close()
    again = Chat.load(chat.id, agent=agent, store=history)
    assert again.rules == ()
    assert [card.tool for card in again.ask("more").pending] == ["add-note"]
    again.close()


# Too late ------------------------------------------------------------------------------------------------------------


def test_a_call_that_nobody_answers_expires_and_the_turn_goes_on(make_chat: ChatMaker, counts: Counts) -> None:
    clock = VirtualClock()
    chat = make_chat([[note("a")], ["Nobody was there."]], clock=clock, approval_timeout=90)
    turn = chat.ask("note")
    [card] = turn.pending
    assert card.call.expires_at == clock.now() + 90_000
    clock.until_asleep(90)
    clock.advance(89)
    assert turn.invocations[0].state == "pending"
    clock.advance(1)
    assert chat.wait_for(lambda: turn.phase == "done", 60)
    assert (turn.invocations[0].state, turn.text, counts.effects) == ("expired", "Nobody was there.", 0)
    result = turn.results[0]
    assert isinstance(result, ToolError)
    assert "nobody answered" in result.error
    with pytest.raises(DecisionExpired):
        card.approve()
    with pytest.raises(DecisionExpired):
        card.deny()


def test_a_rule_says_its_own_time(make_chat: ChatMaker) -> None:
    clock = VirtualClock()
    policy = bn.Policy([{"name": "notes", "effect": "ask", "tools": ["add-note"], "expires_s": 5}])
    chat = make_chat([[note("a")], ["ok"]], clock=clock, approval_timeout=90, policy=policy)
    [card] = chat.ask("note").pending
    assert card.call.expires_at == clock.now() + 5_000


def test_without_a_time_it_waits_as_long_as_it_takes(make_chat: ChatMaker) -> None:
    clock = VirtualClock()
    chat = make_chat([[note("a")], ["ok"]], clock=clock)
    turn = chat.ask("note")
    [card] = turn.pending
    assert card.call.expires_at is None
    clock.advance(30 * 24 * 3600)
    card.approve()
    assert turn.wait(60).text == "ok"


def test_after_loading_a_late_yes_expires_and_a_late_no_is_a_no(make_chat: ChatMaker, history: Path) -> None:
    for late, state in (("approve", "expired"), ("deny", "denied")):
        clock = VirtualClock()
        chat = make_chat([[note("a")], ["ok"]], clock=clock, approval_timeout=60)
        turn = chat.ask("note")
        assert turn.pending
        agent = bn.Agent(chat.agent.document, wallet=WALLET, model=ScriptedModel([["on we go"]]))
        chat.close()
        clock.advance(3600)
        again = Chat.load(chat.id, agent=agent, store=history, clock=clock)
        [card] = again.turns[0].pending
        if late == "approve":
            with pytest.raises(DecisionExpired):
                card.approve()
        else:
            card.deny("no")
        again.turns[0].wait(60)
        assert (again.invocations[0].state, again.turns[0].text) == (state, "on we go")
        again.close()


def test_a_card_that_is_changed_gets_its_time_anew(make_chat: ChatMaker) -> None:
    clock = VirtualClock()
    turn = make_chat([[note("a")], ["ok"]], clock=clock, approval_timeout=60).ask("note")
    [card] = turn.pending
    clock.advance(59)
    changed = card.edit({"text": "b"})
    assert changed.call.expires_at == clock.now() + 60_000
    clock.advance(30)
    changed.approve()
    assert turn.wait(60).text == "ok"


@pytest.mark.parametrize("seconds", [0, -1, float("inf"), float("nan")])
def test_a_time_that_is_none_is_refused(seconds: float, make_chat: ChatMaker) -> None:
    with pytest.raises(ValueError, match="approval_timeout"):
        make_chat([["ok"]], approval_timeout=seconds)


# What came of it -----------------------------------------------------------------------------------------------------


class Flaky:
    """A server that counts what it did, remembers the idempotency keys, and answers as it is told."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.answers: list[int] = []
        """Statuses still to give, 0 for a connection that breaks; then 200."""
        flaky = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                flaky.keys.append(self.headers.get("Idempotency-Key", ""))
                status = flaky.answers.pop(0) if flaky.answers else 200
                if status == 0:
                    self.close_connection = True
                    self.connection.shutdown(2)
                    return
                body = b'{"done": true}'
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_PUT = do_POST  # noqa: N815 - the library's name

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        operation = {"responses": {"200": {"description": "Done."}}}
        self.document = {
            "openapi": "3.1.0",
            "info": {"title": "Flaky", "version": "1"},
            "servers": [{"url": f"http://127.0.0.1:{self.server.server_port}"}],
            "paths": {"/a": {"post": {"operationId": "add", **operation}, "put": {"operationId": "set", **operation}}},
        }


@pytest.fixture
def flaky() -> Iterator[Flaky]:
    server = Flaky()
    yield server
    server.server.shutdown()
    server.server.server_close()


def asked(flaky: Flaky, history: Path, steps: list[list[Any]], **options: Any) -> Chat:
    return Chat(bn.Agent(flaky.document, model=ScriptedModel(steps), **options), store=history)


def test_what_the_person_says_happened_is_done_and_the_model_reads_it(flaky: Flaky, history: Path) -> None:
    flaky.answers = [0]
    chat = asked(flaky, history, [[Call("add")], ["Not sure."], ["I see."]])
    turn = chat.ask("add")
    turn.pending[0].approve()
    turn.wait(60)
    [call] = turn.invocations
    assert call.state == "unknown"
    chat.reconcile(call, happened=True, note="It is on the list.")
    [call] = chat.invocations
    assert call.state == "succeeded"
    chat.ask("well?").wait(60)
    [result] = seen(chat, 2)
    assert "It is on the list." in result["data"]["outcome"]
    assert "The person says that it happened" in result["data"]["outcome"]
    with pytest.raises(DecisionRefused):
        chat.reconcile(call, happened=False)
    assert len(flaky.keys) == 1
    chat.close()


def test_what_the_person_knows_to_be_the_result_is_the_result(flaky: Flaky, history: Path) -> None:
    flaky.answers = [0]
    chat = asked(flaky, history, [[Call("add")], ["Not sure."]])
    turn = chat.ask("add")
    turn.pending[0].approve()
    turn.wait(60)
    chat.reconcile(turn.invocations[0].key, happened=True, data=0)
    assert turn.results == [ToolData(data=0)]
    chat.close()


def test_what_did_not_happen_is_tried_again_with_a_key_of_its_own_and_through_the_policy(
    flaky: Flaky, history: Path
) -> None:
    flaky.answers = [0]
    chat = asked(flaky, history, [[Call("add")], ["Not sure."]])
    turn = chat.ask("add")
    turn.pending[0].approve()
    turn.wait(60)
    with pytest.raises(DecisionRefused, match="whether it happened"):
        chat.retry_call(turn.invocations[0])
    chat.reconcile(turn.invocations[0], happened=False)
    assert turn.invocations[0].state == "failed"
    [card] = chat.retry_call(turn.invocations[0]).pending
    assert (card.call.attempt, card.call.state) == (2, "pending")
    card.approve()
    turn.wait(60)
    assert turn.invocations[0].state == "succeeded"
    first, second = flaky.keys
    assert first != second
    chat.close()


def test_what_may_be_repeated_is_repeated_under_the_same_key_while_nobody_knows(flaky: Flaky, history: Path) -> None:
    flaky.answers = [0]
    chat = asked(flaky, history, [[Call("set")], ["Not sure."]])
    turn = chat.ask("set")
    turn.pending[0].approve()
    turn.wait(60)
    assert turn.invocations[0].state == "unknown"
    [card] = chat.retry_call(turn.invocations[0]).pending
    assert card.call.doubt
    card.approve()
    turn.wait(60)
    assert (turn.invocations[0].state, turn.invocations[0].doubt) == ("succeeded", False)
    first, second = flaky.keys
    assert first == second
    chat.close()


def test_a_declined_repetition_does_not_say_that_nothing_happened(flaky: Flaky, history: Path) -> None:
    flaky.answers = [0]
    chat = asked(flaky, history, [[Call("set")], ["Not sure."]])
    turn = chat.ask("set")
    turn.pending[0].approve()
    turn.wait(60)
    chat.retry_call(turn.invocations[0]).pending[0].deny()
    turn.wait(60)
    [result] = turn.results
    assert isinstance(result, ToolError)
    assert "may have taken effect" in result.error
    assert len(flaky.keys) == 1
    chat.close()


def failed_call(flaky: Flaky, history: Path, *more: list[Any]) -> tuple[Chat, Turn]:
    flaky.answers = [400]
    chat = asked(flaky, history, [[Call("add")], *more])
    turn = chat.ask("add")
    turn.pending[0].approve()
    turn.wait(60)
    assert turn.invocations[0].state == "failed"
    return chat, turn


def test_a_failed_call_of_the_newest_turn_is_tried_again_and_its_answer_too(flaky: Flaky, history: Path) -> None:
    chat, turn = failed_call(flaky, history, ["It failed."], ["Now it is there."])
    [card] = chat.retry_call(turn.invocations[0]).pending
    assert (turn.phase, turn.text) == ("awaiting", "It failed.")
    card.approve()
    turn.wait(60)
    assert (turn.phase, turn.text, len(turn.state.steps)) == ("done", "Now it is there.", 2)
    assert seen(chat, 2) == [{"data": {"done": True}}]
    chat.close()


def test_a_failed_call_of_an_older_turn_is_tried_again_and_read_with_the_next_message(
    flaky: Flaky, history: Path
) -> None:
    chat, turn = failed_call(flaky, history, ["It failed."], ["Well."], ["There it is."])
    chat.ask("so?").wait(60)
    chat.retry_call(turn.invocations[0]).pending[0].approve()
    assert turn.wait(60).text == "It failed."
    chat.ask("and?").wait(60)
    assert seen(chat, 3) == [{"data": {"done": True}}]
    chat.close()


def test_a_repetition_that_waits_survives_a_reload_and_goes_on(flaky: Flaky, history: Path) -> None:
    chat, turn = failed_call(flaky, history, ["It failed."])
    assert chat.retry_call(turn.invocations[0]).pending
    chat.close()
    agent = bn.Agent(chat.agent.document, model=ScriptedModel([["Now it is there."]]))
    again = Chat.load(chat.id, agent=agent, store=history)
    [card] = again.pending
    card.approve()
    assert again.turns[0].wait(60).text == "Now it is there."
    again.close()


def test_a_turn_that_failed_asks_the_model_only_once_the_repeated_call_has_its_result(
    flaky: Flaky, history: Path
) -> None:
    chat, turn = failed_call(flaky, history, [Fault.http(401)], ["Now it is there."])
    assert turn.phase == "failed"
    assert chat.retry_call(turn.invocations[0]).pending
    assert turn.phase == "failed"
    [card] = chat.retry().pending
    assert turn.phase == "awaiting"
    card.approve()
    assert turn.wait(60).text == "Now it is there."
    assert seen(chat, 2) == [{"data": {"done": True}}]
    chat.close()


@pytest.mark.parametrize("settles", ["after the answer", "before the answer ends"])
def test_a_call_that_is_tried_again_while_the_model_speaks_of_it_is_answered_once_more(
    flaky: Flaky, history: Path, settles: str
) -> None:
    spoken, go_on = threading.Event(), threading.Event()

    class Slow(ScriptedModel):
        async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
            async for one in super().stream(request):
                if len(self.requests) == 2 and not spoken.is_set():
                    spoken.set()
                    await asyncio.to_thread(go_on.wait, 60)
                yield one

    flaky.answers = [400]
    agent = bn.Agent(flaky.document, model=Slow([[Call("add")], ["It failed."], ["Now it is there."]]))
    chat = Chat(agent, store=history)
    turn = chat.ask("add")
    turn.pending[0].approve()
    assert spoken.wait(60)
    chat.retry_call(turn.invocations[0])
    if settles == "after the answer":
        go_on.set()
        turn.pending[0].approve()
    else:
        assert chat.wait_for(lambda: chat.invocations[0].state == "pending", 60)
        Pending(chat, chat.invocations[0]).approve()
        assert chat.wait_for(lambda: chat.invocations[0].state == "succeeded", 60)
        go_on.set()
    assert turn.wait(60).text == "Now it is there."
    assert seen(chat, 2) == [{"data": {"done": True}}]
    chat.close()


def test_a_call_that_could_not_be_made_is_not_tried_again(make_chat: ChatMaker) -> None:
    chat = make_chat([[Call("add-note", {})], ["ok"]])
    turn = chat.ask("note").wait(60)
    with pytest.raises(DecisionRefused, match="could not be made"):
        chat.retry_call(turn.invocations[0])


@pytest.mark.parametrize(
    ("found", "state"),
    [
        (Outcome(kind="result", data={"block": 7}), "succeeded"),
        (Outcome(kind="error", error="It never arrived."), "failed"),
        (Outcome(kind="unknown", error="The node does not know it yet."), "unknown"),
    ],
)
def test_a_tool_that_can_looks_up_what_came_of_it(
    flaky: Flaky, history: Path, monkeypatch: pytest.MonkeyPatch, found: Outcome, state: str
) -> None:
    async def check(_self: object, call: Invocation) -> Outcome:
        assert call.state == "unknown"
        return found

    monkeypatch.setattr(OperationBinding, "check", check, raising=False)
    flaky.answers = [0]
    chat = asked(flaky, history, [[Call("add")], ["Not sure."]])
    turn = chat.ask("add")
    turn.pending[0].approve()
    turn.wait(60)
    assert turn.invocations[0].checks
    if state == "unknown":
        with pytest.raises(DecisionRefused, match="does not know it yet"):
            chat.check(turn.invocations[0])
    else:
        assert chat.check(turn.invocations[0]).state == state
    assert turn.invocations[0].state == state
    assert len(flaky.keys) == 1
    chat.close()


def test_what_cannot_be_looked_up_says_so(flaky: Flaky, history: Path) -> None:
    flaky.answers = [0]
    chat = asked(flaky, history, [[Call("add")], ["Not sure."]])
    turn = chat.ask("add")
    turn.pending[0].approve()
    turn.wait(60)
    assert not turn.invocations[0].checks
    with pytest.raises(DecisionRefused, match="cannot be looked up"):
        chat.check(turn.invocations[0])
    chat.close()


# Drift ----------------------------------------------------------------------------------------------------------------


def test_a_call_approved_for_one_server_is_not_sent_to_another(flaky: Flaky, history: Path) -> None:
    chat = asked(flaky, history, [[Call("add")], ["ok"]])
    chat.ask("add").wait(60)
    chat.close()
    elsewhere = {**flaky.document, "servers": [{"url": "http://127.0.0.1:9"}]}
    agent = bn.Agent(elsewhere, model=ScriptedModel([["ok"]]))
    again = Chat.load(chat.id, agent=agent, store=history)
    [card] = again.pending
    with pytest.raises(DecisionRefused, match="operation or server"):
        card.edit({})
    card.approve()
    [changed] = again.turns[0].pending
    assert (changed.call.version, changed.call.prepared and changed.call.prepared.origin) == (2, "http://127.0.0.1:9")
    assert flaky.keys == []
    again.close()


def test_a_call_that_the_policy_denies_by_now_is_not_sent(make_chat: ChatMaker, counts: Counts) -> None:
    chat = make_chat([[note("a")], ["ok"]])
    turn = chat.ask("note")
    [card] = turn.pending
    chat.agent.policy = bn.Policy([{"name": "closed", "effect": "deny", "tools": ["add-note"]}])
    card.approve()
    turn.wait(60)
    assert (turn.invocations[0].state, turn.invocations[0].rule, counts.effects) == ("denied", "closed", 0)


def test_a_rule_revoked_before_it_ran_asks_again(make_chat: ChatMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    chat = make_chat([[note("a")], [note("b")], ["ok"]])
    turn = chat.ask("note")
    prepare, revoked = OperationBinding.prepare, threading.Event()

    def revoke_first(self: OperationBinding, args: dict[str, Any]) -> Any:
        if chat.rules and args == {"text": "b"} and chat.invocations[-1].state == "approved":
            chat.revoke(chat.rules[0])
            revoked.set()
        return prepare(self, args)

    monkeypatch.setattr(OperationBinding, "prepare", revoke_first)
    turn.pending[0].approve(always=True)
    [card] = turn.pending
    assert revoked.is_set()
    assert "revoked" in card.call.reason


# Denial --------------------------------------------------------------------------------------------------------------


def test_a_denial_is_of_that_request_in_that_turn_and_of_nothing_else(make_chat: ChatMaker, counts: Counts) -> None:
    chat = make_chat([[note("a")], [note("a")], [note("b")], ["ok"], [note("a")], ["ok"]])
    turn = chat.ask("notes")
    turn.pending[0].deny("not that")
    [other] = turn.pending
    assert [call.state for call in turn.invocations] == ["denied", "denied", "pending"]
    assert (turn.invocations[1].rule, other.args) == ("declined-before", {"text": "b"})
    other.approve()
    turn.wait(60)
    [again] = chat.ask("note a after all").pending
    again.approve()
    assert counts.effects >= 1


def test_a_message_to_sign_that_was_declined_is_the_same_with_another_nonce(make_chat: ChatMaker) -> None:
    ask = Call("sign-message", {"message": "hi", "recipient": "bob.near"})
    turn = make_chat([[ask], [ask], ["ok"]]).ask("sign")
    turn.pending[0].deny()
    turn.wait(60)
    assert [call.state for call in turn.invocations] == ["denied", "denied"]


# Every order ---------------------------------------------------------------------------------------------------------

ACTS = ("approve", "deny", "edit", "expire", "respond", "always")


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    acts=st.lists(st.sampled_from(ACTS), min_size=1, max_size=4),
    order=st.randoms(use_true_random=False),
    reads=st.integers(0, 1),
)
def test_parallel_calls_are_answered_in_every_order(
    make_chat: ChatMaker, acts: list[str], order: Any, reads: int
) -> None:
    play(make_chat, acts, order.sample(range(len(acts)), len(acts)), reads)


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_four_calls_one_of_each_kind_in_every_order(make_chat: ChatMaker, order: tuple[int, ...]) -> None:
    play(make_chat, ["approve", "deny", "edit", "respond"], list(order), 1)


def play(make_chat: ChatMaker, acts: list[str], order: list[int], reads: int) -> None:
    """Answer one call for each act, in that order, and look at what came of it and what the model reads."""
    calls = [
        Call("sign-message", {"message": f"m{n}"}) if act == "respond" else note(f"n{n}") for n, act in enumerate(acts)
    ]
    clock = VirtualClock()
    chat = make_chat(
        [[*([Call("get-user")] * reads), *calls], ["done"]],
        clock=clock,
        approval_timeout=60 if "expire" in acts else None,
    )
    turn = chat.ask("go").wait(60)
    cards = {card.call.key: card for card in turn.pending}
    keys = [call.key for call in turn.invocations][reads:]
    expected = [_decided(cards[keys[place]], acts[place]) for place in order]
    if "expire" in acts:
        # Each end of a call wakes the cards that wait; the clock moves once all but them ended, and they sleep again.
        assert chat.wait_for(lambda: sum(not one.settled for one in turn.invocations) == acts.count("expire"), 60)
        clock.until_asleep(60)
        clock.advance(60)
    assert chat.wait_for(lambda: turn.phase == "done", 60)
    states = dict(zip((keys[place] for place in order), expected, strict=True))
    assert [call.state for call in turn.invocations] == ["succeeded"] * reads + [states[key] for key in keys]
    assert turn.text == "done"
    results = seen(chat, 1)
    assert len(results) == reads + len(acts)
    for call, result in zip(turn.invocations[reads:], results[reads:], strict=True):
        assert ("data" in result) == (call.state == "succeeded")
        assert ("argsEditedByPerson" in result) == (call.original_args is not None and call.state == "succeeded")


def _decided(card: Any, act: str) -> str:
    match act:
        case "approve":
            card.approve()
        case "always":
            card.approve(always=True)
        case "deny":
            card.deny("no")
        case "edit":
            card.edit({"text": "changed"}).approve()
        case "respond":
            with pytest.raises(BitteError):
                card.respond("this is no signature")
            card.deny()
        case _:
            pass
    return {"expire": "expired", "deny": "denied", "respond": "denied"}.get(act, "succeeded")


def test_a_decision_at_the_moment_a_card_begins_to_wait_is_heard(make_chat: ChatMaker) -> None:
    class Deciding(VirtualClock):
        """Approves the card on the agent thread when its deadline begins to run."""

        async def sleep(self, seconds: float) -> None:
            if seconds == 90:
                for one in chat.pending:
                    one.approve()
            await super().sleep(seconds)

    chat = make_chat([[note("a")], ["ok"]], clock=Deciding(), approval_timeout=90)
    turn = chat.ask("note")
    assert chat.wait_for(lambda: turn.phase == "done", 60)


def test_of_many_decisions_at_once_exactly_one_counts(make_chat: ChatMaker, counts: Counts) -> None:
    turn = make_chat([[note("a")], ["ok"]]).ask("note")
    [card] = turn.pending
    won: list[str] = []

    def click(act: str) -> None:
        try:
            card.approve() if act == "approve" else card.deny()
            won.append(act)
        except (AlreadyDecided, StaleDecision):
            pass

    clicks = [threading.Thread(target=click, args=(act,)) for act in ["approve", "deny"] * 8]
    for one in clicks:
        one.start()
    for one in clicks:
        one.join()
    turn.wait(60)
    assert len(won) == 1
    assert counts.effects == (won == ["approve"])


def test_a_fault_in_the_arguments_is_the_kernels_sentence(make_chat: ChatMaker) -> None:
    [card] = make_chat([[note("a")], ["ok"]]).ask("note").pending
    with pytest.raises(RequestRefused):
        card.edit({"text": ["a"]})
