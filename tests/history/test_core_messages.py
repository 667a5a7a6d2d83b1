"""The history on the wire keeps the providers' rules in every state, and survives export and import."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitte_nb.core import invocation_events as on
from bitte_nb.core.answer import model_result
from bitte_nb.core.fold import ChatState, fold
from bitte_nb.core.invocation import LIVE
from bitte_nb.core.log import ChatOpened, Entry
from bitte_nb.core.messages import (
    AssistantMessage,
    CoreMessage,
    SystemMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
    core_messages,
)
from bitte_nb.core.rehydrate import recovery
from bitte_nb.core.result import ToolError
from bitte_nb.core.session import Disconnect, Start
from bitte_nb.history.core_import import ORPHAN
from bitte_nb.history.core_messages import from_core_messages, to_core_messages

from . import chats, logs

ODD_RESULTS = ["plain", None, 3, {}, {"data": 1, "error": "x"}, {"error": None}, {"data": 1, "x": 2}]


def assert_provider_valid(messages: list[CoreMessage]) -> None:
    """Every call has exactly one result, in call order, in the very next message; ids unique; nothing is empty."""
    owed: list[tuple[str, str]] = []
    seen: set[str] = set()
    for message in messages:
        if isinstance(message, ToolMessage):
            assert [(part.toolCallId, part.toolName) for part in message.content] == owed
            assert owed, "results that no message asked for"
            for part in message.content:
                assert ("data" in part.result) != ("error" in part.result)
                assert "error" not in part.result or part.result["error"]
            owed = []
            continue
        assert not owed, "a call without its result"
        match message:
            case UserMessage():
                assert message.text
            case AssistantMessage():
                parts = message.parts
                assert parts
                assert all(part.text for part in parts if isinstance(part, TextPart))
                calls = [part for part in parts if isinstance(part, ToolCallPart)]
                assert all(isinstance(part.args, dict) for part in calls)
                owed = [(part.toolCallId, part.toolName) for part in calls]
                assert all(wire for wire, _ in owed)
                assert seen.isdisjoint(wire for wire, _ in owed)
                assert len({wire for wire, _ in owed}) == len(owed)
                seen.update(wire for wire, _ in owed)
            case _:
                raise AssertionError(message)
    assert not owed
    json.loads(core_messages.dump_json(messages))


def wire(entries: list[Entry]) -> list[dict[str, Any]]:
    return core_messages.dump_python(to_core_messages(fold(entries)), exclude_none=True)


def imported(messages: list[CoreMessage]) -> ChatState:
    return fold(from_core_messages(messages, at=7, chat_id="c1", agent=chats.AGENT))


@given(logs.chats())
@settings(max_examples=150, deadline=None)
def test_any_log_gives_a_history_that_providers_accept(state: ChatState):
    assert_provider_valid(to_core_messages(state))
    for turn in state.turns:
        for step in turn.steps:
            before = to_core_messages(state, upto=(turn.turn, step.step))
            assert_provider_valid(before)
            assert before == to_core_messages(state)[: len(before)]


@given(logs.chats())
@settings(max_examples=100, deadline=None)
def test_a_history_survives_export_and_import(state: ChatState):
    exported = to_core_messages(state)
    again = imported(exported)
    assert [one.state for one in again.invocations.values() if one.state in LIVE] == []
    assert recovery(again, at=9) == []
    assert without_agents(to_core_messages(again)) == without_agents(exported)


def without_agents(messages: list[CoreMessage]) -> list[CoreMessage]:
    """An array whose messages name their agents only in part comes back with all of them named."""
    return [one.model_copy(update={"agentId": None}) for one in messages]


@given(logs.arrays())
@settings(max_examples=150, deadline=None)
def test_a_well_formed_array_comes_back_as_it_was(messages: list[CoreMessage]):
    assert to_core_messages(imported(messages)) == messages


@given(logs.arrays(), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_results_find_their_calls_wherever_they_stand(messages: list[CoreMessage], random: Random):
    results = [part for one in messages if isinstance(one, ToolMessage) for part in one.content]
    random.shuffle(results)
    scattered = [one for one in messages if not isinstance(one, ToolMessage)]
    for part in results:
        scattered.insert(random.randint(0, len(scattered)), ToolMessage(content=[part]))
    assert results_by_id(imported(scattered)) == results_by_id(imported(messages))


def results_by_id(state: ChatState) -> dict[str, Any]:
    messages = to_core_messages(state)
    return {p.toolCallId: p.result for one in messages if isinstance(one, ToolMessage) for p in one.content}


def test_words_calls_and_results_stand_in_order():
    entries = [*chats.small_chat(), chats.event("1.1.0", on.Deny(reason="Too costly.", at=8))]
    denied = model_result(fold(entries).invocations["1.1.0"])
    assert isinstance(denied, ToolError)
    assert "Too costly." in denied.error
    assert wire([*entries, chats.step(1, 2), chats.says(1, 2, "Then not.")]) == [
        {"role": "user", "content": "What is the weather in Lisbon?", "agentId": "weather.example"},
        {
            "role": "assistant",
            "agentId": "weather.example",
            "content": [
                {"type": "text", "text": "Let me look at the sky over Lisbon."},
                {
                    "type": "tool-call",
                    "toolCallId": "call_a",
                    "toolName": "get-weather",
                    "args": {"city": "Lisbon"},
                },
            ],
        },
        {
            "role": "tool",
            "agentId": "weather.example",
            "content": [
                {
                    "type": "tool-result",
                    "toolCallId": "call_a",
                    "toolName": "get-weather",
                    "result": {"error": denied.error},
                }
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "Then not."}], "agentId": "weather.example"},
    ]


def test_a_call_that_waits_has_a_result_that_says_so():
    (result,) = results_by_id(fold(chats.small_chat())).values()
    assert result == {"error": "Not decided yet: the person has not answered. It was not run."}


def test_a_provider_that_reuses_an_id_gets_unique_ones_and_earlier_ones_never_change():
    entries = [*chats.small_chat(), chats.step(1, 2), *chats.asked("1.2.0", {"city": "Porto"}, call_id="call_a")]
    more = [*entries, *chats.asked("1.2.1", {"city": "Faro"})]
    assert list(results_by_id(fold(entries))) == ["call_a", "call_1_2_0"]
    assert list(results_by_id(fold(more))) == ["call_a", "call_1_2_0", "call_1_2_1"]


def test_a_result_that_was_taken_back_says_so():
    remote = chats.call("1.1.0", call_id="x").model_copy(update={"executor": "remote"})
    entries: list[Entry] = [
        chats.opened(),
        chats.turn(1, "go"),
        chats.step(1, 1),
        remote,
        chats.event("1.1.0", on.ArgsClosed(args={}, prepared=logs.CARD)),
        chats.event("1.1.0", on.ObservedResult(data=0, at=8)),
        chats.event("1.1.0", on.Compensated(by="1.0.0", at=9)),
    ]
    assert results_by_id(fold(entries)) == {"x": {"data": 0, "undone": True}}


def test_an_edited_call_states_what_was_asked_and_what_ran():
    card = on.Prepared(digest="e" * 64, method="GET", url="http://x/porto")
    grant = on.Grant(source="human", digest=card.digest, version=2, at=1)
    entries = [
        *chats.small_chat(),
        chats.event(
            "1.1.0",
            on.Edit(args={"city": "Porto"}, prepared=card, digest=logs.CARD.digest, version=1, at=5),
        ),
        chats.event("1.1.0", on.Approve(grant=grant)),
        chats.event("1.1.0", on.Dispatch(digest=card.digest, at=7)),
        chats.event("1.1.0", chats.result({"sky": "blue"})),
    ]
    assistant, tool = to_core_messages(fold(entries))[1:]
    assert isinstance(assistant, AssistantMessage)
    assert isinstance(tool, ToolMessage)
    assert isinstance(assistant.parts[1], ToolCallPart)
    assert assistant.parts[1].args == {"city": "Lisbon"}
    assert tool.content[0].result == {"data": {"sky": "blue"}, "argsEditedByPerson": {"city": "Porto"}}


@pytest.mark.parametrize("data", [0, "", False, None, [], {}])
def test_falsy_data_is_data_after_export_and_import(data: object):
    call = ToolCallPart(toolCallId="a", toolName="t", args={})
    result = ToolResultPart(toolCallId="a", toolName="t", result={"data": data})
    state = imported([AssistantMessage(content=[call]), ToolMessage(content=[result])])
    assert state.invocations["1.1.0"].state == "succeeded"
    assert results_by_id(state) == {"a": {"data": data}}


def test_a_new_attempt_does_not_read_the_words_of_the_one_that_broke_off():
    from bitte_nb.core.log import SessionChanged
    from bitte_nb.core.session import Connected, Fail, Retry

    def saw(*events: Any) -> list[Entry]:
        return [SessionChanged(at=1, turn=1, event=one) for one in events]

    running: list[Entry] = [
        chats.opened(),
        chats.turn(1, "go"),
        *saw(Start(), Connected()),
        chats.step(1, 1),
        chats.says(1, 1, "Half an ans"),
        *saw(Disconnect(), Retry()),
        chats.step(1, 1),
    ]
    assert [one.role for one in to_core_messages(fold(running))] == ["user"]
    assert [one.role for one in to_core_messages(fold([*running, *saw(Fail())]))] == ["user", "assistant"]


@pytest.mark.parametrize("text", ["", '{"a": 1', "[1]", '{"a": 1}'])
def test_a_call_that_was_cut_or_rejected_still_has_an_object_as_arguments(text: str):
    for last in (on.Cancel(at=3), on.ArgsRejected(error="The arguments are not JSON.")):
        entries = [
            chats.opened(),
            chats.turn(1, "go"),
            chats.step(1, 1),
            chats.call("1.1.0"),
            chats.event("1.1.0", on.ArgsDelta(text=text)),
            chats.event("1.1.0", last),
        ]
        messages = to_core_messages(fold(entries))
        assert_provider_valid(messages)
        assert len(messages) == 3
        assert len(to_core_messages(fold(entries[:-1]))) == 1  # still streaming: not asked yet


def test_an_imported_call_without_a_result_is_cancelled_and_one_result_without_a_call_stays_visible():
    state = imported(
        [
            UserMessage(content="go"),
            AssistantMessage(content=[ToolCallPart(toolCallId="open", toolName="pay", args={"n": 1})]),
            ToolMessage(content=[ToolResultPart(toolCallId="lost", toolName="look", result={"data": 5})]),
        ]
    )
    cut, orphan = state.invocations.values()
    assert (cut.state, cut.reason, cut.args) == ("cancelled", "interrupted", {"n": 1})
    assert (orphan.state, orphan.rule, orphan.tool) == ("succeeded", ORPHAN, "look")
    assert state.turns[0].session.phase == "failed"  # it can be retried: the model has not answered


def test_a_reused_id_joins_each_call_to_its_own_result():
    def round_(data: int) -> list[CoreMessage]:
        return [
            AssistantMessage(content=[ToolCallPart(toolCallId="x", toolName="t", args={"n": data})]),
            ToolMessage(content=[ToolResultPart(toolCallId="x", toolName="t", result={"data": data})]),
        ]

    state = imported([*round_(1), AssistantMessage(content="and"), *round_(2)])
    assert [(one.args, one.result and one.result.model_dump()) for one in state.invocations.values()] == [
        ({"n": 1}, {"data": 1}),
        ({"n": 2}, {"data": 2}),
    ]
    assert_provider_valid(to_core_messages(state))


@pytest.mark.parametrize(
    "result", ["plain", None, 3, {}, {"data": 1, "error": "x"}, {"error": None}, {"data": 1, "x": 2}]
)
def test_a_result_of_another_shape_is_kept_whole_as_data(result: object):
    call = ToolCallPart(toolCallId="a", toolName="t", args=None)
    state = imported(
        [
            AssistantMessage(content=[call]),
            ToolMessage(content=[ToolResultPart(toolCallId="a", toolName="t", result=result)]),
        ]
    )
    assert results_by_id(state) == {"a": {"data": result}}


@pytest.mark.parametrize(("error", "sentence"), [("", "It failed without"), ({"code": 5}, '{"code": 5}'), (404, "404")])
def test_an_error_of_another_shape_is_a_failure_with_a_sentence(error: object, sentence: str):
    call = ToolCallPart(toolCallId="a", toolName="t", args={})
    answer = ToolResultPart(toolCallId="a", toolName="t", result={"error": error})
    state = imported([AssistantMessage(content=[call]), ToolMessage(content=[answer])])
    assert state.invocations["1.1.0"].state == "failed"
    assert results_by_id(state)["a"]["error"].startswith(sentence)


def test_words_after_a_call_keep_their_place():
    parts = [TextPart(text="one"), ToolCallPart(toolCallId="a", toolName="t", args={}), TextPart(text="two")]
    result = ToolMessage(content=[ToolResultPart(toolCallId="a", toolName="t", result={"data": 1})])
    roles = [(m.role, len(m.content)) for m in to_core_messages(imported([AssistantMessage(content=parts), result]))]
    assert roles == [("assistant", 2), ("tool", 1), ("assistant", 1)]


def test_who_said_what_survives_and_the_agents_join_the_chat():
    messages: list[CoreMessage] = [
        SystemMessage(content="be kind"),
        UserMessage(content="hi"),
        AssistantMessage(content=[TextPart(text="I hand over")], agentId="weather.example"),
        AssistantMessage(content=[TextPart(text="I take over")], agentId="b.vercel.app.vercel.app"),
    ]
    entries = from_core_messages(messages, at=7, chat_id="c1", agent=chats.AGENT)
    opened = entries[0]
    assert isinstance(opened, ChatOpened)
    assert [one.name for one in opened.agents] == ["Weather", "b.vercel.app"]
    state = fold(entries)
    assert [(turn.text, [step.agent for step in turn.steps]) for turn in state.turns] == [
        ("hi", ["", "b.vercel.app.vercel.app"])
    ]
    agents = [one.agentId for one in to_core_messages(state)]
    assert agents == ["weather.example", "weather.example", "b.vercel.app.vercel.app"]


def test_text_arguments_are_read_and_others_stay_visible():
    calls = [
        ToolCallPart(toolCallId=str(n), toolName="t", args=args) for n, args in enumerate(['{"a": 1}', "{", [1], ""])
    ]
    state = imported([AssistantMessage(content=[*calls])])
    assert [one.args for one in state.invocations.values()] == [{"a": 1}, {"value": "{"}, {"value": [1]}, {}]
