"""Public targets only, for servers that nobody typed: every address is checked, and the checked one is used."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from typing import TYPE_CHECKING

from bitte_nb.errors import RequestRefused
from bitte_nb.spec.altered import altered

if TYPE_CHECKING:
    import httpx

__all__ = ["pin", "public_address", "public_name"]

_NAMES = ("localhost", "metadata", "metadata.google.internal")
_SUFFIXES = (".localhost", ".local", ".internal", ".lan", ".home.arpa", ".intranet", ".corp")
_BLOCKED = tuple(
    ipaddress.ip_network(text)
    for text in ("100.64.0.0/10", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "fec0::/10")
)


def public_name(host: str) -> bool:
    """False for names that only mean something inside a network."""
    name = host.rstrip(".").lower()
    return name not in _NAMES and not name.endswith(_SUFFIXES)


def public_address(text: str) -> bool:
    """True for an address of the public internet; mapped and translated forms count as what they lead to."""
    try:
        address = ipaddress.ip_address(text.split("%", 1)[0])
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if any(address in network for network in _BLOCKED if network.version == address.version):
        return False
    return address.is_global and not address.is_multicast


async def pin(request: httpx.Request, *, seconds: float) -> httpx.Request:
    """The request to the checked address of its host, Host header and TLS name kept.

    A name that resolves to a public address now and to a private one later is of no use: the name is resolved once.
    Raises RequestRefused if any of its addresses is not public.
    """
    host = request.url.host
    advice = (
        f"load the document with trust=['{request.url.scheme}://{request.url.netloc.decode('ascii')}'] if you mean it"
    )
    if not public_name(host):
        raise RequestRefused(f"The document's server {host} is a private name; {advice}.")
    port = request.url.port or (443 if request.url.scheme == "https" else 80)
    try:
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(seconds):
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError, TimeoutError) as fault:
        raise RequestRefused(f"The name {host} cannot be resolved ({fault}). Nothing was sent.") from fault
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    for address in addresses:
        if not public_address(address):
            raise RequestRefused(
                f"The document's server {host} is at {address}, which is not a public address; {advice}."
            )
    if not addresses:
        raise RequestRefused(f"The name {host} has no address. Nothing was sent.")
    url = request.url.copy_with(host=addresses[0])
    headers = request.headers.copy()
    headers["Host"] = request.headers.get("Host") or request.url.netloc.decode("ascii")
    return altered(request, url=url, headers=headers, extensions={**request.extensions, "sni_hostname": host})
