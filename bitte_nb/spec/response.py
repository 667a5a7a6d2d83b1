"""Sending one exact request and reading its response: capped, on a deadline, never following redirects.

A response or fault becomes exactly one of `{data}` and `{error}`; whether the request may have left is said beside it.
"""

from __future__ import annotations

import asyncio
import re
import ssl
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from bitte_nb.core.result import ToolData, ToolError, ToolResult
from bitte_nb.errors import BitteError
from bitte_nb.spec.altered import altered
from bitte_nb.spec.content import Unreadable, read_content
from bitte_nb.spec.credentials import Dispatch
from bitte_nb.spec.exchange import HIDDEN, Exchange, Sent
from bitte_nb.spec.guard import origin_of
from bitte_nb.spec.quiet import redacted_logs
from bitte_nb.spec.receive import STILL_OPEN, Limits, receive

if TYPE_CHECKING:
    import httpx

__all__ = ["Exchange", "Limits", "perform", "send"]


_SECRET = re.compile(r"set-cookie2?\Z|(?:.*-)?(?:api-?key|authorization|secret|session|token)(?:-.*)?\Z")
"""Names of headers by which an answer gives a secret, such as `x-auth-token`."""


async def send(
    request: httpx.Request,
    *,
    client: httpx.AsyncClient | None = None,
    limits: Limits | None = None,
    on_sent: Callable[[], None] | None = None,
) -> ToolResult:
    """Send a request and read its response; faults of network and HTTP become error sentences."""
    return (await perform(request, client=client, limits=limits, on_sent=on_sent)).result


async def perform(
    request: httpx.Request,
    *,
    client: httpx.AsyncClient | None = None,
    limits: Limits | None = None,
    on_sent: Callable[[], None] | None = None,
) -> Exchange:
    """Send a request once and say what came of it.

    `on_sent` is called right before the first byte may leave. Cancelling the task closes the connection at once.
    Nothing is sent again, whatever happens.
    """
    import httpx

    caps = limits or Limits()
    begun = time.monotonic()
    progress = _Progress(on_sent)
    never_left = False
    dispatch = request.extensions.get("bitte_nb")
    try:
        async with asyncio.timeout(caps.deadline):
            if isinstance(dispatch, Dispatch) and dispatch.security:
                with redacted_logs(dispatch.credentials):
                    dispatch = await dispatch.ready(origin_of(str(request.url)))
            with redacted_logs(dispatch.credentials if isinstance(dispatch, Dispatch) else None):
                final = await _final(request, dispatch, caps, progress)
                progress.ready = True
                if client is not None:
                    result = await _received(client, final, caps, dispatch, progress)
                else:
                    async with _client(final, caps) as own:
                        result = await _received(own, final, caps, dispatch, progress)
    except BitteError as fault:
        result, never_left = _error(str(fault), dispatch), True
    except TimeoutError:
        result = ToolError(error=f"The server did not finish its answer within {caps.deadline:g} seconds.")
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, ssl.SSLError) as fault:
        result, never_left = _error(_network_sentence(fault, request), dispatch), _never_left(fault)
    response = progress.response
    elapsed = round((time.monotonic() - begun) * 1000)
    if response is None:
        return Exchange(request=request, result=result, sent="no" if never_left else progress.sent, elapsed_ms=elapsed)
    return Exchange(
        request=request,
        result=result,
        sent="yes",
        status=response.status_code,
        reason=response.reason_phrase,
        headers=tuple(_shown_headers(response, dispatch)),
        body=progress.body,
        elapsed_ms=elapsed,
        retry_after=_retry_after(response),
    )


def _shown_headers(response: httpx.Response, dispatch: object) -> Iterator[tuple[str, str]]:
    for name, value in response.headers.multi_items():
        known = dispatch.credentials.redact(value) if isinstance(dispatch, Dispatch) else value
        yield name, HIDDEN if _SECRET.match(name) else known


class _Progress:
    """Follows how far a request got, by the transport's own trace, and what came back."""

    def __init__(self, on_sent: Callable[[], None] | None) -> None:
        self._on_sent = on_sent
        self.ready = False
        """Whether the request was handed to the transport; before, a token is asked for and a name looked up."""
        self.response: httpx.Response | None = None
        """The answer, as soon as its head is here."""
        self.body = b""
        """Its body, once it was received in full."""
        self._traced = False
        self._left = False

    @property
    def sent(self) -> Sent:
        return "unknown" if self._left or (self.ready and not self._traced) else "no"

    async def trace(self, name: str, _info: dict[str, Any]) -> None:
        self._traced = True
        if not self._left and name.endswith("send_request_headers.started"):
            self.leave()

    def leave(self) -> None:
        self._left = True
        if self._on_sent is not None:
            self._on_sent()


def _never_left(fault: Exception) -> bool:
    import httpx

    kinds = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol, httpx.InvalidURL)
    return isinstance(fault, (*kinds, httpx.LocalProtocolError, httpx.ProxyError))


async def _final(request: httpx.Request, dispatch: object, caps: Limits, progress: _Progress) -> httpx.Request:
    """The request with its credentials, pinned to a checked address where its target must be public."""
    final = request
    if isinstance(dispatch, Dispatch):
        if dispatch.security:
            final = dispatch.credentials.apply(request, dispatch.security)
        if dispatch.public_only:
            from bitte_nb.spec.network import pin

            final = await pin(final, seconds=caps.connect)
    extensions: dict[str, Any] = {
        **final.extensions,
        "trace": progress.trace,
        "timeout": {"connect": caps.connect, "read": caps.deadline, "write": caps.deadline, "pool": caps.connect},
    }
    return altered(final, extensions=extensions)


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    import httpx

    return httpx.create_ssl_context()


@lru_cache(maxsize=1)
def _no_tls() -> ssl.SSLContext:
    """A context for plain http, which never uses it: without one, httpx makes one for every client."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _client(request: httpx.Request, caps: Limits) -> httpx.AsyncClient:
    import httpx

    local = request.url.host in ("localhost", "::1") or request.url.host.startswith("127.")
    verify = _tls() if request.url.scheme == "https" else _no_tls()
    return httpx.AsyncClient(follow_redirects=False, timeout=caps.deadline, verify=verify, trust_env=not local)


async def _received(
    client: httpx.AsyncClient, request: httpx.Request, caps: Limits, dispatch: object, progress: _Progress
) -> ToolResult:
    """Send and read."""
    import httpx

    response = await client.send(request, stream=True, follow_redirects=False, auth=httpx.Auth())
    progress.response = response
    try:
        return await _result(response, caps, dispatch, progress)
    finally:
        await response.aclose()


async def _result(response: httpx.Response, caps: Limits, dispatch: object, progress: _Progress) -> ToolResult:
    status = response.status_code
    if 300 <= status < 400 and status != 304:
        target = response.headers.get("location")
        words = f"The server redirects to {target}" if target else "The server redirects"
        return _error(f"{_title(response)}: {words}; redirects are not followed.", dispatch)
    if status in (204, 205, 304) or response.request.method == "HEAD":
        body, cut = b"", False
    else:
        body, cut = await receive(response, caps)
    if isinstance(dispatch, Dispatch):
        body = dispatch.credentials.redact_body(body)
    progress.body = body
    media = response.headers.get("content-type", "")
    disposition = response.headers.get("content-disposition", "")
    if isinstance(dispatch, Dispatch) and dispatch.wire != "openapi":
        from bitte_nb.spec.compat import read_compatible

        found = read_compatible(status, response.reason_phrase, media, body, dispatch.wire)
        return found if isinstance(found, ToolData) else _error(found.error, dispatch)
    if status < 400:
        try:
            data = read_content(body, media, disposition=disposition, max_depth=caps.depth)
        except Unreadable as fault:
            return _error(str(fault), dispatch)
        return ToolData(data=[*(data or []), {"event": "cut", "data": STILL_OPEN}] if cut else data)
    title = _title(response)
    return _error(f"{title}: {_error_body(body, media, caps)}" if body else title, dispatch)


def _title(response: httpx.Response) -> str:
    return f"HTTP {response.status_code} {response.reason_phrase}".strip()


def _error_body(body: bytes, media: str, caps: Limits) -> str:
    """An error body as one text, cut with a marker that says so."""
    try:
        data = read_content(body, media, max_depth=caps.depth, preview=False)
    except Unreadable:
        data = body.decode("utf-8", "replace")
    if isinstance(data, str):
        text = _plain_html(data) if "html" in media.lower() else data.strip()
    else:
        from bitte_nb.spec.style import compact

        text = compact(data)
    if len(text) <= caps.error_characters:
        return text
    left = len(text) - caps.error_characters
    return f"{text[: caps.error_characters]} [cut: {left:,} more characters]"


def _plain_html(text: str) -> str:
    text = re.sub(r"(?is)<(script|style|head)\b.*?</\1\s*>", " ", text)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text)).strip()


def _error(sentence: str, dispatch: object) -> ToolError:
    if isinstance(dispatch, Dispatch):
        sentence = dispatch.credentials.redact(sentence)
    return ToolError(error=sentence or "The call failed.")


def _network_sentence(fault: Exception, request: httpx.Request) -> str:
    import httpx

    where = f"{request.url.scheme}://{request.url.netloc.decode('ascii', 'replace')}"
    if isinstance(fault, httpx.ConnectTimeout | httpx.PoolTimeout):
        return f"{where} could not be reached in time. Nothing was sent."
    if isinstance(fault, httpx.ConnectError):
        return f"{where} could not be reached ({fault or 'no connection'}). Nothing was sent."
    if isinstance(fault, httpx.TimeoutException):
        return f"{where} did not answer in time."
    return f"The connection to {where} failed ({fault or type(fault).__name__})."


def _retry_after(response: httpx.Response | None) -> float | None:
    value = response.headers.get("retry-after", "") if response is not None else ""
    return float(value) if re.fullmatch(r"\d{1,6}", value) else None
