"""Where an operation lives: servers of the operation, its path or the document, variables filled in, resolved."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

from bitte_nb.core.nearest import nearest
from bitte_nb.errors import DocumentError, OperationError
from bitte_nb.spec.guard import origin_of
from bitte_nb.spec.tree import items, mapping, plain, pointer, sequence

__all__ = ["check_base", "check_variables", "fill", "pick", "resolve_server", "server_objects"]

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?!\d)")
_HOST = re.compile(r"(?:localhost|[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}|[\w.-]+:\d+)(?::\d+)?(?:/|\Z)")
"""What an author who wrote no scheme probably meant as a host."""
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


def server_objects(root: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], str, int]]:
    """Every Server Object of a document, its paths and operations: with its pointer and its position in its list."""
    levels = [(root.get("servers"), "/servers")]
    for path, item in items(root.get("paths")):
        at = pointer("paths", path)
        levels.append((mapping(item).get("servers"), f"{at}/servers"))
        levels += [(mapping(node).get("servers"), f"{at}/{method}/servers") for method, node in items(item)]
    for level, at in levels:
        for index, server in enumerate(sequence(level)):
            yield mapping(server), f"{at}/{index}", index


def check_variables(root: Mapping[str, Any], chosen: Mapping[str, str]) -> None:
    """Refuse a value for a variable that no server of the document has. Raises DocumentError."""
    if not chosen:
        return
    known = {name for server, _, _ in server_objects(root) for name in _VARIABLE.findall(plain(server.get("url")))}
    for name in chosen.keys() - known:
        near = nearest(name, known)
        advice = f"did you mean {near!r}?" if near else f"they have: {', '.join(sorted(known)) or 'none'}."
        raise DocumentError(f"No server of the document has a variable {name!r}; {advice}")


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
    target = fill(server, chosen) or "/"
    absolute = urljoin(url, target) if origin_of(url) else target
    absolute = absolute.split("#", 1)[0].split("?", 1)[0].rstrip("/")
    if not origin_of(absolute):
        raise OperationError(_without_origin(target))
    check_base(absolute)
    # The form in which it is sent, so that the finished request can be held against it.
    return origin_of(absolute) + quote(urlsplit(absolute).path, safe="/:@!$&'()*+,;=~-._%")


def _without_origin(url: str) -> str:
    """Why a server URL says no place."""
    if _HOST.match(url):
        return f"The document's server {url} has no scheme: write http:// or https:// before it."
    if _SCHEME.match(url) and not url.lower().startswith(("http://", "https://")):
        return f"The document's server {url} is not an http or https URL."
    if _SCHEME.match(url):
        return f"The document's server {url} names no host, or a port that is none: ports go from 0 to 65535."
    return (
        f"The document's server {url or '/'} is relative and the document's own URL is not known: "
        'load it with url="https://...".'
    )


def check_base(url: str) -> None:
    """Refuse an absolute base URL that is not http or https, or that carries a user name or password.

    Raises OperationError.
    """
    if not url.lower().startswith(("http://", "https://")):
        raise OperationError(f"The document's server {url} is not an http or https URL.")
    if "@" in url.split("/", 3)[2]:
        raise OperationError("The document's server URL carries a user name or password: take it out of the URL.")
