"""What an operation takes besides its body: parameters in path, query, header and cookie."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from bitte_nb.spec.media import Content, read_content_entry
from bitte_nb.spec.refs import BrokenReference, References
from bitte_nb.spec.tree import clean, items, mapping, sequence, string

__all__ = ["IGNORED_HEADERS", "Parameter", "read_parameters", "template_names", "without_own_pairs"]

IGNORED_HEADERS = frozenset({"accept", "authorization", "content-type"})
"""Header parameters that a description of an operation cannot set (OAS 3.1, 4.8.12.2)."""

_LOCATIONS = ("path", "query", "header", "cookie", "querystring")
_STYLES = {"path": "simple", "query": "form", "header": "simple", "cookie": "form", "querystring": "form"}
_NAMES = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One declared parameter, with the defaults of its location filled in (OAS 3.1, 4.8.12)."""

    name: str
    location: str
    """`path`, `query`, `header`, `cookie` or `querystring` (3.2: the whole query)."""
    required: bool
    style: str
    explode: bool
    allow_reserved: bool
    schema: Any
    """The schema as it is in the document."""
    description: str
    deprecated: bool
    example: Any = None
    content: Content | None = None
    """How the value is written, for a `content` parameter."""

    @property
    def media(self) -> str:
        """The media type of a `content` parameter, or empty."""
        return self.content.media if self.content else ""


def template_names(path: str) -> list[str]:
    """Names of the placeholders of a path template, in order, each once."""
    return list(dict.fromkeys(_NAMES.findall(path)))


def without_own_pairs(template: str, names: Collection[str]) -> str:
    """The path template without the query pairs that only repeat a declared query parameter, such as `?q={q}`."""
    plain, mark, query = template.partition("?")
    kept = [pair for pair in query.split("&") if not (pair.endswith("}") and _repeats(pair, names))]
    return plain + mark + "&".join(kept) if kept else plain


def _repeats(pair: str, names: Collection[str]) -> bool:
    name, _, value = pair.partition("=")
    return value == f"{{{name}}}" and name in names


def read_parameters(
    nodes: list[Any], refs: References, template: str
) -> tuple[list[Parameter], list[tuple[int, str]], list[str]]:
    """The parameters of an operation, those of its path item first.

    A later one replaces an earlier one of the same name and location. Placeholders of the template that nobody declared
    become required strings. Returns the parameters, the unusable entries as (index, sentence), and undeclared names.
    """
    found: dict[tuple[str, str], Parameter] = {}
    faults: list[tuple[int, str]] = []
    for index, node in enumerate(nodes):
        try:
            source = mapping(refs.follow(node))
        except BrokenReference as fault:
            faults.append((index, str(fault)))
            continue
        name, location = source.get("name"), source.get("in")
        if not isinstance(name, str) or not name or location not in _LOCATIONS:
            faults.append((index, "A parameter needs a name and an `in` of path, query, header or cookie."))
            continue
        key = (location, name.lower() if location == "header" else name)
        found[key] = _parameter(name, location, source, mapping(node), refs)
    queried = {name for location, name in found if location == "query"}
    wanted = template_names(without_own_pairs(template, queried))
    missing = [name for name in wanted if ("path", name) not in found]
    for name in missing:
        found["path", name] = Parameter(name, "path", True, "simple", False, False, {"type": "string"}, "", False)
    return list(found.values()), faults, missing


def _parameter(name: str, location: str, source: dict[str, Any], node: dict[str, Any], refs: References) -> Parameter:
    style = string(source.get("style")) or _STYLES[location]
    explode = source.get("explode")
    schema, content = source.get("schema"), None
    for media, entry in items(source.get("content")):
        content = read_content_entry(media, mapping(_end(entry, refs)))
        schema = content.schema
        break
    example = source.get("example")
    if example is None:
        shown = (mapping(_end(entry, refs)) for _, entry in items(source.get("examples")))
        example = next((entry.get("value", entry.get("dataValue")) for entry in shown), None)
    if example is None and isinstance(source.get("examples"), list):
        example = next(iter(sequence(source["examples"])), None)
    return Parameter(
        name=name,
        location=location,
        required=location == "path" or source.get("required") is True,
        style=style,
        explode=explode if isinstance(explode, bool) else style in ("form", "deepObject", "cookie"),
        allow_reserved=source.get("allowReserved") is True,
        schema=schema if isinstance(schema, dict | bool) else {"type": "string"} if location == "path" else {},
        description=clean(node.get("description")) or clean(source.get("description")),
        deprecated=source.get("deprecated") is True,
        example=example,
        content=content,
    )


def _end(node: object, refs: References) -> object:
    """What a reference leads to; nothing where it is broken."""
    try:
        return refs.follow(node)
    except BrokenReference:
        return None
