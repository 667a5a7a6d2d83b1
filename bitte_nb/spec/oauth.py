"""OAuth2 client credentials (RFC 6749, section 4.4): a token, asked for when it is needed and kept until it ends."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urljoin

from bitte_nb.errors import OperationError
from bitte_nb.spec.content import Unreadable, read_content
from bitte_nb.spec.guard import origin_of
from bitte_nb.spec.network import pin
from bitte_nb.spec.receive import Limits, receive
from bitte_nb.spec.tree import items, mapping, string

__all__ = ["Client", "token_url_of"]

_MARGIN = 30.0
"""Seconds before its end from which a token is not used any more."""
_LIFETIME = 300.0
"""Seconds that a token is kept where the server does not say."""
_LONGEST = 86_400.0
"""Seconds after which a token is asked for again, whatever the server says."""
_LIMITS = Limits(deadline=20.0, wire_bytes=1_000_000, decoded_bytes=1_000_000)


@dataclass(slots=True)
class Client:
    """One client of one token endpoint."""

    url: str
    id: str
    secret: str = field(repr=False)
    scopes: tuple[str, ...] = ()
    public_only: bool = False
    """True if the endpoint must be at a public address, because nobody typed it."""
    _token: str = field(default="", repr=False)
    _until: float = 0.0

    async def token(self) -> str:
        """A token that is still good. Raises OperationError where the endpoint gives none."""
        if self._token and time.monotonic() < self._until:
            return self._token
        answer = await self._ask()
        token, kind = string(answer.get("access_token")), string(answer.get("token_type")) or "bearer"
        if not token or kind.lower() != "bearer":
            raise OperationError(f"{origin_of(self.url)} gave no bearer token.")
        seconds = answer.get("expires_in")
        lifetime = min(seconds, _LONGEST) if isinstance(seconds, int | float) and seconds > 0 else _LIFETIME
        self._token, self._until = token, time.monotonic() + max(0.0, lifetime - _MARGIN)
        return token

    async def _ask(self) -> dict[str, Any]:
        import httpx

        form = {"grant_type": "client_credentials"} | ({"scope": " ".join(self.scopes)} if self.scopes else {})
        pair = httpx.BasicAuth(quote(self.id, safe=""), quote(self.secret, safe=""))
        headers = {"Accept": "application/json", "Accept-Encoding": "gzip, deflate"}
        request = httpx.Request("POST", self.url, data=form, headers=headers)
        try:
            async with asyncio.timeout(_LIMITS.deadline):
                if self.public_only:
                    request = await pin(request, seconds=_LIMITS.connect)
                async with httpx.AsyncClient(follow_redirects=False, timeout=_LIMITS.deadline) as client:
                    response = await client.send(request, auth=pair, stream=True)
                    body, _ = await receive(response, _LIMITS)
        except (httpx.HTTPError, TimeoutError) as fault:
            raise OperationError(
                f"{origin_of(self.url)} could not be asked for a token ({type(fault).__name__})."
            ) from fault
        try:
            answer = mapping(read_content(body, "application/json"))
        except Unreadable:
            answer = {}
        if response.status_code != 200:
            why = string(answer.get("error_description")) or string(answer.get("error")) or response.reason_phrase
            raise OperationError(f"{origin_of(self.url)} refused a token: HTTP {response.status_code}, {why[:200]}.")
        return answer


def token_url_of(scheme: object, origin: str) -> str:
    """The token URL that a scheme declares, if it lies at the origin that the client is for: its secret goes there.

    Raises OperationError otherwise, naming the URL, so that a person can decide.
    """
    flows = sorted(items(mapping(scheme).get("flows")), key=lambda flow: flow[0] != "clientCredentials")
    for _, flow in flows:
        declared = string(mapping(flow).get("tokenUrl"))
        if not declared:
            continue
        target = urljoin(origin + "/", declared)
        if origin_of(target) == origin:
            return target
        raise OperationError(
            f"The document wants the client's secret sent to {target}, which is not at {origin}; "
            "if you trust it, say so with token_url=."
        )
    raise OperationError("The scheme declares no token URL: name it with token_url=.")
