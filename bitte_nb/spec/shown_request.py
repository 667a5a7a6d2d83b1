"""The request of a call, which prints as what will be sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx

from bitte_nb.core.card_text import printable
from bitte_nb.errors import RequestRefused
from bitte_nb.spec.exchange import HIDDEN, body_lines
from bitte_nb.spec.guard import check_target
from bitte_nb.spec.index import SAFE_METHODS

if TYPE_CHECKING:
    from bitte_nb.spec.credentials import Dispatch, Wanted
    from bitte_nb.spec.exchange import Exchange
    from bitte_nb.spec.receive import Limits

__all__ = ["ShownRequest", "finished"]

_SECRET = frozenset({"authorization", "proxy-authorization"})
_FRAMED = frozenset({"POST", "PUT", "PATCH"})
"""Methods whose request says that it has no body, where it has none (RFC 9110, 8.6)."""


class ShownRequest(httpx.Request):
    """An `httpx.Request` whose text is its method, URL, headers and body, without a credential."""

    def __str__(self) -> str:
        return self.text()

    def text(self, *, sent: bool = False) -> str:
        """Method and URL, headers and body; what is only known while sending is said in words, unless it was `sent`."""
        dispatch = self._dispatch
        lines = [f"{self.method} {self.url}"]
        for name, value in self.headers.multi_items():
            lines.append(f"{name}: {HIDDEN if name.lower() in _SECRET else value}")
        if not sent and "mb-metadata" not in self.headers:
            lines.append("mb-metadata: (made of the wallet when an agent calls it; give wallet=... to see it)")
        if not sent and self.method not in SAFE_METHODS and "idempotency-key" not in self.headers:
            lines.append("idempotency-key: (made when an agent sends it, another for each call)")
        wanted = dispatch.wanted(str(self.url)) if dispatch is not None else []
        lines += [_credential(one) for one in wanted if one.given or not sent]
        text = "\n".join(map(printable, lines))
        if self.content:
            text = "\n".join([text, "", *body_lines(self.content, self.headers.get("content-type", ""), most=None)])
        return dispatch.credentials.redact(text) if dispatch is not None else text

    @property
    def _dispatch(self) -> Dispatch | None:
        return self.extensions.get("bitte_nb")

    def curl(self) -> str:
        """The same as a command for bash; `$KEY` stands for the credential of a scheme called `key`.

        Without the headers that only an agent's call has: `mb-metadata` (unless a wallet was given) and, for methods
        that are not safe, `idempotency-key`.
        """
        from bitte_nb.spec.curl import curl

        return curl(self, self._dispatch)

    async def send(self, *, client: httpx.AsyncClient | None = None, limits: Limits | None = None) -> Exchange:
        """Send it, once, and say what came of it: what a model reads, and the answer's status, headers and body.

        No fault of network or HTTP is raised. Redirects are not followed.
        """
        from bitte_nb.spec.response import perform

        return await perform(self, client=client, limits=limits)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """How a cell shows it; see IPython.lib.pretty."""
        del cycle
        printer.text(str(self))


def _credential(one: Wanted) -> str:
    """The line of a credential, in the form of the place where it will stand."""
    place = one.place
    begin = {"query": f"?{place.name}=", "cookie": f"cookie: {place.name}="}.get(
        place.location, f"{place.name.lower()}: "
    )
    if one.given:
        return f"{begin}{place.prefix}{HIDDEN} (credential {one.scheme}, added while sending)"
    return f"{begin}{place.prefix}(needed: give the credential {one.scheme} with document.authorize)"


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
    request.method = method  # httpx writes it in capitals, but methods are told apart by case (RFC 9110, 9.1).
    request.read()
    return request
