"""A real local endpoint that speaks OpenAI chat completions over SSE and fails as it is told, request by request.

    with FaultServer() as server:
        server.reply(*text("Hello"), *finish("stop"))
        server.answer(status(429, retry_after="1"))
        chat = bn.Chat(bn.Agent(document, model=f"{server.url}#any-name"))

A reply is a list of byte strings and controls: what is in it goes out as it is, so any damage can be played.
`damage.py` has the usual kinds by name.
"""

from __future__ import annotations

import json
import queue
import select
import socket
import struct
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

__all__ = [
    "Answer",
    "FaultServer",
    "Hold",
    "Piece",
    "Reset",
    "Seen",
    "Wait",
    "call_args",
    "call_start",
    "chunk",
    "done",
    "finish",
    "split",
    "status",
    "text",
]


@dataclass(frozen=True)
class Wait:
    """Send nothing for `seconds`; a client that hangs up ends it."""

    seconds: float


@dataclass(frozen=True)
class Hold:
    """Send nothing until the client hangs up, 20 seconds at most."""


@dataclass(frozen=True)
class Reset:
    """Break the connection off at once (TCP RST), without its proper end."""


Piece = bytes | Wait | Hold | Reset
"""What a reply is made of."""


@dataclass(frozen=True)
class Answer:
    """A status line, headers and body pieces."""

    pieces: tuple[Piece, ...]
    code: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/event-stream"),)
    cut: bool = False
    """End in the middle of a chunk of the transfer coding, as a broken connection does; else the body just ends."""
    wait: float = 0.0
    """Seconds before the status line."""
    raw: bool = False
    """Send the pieces only: what comes is no HTTP at all, or nothing."""


@dataclass
class Seen:
    """A request as it came in."""

    path: str
    headers: dict[str, str]
    body: Any
    hung_up: float | None = None
    """When the client closed before the reply was whole (`time.monotonic`)."""
    finished: threading.Event = field(default_factory=threading.Event)


def chunk(delta: dict[str, Any], *, reason: str | None = None, newline: bytes = b"\n\n", **more: Any) -> bytes:
    """One SSE event with one choice."""
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "test-model"}
    return b"data: " + json.dumps({**head, "choices": [choice], **more}, ensure_ascii=False).encode() + newline


def text(*words: str) -> list[bytes]:
    """Text deltas."""
    return [chunk({"role": "assistant", "content": word}) for word in words]


def call_start(index: int | None, call_id: str | None, name: str, args: str = "") -> bytes:
    """The first delta of a tool call."""
    call: dict[str, Any] = {"type": "function", "function": {"name": name, "arguments": args}}
    call |= {"index": index} if index is not None else {}
    call |= {"id": call_id} if call_id is not None else {}
    return chunk({"tool_calls": [call]})


def call_args(index: int, args: str) -> bytes:
    """More of a tool call's arguments."""
    return chunk({"tool_calls": [{"index": index, "function": {"arguments": args}}]})


def finish(reason: str | None = "stop", *, usage: tuple[int, int] | None = (11, 7)) -> list[bytes]:
    """The finish reason, the usage and the end marker."""
    counted: dict[str, Any] = (
        {"usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}}
        if usage
        else {}
    )
    return [chunk({}, reason=reason, **counted), done()]


def done() -> bytes:
    """The marker that ends a stream."""
    return b"data: [DONE]\n\n"


def status(code: int, message: str = "refused", *, retry_after: str | None = None, error_code: str = "") -> Answer:
    """An HTTP error with an OpenAI error body; `retry_after` is the header (RFC 9110): seconds or a date."""
    headers = (("Content-Type", "application/json"), *((("Retry-After", retry_after),) if retry_after else ()))
    return Answer(
        (json.dumps({"error": {"message": message, "type": "error", "code": error_code or None}}).encode(),),
        code,
        headers,
    )


def split(pieces: Iterable[bytes], size: int) -> list[Piece]:
    """The same bytes in pieces of `size`, each sent by itself."""
    whole = b"".join(pieces)
    return [whole[at : at + size] for at in range(0, len(whole), size)]


class FaultServer:
    """The server; it listens on a free port of 127.0.0.1 while its `with` block runs."""

    def __init__(self) -> None:
        self._replies: queue.Queue[Answer] = queue.Queue()
        self.requests: list[Seen] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.settimeout(0.1)
        self._port: int = self._socket.getsockname()[1]
        self._open = True
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @property
    def url(self) -> str:
        """The base URL, ending in /v1."""
        return f"http://127.0.0.1:{self._port}/v1"

    def reply(self, *pieces: Piece, cut: bool = False) -> None:
        """Queue a streamed reply."""
        self._replies.put(Answer(pieces, cut=cut))

    def answer(self, answer: Answer) -> None:
        """Queue any reply."""
        self._replies.put(answer)

    def __enter__(self) -> FaultServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open = False
        self._socket.close()
        self._thread.join(timeout=2)

    def _serve(self) -> None:
        while self._open:
            try:
                client, _ = self._socket.accept()
            except TimeoutError:
                continue
            except OSError:
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._talk, args=(client,), daemon=True).start()

    def _talk(self, client: socket.socket) -> None:
        with client:
            try:
                seen = _read(client)
            except (OSError, ValueError):
                return
            self.requests.append(seen)
            try:
                self._send(client, self._replies.get(timeout=5), seen)
            except queue.Empty:
                client.sendall(b"HTTP/1.1 500 No reply scripted\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            except OSError:
                seen.hung_up = seen.hung_up or time.monotonic()
            seen.finished.set()

    def _send(self, client: socket.socket, answer: Answer, seen: Seen) -> None:
        if answer.wait and _hangs_up(client, answer.wait):
            seen.hung_up = time.monotonic()
            return
        headers = "".join(f"{name}: {value}\r\n" for name, value in answer.headers)
        coding = "Transfer-Encoding: chunked\r\n" if answer.cut else ""
        if not answer.raw:
            client.sendall(f"HTTP/1.1 {answer.code} Scripted\r\n{headers}{coding}Connection: close\r\n\r\n".encode())
        for piece in answer.pieces:
            match piece:
                case bytes():
                    client.sendall(b"%x\r\n%s\r\n" % (len(piece), piece) if answer.cut else piece)
                case Reset():
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    return
                case Wait() | Hold():
                    if _hangs_up(client, piece.seconds if isinstance(piece, Wait) else 20.0):
                        seen.hung_up = time.monotonic()
                        return


def _hangs_up(client: socket.socket, seconds: float) -> bool:
    """Whether the client closes within that time."""
    return bool(select.select([client], [], [], seconds)[0]) and not client.recv(1)


def _read(client: socket.socket) -> Seen:
    client.settimeout(5)
    data = b""
    while b"\r\n\r\n" not in data:
        more = client.recv(65536)
        if not more:
            raise ValueError("no request")
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    while len(body) < int(headers.get("content-length", "0")):
        body += client.recv(65536)
    client.settimeout(None)
    return Seen(lines[0].split(" ")[1], headers, json.loads(body) if body else None)
