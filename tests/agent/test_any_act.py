"""Every act of a person at every moment, twice, over a model and a disk that fail: nothing breaks what is promised."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.agent.turn import Pending
from bitte_nb.core.fold import fold
from bitte_nb.core.invocation_events import Approve, Cancel, Deny, Dispatch, Drift, Edit, Expire, PolicyAllow, Retry
from bitte_nb.core.log import Entry, InvocationChanged
from bitte_nb.core.plan import at_rest
from bitte_nb.errors import BitteError, DecisionRefused, HistoryError
from bitte_nb.history.jsonl_store import JsonlStore
from bitte_nb.history.store import Store
from bitte_nb.testing import ScriptedModel
from bitte_nb.widget.driver import Driver
from tests.agent.bodies import Bodies
from tests.agent.test_any_script import provider_valid, units
from tests.agent.virtual import Hasty
from tests.golden.page import Page


@pytest.fixture(scope="module")
def server() -> Iterator[Bodies]:
    with Bodies(b'{"ok": 1}') as server:
        yield server


class FullNowAndThen:
    """A store whose disk is full for the appends of these numbers; everything else is the real one's."""

    def __init__(self, store: Any, full: set[int]) -> None:
        self._store, self.full, self.appends = store, full, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def append(self, chat_id: str, entries: Sequence[Entry], *, expected: int, durable: bool) -> int:
        self.appends += 1
        if self.appends in self.full:
            raise HistoryError("The disk is full.")
        return int(self._store.append(chat_id, entries, expected=expected, durable=durable))


def raising(subject: Any) -> None:
    """A check of a policy that has a fault."""
    if subject.args.get("n") == 2:
        raise RuntimeError("a fault of the policy")


def acts_of(chat: Chat) -> dict[str, Callable[[int], object]]:
    """Every public act, each on what the number picks among calls, turns and rules."""

    def call(n: int) -> Any:
        calls = list(chat.state.invocations.values())
        return calls[n % len(calls)] if calls else "9.9.9"

    def turn(n: int) -> int:
        return 1 + n % (chat.state.count + 1)

    def card(n: int) -> Any:
        waiting = [one for one in chat.state.invocations.values() if one.state == "pending"]
        return waiting[n % len(waiting)] if waiting else call(n)

    def pending(n: int) -> Pending:
        if not chat.state.invocations:
            raise DecisionRefused("there is no call yet")
        return Pending(chat, card(n))

    return {
        "ask": lambda n: chat.ask(f"and {n}?"),
        "stop": lambda _: chat.stop(),
        "retry": lambda _: chat.retry(),
        "proceed": lambda _: chat.proceed(),
        "approve": lambda n: pending(n).approve(),
        "approve again": lambda n: pending(n).approve(),
        "always": lambda n: pending(n).approve(always=True),
        "deny": lambda n: pending(n).deny("no"),
        "edit card": lambda n: pending(n).edit({"n": n}),
        "respond": lambda n: pending(n).respond("0x"),
        "revoke": lambda n: chat.revoke(chat.rules[n % len(chat.rules)]) if chat.rules else chat.revoke("none"),
        "reconcile": lambda n: chat.reconcile(call(n), happened=bool(n % 2)),
        "check": lambda n: chat.check(call(n)),
        "retry call": lambda n: chat.retry_call(call(n)),
        "undo": lambda n: chat.undo(call(n)),
        "edit": lambda n: chat.edit(turn(n), f"rather {n}"),
        "regenerate": lambda n: chat.regenerate(turn(n)),
        "choose": lambda n: chat.choose(turn(n)),
        "rate": lambda n: chat.rate(turn(n), "good" if n % 2 else ""),
        "offline": lambda _: chat.network(online=False),
        "online": lambda _: chat.network(online=True),
        "take over": lambda _: chat.take_over(),
        "new": lambda _: chat.new(),
        "rest": lambda _: chat.turn and chat.turn.wait(60),
    }  # fmt: skip


NAMES = [
    "ask", "ask", "stop", "retry", "proceed", "approve", "approve", "approve again", "always", "deny", "edit card",
    "respond", "revoke", "reconcile", "check", "retry call", "retry call", "undo", "edit", "regenerate", "choose",
    "rate", "offline", "online", "take over", "rest", "rest",
]  # fmt: skip
scripts = st.lists(st.lists(units, max_size=4), max_size=30)
acts = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 5), st.sampled_from([1, 1, 2])), max_size=14)
REFUSED = (BitteError, ValueError)
"""What an act that has no place may raise; anything else is a fault."""


def act(chat: Chat, name: str, n: int, times: int, faults: list[BaseException]) -> None:
    """Do it; twice is from two threads at once."""

    def once() -> None:
        try:
            with contextlib.suppress(*REFUSED):
                acts_of(chat)[name](n)
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=once) for _ in range(times - 1)]
    for one in threads:
        one.start()
    once()
    for one in threads:
        one.join(60)
        assert not one.is_alive(), f"{name} never returned"


def converge(chat: Chat) -> None:
    """Decline and stop until nothing goes on; where nothing can be written this says so."""
    for _ in range(60):
        with contextlib.suppress(BitteError):
            chat.stop()
        open_cards = [one for one in chat.state.invocations.values() if one.state == "pending"]
        for one in open_cards:
            with contextlib.suppress(BitteError):
                chat.decide(one, "deny")
        if chat.turn is None or (not open_cards and chat.turn.wait(60) and at_rest(chat.state, chat.turn.state)):
            return
    raise AssertionError(f"it never comes to rest: {chat.notice}")


@pytest.mark.parametrize("full", [False, True], ids=["a disk that takes all", "a disk that is full now and then"])
def test_any_acts_at_any_time_keep_what_is_promised(
    server: Bodies, tmp_path_factory: pytest.TempPathFactory, full: bool
) -> None:
    folder = tmp_path_factory.mktemp("acts")
    numbers = iter(range(10**9))

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(scripts, acts, st.sets(st.integers(1, 40), max_size=4) if full else st.just(set[int]()))
    def holds(script: list[list[Any]], doing: list[tuple[str, int, int]], broken: set[int]) -> None:
        run(server, folder / f"{next(numbers)}.jsonl", script, doing, broken)

    holds()


def run(
    server: Bodies, path: Path, script: list[list[Any]], doing: list[tuple[str, int, int]], broken: set[int]
) -> None:
    clock, store = Hasty(), FullNowAndThen(JsonlStore(path), broken)
    model = ScriptedModel(script, sleep=clock.sleep)
    agent = bn.Agent(server.document(), model=model, policy=bn.Policy(checks=(raising,)))
    chat = Chat(agent, store=cast("Store", store), clock=clock)
    sent: list[dict[str, Any]] = []
    driver, page = Driver(chat, sent.append), Page()
    page.take(driver.snapshot())
    before, faults = server.count, list[BaseException]()
    with contextlib.suppress(BitteError):
        chat.ask("go")
    for name, n, times in doing:
        act(chat, name, n, times, faults)
    assert not faults, faults
    store.full = set()  # the disk has room again
    converge(chat)
    state = chat.state
    calls = list(state.invocations.values())
    event(f"{len(state.all_turns)} turns, {min(len(calls), 6)} calls")
    assert all(call.settled or call.state == "unknown" for call in calls)
    for request in model.requests:
        provider_valid(request.messages)
        assert request.messages[-1].role in {"user", "tool"}
    provider_valid(chat.messages)

    loaded = chat._stored()
    kept = fold([*loaded.entries, *chat.conversation.unwritten])
    assert kept.invocations == state.invocations
    assert (kept.turns, kept.elsewhere, kept.rules) == (state.turns, state.elsewhere, state.rules)
    dispatched = [
        one for one in loaded.entries if isinstance(one, InvocationChanged) and isinstance(one.event, Dispatch)
    ]
    assert server.count - before <= len(dispatched), "something left that is not on disk"
    granted(loaded.entries)
    for message in sent:
        page.take(message)
    page.take(driver.snapshot())
    assert page.chat == driver.snapshot()["chat"]
    chat.close()


def granted(entries: Sequence[Entry]) -> None:
    """Each dispatch used up one grant of its own: the last decision before it, of the very same digest."""
    allowed: dict[str, str] = {}
    for one in entries:
        if not isinstance(one, InvocationChanged):
            continue
        match one.event:
            case Approve(grant=grant) | PolicyAllow(grant=grant):
                allowed[one.key] = grant.digest
            case Drift() | Edit() | Deny() | Cancel() | Retry() | Expire():
                allowed.pop(one.key, None)
            case Dispatch(digest=digest):
                assert allowed.pop(one.key) == digest
            case _:
                pass
