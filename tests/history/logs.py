"""Hypothesis strategies: any log, as torn and odd as it may be, and well-formed CoreMessage arrays."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from bitte_nb.core import invocation_events as on
from bitte_nb.core import log
from bitte_nb.core.fold import ChatState, fold
from bitte_nb.core.invocation import TRANSITIONS, Executor
from bitte_nb.core.messages import (
    AssistantMessage,
    CoreMessage,
    TextPart,
    ToolCallPart,
    ToolMessage,
    ToolResultPart,
    UserMessage,
)
from bitte_nb.core.rehydrate import recovery

from .chats import AGENT, DIGEST

words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6)
names = st.sampled_from(["get-weather", "sign-message", "sendTokens"])
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.just("") | words,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(words, inner, max_size=2),
    max_leaves=3,
)
objects = st.dictionaries(words, values, max_size=2)
call_ids = st.sampled_from(["", "call_a", "call_a", "call_b", "call_1_1_0", "functions.x:0"])
CARD = on.Prepared(digest=DIGEST, method="POST", url="http://127.0.0.1/")


def grant(version: int, *, source: str = "human") -> on.Grant:
    return on.Grant.model_validate({"source": source, "digest": DIGEST, "version": version, "at": 1})


def call_event(draw: st.DrawFn, kind: str, version: int) -> on.InvocationEvent:
    match kind:
        case "args_delta":
            return on.ArgsDelta(text=draw(st.sampled_from(['{"a":', "1}", "[1]", "", '{"b": 2}'])))
        case "args_closed":
            return on.ArgsClosed(args=draw(objects), prepared=CARD)
        case "args_rejected":
            return on.ArgsRejected(error="wrong", args=draw(st.none() | objects))
        case "policy_allow":
            return on.PolicyAllow(grant=grant(version, source="rule"))
        case "policy_ask":
            return on.PolicyAsk(rule="r")
        case "policy_deny":
            return on.PolicyDeny(rule="r", reason=draw(st.just("") | words))
        case "approve":
            return on.Approve(grant=grant(version))
        case "edit":
            return on.Edit(args=draw(objects), prepared=CARD, digest=DIGEST, version=version, at=2)
        case "deny":
            return on.Deny(reason=draw(st.just("") | words), at=2)
        case "respond":
            return on.Respond(data=draw(values), digest=DIGEST, version=version, at=2)
        case "drift":
            return on.Drift(prepared=CARD)
        case "dispatch":
            return on.Dispatch(digest=DIGEST, at=2)
        case "progress":
            return on.Progress(note="on it")
        case "cancel":
            reason = draw(st.sampled_from(["stopped", "superseded", "interrupted", "attempt_dropped"]))
            return on.Cancel.model_validate({"reason": reason, "at": 2})
        case "result":
            return on.Result(data=draw(values), at=2)
        case "observed_result":
            return on.ObservedResult(data=draw(values), at=2)
        case "reconcile_ok":
            return on.ReconcileOk(data=draw(values), at=2)
        case "observed_error":
            return on.ObservedError(error="failed there", at=2)
        case "reconcile_failed":
            return on.ReconcileFailed(error="failed after all", at=2)
        case "error":
            return on.Error(error="failed", at=2)
        case "lost":
            return on.Lost(at=2)
        case "retry":
            return on.Retry(at=2)
        case "expire":
            return on.Expire(at=2)
        case "compensated":
            return on.Compensated(by="1.0.0", at=2)
        case other:
            raise AssertionError(other)


ACTS = ["turn", "step", "again", "text", "call", "event", "event", "event", "event", "finish", "undo", "restart"]


@st.composite
def entries(draw: st.DrawFn) -> list[log.Entry]:
    """A chat after any acts of person, model, tools and crashes, biased towards what can happen."""
    written: list[log.Entry] = [log.ChatOpened(at=1, chat="c1", agents=(AGENT,))]
    state = fold(written)
    for act in draw(st.lists(st.sampled_from(ACTS), max_size=30)):
        more = _entries(draw, state, act)
        written += more
        state = fold(more, state)
    return written


def chats() -> st.SearchStrategy[ChatState]:
    return entries().map(fold)


def _entries(draw: st.DrawFn, state: ChatState, act: str) -> list[log.Entry]:
    turn = state.last
    number = turn.turn if turn else 1
    step = max(len(turn.steps), 1) if turn else 1
    match act:
        case "turn":
            text, agent = draw(st.just("") | words), draw(st.sampled_from([AGENT.agent, "other", ""]))
            new = len(state.turns) + 1
            return [log.TurnStarted(at=1, turn=new, text=text, agent=agent)]
        case "step" | "again":
            place = step + 1 if act == "step" and turn and turn.steps else step
            attempt = 2 if act == "again" else 1
            return [log.StepStarted(at=1, turn=number, step=place, attempt=attempt, model="m")]
        case "text":
            return [log.TextAdded(at=1, turn=number, step=step, text=draw(st.just("") | words))]
        case "finish":
            return [log.StepFinished(at=1, turn=number, step=step, reason="stop")]
        case "call" | "undo":
            place = f"{number}.{0 if act == 'undo' else step}"
            index = sum(key.startswith(place + ".") for key in state.invocations)
            executors: list[Executor] = ["http", "remote"]
            return [
                log.InvocationStarted(
                    at=1, key=f"{place}.{index}", tool=draw(names), call_id=draw(call_ids), agent=draw(names),
                    responds=draw(st.booleans()), safe=True, executor=draw(st.sampled_from(executors)),
                )
            ]  # fmt: skip
        case "event" if state.invocations:
            call = state.invocations[draw(st.sampled_from(sorted(state.invocations)))]
            kind = draw(st.sampled_from(sorted(TRANSITIONS[call.state]) or ["deny"]))
            return [log.InvocationChanged(at=1, key=call.key, event=call_event(draw, kind, call.version))]
        case "restart":
            return recovery(state, at=3)
        case _:
            return []


@st.composite
def arrays(draw: st.DrawFn) -> list[CoreMessage]:
    """Well-formed arrays: an agent on every message or on none, words before calls, a result for each call."""
    agents = draw(st.sampled_from([[None], ["weather.example"], ["weather.example", "b.vercel.app"]]))
    messages: list[CoreMessage] = []
    count = 0
    for kind in draw(st.lists(st.sampled_from(["user", "says", "calls"]), max_size=6)):
        agent = draw(st.sampled_from(agents))
        if kind == "user":
            messages.append(UserMessage(content=draw(words), agentId=agent))
            continue
        parts: list[TextPart | ToolCallPart] = []
        results: list[ToolResultPart] = []
        if kind == "says" or draw(st.booleans()):
            parts.append(TextPart(text=draw(words)))
        for _ in range(draw(st.integers(1, 3)) if kind == "calls" else 0):
            count += 1
            tool = draw(names)
            parts.append(ToolCallPart(toolCallId=f"id{count}", toolName=tool, args=draw(objects)))
            results.append(ToolResultPart(toolCallId=f"id{count}", toolName=tool, result=draw(tool_results())))
        messages.append(AssistantMessage(content=[*parts], agentId=agent))
        if results:
            messages.append(ToolMessage(content=results, agentId=agent))
    return messages


@st.composite
def tool_results(draw: st.DrawFn) -> dict[str, Any]:
    result: dict[str, Any] = draw(
        st.one_of(values.map(lambda data: {"data": data}), words.filter(str.strip).map(lambda error: {"error": error}))
    )
    if "data" in result and draw(st.booleans()):
        result["undone"] = True
    if draw(st.booleans()):
        result["argsEditedByPerson"] = draw(objects)
    return result
