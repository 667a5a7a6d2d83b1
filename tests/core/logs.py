"""Hypothesis strategies for logs as a runner writes them: every entry has an effect, and every prefix is a crash."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from bitte_nb.core import invocation_events as ev
from bitte_nb.core import log
from bitte_nb.core import session as ses
from bitte_nb.core.answer import model_result
from bitte_nb.core.digest import digest
from bitte_nb.core.fold import ChatState, apply
from bitte_nb.core.invocation import Invocation, refusal
from tests.core.strategies import json_objects, json_values, texts

__all__ = ["LOGS", "cut_logs", "valid_logs"]

LOGS = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""For tests over logs: writing one takes a while on a busy machine."""

_TOOLS: tuple[dict[str, Any], ...] = (
    {"tool": "get-user", "executor": "http", "method": "GET", "path": "/user", "safe": True},
    {"tool": "add-note", "executor": "http", "method": "POST", "path": "/notes"},
    {"tool": "put-note", "executor": "http", "method": "PUT", "path": "/notes/{id}", "idempotent": True},
    {"tool": "sign-message", "executor": "wallet", "tool_kind": "primitive", "responds": True},
    {"tool": "ask-the-oracle", "executor": "remote"},
    {"tool": "add", "executor": "local", "tool_kind": "local"},
)
_CALL_IDS = ("", "call_1", "call_1", "call_2")
_MOST_MOVES = 10


@st.composite
def valid_logs(draw: st.DrawFn, *, max_turns: int = 2) -> list[log.Entry]:
    """A chat of up to `max_turns` turns: retries, interleaved calls, decisions, undo; some end while calls are open."""
    return _Chat(draw).write(max_turns)


@st.composite
def cut_logs(draw: st.DrawFn, *, max_turns: int = 2) -> list[log.Entry]:
    """What is on disk when the program dies at any moment of a valid log."""
    entries = draw(valid_logs(max_turns=max_turns))
    return entries[: draw(st.integers(0, len(entries)))]


class _Chat:
    """Writes one log; what comes next depends on the state that its entries fold to."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.entries: list[log.Entry] = []
        self.state = ChatState()

    @property
    def now(self) -> int:
        return 1_000 + 10 * len(self.entries)

    def one_of(self, *choices: Any) -> Any:
        return self.draw(st.sampled_from(choices))

    def rarely(self) -> bool:
        return self.draw(st.integers(0, 7)) == 5  # not an end of the range, which is drawn more often

    def append(self, entry: log.Entry) -> None:
        after = apply(self.state, entry)
        assert replace(after, seq=self.state.seq) != self.state or _says_nothing(entry), entry
        self.entries.append(entry)
        self.state = after

    def session(self, turn: int, event: ses.SessionEvent) -> None:
        current = self.state.turn(turn)
        assert current is not None
        if ses.reduce(current.session, event) is not current.session:
            self.append(log.SessionChanged(at=self.now, turn=turn, event=event))

    def call(self, key: str, event: ev.InvocationEvent) -> None:
        assert refusal(self.state.invocations[key], event) is None, (self.state.invocations[key], event)
        self.append(log.InvocationChanged(at=self.now, key=key, event=event))

    def write(self, max_turns: int) -> list[log.Entry]:
        record = log.AgentRecord(agent="demo", name="Demo", document=digest("demo"))
        self.append(log.ChatOpened(at=self.now, chat="c1", agents=(record,)))
        for _ in range(self.draw(st.integers(0, max_turns))):
            self.turn()
        return self.entries

    def turn(self) -> None:
        self.supersede()
        number, after = self.state.count + 1, None
        if self.state.turns and self.draw(st.integers(0, 3)) == 2:
            after = self.draw(st.integers(0, self.state.count))
        self.append(log.TurnStarted(at=self.now, turn=number, text=self.draw(texts()), agent="demo", after=after))
        self.session(number, ses.Start())
        for _ in range(self.draw(st.integers(2, 7))):
            if not self.advance(number):
                break
        if self.draw(st.booleans()):
            self.undo(number)
        if self.rarely():
            self.append(log.Rated(at=self.now, turn=number, rating=self.one_of("good", "bad")))
        if self.state.elsewhere and self.draw(st.booleans()):
            self.supersede()
            self.append(log.BranchChosen(at=self.now, turn=self.draw(st.sampled_from(sorted(self.state.elsewhere)))))

    def supersede(self) -> None:
        last = self.state.last
        if last is None:
            return
        for key in last.calls:
            call = self.state.invocations[key]
            event = ev.Cancel(reason="superseded", at=self.now)
            if not call.settled and refusal(call, event) is None and not call.cancel_requested:
                self.call(key, event)
        if last.session.phase not in {"idle", "done", "failed", "cancelled"}:
            self.session(last.turn, ses.Cancel())

    def advance(self, number: int) -> bool:
        """Go on as the phase says; False where the turn stays as it is."""
        turn = self.state.turn(number)
        assert turn is not None
        match turn.session.phase:
            case "connecting":
                self.step(number)
            case "retrying":
                self.session(number, self.one_of(ses.Retry(), ses.Retry(), ses.Cancel(), ses.Offline()))
            case "awaiting":
                return self.settle(number)
            case "failed":
                self.session(number, ses.Online())
                self.session(number, ses.Retry())
            case "done" if turn.session.outcome == "capped":
                self.append(log.BudgetExtended(at=self.now, turn=number, calls=7))
                self.session(number, ses.Start())
            case _:
                return False
        return True

    def step(self, number: int) -> None:
        turn = self.state.turn(number)
        assert turn is not None
        last = turn.steps[-1] if turn.steps else None
        again = last is not None and not (last.finish and last.calls)
        step, attempt = (1, 1) if last is None else (last.step, last.attempt + 1) if again else (last.step + 1, 1)
        if last is not None and again:
            self.drop(last.calls)
        self.append(log.StepStarted(at=self.now, turn=number, step=step, attempt=attempt, model="scripted"))
        if self.rarely():
            self.session(number, self.breaks())
            return
        self.session(number, ses.Connected())
        keys: list[str] = []
        for _ in range(self.draw(st.integers(1, 8))):
            self.piece(number, step, keys)
        if self.rarely():
            self.session(number, self.one_of(self.breaks(), ses.Violation(reason="Nonsense."), ses.Cancel()))
            return
        usage = self.draw(st.integers(0, 99))
        self.append(
            log.StepFinished(
                at=self.now, turn=number, step=step, reason=self.one_of("stop", "tools"), input_tokens=usage
            )
        )
        for key in keys:
            self.close(key)
        ended = ses.Complete(outcome=self.one_of("success", "success", "capped"))
        self.session(number, ses.Interrupt() if keys else ended)

    def drop(self, keys: tuple[str, ...]) -> None:
        for key in keys:
            if model_result(self.state.invocations[key]) is None:
                self.call(key, ev.Cancel(reason="attempt_dropped", at=self.now))

    def breaks(self) -> ses.SessionEvent:
        kind = self.one_of(ses.Disconnect, ses.Timeout, ses.Truncated)
        return self.one_of(kind(reason="It broke."), kind(replayable=False), ses.Offline(), ses.Fail(reason="No."))

    def piece(self, number: int, step: int, keys: list[str]) -> None:
        kind = self.one_of("call", "args", "text", "text", "call", "args", "thinking", "offer", "token", "stall")
        words = self.draw(texts(min_size=1))
        match kind:
            case "text":
                self.append(log.TextAdded(at=self.now, turn=number, step=step, text=words))
            case "thinking":
                self.append(log.ThinkingAdded(at=self.now, turn=number, step=step, text=words))
            case "call":
                keys.append(self.start(number, step))
            case "args" if keys:
                self.call(self.draw(st.sampled_from(keys)), ev.ArgsDelta(text=words))
            case "offer":
                choice = log.Choice(tool="get-user", label=words, args=self.draw(json_objects()))
                self.append(log.Offered(at=self.now, turn=number, step=step, choices=(choice,)))
            case "stall":
                self.session(number, ses.Stall())
            case _:
                self.session(number, ses.Token())

    def start(self, number: int, step: int, **fields: Any) -> str:
        index = 0
        while (key := f"{number}.{step}.{index}") in self.state.invocations:
            index += 1  # the calls of dropped attempts keep their keys
        tool = {**self.draw(st.sampled_from(_TOOLS)), "call_id": self.draw(st.sampled_from(_CALL_IDS)), **fields}
        self.append(log.InvocationStarted(at=self.now, key=key, agent="demo", **tool))
        return key

    def prepared(self, key: str, args: dict[str, Any]) -> ev.Prepared:
        call = self.state.invocations[key]
        salt = self.draw(st.integers(0, 1))  # the wallet context may have changed
        return ev.Prepared(
            digest=digest([key, args, salt]), method=call.method, url=f"https://agent.example{call.path}"
        )

    def close(self, key: str) -> None:
        if self.rarely():
            self.call(key, ev.ArgsRejected(error="Missing required path parameter: id"))
        else:
            args = self.draw(json_objects())
            self.call(key, ev.ArgsClosed(args=args, prepared=self.prepared(key, args)))

    def settle(self, number: int) -> bool:
        """Move the open calls of the turn in any order; go on once all are answered, else wait for the person."""
        turn = self.state.turn(number)
        assert turn is not None
        for _ in range(self.draw(st.integers(0, _MOST_MOVES) | st.just(4 * _MOST_MOVES))):
            moving = [key for key in turn.calls if self.state.invocations[key].state in _MOVES]
            if not moving:
                break
            key = self.draw(st.sampled_from(moving))
            self.call(key, self.move(self.state.invocations[key]))
        if any(model_result(self.state.invocations[key]) is None for key in turn.calls):
            return False
        self.session(number, ses.Resume())
        return True

    def move(self, call: Invocation) -> ev.InvocationEvent:
        names = [name for name in _MOVES[call.state] if not (name == "respond" and not call.responds)]
        if call.executor != "remote":
            names = [name for name in names if not name.startswith("observed")]
        return self.event(self.draw(st.sampled_from(names)), call)

    def event(self, name: str, call: Invocation) -> ev.InvocationEvent:
        assert call.prepared is not None
        now, shown, words = self.now, call.prepared.digest, self.draw(texts(max_size=6))
        given: dict[str, Any] = {"digest": shown, "version": call.version, "at": now}
        until = self.draw(st.none() | st.integers(now + 1_000, now + 100_000))
        events: dict[str, Any] = {
            "policy_allow": lambda: ev.PolicyAllow(
                grant=ev.Grant(source=self.one_of("rule", "session"), rule="read-only", expires_at=until, **given)
            ),
            "policy_ask": lambda: ev.PolicyAsk(rule="ask", reason=words, expires_at=until),
            "policy_deny": lambda: ev.PolicyDeny(rule="never", reason=words),
            "approve": lambda: ev.Approve(grant=ev.Grant(source="human", actor="me", expires_at=until, **given)),
            "edit": lambda: self.edit(call),
            "deny": lambda: ev.Deny(reason=words, actor="me", at=now),
            "respond": lambda: ev.Respond(data=self.draw(json_values()), actor="me", **given),
            "expire": lambda: ev.Expire(at=now),
            "drift": lambda: ev.Drift(prepared=self.prepared(call.key, call.args or {}), reason="It changed."),
            "dispatch": lambda: ev.Dispatch(digest=shown, at=now, idempotency_key=f"{call.key}:{call.version}"),
            "progress": lambda: ev.Progress(note=words + str(now)),
            "result": lambda: ev.Result(data=self.draw(json_values()), undo=self.undoing(), at=now),
            "error": lambda: ev.Error(error="404: no such note", at=now),
            "lost": lambda: ev.Lost(reason="Nobody knows.", at=now),
            "observed_result": lambda: ev.ObservedResult(data=self.draw(json_values()), at=now),
            "observed_error": lambda: ev.ObservedError(error="It failed there.", at=now),
        }
        return events[name]()

    def edit(self, call: Invocation) -> ev.Edit:
        args = self.draw(json_objects())
        assert call.prepared is not None
        prepared = self.prepared(call.key, args)
        shown = {"digest": call.prepared.digest, "version": call.version}
        return ev.Edit(args=args, prepared=prepared, actor="me", at=self.now, **shown)

    def undoing(self) -> ev.Undo | None:
        return self.draw(st.none() | st.just(ev.Undo(tool="delete-note", args={"id": 0})))

    def undo(self, number: int) -> None:
        """Take a finished call back by another one, which asks for itself."""
        turn = self.state.turn(number)
        assert turn is not None
        done = [key for key in turn.calls if (call := self.state.invocations[key]).state == "succeeded" and call.undo]
        if not done:
            return
        target = self.draw(st.sampled_from(done))
        fields = {"tool": "delete-note", "tool_kind": "operation", "executor": "http", "responds": False}
        key = self.start(number, 0, **fields, compensates=target)
        self.call(key, ev.ArgsClosed(args={"id": 0}, prepared=self.prepared(key, {"id": 0})))
        for name in ("policy_ask", "approve", "dispatch", "result")[: self.draw(st.integers(0, 4))]:
            self.call(key, self.event(name, self.state.invocations[key]))
        if self.state.invocations[key].state == "succeeded":
            self.call(target, ev.Compensated(by=key, at=self.now))


_MOVES: dict[str, tuple[str, ...]] = {
    "proposed": ("policy_ask", "policy_allow", "policy_ask", "policy_deny", "observed_result", "observed_error"),
    "pending": (
        "approve", "approve", "edit", "deny", "respond", "expire", "drift", "policy_deny", "observed_result",
        "observed_error",
    ),
    "approved": ("dispatch", "dispatch", "dispatch", "drift", "expire", "policy_deny"),
    "executing": ("result", "result", "error", "lost", "progress"),
}  # fmt: skip
"""What happens to a call while its turn waits; `unknown`, `failed` and the rest stay as they are."""


def _says_nothing(entry: log.Entry) -> bool:
    """Whether an entry may repeat what the state already says: the same usage, the same offer."""
    return isinstance(entry, log.Offered)
