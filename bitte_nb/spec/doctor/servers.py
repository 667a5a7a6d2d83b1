"""Rules about where requests go."""

from __future__ import annotations

import ipaddress
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from bitte_nb.errors import OperationError
from bitte_nb.spec.doctor.rule import Remark, patch, rule
from bitte_nb.spec.doctor.survey import Survey
from bitte_nb.spec.network import public_address, public_name
from bitte_nb.spec.servers import fill, resolve_server, server_objects
from bitte_nb.spec.tree import is_map, items, mapping, plain, pointer, sequence

__all__: list[str] = []

_EXAMPLES = re.compile(r"(?i)(?:.+\.)?(?:example(?:\.(?:com|org|net|edu))?|test|invalid)\Z")
_SHELVES = (
    "github.com",
    "githubusercontent.com",
    "gitlab.com",
    "github.io",
    "apis.guru",
    "jsdelivr.net",
    "unpkg.com",
    "vercel.app",
)
"""Places where documents of others are kept."""


@rule("SRV001", "error", "every server is an absolute https URL whose variables have defaults")
def absolute(survey: Survey) -> Iterator[Remark]:
    """Loading says where none can be resolved. http is fine on this machine; a relative URL is a warning."""
    for server, at, index in server_objects(survey.root):
        text = plain(server.get("url")).strip()
        if not text:
            yield Remark(at=at, message="The server has no url.", fix="Write `url: https://...`.")
            continue
        yield from _variables(server, text, at)
        try:
            url = fill(server, {})
        except OperationError:
            continue
        where = f"{at}/url"
        parts = _split(url)
        if parts is None or (parts.scheme and parts.scheme not in ("http", "https")):
            yield Remark(at=where, message=f"The server {url} is not an http or https URL.", fix="Write an https URL.")
        elif not parts.hostname:
            yield from _relative(survey, server, where)
        elif parts.scheme == "http" and not loopback(parts.hostname) and index == 0:
            secure = text.replace("http://", "https://", 1).rstrip("/")
            yield Remark(
                at=where,
                message=f"The server {url} is not https: anybody on the way can read along.",
                fix=f"Write `{secure}`.",
                patch=patch("replace", where, secure),
            )
        if (
            len(url) > 1
            and url.endswith("/")
            and parts is not None
            and (parts.path != "/" or not survey.document.openapi.startswith("2"))
        ):
            yield Remark(
                at=where,
                message=f"The server {url} ends with a slash, so that paths begin with two.",
                fix=f"Write `{_better(text, parts.hostname)}`.",
                about=("slash",),
                patch=patch("replace", where, _better(text, parts.hostname)),
            )


def _better(text: str, host: str | None) -> str:
    """A server URL without a slash at its end, and with https where that is due."""
    plain_text = text.rstrip("/")
    return plain_text if not host or loopback(host) else plain_text.replace("http://", "https://", 1)


def _relative(survey: Survey, server: dict[str, Any], where: str) -> Iterator[Remark]:
    try:
        resolved = resolve_server(server, survey.document.url, {})
    except OperationError:
        return  # Loading has said so.
    yield Remark(
        at=where,
        message=f"The server {plain(server.get('url'))} is relative: it is {resolved} while the document is there.",
        fix=f"Write `{resolved}`.",
        severity="warning",
        patch=patch("replace", where, resolved),
    )


def _variables(server: dict[str, Any], text: str, at: str) -> Iterator[Remark]:
    declared = mapping(server.get("variables"))
    for name in dict.fromkeys(re.findall(r"\{([^{}]+)\}", text)):
        variable = mapping(declared.get(name))
        allowed = [plain(entry) for entry in sequence(variable.get("enum"))]
        where = f"{at}/variables{pointer(name)}" if name in declared else f"{at}/url"
        if "default" not in variable:
            fix = "Add `default`." if name in declared else f"Add `variables: {{{name}: {{default: ...}}}}`."
            yield Remark(at=where, message=f"The server variable {name!r} has no default.", fix=fix, about=(name,))
        elif allowed and plain(variable["default"]) not in allowed:
            message = f"The default of the server variable {name!r} is not in its enum."
            yield Remark(at=f"{where}/default", message=message, fix=f"Write one of {', '.join(allowed[:8])}.")


@rule("SRV002", "warning", "the servers are public and the document's own")
def public(survey: Survey) -> Iterator[Remark]:
    """Another host than the document's, a placeholder or a private address is a slip, or a trap."""
    own = _split(survey.document.url)
    home = (own.hostname or "") if own is not None else ""
    for server, at, _ in server_objects(survey.root):
        try:
            parts = _split(fill(server, {}))
        except OperationError:
            continue
        host = (parts.hostname or "").lower() if parts is not None else ""
        if not host:
            continue
        private = loopback(host) or not public_name(host) or (_is_ip(host) and not public_address(host))
        if _EXAMPLES.fullmatch(host) and host != home:
            fault, fix = f"The server {host} is a placeholder.", "Write the real one."
        elif private and home and not loopback(home) and host != home:
            fault = f"The server {host} is private, but the document was published at {home}."
            fix = "Write the public address."
        elif private and not loopback(host) and not home:
            fault, fix = f"The server {host} is private: others cannot reach it.", "Write the public address."
        elif home and not private and not loopback(home) and not _related(host, home):
            fault = f"The server {host} is another host than {home}, where the document was found."
            fix = "Serve the document from the host that it describes."
        else:
            continue
        yield Remark(at=f"{at}/url", message=fault, fix=fix)


def _related(host: str, home: str) -> bool:
    """True for hosts of one owner as far as names tell, and for documents that lie on a public shelf."""
    if any(home == shelf or home.endswith(f".{shelf}") for shelf in _SHELVES):
        return host == home or not home.endswith(".vercel.app")
    return host == home or host.split(".")[-2:] == home.split(".")[-2:]


@rule("SRV003", "error", "path keys are plain, and each is there once")
def paths(survey: Survey) -> Iterator[Remark]:
    """Loading says which do not start with a slash. A query string in a path is sent, but others drop it."""
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for path, item in items(survey.root.get("paths")):
        if path.startswith("x-") or not is_map(item):
            continue
        alike[re.sub(r"\{[^{}]*\}", "{}", path)].append(path)
        for mark, what in (("?", "a query string"), ("#", "a fragment")):
            if mark in re.sub(r"\{[^{}]*\}", "", path):
                yield Remark(
                    at=pointer("paths", path),
                    message=f"The path {path} has {what}, which most clients drop.",
                    fix="Declare query parameters instead." if mark == "?" else "Remove it.",
                    about=(mark,),
                )
    for same in alike.values():
        for path in same[1:]:
            yield Remark(
                at=pointer("paths", path),
                message=f"The paths {same[0]} and {path} are the same but for the names in braces.",
                fix="Join them under one key.",
                about=("same",),
            )


def loopback(host: str) -> bool:
    """True for names and addresses of this machine."""
    if host in ("localhost", "0.0.0.0", "::") or host.endswith(".localhost"):
        return True
    return _is_ip(host) and ipaddress.ip_address(host).is_loopback


def _is_ip(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _split(url: str) -> Any:
    try:
        parts = urlsplit(url)
        _ = parts.hostname, parts.port
    except ValueError:
        return None
    return parts
