"""The body of a response, received within limits and decompressed here, so that nothing can swell unseen."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bitte_nb.errors import BitteError

if TYPE_CHECKING:
    import httpx

__all__ = ["STILL_OPEN", "Limits", "TooMuch", "receive"]

_EVENTS_SHARE = 0.8
"""Share of the deadline for which a stream of events is read."""
STILL_OPEN = "[cut: the stream was still open when the time for the call was over]"
"""What ends the events of a stream that was not over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a response may cost."""

    deadline: float = 60.0
    """Seconds for the whole call."""
    connect: float = 10.0
    """Seconds for the connection."""
    wire_bytes: int = 10 * 1024 * 1024
    """Bytes of the body as it travels."""
    decoded_bytes: int = 20 * 1024 * 1024
    """Bytes of the body once decompressed."""
    ratio: int = 100
    """Decompressed bytes per byte on the wire, once there is more than a mebibyte of them."""
    depth: int = 200
    """Nesting of JSON."""
    error_characters: int = 4000
    """Characters of an error body that are kept."""


class TooMuch(BitteError):
    """A response that is cut off for what it costs or how it is made; the message is a sentence."""


async def receive(response: httpx.Response, caps: Limits) -> tuple[bytes, bool]:
    """The body, and whether it was cut off.

    Only a stream of events is cut, shortly before the deadline: such streams need not end. Any other body that does not
    end in time is an error.
    """
    out = bytearray()
    if not response.headers.get("content-type", "").lower().startswith("text/event-stream"):
        await _receive(response, caps, out)
        return bytes(out), False
    try:
        async with asyncio.timeout(caps.deadline * _EVENTS_SHARE):
            await _receive(response, caps, out)
    except TimeoutError:
        return bytes(out), True
    return bytes(out), False


async def _receive(response: httpx.Response, caps: Limits, out: bytearray) -> None:
    """Add the body to `out`, decompressed here so that a bomb is stopped while it unfolds."""
    codings = [c.strip().lower() for c in response.headers.get("content-encoding", "").split(",")]
    codings = [coding for coding in codings if coding not in ("", "identity")]
    if len(codings) > 1 or any(coding not in ("gzip", "x-gzip", "deflate") for coding in codings):
        raise TooMuch(f"The response is compressed with {', '.join(codings)}, which was not asked for.")
    unfold = _Unfold(codings[0]) if codings else None
    wire = 0
    async for chunk in response.aiter_raw():
        wire += len(chunk)
        if wire > caps.wire_bytes:
            raise TooMuch(f"The response is larger than {caps.wire_bytes:,} bytes.")
        if unfold is None:
            out += chunk
            continue
        for piece in unfold.feed(chunk):
            out += piece
            if len(out) > caps.decoded_bytes or (len(out) > 1_048_576 and len(out) > caps.ratio * wire):
                raise TooMuch(
                    f"The response unfolds from {wire:,} to more than {len(out):,} bytes, which looks like a bomb."
                )
    if unfold is not None and wire and not unfold.complete:
        raise TooMuch("The response's compression is cut off.")


_MEMBER = b"\x1f\x8b"
"""How a member of a gzip body begins; there may be several (RFC 1952, 2.2)."""


class _Unfold:
    """Decompresses in pieces of bounded size."""

    def __init__(self, coding: str) -> None:
        self._gzip = coding != "deflate"
        self._inflate = self._begun()
        self._first = True
        self._held = b""
        """A byte behind a member, of which the next chunk says whether it begins another."""

    def _begun(self) -> Any:
        return zlib.decompressobj(zlib.MAX_WBITS | 32 if self._gzip else zlib.MAX_WBITS)

    @property
    def complete(self) -> bool:
        """True when the compressed data came to its own end."""
        return self._inflate.eof

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The decompressed pieces of a chunk, each of bounded size."""
        data, self._held = self._held + chunk, b""
        while data:
            if self._inflate.eof:
                if not self._gzip or not data.startswith(_MEMBER[: len(data)]):
                    return  # Padding.
                if len(data) < len(_MEMBER):
                    self._held = data
                    return
                self._inflate = self._begun()
            try:
                piece = self._inflate.decompress(data, 262_144)
            except zlib.error as fault:
                if not (self._first and not self._gzip):
                    raise TooMuch("The response's compression is broken.") from fault
                # Some servers send raw deflate without the zlib header that the name means.
                self._inflate = zlib.decompressobj(-zlib.MAX_WBITS)
                self._first = False
                continue
            self._first = False
            if piece:
                yield piece
            data = self._inflate.unused_data if self._inflate.eof else self._inflate.unconsumed_tail
