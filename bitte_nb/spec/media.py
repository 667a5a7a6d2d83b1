"""Media types of request bodies: which kind each is, which one to send, and how each field of a form is written."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bitte_nb.spec.refs import BrokenReference, References
from bitte_nb.spec.tree import clean, items, mapping, sequence

__all__ = [
    "Body",
    "Content",
    "Resolve",
    "accepted",
    "charset_of",
    "codec_of",
    "kind_of",
    "read_body",
    "read_content_entry",
]

Resolve = Callable[[object], dict[str, Any]]
"""Follows a schema's reference to its end."""
_MOST_ACCEPTED = 6
"""Media types that an Accept header names."""
_RANK = ("json", "form", "multipart", "lines", "text", "xml", "binary")
_TEXTUAL = frozenset({
    "application/javascript", "application/yaml", "application/x-yaml", "application/graphql", "application/sql",
    "application/jwt", "application/toml", "application/x-sh",
})  # fmt: skip
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_NO_CHARSETS = frozenset({"idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"})
"""Codecs of Python that are no charset of a text on the wire."""
_RANGES = {
    "*/*": "application/json",
    "application/*": "application/json",
    "*": "application/json",
    "": "application/json",
}


@dataclass(frozen=True, slots=True)
class Content:
    """One way to write a body."""

    media: str
    """The Content-Type to send; ranges such as `*/*` are made concrete."""
    kind: str
    """`json`, `form`, `multipart`, `lines` (a JSON value per line), `text`, `xml` or `binary`."""
    schema: Any
    encoding: dict[str, Any] = field(default_factory=dict[str, Any])
    """The Encoding Objects of a form or multipart body, by property (OAS 3.1, 4.8.15)."""
    first_encodings: tuple[dict[str, Any], ...] = ()
    """The Encoding Objects of a multipart body that is a list, by position (3.2, `prefixEncoding`)."""
    rest_encoding: dict[str, Any] = field(default_factory=dict[str, Any])
    """The one for all further positions (3.2, `itemEncoding`)."""


@dataclass(frozen=True, slots=True)
class Body:
    """A request body: what may be sent, best first."""

    contents: tuple[Content, ...]
    required: bool
    description: str

    @property
    def best(self) -> Content:
        """The content that tools are made for."""
        return self.contents[0]

    def fitting(self, value: object) -> Content:
        """The best content that can carry a value: bytes do not travel as JSON."""
        if len(self.contents) > 1 and _has_bytes(value):
            wanted = ("binary", "text") if isinstance(value, bytes | bytearray) else ("multipart",)
            for content in self.contents:
                if content.kind in wanted:
                    return content
        return self.best

    def takes_null(self, resolve: Resolve) -> bool:
        """True where null is a value to send, and not the absence of one."""
        schema = resolve(self.best.schema)
        kind = schema.get("type")
        null = schema.get("nullable") is True or kind == "null" or (isinstance(kind, list) and "null" in kind)
        return null and self.best.kind == "json" and self.required


def kind_of(media: str) -> str:
    """The kind of a media type, by its essence and structured suffix (RFC 6839)."""
    essence = media.split(";", 1)[0].strip().lower()
    if essence in ("application/json", "text/json") or essence.endswith("+json"):
        return "json"
    if essence == "application/x-www-form-urlencoded":
        return "form"
    if essence.startswith("multipart/"):
        return "multipart"
    if essence in ("application/jsonl", "application/x-ndjson", "application/x-jsonlines", "application/json-lines"):
        return "lines"
    if essence == "application/json-seq" or essence.endswith("+json-seq"):
        return "lines"
    if essence in ("application/xml", "text/xml") or essence.endswith("+xml"):
        return "xml"
    if essence.startswith("text/") or essence in _TEXTUAL or essence.endswith("+yaml"):
        return "text"
    return "binary"


def charset_of(media: str) -> str:
    """The charset that a Content-Type names, in small letters, or empty."""
    found = _CHARSET.search(media)
    return found[1].lower() if found else ""


def codec_of(charset: str) -> str | None:
    """What Python calls a charset; None for one that it does not know."""
    try:
        name = codecs.lookup(charset).name
    except LookupError:
        return None
    return None if name in _NO_CHARSETS else name


def _concrete(media: str) -> str:
    essence = media.split(";", 1)[0].strip().lower()
    if essence in _RANGES:
        return _RANGES[essence]
    if essence == "text/*":
        return "text/plain"
    if essence == "multipart/*":
        return "multipart/form-data"
    return "application/octet-stream" if essence.endswith("/*") else media.strip()


def read_body(node: object, refs: References) -> Body | None:
    """The body of an operation, or None where it has none. Raises BrokenReference."""
    if node is None:
        return None
    source = mapping(refs.follow(node))
    if not source:
        return None
    found: list[Content] = []
    for media, raw in items(source.get("content")):
        try:
            entry = mapping(refs.follow(raw))
        except BrokenReference:
            entry = {}
        found.append(read_content_entry(str(media), entry))
    if not found:
        found.append(Content("application/json", "json", {}))
    found.sort(key=lambda content: (_RANK.index(content.kind), content.kind == "json" and "+json" in content.media))
    return Body(tuple(found), source.get("required") is True, clean(source.get("description")))


def read_content_entry(media: str, entry: dict[str, Any]) -> Content:
    """A Media Type Object as a way to write; `itemSchema` (3.2) describes the entries of a list."""
    concrete = _concrete(media)
    schema = entry.get("schema")
    if schema is None:
        schema = {"type": "array", "items": entry["itemSchema"]} if "itemSchema" in entry else {}
    return Content(
        concrete,
        kind_of(concrete),
        schema,
        {name: mapping(value) for name, value in items(entry.get("encoding"))},
        tuple(mapping(value) for value in sequence(entry.get("prefixEncoding"))),
        mapping(entry.get("itemEncoding")),
    )


def accepted(responses: object, refs: References) -> str:
    """The Accept header of an operation: the media types of its successful responses, JSON first, then anything."""
    found: list[str] = []
    for status, raw in items(responses):
        if str(status).startswith("2"):
            try:
                content = mapping(refs.follow(raw)).get("content")
            except BrokenReference:
                continue
            found += [
                media for media in mapping(content) if "*" not in media and media.isascii() and media.isprintable()
            ]
    wanted = list(dict.fromkeys(found))[:_MOST_ACCEPTED] or ["application/json"]
    wanted.sort(key=lambda media: "json" not in media)
    return ", ".join([*wanted, "*/*;q=0.5"])


def _has_bytes(value: object) -> bool:
    if isinstance(value, bytes | bytearray):
        return True
    if isinstance(value, dict):
        return any(_has_bytes(member) for _, member in items(value))  # type: ignore[arg-type]
    return isinstance(value, list) and any(_has_bytes(entry) for entry in value)  # type: ignore[arg-type]
