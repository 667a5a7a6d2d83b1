"""Fetching a document from a URL that a person named: capped in size and time."""

from __future__ import annotations

import time
from collections.abc import Mapping
from urllib.parse import urljoin

from bitte_nb.errors import DocumentError
from bitte_nb.spec.guard import origin_of

__all__ = ["check_redirect", "fetch"]

_REDIRECTS = 3


def fetch(url: str, *, headers: Mapping[str, str], timeout: float, limit: int, stay: bool = False) -> tuple[bytes, str]:
    """The content of a URL and the URL it finally came from.

    At most three redirects are followed, never from https to http and, with `stay`, to no other origin; `headers` go to
    the first origin only. `limit` is in
    bytes of the decompressed content, `timeout` in seconds for all of it. Raises DocumentError with a sentence.
    """
    import httpx

    deadline = time.monotonic() + timeout
    target = url
    for _ in range(_REDIRECTS + 1):
        own = dict(headers) if origin_of(target) == origin_of(url) else {}
        asked = {"Accept": "application/json, application/yaml, */*;q=0.5", "Accept-Encoding": "gzip, deflate", **own}
        local = "//localhost" in target or "//127." in target or "//[::1]" in target
        try:
            with (
                httpx.Client(follow_redirects=False, timeout=timeout, trust_env=not local) as client,
                client.stream("GET", target, headers=asked) as response,
            ):
                if response.is_redirect:
                    following = urljoin(target, response.headers.get("location", ""))
                    if target.startswith("https:") and not following.startswith("https:"):
                        raise DocumentError(f"{target} redirects to {following}, which is not encrypted.")
                    if stay and origin_of(following) != origin_of(url):
                        raise DocumentError(f"{target} redirects to {following}, which is another origin.")
                    check_redirect(url, following)
                    target = following
                    continue
                if response.status_code != 200:
                    reason = response.reason_phrase
                    raise DocumentError(f"{target} answered HTTP {response.status_code} {reason}, not a document.")
                return _content(response, target, deadline, limit), target
        except (httpx.HTTPError, httpx.InvalidURL) as fault:
            what = str(fault) or type(fault).__name__
            raise DocumentError(f"{target} cannot be fetched: {what}. Is its server running?") from None
    raise DocumentError(f"{url} redirects more than {_REDIRECTS} times.")


def check_redirect(url: str, following: str) -> None:
    """Refuse a redirect that leads from a public place into a private network."""
    import socket
    from urllib.parse import urlsplit

    from bitte_nb.spec.network import public_address, public_name

    def public(host: str) -> bool:
        try:
            found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return False
        return public_name(host) and all(public_address(str(entry[4][0])) for entry in found)

    host, other = urlsplit(url).hostname or "", urlsplit(following).hostname or ""
    if other != host and not public(other) and public(host):
        raise DocumentError(f"{url} redirects to {following}, which is not a public place.")


def _content(response: object, target: str, deadline: float, limit: int) -> bytes:
    import httpx

    assert isinstance(response, httpx.Response)
    chunks: list[bytes] = []
    size = 0
    for chunk in response.iter_bytes(65536):
        size += len(chunk)
        if size > limit:
            raise DocumentError(f"{target} is larger than {limit:,} bytes.")
        if time.monotonic() > deadline:
            raise DocumentError(f"{target} takes too long to send its document.")
        chunks.append(chunk)
    return b"".join(chunks)
