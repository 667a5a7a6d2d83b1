"""Fetching a document from a URL that a person named: capped in size and time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from threading import Thread
from urllib.parse import urljoin

from bitte_nb.errors import DocumentError
from bitte_nb.spec.guard import origin_of
from bitte_nb.spec.receive import Limits, TooMuch, receive

__all__ = ["check_redirect", "fetch"]

_REDIRECTS = 3


def fetch(url: str, *, headers: Mapping[str, str], timeout: float, limit: int, stay: bool = False) -> tuple[bytes, str]:
    """The content of a URL and the URL it finally came from.

    At most three redirects are followed, never from https to http and, with `stay`, to no other origin; `headers` go to
    the first origin only. `limit` is in bytes of the decompressed content, `timeout` in seconds for all of it. Raises
    DocumentError with a sentence.
    """
    limits = Limits(deadline=timeout, wire_bytes=limit, decoded_bytes=limit)
    # Only a loop can end what is read a byte at a time, and a notebook's own is running already.
    loop = asyncio.new_event_loop()
    Thread(target=_run, args=(loop,), name="fetch", daemon=True).start()
    asked = asyncio.run_coroutine_threadsafe(_fetch(url, headers, limits, stay), loop)
    asked.add_done_callback(lambda _: loop.call_soon_threadsafe(loop.stop))
    return asked.result()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """Run a loop until it is stopped; unlike `asyncio.run`, without waiting for names that are still looked up."""
    loop.run_forever()
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


async def _fetch(url: str, headers: Mapping[str, str], limits: Limits, stay: bool) -> tuple[bytes, str]:
    try:
        async with asyncio.timeout(limits.deadline):
            return await _followed(url, headers, limits, stay)
    except TimeoutError:
        raise DocumentError(f"{url} takes too long to send its document.") from None


async def _followed(url: str, headers: Mapping[str, str], limits: Limits, stay: bool) -> tuple[bytes, str]:
    import httpx

    target = url
    for _ in range(_REDIRECTS + 1):
        if not origin_of(target) or not target.isprintable():
            raise DocumentError(f"{target!r} is not a URL.")
        own = dict(headers) if origin_of(target) == origin_of(url) else {}
        asked = {"Accept": "application/json, application/yaml, */*;q=0.5", "Accept-Encoding": "gzip, deflate", **own}
        local = "//localhost" in target or "//127." in target or "//[::1]" in target
        try:
            async with (
                httpx.AsyncClient(follow_redirects=False, timeout=limits.deadline, trust_env=not local) as client,
                client.stream("GET", target, headers=asked) as response,
            ):
                if response.is_redirect:
                    following = urljoin(target, response.headers.get("location", ""))
                    if target.startswith("https:") and not following.startswith("https:"):
                        raise DocumentError(f"{target} redirects to {following}, which is not encrypted.")
                    if stay and origin_of(following) != origin_of(url):
                        raise DocumentError(f"{target} redirects to {following}, which is another origin.")
                    await asyncio.to_thread(check_redirect, url, following)
                    target = following
                    continue
                if response.status_code != 200:
                    reason = response.reason_phrase
                    raise DocumentError(f"{target} answered HTTP {response.status_code} {reason}, not a document.")
                return (await receive(response, limits))[0], target
        except TooMuch as fault:
            raise DocumentError(f"{target} is no document: {fault}") from None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as fault:
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
