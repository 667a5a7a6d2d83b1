"""Secrets of a document's security schemes, bound to scheme and origin, added to a request only while it is sent."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from bitte_nb.errors import OperationError
from bitte_nb.spec.altered import altered
from bitte_nb.spec.guard import check_cookie, check_header, origin_of
from bitte_nb.spec.tree import items, mapping, sequence, string

if TYPE_CHECKING:
    import httpx

    from bitte_nb.spec.compat import Wire
    from bitte_nb.spec.oauth import Client

__all__ = ["Credentials", "Dispatch", "Place", "Wanted", "secret_parameters"]

_SHORTEST = 4
"""Length from which a secret is looked for in texts."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the secret of a scheme stands in a request (OAS 3.1, 4.8.27)."""

    location: str
    """`header`, `query` or `cookie`."""
    name: str
    prefix: str = ""
    """What stands before it in a header."""
    pair: bool = False
    """True for `user:password`, which is written as base64 (RFC 7617)."""


def _place(scheme: Mapping[str, Any]) -> Place:
    kind, word = scheme.get("type"), string(scheme.get("scheme"))
    if kind == "apiKey":
        where = string(scheme.get("in"))
        return Place(where if where in ("query", "cookie") else "header", string(scheme.get("name")))
    if kind == "http" and word.lower() == "basic":
        return Place("header", "Authorization", "Basic ", pair=True)
    if kind == "http" and word.lower() not in ("", "bearer"):
        return Place("header", "Authorization", f"{word} ")
    return Place("header", "Authorization", "Bearer ")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A secret that a request needs."""

    scheme: str
    place: Place
    given: bool
    """Whether it is there, to be added while sending."""


@dataclass(frozen=True, slots=True)
class _Secret:
    origin: str
    value: str = field(repr=False)
    client: Client | None = None
    """Where `value` comes from, if it has to be asked for."""


class Credentials:
    """The secrets that a person gave for one document. Shows no value, anywhere."""

    def __init__(self, schemes: Mapping[str, Any]) -> None:
        self._schemes = schemes
        self._secrets: dict[tuple[str, str], _Secret] = {}

    def __repr__(self) -> str:
        return f"Credentials({', '.join(sorted({scheme for scheme, _ in self._secrets})) or 'none'})"

    def __reduce__(self) -> str | tuple[Any, ...]:
        raise TypeError("Credentials are not stored: give them again after loading.")

    @property
    def schemes(self) -> tuple[str, ...]:
        """The schemes that the document declares."""
        return tuple(self._schemes)

    def give(self, scheme: str, value: str, *, origin: str) -> None:
        """Keep a secret for one scheme and one origin: a key, a token, or `user:password` for basic.

        Raises OperationError for a scheme that the document does not declare.
        """
        if scheme not in self._schemes:
            known = ", ".join(self._schemes) or "none"
            raise OperationError(f"The document declares no security scheme {scheme!r}; it has: {known}.")
        bound = origin_of(origin)
        if not bound:
            raise OperationError(
                f"A credential needs the origin that it is for, such as https://api.example, not {origin!r}."
            )
        self._secrets[scheme, bound] = _Secret(bound, value)

    def give_client(self, scheme: str, client: Client, *, origin: str) -> None:
        """Keep a client of an OAuth2 scheme; its token is asked for when it is first needed."""
        self.give(scheme, "", origin=origin)
        bound = origin_of(origin)
        self._secrets[scheme, bound] = _Secret(bound, "", client)

    async def ready(self, origin: str, security: object) -> None:
        """Ask for the tokens that a request to an origin needs. Raises OperationError where that fails."""
        for name in self.chosen(security, origin) or []:
            if client := self._client(name, origin):
                token = await client.token()
                # The client may have been forgotten, or another one given, while it was asked.
                if self._client(name, origin) is client:
                    self._secrets[name, origin] = _Secret(origin, token, client)

    def _client(self, name: str, origin: str) -> Client | None:
        secret = self._secrets.get((name, origin))
        return None if secret is None else secret.client

    def held(self) -> Credentials:
        """The same secrets, as they stay: a call that is under way hides those that it was sent with."""
        found = Credentials(self._schemes)
        found._secrets = dict(self._secrets)
        return found

    def forget(self) -> None:
        """Drop all secrets."""
        self._secrets.clear()

    def hold(self, security: object, origin: str) -> bool:
        """True if some alternative of a security requirement can be met at an origin."""
        return self.chosen(security, origin) is not None

    def chosen(self, security: object, origin: str) -> list[str] | None:
        """The schemes of the first alternative that can be met; none for no requirement (OAS 3.1, 4.8.30)."""
        for alternative in sequence(security):
            names = list(mapping(alternative))
            if names and all((name, origin) in self._secrets for name in names):
                return names
        return None

    def wanted(self, security: object, origin: str) -> list[Wanted]:
        """The secrets of the alternative that is used, else of the first one; none where the request may go without."""
        alternatives = [list(mapping(one)) for one in sequence(security)]
        names = self.chosen(security, origin)
        given = names is not None
        if names is None:
            names = alternatives[0] if alternatives and [] not in alternatives else []
        return [Wanted(name, _place(mapping(self._schemes.get(name))), given) for name in names]

    def apply(self, request: httpx.Request, security: object) -> httpx.Request:
        """The request with the secrets that its own origin is trusted with; the same request where there are none."""
        origin = origin_of(str(request.url))
        names = self.chosen(security, origin) or []
        if not names:
            return request
        headers = request.headers.copy()
        url = str(request.url)
        for name in names:
            url = _add(_place(mapping(self._schemes[name])), self._secrets[name, origin].value, headers, url)
        return altered(request, url=url, headers=headers)

    def redact(self, text: str) -> str:
        """A text with every secret in it, raw or encoded, replaced."""
        for form in self._forms():
            text = text.replace(form, "[secret]")
        return text

    def redact_body(self, body: bytes) -> bytes:
        """A response body with every secret that the server echoes replaced."""
        for form in self._forms():
            body = body.replace(form.encode(), b"[secret]")
        return body

    def _forms(self) -> list[str]:
        """The secrets as they may appear, longest first; very short ones would hit innocent text."""
        forms = {
            form
            for secret in self._secrets.values()
            for value in (secret.value, *secret.value.split(":", 1)[1:], secret.client.secret if secret.client else "")
            for form in (
                value,
                quote(value, safe=""),
                base64.b64encode(value.encode()).decode(),
                json.dumps(value)[1:-1],
            )
            if len(value) >= _SHORTEST
        }
        return sorted(forms, key=len, reverse=True)


def _add(place: Place, value: str, headers: httpx.Headers, url: str) -> str:
    """Add a secret to the headers or to the URL, which is given back."""
    if place.location == "query":
        return f"{url}{'&' if '?' in url else '?'}{quote(place.name, safe='')}={quote(value, safe='')}"
    if place.location == "cookie":
        check_cookie(place.name, value)
        headers["Cookie"] = "; ".join(filter(None, [headers.get("Cookie"), f"{place.name}={value}"]))
        return url
    if place.pair:
        value = base64.b64encode((value if ":" in value else f"{value}:").encode()).decode()
    headers[place.name] = check_header(place.name, f"{place.prefix}{value}")
    return url


@dataclass(frozen=True, slots=True)
class Dispatch:
    """What sending a request needs to know beside its bytes; travels with it as an extension."""

    credentials: Credentials
    security: Any
    """Security requirement of the operation (OAS 3.1, 4.8.30)."""
    public_only: bool
    """True if the target must be a public address, because nobody typed it."""
    wire: Wire = "openapi"
    """Whose reading of the response is wanted."""

    def wanted(self, url: str) -> list[Wanted]:
        """The secrets that a request to a URL needs."""
        return self.credentials.wanted(self.security, origin_of(url))

    async def ready(self, origin: str) -> Dispatch:
        """The same for one call, with the tokens that it needs. Raises OperationError where one cannot be had."""
        await self.credentials.ready(origin, self.security)
        return replace(self, credentials=self.credentials.held())


def secret_parameters(schemes: Mapping[str, Any]) -> frozenset[tuple[str, str]]:
    """Location and name of the parameters that carry API keys: no model may see or set them."""
    return frozenset(
        (string(mapping(scheme).get("in")), string(mapping(scheme).get("name")))
        for _, scheme in items(schemes)
        if mapping(scheme).get("type") == "apiKey"
    )
