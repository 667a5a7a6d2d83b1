"""Arguments sorted by location into one exact HTTP request; nothing is sent here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import EllipsisType
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote, unquote_plus

from bitte_nb.errors import RequestRefused
from bitte_nb.spec import guard
from bitte_nb.spec.body import encode_body
from bitte_nb.spec.media import Body, Content, Resolve
from bitte_nb.spec.parameters import IGNORED_HEADERS, Parameter
from bitte_nb.spec.style import Pairs, encode, encode_reserved, pairs, path_value, scalar

if TYPE_CHECKING:
    from bitte_nb.spec.shown_request import ShownRequest

__all__ = ["Located", "Target", "build_request"]

_PLACEHOLDER = re.compile(r"(\{[^{}]+\})")
_LITERAL = "/:@!$&'()*+,;=~-._%"
_QUERY_LITERAL = _LITERAL + "?"
_COOKIE_SAFE = "!#$&'()*+-./:<=>?@[]^_`{|}~%"
_FORM = Content("application/x-www-form-urlencoded", "form", {})
_RUNTIME_HEADERS = IGNORED_HEADERS | {"mb-metadata"}
"""Declared header parameters that are dropped in silence: the runtime sets them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """Arguments by location."""

    path: Mapping[str, Any] = field(default_factory=dict[str, Any])
    query: Mapping[str, Any] = field(default_factory=dict[str, Any])
    headers: Mapping[str, Any] = field(default_factory=dict[str, Any])
    cookies: Mapping[str, Any] = field(default_factory=dict[str, Any])
    querystring: Any = None
    body: Any = ...
    """The body's value; `...` where there is none."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """What a request is built for."""

    method: str
    server: str
    """Absolute base URL without a slash at its end."""
    path: str
    """Path template without a fragment; it may carry a query (`parameters.without_own_pairs`)."""
    parameters: tuple[Parameter, ...]
    body: Body | None
    accept: str
    resolve: Resolve
    optional: frozenset[tuple[str, str]] = frozenset()
    """Parameters that somebody else supplies (credentials), as location and name."""

    @cached_property
    def by_location(self) -> dict[str, list[Parameter]]:
        """The parameters of every location that has some."""
        found: dict[str, list[Parameter]] = {}
        for parameter in self.parameters:
            found.setdefault(parameter.location, []).append(parameter)
        return found

    @cached_property
    def template(self) -> tuple[list[str], list[str]]:
        """Path and query of the path template in pieces: encoded text and, at odd places, names of placeholders."""
        path, _, query = self.path.partition("?")
        return _pieces(path, _LITERAL), _pieces(query, _QUERY_LITERAL)


def _pieces(template: str, safe: str) -> list[str]:
    parts = _PLACEHOLDER.split(template)
    return [part[1:-1] if index % 2 else quote(part, safe=safe) for index, part in enumerate(parts)]


def build_request(target: Target, given: Located, headers: Mapping[str, str]) -> ShownRequest:
    """The request, with its final target asserted. Raises RequestRefused with a sentence per fault."""
    try:
        return _built(target, given, headers)
    except UnicodeEncodeError as fault:
        raise RequestRefused(guard.HALF_PAIR) from fault


def _built(target: Target, given: Located, headers: Mapping[str, str]) -> ShownRequest:
    _unknown(target, given)
    faults: list[str] = []
    path, template_query = _path(target, given, faults)
    query = _query(target, given, template_query, faults)
    runtime = {name.lower() for name in headers}
    sent = _headers(target, given, faults, runtime)
    if cookie := _cookie(target, given, faults):
        sent.append(("Cookie", cookie))
    content, media = _body(target, given, faults)
    if faults:
        raise RequestRefused("\n".join(faults))
    if media:
        sent.append(("Content-Type", media))
    sent += [("Accept", target.accept), ("Accept-Encoding", "gzip, deflate"), ("User-Agent", "bitte_nb")]
    if runtime:
        sent = [(name, value) for name, value in sent if name.lower() not in runtime]
    sent += [(name, guard.check_header(name, value)) for name, value in headers.items()]
    url = target.server + path + (f"?{query}" if query else "")
    from bitte_nb.spec.shown_request import finished

    return finished(target.method, url, target.server, sent, content)


def _unknown(target: Target, given: Located) -> None:
    """Refuse arguments that no declared parameter takes: nothing is dropped or guessed."""
    for location, values in (
        ("path", given.path),
        ("query", given.query),
        ("header", given.headers),
        ("cookie", given.cookies),
    ):
        if not values:
            continue
        known = {p.name.lower() if location == "header" else p.name for p in _of(target, location)}
        for name in values:
            if (name.lower() if location == "header" else name) not in known:
                raise RequestRefused(f"The operation has no {location} parameter {name!r}.")
    if given.body is not ... and given.body is not None and target.body is None:
        raise RequestRefused("The operation takes no request body.")


def _of(target: Target, location: str) -> list[Parameter]:
    return target.by_location.get(location, [])


def _absent(target: Target, parameter: Parameter, faults: list[str]) -> None:
    if parameter.required and (parameter.location, parameter.name) not in target.optional:
        words = "header" if parameter.location == "header" else f"{parameter.location} parameter"
        faults.append(f"Missing required {words}: {parameter.name}")


def _path(target: Target, given: Located, faults: list[str]) -> tuple[str, str]:
    """The encoded path and the encoded query that its template carries."""
    written: dict[str, str] = {}
    for parameter in _of(target, "path"):
        value = given.path.get(parameter.name)
        try:
            guard.check_path_value(parameter.name, value)
            if parameter.content:
                written[parameter.name] = encode(_by_media(parameter.content, value, target.resolve))
            elif parameter.allow_reserved and isinstance(value, str):
                # OAS 3.2: the value is a path of its own; its slashes stay, dot segments were refused.
                written[parameter.name] = quote(value, safe="/:@!$&'()*+,;=")
            else:
                written[parameter.name] = path_value(
                    parameter.name, value, style=parameter.style, explode=parameter.explode
                )
        except RequestRefused as fault:
            faults.append(str(fault))

    def filled(pieces: list[str]) -> str:
        return "".join(written.get(piece, "") if index % 2 else piece for index, piece in enumerate(pieces))

    path, query = map(filled, target.template)
    return path if path.startswith("/") or not path else f"/{path}", query


def _by_media(content: Content, value: Any, resolve: Resolve) -> str:
    """A `content` parameter as text, written like a body of its media type."""
    if content.kind in ("json", "form", "xml", "lines"):
        return encode_body(content, value, resolve)[0].decode()
    return scalar(value)


def _write_query(parameter: Parameter, value: Any, resolve: Resolve) -> Pairs:
    write = encode_reserved if parameter.allow_reserved else encode
    if parameter.content:
        return [(encode(parameter.name), write(_by_media(parameter.content, value, resolve)))]
    return pairs(parameter.name, value, style=parameter.style, explode=parameter.explode, write=write)


def _query(target: Target, given: Located, template: str, faults: list[str]) -> str:
    found: Pairs = []
    supplied: set[str] = set()
    for parameter in _of(target, "query"):
        value = given.query.get(parameter.name)
        if value is None:
            if parameter.name not in _keys(template):
                _absent(target, parameter, faults)
            continue
        supplied.add(parameter.name)
        try:
            found += _write_query(parameter, value, target.resolve)
        except RequestRefused as fault:
            faults.append(f"Query parameter {parameter.name}: {fault}")
    whole = _querystring(target, given, faults)
    kept = [pair for pair in template.split("&") if pair and unquote_plus(pair.partition("=")[0]) not in supplied]
    return "&".join([*kept, *(f"{name}={value}" for name, value in found), *([whole] if whole else [])])


def _keys(query: str) -> set[str]:
    return {unquote_plus(pair.partition("=")[0]) for pair in query.split("&") if pair}


def _querystring(target: Target, given: Located, faults: list[str]) -> str:
    """The whole query as one value (OAS 3.2, `in: querystring`)."""
    for parameter in _of(target, "querystring"):
        value = given.querystring
        if value is None:
            _absent(target, parameter, faults)
            continue
        content = parameter.content or _FORM
        try:
            text = _by_media(content, value, target.resolve)
        except RequestRefused as fault:
            faults.append(f"Query string {parameter.name}: {fault}")
            continue
        # A form is a query string already; anything else is data in it.
        return quote(text, safe=_QUERY_LITERAL) if content.kind == "form" else encode(text)
    return ""


def _headers(target: Target, given: Located, faults: list[str], runtime: set[str]) -> list[tuple[str, str]]:
    """The declared headers; those that the runtime sets itself are left to it."""
    values = {name.lower(): value for name, value in given.headers.items()}
    sent: list[tuple[str, str]] = []
    for parameter in _of(target, "header"):
        low = parameter.name.lower()
        value = values.get(low)
        if low in _RUNTIME_HEADERS or low in runtime:
            continue
        if value is None:
            if not guard.reserved_header(low):
                _absent(target, parameter, faults)
            continue
        if guard.reserved_header(low):
            faults.append(f"The header {parameter.name} cannot be set by an argument.")
            continue
        try:
            sent.append((parameter.name, guard.check_header(parameter.name, _header(parameter, value, target.resolve))))
        except RequestRefused as fault:
            faults.append(str(fault))
    return sent


def _header(parameter: Parameter, value: Any, resolve: Resolve) -> str:
    if parameter.content:
        return _by_media(parameter.content, value, resolve)
    if isinstance(value, dict):
        members = [(k, v) for k, v in cast("dict[str, Any]", value).items() if v is not None]
        glue = "=" if parameter.explode else ","
        return ",".join(f"{name}{glue}{scalar(member)}" for name, member in members)
    if isinstance(value, list | tuple):
        return ",".join(scalar(entry) for entry in cast("list[Any]", value) if entry is not None)
    return scalar(value)


def _cookie(target: Target, given: Located, faults: list[str]) -> str:
    found: Pairs = []

    def write(text: str) -> str:
        guard.check_cookie("value", text)
        return quote(text, safe=_COOKIE_SAFE)

    for parameter in _of(target, "cookie"):
        value = given.cookies.get(parameter.name)
        if value is None:
            _absent(target, parameter, faults)
            continue
        try:
            guard.check_cookie(parameter.name, "")
            if parameter.content:
                found.append((parameter.name, quote(_by_media(parameter.content, value, target.resolve), safe="")))
            else:
                style = "form" if parameter.style == "cookie" else parameter.style
                found += pairs(parameter.name, value, style=style, explode=parameter.explode, write=write)
        except RequestRefused as fault:
            faults.append(str(fault).replace("Cookie value", f"Cookie {parameter.name}"))
    return "; ".join(f"{name}={text}" for name, text in found)


def _body(target: Target, given: Located, faults: list[str]) -> tuple[bytes | None, str]:
    body, value = target.body, given.body
    if body is None:
        return None, ""
    if isinstance(value, EllipsisType) or (value is None and not body.takes_null(target.resolve)):
        if body.required:
            faults.append("Missing required request body")
        return None, ""
    try:
        return encode_body(body.fitting(value), value, target.resolve)
    except RequestRefused as fault:
        faults.append(str(fault))
        return None, ""
