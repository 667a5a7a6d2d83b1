"""Hypothesis strategies: JSON data, the events of both machines, entries, and logs as a runner writes them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from bitte_nb.core import invocation_events as inv
from bitte_nb.core import log
from bitte_nb.core import session as ses
from bitte_nb.core.session_rules import SessionRule
from bitte_nb.core.wallet import Wallet

__all__ = [
    "FALSY",
    "entries",
    "grants",
    "invocation_events",
    "json_values",
    "prepareds",
    "session_events",
    "texts",
]

FALSY: tuple[Any, ...] = (0, False, "", None, [], {}, 0.0)
"""Data that is data all the same."""

_UNICODE = st.characters(exclude_categories=("Cs",))  # lone surrogates are no text: UTF-8 cannot carry them


def texts(*, min_size: int = 0, max_size: int = 12) -> st.SearchStrategy[str]:
    """Any text that UTF-8 can carry: combining marks, emoji, controls."""
    return st.text(_UNICODE, min_size=min_size, max_size=max_size)


def json_values() -> st.SearchStrategy[Any]:
    """JSON data of any shape; integers of any size, no NaN, falsy values often."""
    scalars = st.one_of(
        st.sampled_from(FALSY),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        texts(),
    )
    return st.recursive(
        scalars,
        lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts(max_size=4), inner, max_size=3)),
        max_leaves=5,
    )


def json_objects() -> st.SearchStrategy[dict[str, Any]]:
    """JSON objects, as arguments are."""
    return st.dictionaries(texts(max_size=4), json_values(), max_size=3)


_times = st.integers(min_value=0, max_value=2**53)
_digests = st.sampled_from(["d1", "d2", "d3"])
_errors = texts(min_size=1)


def grants() -> st.SearchStrategy[inv.Grant]:
    """Grants of every source, expired, used and neither."""
    return st.builds(
        inv.Grant,
        source=st.sampled_from(["human", "rule", "session"]),
        rule=texts(max_size=4),
        actor=texts(max_size=4),
        digest=_digests,
        version=st.integers(1, 4),
        at=_times,
        expires_at=st.none() | _times,
        used_at=st.none() | _times,
    )


def prepareds() -> st.SearchStrategy[inv.Prepared]:
    """What would run, with one of a few digests, so that they often match."""
    return st.builds(
        inv.Prepared,
        digest=_digests,
        method=st.sampled_from(["", "GET", "POST"]),
        url=texts(),
        headers=st.dictionaries(texts(max_size=4), texts(max_size=4), max_size=2),
        body=texts(),
        review=st.none() | json_objects(),
    )


def _undos() -> st.SearchStrategy[inv.Undo]:
    return st.builds(inv.Undo, tool=texts(max_size=4), args=json_objects())


def invocation_events() -> st.SearchStrategy[inv.InvocationEvent]:
    """Any of the twenty-four events with any content, whether it has a place or not."""
    reason, actor = texts(max_size=6), texts(max_size=4)
    cancel_reasons = st.sampled_from(["stopped", "superseded", "interrupted", "attempt_dropped"])
    return st.one_of(
        st.builds(inv.ArgsDelta, text=texts()),
        st.builds(inv.ArgsClosed, args=json_objects(), prepared=prepareds()),
        st.builds(inv.ArgsRejected, error=_errors, args=st.none() | json_objects()),
        st.builds(inv.PolicyAllow, grant=grants()),
        st.builds(inv.PolicyAsk, rule=reason, reason=reason, expires_at=st.none() | _times),
        st.builds(inv.PolicyDeny, rule=reason, reason=reason),
        st.builds(inv.Approve, grant=grants()),
        st.builds(
            inv.Edit,
            args=json_objects(),
            prepared=prepareds(),
            digest=_digests,
            version=st.integers(1, 4),
            actor=actor,
            at=_times,
            expires_at=st.none() | _times,
        ),
        st.builds(inv.Deny, reason=reason, actor=actor, at=_times),
        st.builds(inv.Respond, data=json_values(), digest=_digests, version=st.integers(1, 4), actor=actor, at=_times),
        st.builds(inv.Expire, at=_times),
        st.builds(inv.Drift, prepared=prepareds(), reason=reason, expires_at=st.none() | _times),
        st.builds(inv.Dispatch, digest=_digests, at=_times, idempotency_key=reason),
        st.builds(inv.Progress, note=reason),
        st.builds(inv.Cancel, reason=cancel_reasons, at=_times),
        st.builds(inv.Result, data=json_values(), undo=st.none() | _undos(), at=_times),
        st.builds(inv.Error, error=_errors, at=_times),
        st.builds(inv.Lost, reason=reason, at=_times),
        st.builds(inv.ReconcileOk, data=json_values(), actor=actor, at=_times),
        st.builds(inv.ReconcileFailed, error=_errors, actor=actor, at=_times),
        st.builds(inv.Retry, actor=actor, at=_times),
        st.builds(inv.Compensated, by=reason, at=_times),
        st.builds(inv.ObservedResult, data=json_values(), at=_times),
        st.builds(inv.ObservedError, error=_errors, at=_times),
    )


def session_events() -> st.SearchStrategy[ses.SessionEvent]:
    """Any of the eighteen events with any content."""
    reason, count = texts(max_size=6), st.integers(0, 40)
    causes = st.sampled_from(["http", "error_event", "violation", "truncated", "timeout", "offline", "exhausted"])
    return st.one_of(
        *(st.just(kind()) for kind in (ses.Start, ses.Connected, ses.Heartbeat, ses.Stall)),
        *(st.just(kind()) for kind in (ses.Offline, ses.Online, ses.Retry, ses.Interrupt)),
        *(st.builds(kind, count=count) for kind in (ses.Token, ses.Flush)),
        *(
            st.builds(kind, replayable=st.booleans(), reason=reason)
            for kind in (ses.Disconnect, ses.Timeout, ses.Truncated)
        ),
        st.builds(ses.Cancel, reason=reason),
        st.builds(ses.Complete, outcome=st.sampled_from(["success", "capped"])),
        st.builds(ses.Resume, open=st.integers(0, 3)),
        st.builds(ses.Fail, cause=causes, reason=reason),
        st.builds(ses.Violation, reason=reason),
    )


def _agents() -> st.SearchStrategy[log.AgentRecord]:
    ids = st.from_regex(r"[a-z0-9]{2,8}(\.near)?", fullmatch=True)
    wallets = st.builds(Wallet, account_id=st.none() | ids, chain_id=st.none() | st.integers(1, 2**32))
    return st.builds(
        log.AgentRecord,
        agent=texts(max_size=6),
        name=texts(max_size=6),
        document=texts(max_size=6),
        wallet=wallets,
        suggestions=st.lists(texts(max_size=6), max_size=2).map(tuple),
    )


def _choices() -> st.SearchStrategy[log.Choice]:
    return st.builds(
        log.Choice,
        tool=texts(max_size=6),
        label=texts(max_size=6),
        args=json_objects(),
        missing=st.lists(texts(max_size=4), max_size=2).map(tuple),
        fields=json_objects(),
    )


def _rules() -> st.SearchStrategy[SessionRule]:
    words = texts(max_size=4)
    return st.builds(
        SessionRule,
        rule=st.sampled_from(["always-1.1.0", "always-1.1.1"]),
        agent=words,
        tool=words,
        method=words,
        origin=words,
        actor=words,
        at=_times,
    )


_numbers = st.integers(-1, 3)
_keys = st.one_of(
    st.sampled_from(["1.1.0", "1.1.1", "1.2.0", "2.1.0", "1.0.0", "9.1.0", "1.9.0"]),
    st.sampled_from(["", "1", "1.1", "a.b.c", "1.1.0.0", "-1.1.0", "1.-1.0", " 1.1.0", "1_1.1.0", "١.1.0"]),
)


def entries() -> st.SearchStrategy[log.Entry]:
    """Any entry with any content: most of them speak of something that a short log does not know."""
    at, words = _times, texts(max_size=6)
    return st.one_of(
        st.builds(log.ChatOpened, at=at, chat=words, title=words, agents=st.lists(_agents(), max_size=2).map(tuple)),
        st.builds(log.Renamed, at=at, title=words),
        st.builds(log.RuleGranted, at=at, rule=_rules()),
        st.builds(log.RuleRevoked, at=at, rule=st.sampled_from(["always-1.1.0", "always-1.1.1", ""]), actor=words),
        st.builds(log.TurnStarted, at=at, turn=_numbers, text=words, agent=words),
        st.builds(log.TurnStarted, at=at, turn=st.integers(2, 4), text=words, agent=words, after=st.integers(0, 1)),
        st.builds(log.BranchChosen, at=at, turn=_numbers),
        st.builds(log.Rated, at=at, turn=_numbers, rating=st.sampled_from(["good", "bad", ""])),
        st.builds(log.BudgetExtended, at=at, turn=_numbers, calls=st.integers(1, 7)),
        st.builds(
            log.StepStarted,
            at=at,
            turn=_numbers,
            step=_numbers,
            attempt=st.integers(1, 3),
            model=words,
            tools=st.booleans(),
            left_out=st.integers(0, 3),
            shortened=st.integers(0, 3),
        ),
        st.builds(log.TextAdded, at=at, turn=_numbers, step=_numbers, text=words),
        st.builds(log.ThinkingAdded, at=at, turn=_numbers, step=_numbers, text=words),
        st.builds(
            log.Offered, at=at, turn=_numbers, step=_numbers, choices=st.lists(_choices(), max_size=2).map(tuple)
        ),
        st.builds(
            log.StepFinished,
            at=at,
            turn=_numbers,
            step=_numbers,
            reason=words,
            input_tokens=st.integers(0, 9),
            output_tokens=st.integers(0, 9),
            raw=json_values(),
        ),
        st.builds(log.SessionChanged, at=at, turn=_numbers, event=session_events()),
        st.builds(
            log.InvocationStarted,
            at=at,
            key=_keys,
            tool=words,
            tool_kind=st.sampled_from(["operation", "primitive", "local", "handoff"]),
            executor=st.sampled_from(["http", "wallet", "local", "remote"]),
            call_id=words,
            agent=words,
            method=words,
            path=words,
            safe=st.booleans(),
            idempotent=st.booleans(),
            responds=st.booleans(),
            checks=st.booleans(),
            compensates=words,
        ),
        st.builds(log.InvocationChanged, at=at, key=_keys, event=invocation_events()),
    )
