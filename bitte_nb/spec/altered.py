"""A request like another one, with another URL, other headers or other extensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx

__all__ = ["altered"]


def altered(
    request: httpx.Request,
    *,
    url: httpx.URL | str | None = None,
    headers: httpx.Headers | None = None,
    extensions: dict[str, Any] | None = None,
) -> httpx.Request:
    """The same method and body; what is not given stays."""
    import httpx

    made = httpx.Request(
        request.method,
        request.url if url is None else url,
        headers=request.headers if headers is None else headers,
        stream=request.stream,
        extensions=request.extensions if extensions is None else extensions,
    )
    # httpx writes methods in capitals, but they are told apart by case (RFC 9110, 9.1).
    made.method = request.method
    if isinstance(request.stream, httpx.ByteStream):
        made.read()
    return made
