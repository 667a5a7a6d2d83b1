"""Turns from a script: asking, waiting, deciding, and what the model learns of it."""

from __future__ import annotations

import asyncio
import itertools
import threading
from typing import Any

import pytest

import bitte_nb as bn
from bitte_nb.agent import acts
from bitte_nb.core.messages import ToolMessage
from bitte_nb.core.result import ToolData, ToolError
from bitte_nb.errors import AlreadyDecided, StaleDecision
from bitte_nb.testing import Call, Cut, Fault, Pause
from tests.agent.conftest import ChatMaker, Counts
from tests.agent.virtual import VirtualClock


def note(text: str, **more: Any) -> Call:
    return Call("add-note", {"text": text}, **more)


def seen_results(request: Any) -> list[Any]:
    """The tool results in a model request."""
    return [part.result for message in request.messages if isinstance(message, ToolMessage) for part in message.content]


def test_ask_returns_at_once_and_waiting_ends_when_a_person_is_needed(make_chat: ChatMaker, counts: Counts) -> None:
    clock = VirtualClock()
    chat = make_chat([[Pause(0.3), note("milk")], ["Noted."]], clock=clock)
    turn = chat.ask("note milk")
    clock.until_asleep(0.3)
    assert turn.phase == "streaming"
    clock.advance(0.3)
    assert [pending.tool for pending in turn.pending] == ["add-note"]
    assert turn.phase == "awaiting"
    assert counts.effects == 0
    turn.pending[0].approve()
    assert turn.wait(60).phase == "done"
    assert turn.text == "Noted."
    assert counts.effects == 1


def test_reading_runs_by_the_default_policy_and_says_which_rule(make_chat: ChatMaker) -> None:
    turn = make_chat([[Call("get-user")], ["You are alice."]]).ask("who am I?").wait(60)
    [call] = turn.invocations
    assert (call.state, call.rule, call.grant.source) == ("succeeded", "read-only", "rule")
    assert call.result == ToolData(
        data={"accountId": "alice.near", "evmAddress": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "chainId": 8453}
    )


def test_await_works_in_another_loop(make_chat: ChatMaker) -> None:
    async def main() -> str:
        turn = make_chat([[note("tea")], ["Done."]]).ask("note tea")
        await turn
        turn.pending[0].approve()
        await asyncio.wait_for(turn.finished(), 60)
        return turn.text

    assert asyncio.run(main()) == "Done."


def test_a_denial_is_not_run_and_its_reason_reaches_the_model(make_chat: ChatMaker, counts: Counts) -> None:
    chat = make_chat([[note("no")], ["As you wish."]])
    turn = chat.ask("note no")
    turn.pending[0].deny("not today")
    turn.wait(60)
    [call] = turn.invocations
    assert (call.state, counts.effects) == ("denied", 0)
    [result] = seen_results(chat.agent.model.requests[1])
    assert "not run" in result["error"]
    assert "not today" in result["error"]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_parallel_calls_are_decided_in_any_order_and_answered_in_call_order(
    make_chat: ChatMaker, order: tuple[int, ...]
) -> None:
    chat = make_chat([[note("a"), note("b"), note("c")], ["All."]])
    turn = chat.ask("three notes")
    pending = turn.pending
    assert len(pending) == 3
    for index in order:
        if index == 1:
            pending[index].deny("no b")
        else:
            pending[index].approve()
    turn.wait(60)
    assert [call.state for call in turn.invocations] == ["succeeded", "denied", "succeeded"]
    first, second, third = seen_results(chat.agent.model.requests[1])
    assert first["data"]["text"] == "a"
    assert "no b" in second["error"]
    assert third["data"]["text"] == "c"
    assert len(chat.agent.model.requests) == 2


def test_an_executed_sibling_shows_its_result_while_another_waits(make_chat: ChatMaker) -> None:
    turn = make_chat([[Call("get-user"), note("later")], ["Fine."]]).ask("both").wait(60)
    assert [call.state for call in turn.invocations] == ["succeeded", "pending"]


def test_the_first_decision_wins(make_chat: ChatMaker, counts: Counts) -> None:
    turn = make_chat([[note("once")], ["ok"]]).ask("note")
    [pending] = turn.pending
    outcomes: list[str] = []

    def decide(approve: bool) -> None:
        try:
            pending.approve() if approve else pending.deny()
        except AlreadyDecided:
            outcomes.append("already_decided")
        else:
            outcomes.append("decided")

    threads = [threading.Thread(target=decide, args=(n % 2 == 0,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    turn.wait(60)
    assert sorted(outcomes) == ["already_decided"] * 7 + ["decided"]
    assert counts.effects <= 1


def test_an_approval_of_another_digest_is_stale(make_chat: ChatMaker, counts: Counts) -> None:
    chat = make_chat([[note("x")], ["ok"]])
    [pending] = chat.ask("note").pending
    conversation = chat.conversation
    with pytest.raises(StaleDecision):
        chat.thread.call(
            lambda: acts.decide(conversation, pending.call.key, "approve", digest="0" * 64, version=1, actor="test")
        )
    assert counts.requests == 0


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (Call("no-such-tool"), "does not exist"),
        (Call("remove-note"), "Missing required path parameter: noteId"),
        (Call("add-note", '{"text": "a"} {"text": "b"}'), "not valid JSON"),
        (Call("add-note", '{"text": "a", "text": "b"}'), "stands twice"),
        (Call("add-note", "[1]"), "one JSON object"),
        (Call("add-note", '{"text": NaN}'), "not JSON"),
        (Call("generate-image", {"prompt": "x"}), "does not declare it"),
    ],
)
def test_a_call_that_cannot_be_made_is_an_error_result_and_never_a_hang(
    make_chat: ChatMaker, counts: Counts, call: Call, sentence: str
) -> None:
    chat = make_chat([[call], ["I see."]])
    turn = chat.ask("do it").wait(60)
    assert (turn.phase, turn.text) == ("done", "I see.")
    [failed] = turn.invocations
    assert failed.state == "failed"
    assert isinstance(failed.result, ToolError)
    assert sentence in failed.result.error
    assert seen_results(chat.agent.model.requests[1]) == [{"error": failed.result.error}]
    assert counts.requests == 0


def test_a_document_without_servers_is_an_error_result(make_chat: ChatMaker) -> None:
    bare = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {"/x": {"get": {"operationId": "x"}}}}
    turn = make_chat([[Call("x")], ["Oh."]], document=bn.load_document(bare)).ask("x").wait(60)
    assert turn.phase == "done"
    assert "server" in turn.invocations[0].result.error


def test_calls_of_a_cut_stream_never_run_and_its_words_stay(make_chat: ChatMaker, counts: Counts) -> None:
    chat = make_chat([["Let me note ", note("half"), Cut()]] * 3)
    turn = chat.ask("note").wait(60)
    assert (turn.phase, turn.state.session.cause) == ("failed", "exhausted")
    assert {call.state for call in turn.invocations} == {"cancelled"}
    assert turn.text == "Let me note "
    assert counts.requests == 0


def test_retry_keeps_finished_calls_and_runs_nothing_again(make_chat: ChatMaker, counts: Counts) -> None:
    chat = make_chat([[note("kept")], [Fault.http(401, "bad key")], ["Finally."]])
    turn = chat.ask("note")
    turn.pending[0].approve()
    turn.wait(60)
    assert (turn.phase, turn.state.session.cause) == ("failed", "http")
    assert chat.retry().wait(60).text == "Finally."
    assert [call.state for call in turn.invocations] == ["succeeded"]
    assert counts.effects == 1


def test_a_turn_has_at_most_seven_model_calls_and_the_last_has_no_tools(make_chat: ChatMaker) -> None:
    chat = make_chat([[Call("flip-coin")] for _ in range(6)] + [["Enough."]])
    turn = chat.ask("flip for ever")
    while turn.wait(60).phase != "done":
        for pending in turn.pending:
            pending.approve()
    assert (turn.outcome, turn.text) == ("capped", "Enough.")
    offered = [bool(request.tools) for request in chat.agent.model.requests]
    assert offered == [True] * 6 + [False]


def test_a_capped_turn_goes_on_with_a_new_budget_when_asked(make_chat: ChatMaker) -> None:
    steps = [[Call("create-share-link", {"text": str(n)})] for n in range(6)]
    chat = make_chat([*steps, ["Seven."], [Call("get-user")], ["Eight and nine."]])
    turn = chat.ask("go").wait(60)
    assert turn.outcome == "capped"
    assert chat.proceed().wait(60).outcome == "success"
    assert turn.text.endswith("Eight and nine.")
    assert len(turn.invocations) == 7


def test_the_same_request_a_third_time_asks_a_person(make_chat: ChatMaker) -> None:
    chat = make_chat([[Call("get-user")], [Call("get-user")], [Call("get-user")], ["ok"]])
    turn = chat.ask("again and again").wait(60)
    assert [call.state for call in turn.invocations] == ["succeeded", "succeeded", "pending"]
    assert turn.invocations[-1].rule == "repeated-request"


def test_a_new_message_supersedes_what_was_open(make_chat: ChatMaker, counts: Counts) -> None:
    chat = make_chat([[note("old")], ["New answer."]])
    first = chat.ask("old").wait(60)
    second = chat.ask("new").wait(60)
    assert (first.phase, [call.state for call in first.invocations]) == ("cancelled", ["cancelled"])
    assert second.text == "New answer."
    assert counts.effects == 0


def test_two_chats_are_independent(make_chat: ChatMaker) -> None:
    slow = make_chat([["a", Pause(0.5), "b"]])
    quick = make_chat([["quick"]])
    turn = slow.ask("slow")
    quick.ask("quick").wait(60)
    quick.stop()
    assert turn.wait(60).text == "ab"
