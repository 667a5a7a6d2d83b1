"""The golden sequences: what happens in a chat, as entries; `python -m tests.golden.sequences` writes them as JSON.

Each file holds the messages that a page gets, what it does with each (`applied`, `stale`, `gap`), and what it then
shows. They are read by the tests of the kernel and of the page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bitte_nb.core import invocation_events as ev
from bitte_nb.core import log
from bitte_nb.core import session as ses
from bitte_nb.core.fold import ChatState, fold
from bitte_nb.core.log import Entry
from bitte_nb.widget import protocol
from bitte_nb.widget.view import chat_view
from tests.golden.page import told

__all__ = ["FOLDER", "SEQUENCES", "Sequence", "as_json"]

FOLDER = Path(__file__).parent
BOOT = "b007"
PER_MESSAGE = 3
"""Events in one message."""
Data = dict[str, Any]


@dataclass
class Writer:
    """Writes entries with a clock that ticks once per entry."""

    entries: list[Entry] = field(default_factory=list[Entry])

    @property
    def now(self) -> int:
        return 1_000 + len(self.entries)

    def opened(self) -> Writer:
        agent = log.AgentRecord(
            agent="demo", name="Demo agent", model="offline", model_name="offline model", suggestions=("Flip a coin",)
        )
        self.entries.append(log.ChatOpened(at=self.now, chat="c1", title="Coins", agents=(agent,)))
        return self

    def turn(self, number: int, text: str, *, after: int | None = None) -> None:
        self.entries.append(log.TurnStarted(at=self.now, turn=number, text=text, agent="demo", after=after))
        self.session(ses.Start(), turn=number)

    def session(self, event: ses.SessionEvent, *, turn: int = 1) -> None:
        self.entries.append(log.SessionChanged(at=self.now, turn=turn, event=event))

    def step(self, number: int, *, attempt: int = 1, turn: int = 1) -> None:
        self.entries.append(
            log.StepStarted(at=self.now, turn=turn, step=number, attempt=attempt, model="offline model")
        )
        self.session(ses.Connected(), turn=turn)

    def text(self, *pieces: str, step: int = 1, turn: int = 1) -> None:
        for text in pieces:
            self.entries.append(log.TextAdded(at=self.now, turn=turn, step=step, text=text))

    def thinking(self, *pieces: str, step: int = 1) -> None:
        for text in pieces:
            self.entries.append(log.ThinkingAdded(at=self.now, turn=1, step=step, text=text))

    def answered(self, number: int, text: str, answer: str, *, after: int | None = None) -> None:
        self.turn(number, text, after=after)
        self.step(1, turn=number)
        self.text(answer, turn=number)
        self.session(ses.Complete(), turn=number)

    def chosen(self, number: int) -> None:
        self.entries.append(log.BranchChosen(at=self.now, turn=number))

    def finish(self, step: int = 1, *, reason: str = "stop") -> None:
        one = log.StepFinished(at=self.now, turn=1, step=step, reason=reason, input_tokens=12, output_tokens=34)
        self.entries.append(one)

    def start(self, key: str, tool: str, **fields: Any) -> None:
        self.entries.append(log.InvocationStarted(at=self.now, key=key, tool=tool, agent="demo", **fields))

    def call(self, key: str, *events: ev.InvocationEvent) -> None:
        for event in events:
            self.entries.append(log.InvocationChanged(at=self.now, key=key, event=event))

    def close(self, key: str, args: Data, *, digest: str = "") -> None:
        prepared = ev.Prepared(digest=digest or f"digest of {key}", method="POST", url="https://agent.example/notes")
        self.call(key, ev.ArgsClosed(args=args, prepared=prepared))

    def grant(self, key: str, source: str = "human", *, version: int = 1, digest: str = "") -> ev.Grant:
        return ev.Grant.model_validate(
            {
                "source": source,
                "actor": "page",
                "digest": digest or f"digest of {key}",
                "version": version,
                "at": self.now,
            }
        )

    def allowed(self, key: str, data: Any, *, undo: ev.Undo | None = None) -> None:
        self.call(
            key, ev.PolicyAllow(grant=self.grant(key, "rule")), ev.Dispatch(digest=f"digest of {key}", at=self.now)
        )
        self.call(key, ev.Result(data=data, undo=undo, at=self.now))


def words(chat: Writer) -> None:
    chat.turn(1, "Flip a coin")
    chat.step(1)
    chat.thinking("Heads ", "or tails?")
    chat.text("It is **hea", "ds**", ".\n", "👩‍👩‍👧 日本")
    chat.session(ses.Stall())
    chat.session(ses.Token())
    chat.finish()
    chat.session(ses.Complete())


def parallel_cards(chat: Writer) -> None:
    chat.turn(1, "Three notes")
    chat.step(1)
    chat.text("Three at once.")
    for index, piece in ((0, '{"n"'), (1, '{"n":'), (2, "{")):
        chat.start(f"1.1.{index}", "add-note", call_id="call_1", method="POST", path="/notes")
        chat.call(f"1.1.{index}", ev.ArgsDelta(text=piece))
    for key, piece in (("1.1.2", '"n":2}'), ("1.1.0", ":0"), ("1.1.1", "1}"), ("1.1.0", "}")):
        chat.call(key, ev.ArgsDelta(text=piece))
    chat.finish(reason="tool-calls")
    for index in range(3):
        chat.close(f"1.1.{index}", {"n": index})
        chat.call(f"1.1.{index}", ev.PolicyAsk(rule="ask", reason="It changes something.", expires_at=9_000))
    chat.session(ses.Interrupt())
    chat.call("1.1.1", ev.Approve(grant=chat.grant("1.1.1")), ev.Dispatch(digest="digest of 1.1.1", at=chat.now))
    chat.call("1.1.2", ev.Deny(reason="Not that one.", actor="page", at=chat.now))
    chat.call("1.1.1", ev.Progress(note="sending"), ev.Result(data={"note": 1}, at=chat.now))
    edited = ev.Prepared(digest="edited", method="POST", url="https://agent.example/notes")
    drifted = ev.Prepared(digest="drifted", method="POST", url="https://agent.example/notes")
    seen = {"digest": "digest of 1.1.0", "version": 1}
    chat.call("1.1.0", ev.Edit(args={"n": 7}, prepared=edited, actor="page", at=chat.now, expires_at=9_000, **seen))
    chat.call("1.1.0", ev.Approve(grant=chat.grant("1.1.0", digest="edited", version=2)))
    chat.call("1.1.0", ev.Drift(prepared=drifted, reason="The wallet changed.", expires_at=9_000))
    chat.call("1.1.0", ev.Expire(at=9_000))
    chat.session(ses.Resume())
    chat.step(2)
    chat.text("One of three.", step=2)
    chat.finish(2)
    chat.session(ses.Complete())


def falsy_results(chat: Writer) -> None:
    chat.turn(1, "Nothing much")
    chat.step(1)
    values: list[Any] = [0, False, "", None, []]
    for index in range(len(values)):
        chat.start(f"1.1.{index}", "get-user", safe=True)
    chat.finish(reason="tool-calls")
    for index in range(len(values)):
        chat.close(f"1.1.{index}", {})
    chat.session(ses.Interrupt())
    for index in reversed(range(len(values))):
        chat.allowed(f"1.1.{index}", values[index])
    chat.session(ses.Resume())


def new_attempt(chat: Writer) -> None:
    chat.turn(1, "Flip a coin")
    chat.step(1)
    chat.text("Half an ans")
    chat.start("1.1.0", "add-note")
    chat.call("1.1.0", ev.ArgsDelta(text='{"a'))
    chat.session(ses.Disconnect(reason="The connection broke."))
    chat.session(ses.Retry())
    chat.call("1.1.0", ev.Cancel(reason="attempt_dropped", at=chat.now))
    chat.step(1, attempt=2)
    chat.text("A whole", " answer")
    chat.start("1.1.1", "add-note")
    chat.call("1.1.1", ev.ArgsRejected(error="Missing required path parameter: id"))
    chat.session(ses.Truncated(replayable=False, reason="The answer broke off."))


def next_turn(chat: Writer) -> None:
    chat.turn(1, "First")
    chat.step(1)
    chat.start("1.1.0", "slow", method="GET", path="/slow")
    chat.finish(reason="tool-calls")
    chat.close("1.1.0", {})
    chat.call("1.1.0", ev.PolicyAsk(rule="ask"))
    chat.session(ses.Interrupt())
    chat.session(ses.Fail(cause="http", reason="The endpoint is gone."))
    chat.call("1.1.0", ev.Cancel(reason="superseded", at=chat.now))
    chat.turn(2, "Second")
    chat.step(1, turn=2)
    chat.text("Here.", turn=2)
    chat.session(ses.Cancel(), turn=2)


def capped(chat: Writer) -> None:
    chat.turn(1, "Go on and on")
    chat.step(1)
    choice = log.Choice(
        tool="get-user", label="Who am I?", args={"a": 0}, missing=("b",), fields={"b": {"type": "string"}}
    )
    chat.entries.append(log.Offered(at=chat.now, turn=1, step=1, choices=(choice,)))
    chat.finish()
    chat.session(ses.Complete(outcome="capped"))
    chat.entries.append(log.BudgetExtended(at=chat.now, turn=1, calls=7))
    chat.session(ses.Start())


def undone(chat: Writer) -> None:
    chat.turn(1, "Add a note")
    chat.step(1)
    chat.start("1.1.0", "add-note")
    chat.finish(reason="tool-calls")
    chat.close("1.1.0", {"n": 1})
    chat.allowed("1.1.0", {"note": 1}, undo=ev.Undo(tool="delete-note", args={"note": 1}))
    chat.session(ses.Interrupt())
    chat.session(ses.Cancel())
    chat.start("1.0.0", "delete-note", compensates="1.1.0")
    chat.close("1.0.0", {"note": 1})
    chat.call("1.0.0", ev.PolicyAsk(rule="ask"), ev.Approve(grant=chat.grant("1.0.0")))
    chat.call("1.0.0", ev.Dispatch(digest="digest of 1.0.0", at=chat.now), ev.Result(data=None, at=chat.now))
    chat.call("1.1.0", ev.Compensated(by="1.0.0", at=chat.now))


def versions(chat: Writer) -> None:
    chat.answered(1, "Flip a coin", "Heads.")
    chat.answered(2, "Again", "Tails.")
    chat.start("2.1.0", "add-note")
    chat.answered(3, "Once more", "Heads.", after=1)
    chat.call("2.1.0", ev.Cancel(at=chat.now))
    chat.answered(4, "Flip two coins", "One each.", after=0)
    chat.answered(5, "Thanks", "Welcome.")
    chat.chosen(2)
    chat.chosen(4)


def lost(chat: Writer) -> None:
    chat.turn(1, "Send it")
    chat.step(1)
    for index in range(2):
        chat.start(f"1.1.{index}", "add-note")
    chat.finish(reason="tool-calls")
    for index in range(2):
        chat.close(f"1.1.{index}", {"n": index})
        chat.call(f"1.1.{index}", ev.PolicyAllow(grant=chat.grant(f"1.1.{index}", "session")))
        chat.call(f"1.1.{index}", ev.Dispatch(digest=f"digest of 1.1.{index}", at=chat.now))
    chat.session(ses.Interrupt())
    chat.call("1.1.0", ev.Cancel(at=chat.now), ev.Lost(reason="Nobody knows.", at=chat.now))
    chat.call("1.1.1", ev.Error(error="409: the note exists", at=chat.now))
    chat.call("1.1.0", ev.ReconcileOk(data="it arrived", at=chat.now))
    chat.session(ses.Offline())


Act = Callable[[Writer], None]


@dataclass(frozen=True)
class Sequence:
    """What happens, and in which order the messages reach the page."""

    rule: str
    act: Act
    deliver: Callable[[list[Data], Data], Iterator[tuple[Data, str]]] = lambda sent, _: in_order(sent)


def in_order(sent: list[Data]) -> Iterator[tuple[Data, str]]:
    yield from ((message, "applied") for message in sent)


def twice(sent: list[Data], _: Data) -> Iterator[tuple[Data, str]]:
    """Every message comes twice, and the last two once more as one that overlaps what is known."""
    *early, one, two = sent
    for message in early:
        yield message, "applied"
        yield message, "stale"
    yield one, "applied"
    yield {**one, "events": [*one["events"], *two["events"]]}, "applied"
    yield two, "stale"


def with_a_gap(sent: list[Data], snapshot: Data) -> Iterator[tuple[Data, str]]:
    """A message is lost: what comes after it is of no use, a snapshot mends it, and an old snapshot is not believed."""
    first, _, *rest = sent
    yield first, "applied"
    for message in rest:
        yield message, "gap"
    last = {**snapshot, "seq": rest[-1]["first"] + len(rest[-1]["events"]) - 1}
    yield last, "applied"
    yield {**last, "seq": 0, "chat": {**last["chat"], "turns": []}}, "stale"
    yield rest[-1], "stale"


def after_a_restart(sent: list[Data], snapshot: Data) -> Iterator[tuple[Data, str]]:
    """The kernel restarts: events of the new run do not fit, its snapshot counts though its number is smaller."""
    yield sent[0], "applied"
    yield {**sent[1], "boot": "b008"}, "gap"
    yield {**snapshot, "boot": "b008", "seq": 0}, "applied"
    yield sent[1], "gap"


SEQUENCES: dict[str, Sequence] = {
    "words": Sequence("Words and thoughts grow piece by piece.", words),
    "parallel-cards": Sequence("Three cards stream interleaved and end each in its own way.", parallel_cards),
    "falsy-results": Sequence("0, false, an empty text, null and an empty list are results.", falsy_results),
    "new-attempt": Sequence("The text of a broken attempt stays until the next one says something.", new_attempt),
    "next-turn": Sequence("Only the newest turn can be retried.", next_turn),
    "capped": Sequence("A capped turn offers to go on, and goes on.", capped),
    "undone": Sequence("A call is taken back by another call that asks for itself.", undone),
    "versions": Sequence("A message is edited and answered anew, and each version is found again.", versions),
    "lost": Sequence("An unknown outcome is found out later.", lost),
    "every-message-twice": Sequence("What is known already is skipped.", words, twice),
    "a-lost-message": Sequence("After a gap only a snapshot helps.", parallel_cards, with_a_gap),
    "a-restarted-kernel": Sequence("Another run of the kernel counts anew.", words, after_a_restart),
}


def _messages(events: list[protocol.PageEvent]) -> list[Data]:
    chunks = [events[start : start + PER_MESSAGE] for start in range(0, len(events), PER_MESSAGE)]
    sent = [
        protocol.Events(boot=BOOT, first=1 + index * PER_MESSAGE, events=chunk) for index, chunk in enumerate(chunks)
    ]
    return [message.model_dump(mode="json") for message in sent]


def _snapshot(state: ChatState, *, seq: int) -> Data:
    return protocol.Snapshot(boot=BOOT, seq=seq, chat=chat_view(state)).model_dump(mode="json")


def as_json(name: str) -> Data:
    """One golden sequence as the file holds it."""
    sequence = SEQUENCES[name]
    start = fold(Writer().opened().entries)
    chat = Writer()
    sequence.act(chat)
    state, events = told(start, chat.entries)
    end = _snapshot(state, seq=len(events))
    steps = [(_snapshot(start, seq=0), "applied"), *sequence.deliver(_messages(events), end)]
    return {
        "rule": sequence.rule,
        "steps": [{"message": message, "then": then} for message, then in steps],
        "shows": end["chat"],
    }


if __name__ == "__main__":
    for each in SEQUENCES:
        text = json.dumps(as_json(each), indent=1, ensure_ascii=False)
        (FOLDER / f"{each}.json").write_text(text + "\n", encoding="utf-8")
