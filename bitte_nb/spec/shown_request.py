"""The request of a call, which prints as what will be sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx

from bitte_nb.core.card_text import printable
from bitte_nb.errors import RequestRefused
from bitte_nb.spec.guard import check_target, origin_of

if TYPE_CHECKING:
    from bitte_nb.spec.credentials import Dispatch

__all__ = ["ShownRequest", "finished"]

_HIDDEN = "•••"
_SECRET = frozenset({"authorization", "proxy-authorization"})
_SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE", "QUERY"})
_FRAMED = frozenset({"POST", "PUT", "PATCH"})
"""Methods whose request says that it has no body, where it has none (RFC 9110, 8.6)."""


class ShownRequest(httpx.Request):
    """An `httpx.Request` whose text is its method, URL, headers and body, without a credential.

    What is only known while sending is said in words: the value of a credential, the `Idempotency-Key` and, where no
    wallet was given, `mb-metadata`.
    """

    def __str__(self) -> str:
        dispatch: Dispatch | None = self.extensions.get("bitte_nb")
        lines = [f"{self.method} {self.url}"]
        for name, value in self.headers.multi_items():
            lines.append(f"{name}: {_HIDDEN if name.lower() in _SECRET else value}")
        if "mb-metadata" not in self.headers:
            lines.append("mb-metadata: (made of the wallet when an agent calls it; give wallet=... to see it)")
        if self.method not in _SAFE and "idempotency-key" not in self.headers:
            lines.append("idempotency-key: (made when an agent sends it, another for each call)")
        if dispatch is not None:
            schemes = dispatch.credentials.chosen(dispatch.security, origin_of(str(self.url))) or []
            lines += [f"credential {name}: {_HIDDEN} (added while sending)" for name in schemes]
        if self.content:
            lines += ["", *self._body()]
        text = "\n".join(map(printable, lines))
        return dispatch.credentials.redact(text) if dispatch is not None else text

    def _body(self) -> list[str]:
        try:
            return self.content.decode().splitlines()
        except UnicodeDecodeError:
            return [f"({len(self.content):,} bytes that are not text)"]

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """How a cell shows it; see IPython.lib.pretty."""
        del cycle
        printer.text(str(self))


def finished(method: str, url: str, server: str, headers: list[tuple[str, str]], content: bytes | None) -> ShownRequest:
    """A request whose target is held against its server, as it is written and as it will be sent.

    Raises RequestRefused where it would go elsewhere, and for a URL that is none.
    """
    check_target(url, server)
    try:
        target = httpx.URL(url)
    except httpx.InvalidURL as fault:
        raise RequestRefused(f"The request's URL is not valid: {fault}.") from fault
    if (written := str(target)) != url:
        check_target(written, server)
    # Given a stream, httpx adds no header: to look for what is missing costs it as much as the URL does.
    given = {name.lower() for name, _ in headers}
    host = [] if "host" in given else [("Host", target.netloc.decode("ascii"))]
    framed = "content-length" not in given and (content or method in _FRAMED)
    length = [("Content-Length", str(len(content or b"")))] if framed else []
    request = ShownRequest(method, target, headers=[*host, *headers, *length], stream=httpx.ByteStream(content or b""))
    request.read()
    return request
