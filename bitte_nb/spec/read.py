"""Text to tree: JSON, else YAML 1.2 (core schema), with caps against bombs. Nothing is executed or fetched."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, cast

from bitte_nb.errors import DocumentError
from bitte_nb.spec.tree import items, sequence

__all__ = ["MAX_BYTES", "Parsed", "parse", "repeated_keys", "yaml_events"]

MAX_BYTES = 64 * 1024 * 1024
"""Size limit of a document, in bytes."""
_MAX_NODES = 3_000_000
"""Limit of nodes of a YAML document once its aliases are expanded."""
_MAX_DEPTH = 400
_HOOKED = 2_000_000
"""Length up to which duplicate keys of JSON are looked for; the hook doubles the time of parsing."""

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?[0-9]+\Z")
_RADIX = re.compile(r"0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_SPECIAL = re.compile(r"[-+]?\.(?:inf|Inf|INF)\Z|\.(?:nan|NaN|NAN)\Z")
_CORE = "tag:yaml.org,2002:"
_BREAKS = {0x85: "\ufdd0", 0x2028: "\ufdd1", 0x2029: "\ufdd2"}
"""Line breaks of YAML 1.1 that are plain characters in 1.2 (section 5.4), and what stands for them while it is read."""
_BROKEN = re.compile("[\x85\u2028\u2029]")
_RESTORED = {ord(stand_in): mark for mark, stand_in in _BREAKS.items()}
_PAIR = re.compile(r"\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})", re.IGNORECASE)
"""A character as JSON escapes it; most readers of YAML take that, too."""
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
"""What a YAML text cannot have (section 5.1)."""


@dataclass(slots=True, weakref_slot=True)
class Parsed:
    """A parsed text and what was odd in it."""

    tree: Any
    duplicates: list[tuple[str, int | None]] = field(default_factory=list[tuple[str, "int | None"]])
    """Keys that were written twice in one object, with their line where it is known; the last one counts."""
    tags: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    """YAML tags that are not of the core schema, with their line; their values are read as plain text."""
    notes: list[tuple[str, str, int]] = field(default_factory=list[tuple[str, str, int]])
    """What else was not read as it stands there: a sentence, what to do, and the line."""


def parse(text: str) -> Parsed:
    """Parse a JSON or YAML text.

    YAML follows the 1.2 core schema: dates, `on`, `off`, `yes` and `no` are strings, every key is a string.
    Raises DocumentError for text that is neither, too large, too deep or swollen by aliases.
    """
    if len(text) > MAX_BYTES:
        raise DocumentError(f"The document has {len(text):,} characters; the limit is {MAX_BYTES:,}.")
    start = text[:64].lstrip("\ufeff \t\r\n")[:1]
    if start in ("{", "["):
        try:
            return _json(text)
        except RecursionError as error:
            raise DocumentError("The document is nested too deeply to be read.") from error
        except ValueError as fault:
            try:
                return _yaml(text)
            except DocumentError:
                raise DocumentError(f"The document is not valid JSON: {fault}.") from fault
    return _yaml(text)


def _json(text: str) -> Parsed:
    body = text.lstrip("\ufeff")
    return _hooked(body) if len(body) <= _HOOKED else Parsed(json.loads(body))


def _hooked(body: str) -> Parsed:
    parsed = Parsed(None)

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(members)
        if len(found) != len(members):
            seen: set[str] = set()
            for key, _ in members:
                if key in seen:
                    parsed.duplicates.append((key, None))
                seen.add(key)
        return found

    parsed.tree = json.loads(body, object_pairs_hook=pairs)
    return parsed


def repeated_keys(text: str) -> list[str]:
    """Keys that a JSON text writes twice in one object, where it is so long that `parse` did not look for them."""
    body = text.lstrip("\ufeff \t\r\n")
    if len(body) <= _HOOKED or not body.startswith("{"):
        return []
    try:
        return [key for key, _ in _hooked(body).duplicates]
    except (ValueError, RecursionError):
        return []


@dataclass(slots=True)
class _Frame:
    """A collection that is being read."""

    value: Any
    anchor: str | None
    keyed: bool
    size: int = 1
    key: str | None = None
    merged: set[str] = field(default_factory=set[str])


def yaml_events(text: str) -> Iterator[Any]:
    """The parser events of a YAML text; nothing is constructed."""
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    broken = not text.isascii() and _BROKEN.search(text) is not None
    source = text.translate(_BREAKS) if broken else text
    events = cast("Iterator[Any]", yaml.parse(source, Loader=loader))  # pyright: ignore[reportUnknownMemberType] - no stubs
    for event in events:
        if broken and isinstance(event, yaml.ScalarEvent):
            event.value = event.value.translate(_RESTORED)
        yield event


def _yaml(text: str) -> Parsed:
    import yaml

    try:
        return _read(text)
    except yaml.reader.ReaderError as fault:
        marks = _UNPRINTABLE.findall(text)
        if not marks:
            raise DocumentError(f"The document is neither JSON nor YAML: {fault.reason}.") from fault
        parsed = _yaml(_UNPRINTABLE.sub("\ufffd", text))
        line = text.count("\n", 0, text.index(marks[0])) + 1
        shown = ", ".join(f"U+{ord(mark):04X}" for mark in sorted(set(marks))[:4])
        sentence = f"The text has characters that YAML does not have ({shown}); they are read as U+FFFD."
        parsed.notes.append((sentence, "Take them out.", line))
        return parsed
    except yaml.MarkedYAMLError as fault:
        if _PAIR.search(text):
            return _yaml(_PAIR.sub(_joined, text))
        mark = fault.problem_mark
        where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        raise DocumentError(
            f"The document is neither JSON nor YAML: {fault.problem or fault.context}{where}."
        ) from fault
    except (yaml.YAMLError, UnicodeEncodeError) as fault:
        raise DocumentError(f"The document is neither JSON nor YAML: {fault}.") from fault


def _joined(pair: re.Match[str]) -> str:
    return bytes.fromhex(pair[1] + pair[2]).decode("utf-16-be")


def _read(text: str) -> Parsed:
    import yaml

    reader = _Reader()
    events = yaml_events(text)
    for event in events:
        if reader.feed(event):
            break
    with suppress(yaml.YAMLError):
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                sentence = "The text has more than one YAML document; only the first is read."
                fix = "Put each into a file of its own."
                reader.parsed.notes.append((sentence, fix, event.start_mark.line + 1))
                break
    return reader.parsed


class _Reader:
    """Builds the tree from parser events, without recursion and without a graph of nodes between."""

    def __init__(self) -> None:
        self.parsed = Parsed(None)
        self._stack: list[_Frame] = []
        self._anchors: dict[str, tuple[Any, int]] = {}

    def feed(self, event: Any) -> bool:
        """Take one event; True when the first document of the stream has ended."""
        kind = type(event).__name__
        if kind == "ScalarEvent":
            self._scalar(event)
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            self._open(event, keyed=kind == "MappingStartEvent")
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            frame = self._stack.pop()
            if frame.anchor:
                self._anchors[frame.anchor] = (frame.value, frame.size)
            self._put(frame.value, frame.size, None, event)
        elif kind == "AliasEvent":
            known = self._anchors.get(event.anchor)
            if known is None:
                line = event.start_mark.line + 1
                raise DocumentError(f"The YAML alias *{event.anchor} on line {line} refers to itself or to nothing.")
            self._put(known[0], known[1], str(known[0]), event)
        return kind == "DocumentEndEvent"

    def _open(self, event: Any, *, keyed: bool) -> None:
        if len(self._stack) >= _MAX_DEPTH:
            raise DocumentError(f"The document is nested deeper than {_MAX_DEPTH} levels.")
        self._tag(event)
        self._stack.append(_Frame({} if keyed else [], event.anchor, keyed))

    def _tag(self, event: Any) -> str | None:
        tag: str | None = event.tag
        if tag in (None, "!") or (tag.startswith(_CORE) and tag[len(_CORE) :] in _TAGS):
            return tag
        self.parsed.tags.append((tag.replace(_CORE, "!!"), event.start_mark.line + 1))
        return "!"

    def _scalar(self, event: Any) -> None:
        text: str = event.value
        tag = self._tag(event) if event.tag is not None else None
        if tag is None:
            value = _plain(text) if event.implicit[0] else text
        elif tag in (_CORE + "int", _CORE + "float", _CORE + "bool", _CORE + "null"):
            value = _plain(text)
        else:
            value = text
        if event.anchor:
            self._anchors[event.anchor] = (value, 1)
        self._put(value, 1, text, event)

    def _put(self, value: Any, size: int, text: str | None, event: Any) -> None:
        if not self._stack:
            self.parsed.tree = value
            return
        frame = self._stack[-1]
        frame.size += size
        if frame.size > _MAX_NODES:
            raise DocumentError(f"The document has more than {_MAX_NODES:,} YAML nodes, its aliases expanded.")
        if not frame.keyed:
            frame.value.append(value)
        elif frame.key is None:
            frame.key = text if text is not None else json.dumps(value, default=str)
        else:
            self._member(frame, frame.key, value, event)
            frame.key = None

    def _member(self, frame: _Frame, key: str, value: Any, event: Any) -> None:
        if key == "<<" and isinstance(value, dict | list):
            # Merge keys left YAML with 1.2, but every author's tool still reads them.
            for source in sequence(cast("object", value)) or [value]:
                for name, member in items(source):
                    if name not in frame.value:
                        frame.value[name] = member
                        frame.merged.add(name)
            return
        if key in frame.value and key not in frame.merged:
            self.parsed.duplicates.append((key, event.start_mark.line + 1))
        frame.merged.discard(key)
        frame.value[key] = value


_TAGS = frozenset({"str", "int", "float", "bool", "null", "map", "seq", "timestamp", "binary", "merge"})


def _plain(text: str) -> Any:
    """A plain scalar by the YAML 1.2 core schema (section 10.3.2)."""
    if text in _NULLS:
        return None
    if text[0] in "0123456789+-.":
        try:
            if _INT.match(text):
                return int(text)
            if _RADIX.match(text):
                return int(text[2:], 8 if text[1] == "o" else 16)
            if _FLOAT.match(text) or _SPECIAL.match(text):
                return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
        except ValueError:
            return text
    return _BOOLS.get(text, text)
