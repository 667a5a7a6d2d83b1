"""What goes wrong between an agent and its model, by name: each fault damages one good streamed reply.

    good = [*text("Hello ", "world"), *finish()]
    server.answer(FAULTS["drop-at-token"].reply(good))

`outcome` says what a resilient client makes of it: `same` (nobody notices), `retried` (another attempt, nothing of the
broken one runs or stays), `failed` (a sentence at once), `call` (the answer is fine, its calls need care).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from email.utils import formatdate
from typing import Literal

from bitte_nb.demo.faults import Answer, Hold, Reset, Wait, call_args, call_start, chunk, done, finish, split, status

__all__ = ["FAULTS", "Damage", "drop", "pause", "plain"]

Good = Sequence[bytes]
"""The events of a good reply, the finish reason and the end marker last."""


@dataclass(frozen=True, slots=True)
class Damage:
    """One kind of damage."""

    what: str
    """A sentence about what the endpoint does."""
    outcome: Literal["same", "retried", "failed", "call"]
    reply: Callable[[Good], Answer]


def plain(good: Good) -> Answer:
    """The reply as it is."""
    return Answer(tuple(good))


def drop(good: Good, after: int) -> Answer:
    """The connection breaks after that many events."""
    return Answer(tuple(good[:after]), cut=True)


def pause(good: Good, after: int, seconds: float) -> Answer:
    """Nothing comes for `seconds` after that many events, then the rest."""
    return Answer((*good[:after], Wait(seconds), *good[after:]))


def _half(good: Good) -> Answer:
    last = good[len(good) // 2]
    return Answer((*good[: len(good) // 2], last[: len(last) // 2]))


def _joined(good: Good) -> bytes:
    return b"".join(good)


def _calls(*pieces: bytes) -> Answer:
    return Answer((*pieces, *finish("tool_calls")))


def _page(_good: Good) -> Answer:
    return Answer((b"<html><body>Sign in to the network</body></html>",), headers=(("Content-Type", "text/html"),))


def _error_event(good: Good) -> Answer:
    said = json.dumps({"error": {"message": "The engine is overloaded.", "type": "server_error", "code": 503}})
    return Answer((*good[:1], b"data: " + said.encode() + b"\n\n"))


def _nameless(args: str) -> bytes:
    return chunk({"tool_calls": [{"index": 0, "function": {"arguments": args}}]})


FAULTS: dict[str, Damage] = {
    "drop-at-first-token": Damage("The connection breaks before any word.", "retried", lambda good: drop(good, 0)),
    "drop-at-token": Damage("The connection breaks after the first word.", "retried", lambda good: drop(good, 1)),
    "drop-before-end": Damage(
        "The connection breaks just before the end.", "retried", lambda good: drop(good, len(good) - 2)
    ),
    "reset": Damage(
        "The connection is reset after the first word.",
        "retried",
        lambda good: Answer((*good[:1], Wait(0.05), Reset())),
    ),
    "refused": Damage("The connection is closed without an answer.", "retried", lambda _: Answer((), raw=True)),
    "not-http": Damage(
        "What comes is no HTTP.", "retried", lambda _: Answer((b"\x00\xff\x13garbage\r\n\r\n",), raw=True)
    ),
    "truncated": Damage(
        "The answer ends without its finish reason and end marker.", "retried", lambda good: plain(good[:-2])
    ),
    "half-an-event": Damage("The answer ends in the middle of an event.", "retried", _half),
    "garbage": Damage(
        "An event in the middle is no JSON.",
        "retried",
        lambda good: Answer((*good[:1], b"data: {\xff}\n\n", *good[1:])),
    ),
    "sign-in-page": Damage("A proxy answers with a page of its own.", "retried", _page),
    "error-event": Damage("The answer breaks off with an error inside the stream.", "retried", _error_event),
    "no-finish-reason": Damage(
        "The answer ends with its marker, but never says why it ended.",
        "retried",
        lambda good: Answer((*good[:-2], done())),
    ),
    "slow-connect": Damage(
        "Nothing is answered for six seconds.", "retried", lambda good: Answer(tuple(good), wait=6.0)
    ),
    "silence": Damage("Nothing more is said after a word.", "retried", lambda good: Answer((*good[:1], Hold()))),
    "too-many-requests": Damage(
        "HTTP 429, come back in a second.", "retried", lambda _: status(429, "Slow down.", retry_after="1")
    ),
    "too-many-requests-date": Damage(
        "HTTP 429, come back at a time of day.",
        "retried",
        lambda _: status(429, "Slow down.", retry_after=formatdate(usegmt=True)),
    ),
    "server-error": Damage("HTTP 500.", "retried", lambda _: status(500, "Internal error.")),
    "unavailable": Damage("HTTP 503.", "retried", lambda _: status(503, "Try later.")),
    "wrong-key": Damage("HTTP 401.", "failed", lambda _: status(401, "Incorrect API key.")),
    "too-long": Damage("HTTP 400, the chat is too long.", "failed", lambda _: status(400, "Too many tokens.")),
    "length": Damage(
        "The answer stops at its length limit.", "failed", lambda good: Answer((*good[:-2], *finish("length")))
    ),
    "long-pause": Damage("Nothing comes for two seconds, then the rest.", "same", lambda good: pause(good, 1, 2.0)),
    "keep-alive": Damage(
        "Comments keep the connection alive.",
        "same",
        lambda good: Answer(tuple(piece for one in good for piece in (b": keep-alive\n\n", one))),
    ),
    "single-bytes": Damage("Every byte comes by itself.", "same", lambda good: Answer(tuple(split(good, 1)))),
    "crlf": Damage("Lines end in CR LF.", "same", lambda good: Answer((_joined(good).replace(b"\n", b"\r\n"),))),
    "no-final-newline": Damage(
        "The last line has no line break.", "same", lambda good: Answer((_joined(good).rstrip(),))
    ),
    "one-piece": Damage("The whole answer comes at once.", "same", lambda good: Answer((_joined(good),))),
    "interleaved-calls": Damage(
        "The arguments of two calls come in turns.",
        "call",
        lambda _: _calls(
            call_start(0, "a", "create-share-link"),
            call_start(1, "b", "create-share-link"),
            call_args(1, '{"text"'),
            call_args(0, '{"text": "0'),
            call_args(1, ': "1"}'),
            call_args(0, '"}'),
        ),
    ),
    "repeated-call": Damage(
        "The start of a call is sent twice.",
        "call",
        lambda _: _calls(
            call_start(0, "a", "create-share-link"),
            call_start(0, "a", "create-share-link"),
            call_args(0, '{"text": "0"}'),
        ),
    ),
    "reused-id": Damage(
        "Two calls have the same id.",
        "call",
        lambda _: _calls(
            call_start(0, "a", "create-share-link", '{"text": "0"}'),
            call_start(1, "a", "create-share-link", '{"text": "1"}'),
        ),
    ),
    "missing-id": Damage(
        "A call has no id.", "call", lambda _: _calls(call_start(0, None, "create-share-link", '{"text": "0"}'))
    ),
    "missing-index": Damage(
        "Calls have no index.",
        "call",
        lambda _: _calls(
            call_start(None, "a", "create-share-link", '{"text": "0"}'),
            call_start(None, "b", "create-share-link", '{"text": "1"}'),
        ),
    ),
    "sparse-index": Damage(
        "Indexes begin anywhere.",
        "call",
        lambda _: _calls(
            call_start(7, "a", "create-share-link", '{"text": "0"}'),
            call_start(3, "b", "create-share-link", '{"text": "1"}'),
        ),
    ),
    "glued-arguments": Damage(
        "Two argument objects come as one text.",
        "call",
        lambda _: _calls(call_start(0, "a", "create-share-link", '{"text": "0"}{"text": "1"}')),
    ),
    "cut-arguments": Damage(
        "The arguments are not whole.", "call", lambda _: _calls(call_start(0, "a", "create-share-link", '{"text": "0'))
    ),
    "empty-arguments": Damage(
        "The arguments are an empty text.",
        "call",
        lambda _: _calls(call_start(0, "a", "create-share-link"), _nameless("")),
    ),
    "no-arguments": Damage("The arguments are left out.", "call", lambda _: _calls(call_start(0, "a", "get-user"))),
    "unknown-tool": Damage(
        "A tool is called that was never offered.", "call", lambda _: _calls(call_start(0, "a", "format-disk", "{}"))
    ),
}
"""Every fault by its name."""
