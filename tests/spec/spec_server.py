"""A real loopback HTTP server that answers with exact bytes, at the pace that a test wants."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

Answer = Callable[["Asked", asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Asked:
    """One request as it arrived."""

    line: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Server:
    """Where it listens and what it was asked."""

    url: str
    asked: list[Asked] = field(default_factory=list)
    closed: asyncio.Event = field(default_factory=asyncio.Event)


async def _read(reader: asyncio.StreamReader) -> Asked | None:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    length = int(headers.get("content-length", "0"))
    return Asked(first, headers, await reader.readexactly(length) if length else b"")


@asynccontextmanager
async def serving(answer: Answer) -> AsyncIterator[Server]:
    """A server for one test; `answer` gets each request and the connection to write to."""
    server = Server("")

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            asked = await _read(reader)
            assert asked is not None
            server.asked.append(asked)
            task = asyncio.ensure_future(answer(asked, writer))
            gone = asyncio.ensure_future(reader.read(1))
            await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
            if gone.done() and not task.done():
                server.closed.set()
            for job in (task, gone):
                job.cancel()
            await asyncio.gather(task, gone, return_exceptions=True)
        except (OSError, asyncio.IncompleteReadError):
            server.closed.set()
        finally:
            writer.close()

    listener = await asyncio.start_server(handle, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    try:
        yield server
    finally:
        listener.close()


def reply(body: bytes = b"", *, status: str = "200 OK", headers: dict[str, str] | None = None) -> Answer:
    """Answer every request with these bytes."""

    async def answer(_asked: Asked, writer: asyncio.StreamWriter) -> None:
        lines = {"Content-Length": str(len(body)), "Connection": "close", **(headers or {})}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        writer.write(f"HTTP/1.1 {status}\r\n{head}\r\n".encode("latin-1") + body)
        await writer.drain()

    return answer


def drip(
    pieces: list[bytes], *, pause: float, head: bytes = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
) -> Answer:
    """Answer slowly: the head at once, then a piece every `pause` seconds."""

    async def answer(_asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        for piece in pieces:
            await writer.drain()
            await asyncio.sleep(pause)
            writer.write(piece)

    return answer
