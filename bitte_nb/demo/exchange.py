"""What passes between HTTP and the operations: a request split by location, a reply, and what is remembered."""

from __future__ import annotations

import hashlib
import json
import random
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bitte_nb.demo.reading import Refusal

__all__ = ["Ask", "Operation", "Reply", "State", "answer"]

KEYS_KEPT = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One request, already split by location; every value is text except those of a JSON body."""

    path: Mapping[str, str] = field(default_factory=dict[str, str])
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    body: Mapping[str, Any] = field(default_factory=dict[str, Any])
    wallet: Mapping[str, Any] | None = None
    """The `mb-metadata` header as an object, or None where the request carried none."""
    idempotency_key: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP status and the JSON body that goes with it."""

    status: int
    body: dict[str, Any]
    replayed: bool = False
    """True where an Idempotency-Key was seen before, so that nothing was done this time."""


@dataclass(slots=True)
class State:
    """All that a running agent remembers; it ends with the process."""

    coin: random.Random
    notes: OrderedDict[str, str] = field(default_factory=OrderedDict[str, str])
    usernames: set[str] = field(default_factory=lambda: {"admin", "alice", "bob", "root"})
    requests: dict[str, int] = field(default_factory=dict[str, int])
    effects: dict[str, int] = field(default_factory=dict[str, int])
    replays: int = 0
    abandoned: int = 0
    """Slow reports whose caller hung up before they were ready."""
    answered: OrderedDict[tuple[str, str], tuple[str, Reply]] = field(
        default_factory=OrderedDict[tuple[str, str], tuple[str, Reply]]
    )
    """What was answered under each (operation, Idempotency-Key), with the fingerprint of the request."""
    last_note: int = 0

    def count_request(self, operation_id: str) -> None:
        """Record that an operation was asked for, whatever comes of it."""
        self.requests[operation_id] = self.requests.get(operation_id, 0) + 1

    def count_effect(self, operation_id: str) -> None:
        """Record that an operation changed something."""
        self.effects[operation_id] = self.effects.get(operation_id, 0) + 1


@dataclass(frozen=True, slots=True)
class Operation:
    """One row of the agent: how it is asked for, which arguments it knows, and the function that answers."""

    id: str
    method: str
    path: str
    run: Callable[[State, Ask], Awaitable[Reply]]
    query: tuple[str, ...] = ()
    body: tuple[str, ...] = ()


async def answer(state: State, operation: Operation, ask: Ask) -> Reply:
    """Answer one request: unknown arguments are refused, a repeated Idempotency-Key does nothing a second time.

    Raises:
        Refusal: the request cannot be answered; it carries the status and the sentence.
    """
    _refuse_unknown(operation, "query parameter", ask.query, operation.query)
    _refuse_unknown(operation, "body field", ask.body, operation.body)
    if operation.method == "GET" or not ask.idempotency_key:
        return await operation.run(state, ask)
    place = (operation.id, ask.idempotency_key)
    fingerprint = hashlib.sha256(json.dumps([dict(ask.path), dict(ask.body)], sort_keys=True).encode()).hexdigest()
    if place in state.answered:
        first, reply = state.answered[place]
        if first != fingerprint:
            raise Refusal(
                422,
                f"This Idempotency-Key was used for another {operation.id} request. Send a new key with a new request.",
            )
        state.replays += 1
        return Reply(reply.status, reply.body, replayed=True)
    reply = await operation.run(state, ask)
    state.answered[place] = (fingerprint, reply)
    while len(state.answered) > KEYS_KEPT:
        state.answered.popitem(last=False)
    return reply


def _refuse_unknown(operation: Operation, kind: str, given: Mapping[str, Any], known: tuple[str, ...]) -> None:
    unknown = sorted(given.keys() - set(known))
    if unknown:
        takes = f"it takes {', '.join(known)}" if known else "it takes none"
        raise Refusal(400, f"{operation.id} has no {kind} {unknown[0]!r}: {takes}.")
