"""Repairs one fault of streaming endpoints: a last event without its blank line, which readers of SSE drop in silence.

The standard discards what follows the last blank line, so that half an event never counts; but servers do end after a
whole `data:` line. Such a line, and only such a line, gets the blank line that it lacks.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

from httpx2 import AsyncByteStream, Response

__all__ = ["complete_last_event"]


async def complete_last_event(response: Response) -> None:
    """A response hook of the HTTP client: wrap the body of an uncompressed event stream."""
    kind = response.headers.get("content-type", "")
    stream = response.stream
    plain = kind.startswith("text/event-stream") and "content-encoding" not in response.headers
    if plain and isinstance(stream, AsyncByteStream):
        response.stream = _Completed(stream)


class _Completed(AsyncByteStream):
    def __init__(self, stream: AsyncByteStream) -> None:
        self._stream = stream
        self._ended = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._ended:  # a reader that stops at the end marker drains what is left, and nothing is
            return
        line: list[bytes] = []
        async for piece in self._stream:
            yield piece
            words = piece.rstrip(b"\r\n")
            start = max(words.rfind(b"\n"), words.rfind(b"\r")) + 1
            begins = bool(words) and (start > 0 or not line or line[-1].endswith((b"\n", b"\r")))
            if begins:
                line = [piece[start:]]
            else:
                line.append(piece)
        self._ended = True
        if _is_whole_event(b"".join(line)):
            yield b"\n\n"

    async def aclose(self) -> None:
        await self._stream.aclose()


def _is_whole_event(line: bytes) -> bool:
    if not line.startswith(b"data:"):
        return False
    data = line.removeprefix(b"data:").strip()
    if data == b"[DONE]":
        return True
    try:
        json.loads(data)
    except ValueError:
        return False
    return True
