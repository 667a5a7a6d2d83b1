"""Where an operation lives: servers of the operation, its path or the document, variables filled in, resolved."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

from bitte_nb.errors import OperationError
from bitte_nb.spec.guard import origin_of
from bitte_nb.spec.tree import items, mapping, plain, sequence

__all__ = ["check_base", "fill", "pick", "resolve_server"]

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_VARIABLE = re.compile(r"\{([^{}]+)\}")


def fill(server: dict[str, Any], chosen: Mapping[str, str]) -> str:
    """The URL of a Server Object with its variables: chosen values first, else their defaults, else their first `enum`.

    Raises OperationError for a chosen value outside `enum` and for a variable that has no value.
    """
    variables = {name: mapping(value) for name, value in items(server.get("variables"))}

    def value(found: re.Match[str]) -> str:
        name = found[1]
        declared = variables.get(name, {})
        allowed = [plain(entry) for entry in sequence(declared.get("enum"))]
        if name in chosen:
            if allowed and chosen[name] not in allowed:
                raise OperationError(f"The server variable {name} must be one of {', '.join(allowed)}.")
            return chosen[name]
        if (default := plain(declared.get("default"))) or "default" in declared:
            return default
        if allowed:
            return allowed[0]
        raise OperationError(
            f"The server URL {server.get('url')} needs a value for {{{name}}}: the document gives none."
        )

    return _VARIABLE.sub(value, plain(server.get("url")).strip())


def pick(*levels: object) -> dict[str, Any] | None:
    """The first usable Server Object of the most specific level that names any."""
    for level in levels:
        for entry in sequence(level):
            server = mapping(entry)
            if "url" in server:
                return server
    return None


def resolve_server(server: dict[str, Any] | None, url: str, chosen: Mapping[str, str]) -> str:
    """The absolute base URL of a server, without a slash at its end.

    A relative one resolves against the document's URL; without servers its own origin counts (OAS 3.1, 4.8.5).
    Raises OperationError with a sentence where there is nothing to resolve against.
    """
    if server is None:
        if not origin_of(url):
            raise OperationError(
                "The document names no server, so there is nowhere to send the request: "
                'add `servers` to it, or load it with url="https://...".'
            )
        return origin_of(url)
    target = fill(server, chosen)
    absolute = urljoin(url, target) if origin_of(url) else target
    absolute = absolute.split("#", 1)[0].split("?", 1)[0].rstrip("/")
    if not origin_of(absolute):
        if _SCHEME.match(absolute):
            check_base(absolute)
        raise OperationError(
            f"The document's server {target or '/'} is relative and the document's own URL is not known: "
            'load it with url="https://...".'
        )
    check_base(absolute)
    # The form in which it is sent, so that the finished request can be held against it.
    return origin_of(absolute) + quote(urlsplit(absolute).path, safe="/:@!$&'()*+,;=~-._%")


def check_base(url: str) -> None:
    """Refuse an absolute base URL that is not http or https, or that carries a user name or password.

    Raises OperationError.
    """
    if not url.lower().startswith(("http://", "https://")):
        raise OperationError(f"The document's server {url} is not an http or https URL.")
    if "@" in url.split("/", 3)[2]:
        raise OperationError("The document's server URL carries a user name or password: take it out of the URL.")
