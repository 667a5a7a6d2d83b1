"""What went over the wire: a request that was sent, once, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from bitte_nb.core.card_text import printable
from bitte_nb.core.result import ToolError, ToolResult
from bitte_nb.spec.media import charset_of, codec_of

if TYPE_CHECKING:
    import httpx

__all__ = ["HIDDEN", "Exchange", "Sent", "body_lines"]

Sent = Literal["no", "yes", "unknown"]
HIDDEN = "•••"
"""What stands in a text for a secret."""
_SHOWN = 4000
"""Characters of a body that are printed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A request, its answer, and what a model reads of it; printed, it is both messages, without a secret."""

    request: httpx.Request
    """As it was made, without the credentials that were added while sending."""
    result: ToolResult
    sent: Sent
    """`no`: surely not one byte left; `yes`: the server answered; `unknown`: it may have been received and acted on."""
    status: int | None = None
    """HTTP status, where there was one."""
    reason: str = ""
    """The words beside the status."""
    headers: tuple[tuple[str, str], ...] = ()
    """Of the answer, names in small letters; secrets of the document and values of cookies are hidden."""
    body: bytes = b""
    """Of the answer, decompressed, secrets of the document hidden; empty where it was not received in full."""
    elapsed_ms: int = 0
    retry_after: float | None = None
    """Seconds that the server asked to wait (RFC 9110, 10.2.3), where it did so in seconds."""

    def __str__(self) -> str:
        from bitte_nb.spec.shown_request import ShownRequest

        request = self.request
        parts = [request.text(sent=True) if isinstance(request, ShownRequest) else f"{request.method} {request.url}"]
        if self.status is not None:
            head = f"{self.status} {self.reason}".strip()
            parts.append("\n".join(map(printable, [f"{head} ({self.elapsed_ms:,} ms)", *map(": ".join, self.headers)])))
        if self.body:
            parts.append("\n".join(body_lines(self.body, dict(self.headers).get("content-type", ""))))
        if isinstance(self.result, ToolError) and (self.status is None or self.status < 400):
            parts.append(printable(self.result.error))
        return "\n\n".join(parts)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """How a cell shows it; see IPython.lib.pretty."""
        del cycle
        printer.text(str(self))


def body_lines(body: bytes, media: str, *, most: int | None = _SHOWN) -> list[str]:
    """A body as lines that may be printed, cut with a marker; bytes that are no text are counted."""
    try:
        text = body.decode(codec_of(charset_of(media) or "utf-8") or "utf-8")
    except UnicodeError:
        return [f"({len(body):,} bytes that are not text)"]
    if "\0" in text:
        return [f"({len(body):,} bytes that are not text)"]
    left = len(text) - most if most is not None else 0
    more = [f"[cut: {left:,} more characters]"] if left > 0 else []
    return [*map(printable, text[:most].splitlines()), *more]
