"""What must never leave: other targets than the document's, climbing paths, broken headers, stolen identities."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, cast
from urllib.parse import unquote, urlsplit

from bitte_nb.errors import RequestRefused
from bitte_nb.spec.style import scalar

__all__ = [
    "HALF_PAIR",
    "MOST_ALL",
    "MOST_TEXT",
    "MOST_URL",
    "check_arguments",
    "check_cookie",
    "check_header",
    "check_path_value",
    "check_target",
    "origin_of",
    "reserved_header",
    "same_place",
]

MOST_TEXT = 32_000_000
"""Characters of one text in the arguments of a call; an attached file of 20 MB is less as base64."""
MOST_ALL = 64_000_000
"""Characters of all texts in the arguments of a call together."""
MOST_URL = 65_536
"""Characters of a URL: the most that httpx takes."""
HALF_PAIR = "A value has half a surrogate pair, which is no text and cannot be sent."
_DEEPEST = 200
"""Levels of lists and objects in an argument."""
_LONG = 100
"""Characters of a name that a sentence quotes."""
_ROUNDS = 32
"""How many layers of percent-encoding are looked through."""
_CONTROL = re.compile("[\x00-\x1f\x7f]")
_HALF = re.compile("[\ud800-\udfff]")
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+\Z")
_RESERVED = frozenset({
    "accept", "accept-encoding", "authorization", "connection", "content-encoding", "content-length", "content-type",
    "cookie", "cookie2", "expect", "forwarded", "host", "keep-alive", "mb-metadata", "origin", "proxy-authenticate",
    "proxy-authorization", "proxy-connection", "referer", "set-cookie", "te", "trailer", "transfer-encoding",
    "upgrade", "via", "x-http-method-override", "x-method-override",
})  # fmt: skip
_PORTS = {"http": 80, "https": 443}
_THIS_MACHINE = ("localhost", "[::1]")


def reserved_header(name: str) -> bool:
    """True for a header that frames, routes or authenticates a request: no model may choose it."""
    low = name.lower()
    return low in _RESERVED or low.startswith(("proxy-", "sec-", "x-forwarded-"))


def _climbs(path: str) -> bool:
    """True if some segment is a dot segment, with or without `;` parameters, which some servers cut off first."""
    return any(segment.partition(";")[0] in (".", "..") for segment in path.split("/"))


def _entries(value: object) -> Iterator[Any]:
    """What a list or an object writes into a path: null is left out, as in every style."""
    if isinstance(value, dict):
        for name, member in cast("dict[str, Any]", value).items():
            if member is not None:
                yield from (name, member)
    else:
        yield from (entry for entry in cast("list[Any]", value) if entry is not None)


def check_path_value(name: str, value: object) -> None:
    """Refuse a path value that is missing, empty, climbs, or hides a backslash or control character, however encoded.

    A slash is data (it is sent as %2F) unless dots beside it would climb.
    """
    if value is None:
        raise RequestRefused(f"Missing required path parameter: {name}")
    if isinstance(value, dict | list | tuple):
        entries = list(_entries(cast("object", value)))
        if not entries:
            raise RequestRefused(f"Path parameter {name} must not be empty.")
        for entry in entries:
            check_path_value(name, entry)
        return
    text = scalar(value)
    if not text:
        raise RequestRefused(f"Path parameter {name} must not be empty.")
    if len(text) > MOST_URL:
        raise RequestRefused(f"Path parameter {name} has {len(text):,} characters; a URL takes {MOST_URL:,}.")
    for _ in range(_ROUNDS):
        if _CONTROL.search(text):
            raise RequestRefused(f"Path parameter {name} has a control character.")
        if "\\" in text:
            raise RequestRefused(f"Path parameter {name} has a backslash, which servers may read as a path separator.")
        if _climbs(text):
            raise RequestRefused(f"Path parameter {name} has a dot segment, which would leave the operation's path.")
        plain = unquote(text)
        if plain == text:
            return
        text = plain
    raise RequestRefused(f"Path parameter {name} is percent-encoded more than {_ROUNDS} times.")


def _kind(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def check_arguments(args: Mapping[str, Any]) -> None:
    """Refuse arguments that are larger or deeper than any call needs, and text that is none: half a surrogate pair.

    What is no mapping of names is refused too: it comes from Python, or from a model.
    """
    if not isinstance(args, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise RequestRefused(f"Arguments are given by name, as a dict such as {{'id': 7}}, not as {_kind(args)}.")
    total = 0
    for key, value in args.items():
        if not isinstance(key, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise RequestRefused(f"Arguments are given by name; {key!r} is no name.")
        name = key if len(key) <= _LONG else key[:_LONG] + "..."
        waiting: list[tuple[Any, int]] = [(value, 0), (key, 0)]
        while waiting:
            part, depth = waiting.pop()
            total += 1
            if isinstance(part, str | bytes | bytearray):
                total += len(part)
                if len(part) > MOST_TEXT:
                    raise RequestRefused(
                        f"Argument {name} has a text of {len(part):,} characters; {MOST_TEXT:,} is the most. "
                        "Send less, or a part at a time."
                    )
                if not part.isascii() and isinstance(part, str) and _HALF.search(part):
                    raise RequestRefused(f"Argument {name!a}: {HALF_PAIR}")
            elif isinstance(part, dict | list | tuple):
                if depth >= _DEEPEST:
                    raise RequestRefused(f"Argument {name} is nested deeper than {_DEEPEST} levels.")
                inner = cast("dict[Any, Any] | list[Any]", part)
                waiting += [(one, depth + 1) for one in inner]
                waiting += [(one, depth + 1) for one in inner.values()] if isinstance(inner, dict) else []
            if total > MOST_ALL:
                raise RequestRefused(
                    f"The arguments are larger than {MOST_ALL:,} characters together. Send less, or a part at a time."
                )


def check_header(name: str, value: str) -> str:
    """A header value without white space around it. Raises RequestRefused for what would break or forge a header."""
    if not _TOKEN.match(name):
        raise RequestRefused(f"{name!r} is not a header name.")
    text = value.strip(" \t")
    if _CONTROL.search(text.replace("\t", " ")):
        raise RequestRefused(f"Header {name} must not have line breaks or control characters.")
    if not text.isascii():
        raise RequestRefused(f"Header {name} must be plain ASCII text.")
    return text


def check_cookie(name: str, value: str) -> None:
    """Refuse a cookie that would end early or start another one (RFC 6265, 4.1.1)."""
    if not _TOKEN.match(name):
        raise RequestRefused(f"{name!r} is not a cookie name.")
    if _CONTROL.search(value) or any(mark in value for mark in ';,"\\'):
        raise RequestRefused(
            f"Cookie {name} must not have semicolons, commas, quotes, backslashes or control characters."
        )


def origin_of(url: str) -> str:
    """Scheme, host and port of a URL, default ports left out, in lower case; empty where it has none."""
    try:
        parts = urlsplit(url)
        return _origin(parts.scheme.lower(), parts.netloc)
    except ValueError:
        return ""


@lru_cache(maxsize=256)
def _origin(scheme: str, place: str) -> str:
    parts = urlsplit(f"//{place}")
    host, port = (parts.hostname or "").lower(), parts.port
    if not host or not scheme:
        return ""
    if not host.isascii():
        host = _ascii(host)
    host = f"[{host}]" if ":" in host else host
    return f"{scheme}://{host}" + (f":{port}" if port is not None and port != _PORTS.get(scheme) else "")


def _ascii(host: str) -> str:
    """An international name as it is resolved (UTS 46); one that is no such name stays as it is."""
    import httpx

    try:
        return httpx.URL(f"https://{host}").raw_host.decode("ascii")
    except httpx.InvalidURL:
        return host


def same_place(one: str, other: str) -> bool:
    """True for equal origins; the names of this machine mean the same place."""
    return _plainly(one) == _plainly(other)


def _plainly(origin: str) -> str:
    scheme, _, place = origin.partition("://")
    host, colon, port = place.rpartition(":") if not place.endswith("]") and ":" in place else (place, "", "")
    return f"{scheme}://{'127.0.0.1' if host in _THIS_MACHINE else host}{colon}{port}"


def check_target(url: str, server: str) -> None:
    """Refuse a finished URL that left the server it was built for: other origin, other base path, climbing path."""
    if len(url) > MOST_URL:
        raise RequestRefused(f"The arguments make a URL of {len(url):,} characters; {MOST_URL:,} is the most.")
    origin = origin_of(url)
    if not origin or origin != origin_of(server):
        raise RequestRefused(f"The request would go to {origin or url}, but the operation's server is {server}.")
    path, base = urlsplit(url).path, urlsplit(server).path.rstrip("/")
    if base and path != base and not path.startswith(base + "/"):
        raise RequestRefused(f"The request would leave the server's base path {base}.")
    plain = path
    for _ in range(_ROUNDS):
        if _climbs(plain.replace("\\", "/")):
            raise RequestRefused("The request's path has a dot segment, which would leave the operation's path.")
        decoded = unquote(plain)
        if decoded == plain:
            return
        plain = decoded
    raise RequestRefused("The request's path is percent-encoded too many times.")
