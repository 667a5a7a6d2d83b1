"""Lines of JSON pointers in a document's text, looked up only when somebody asks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from bitte_nb.spec.read import yaml_events
from bitte_nb.spec.tree import escape

__all__ = ["locate"]

_BLANK = re.compile(r"[ \t\r\n]*")


def locate(text: str, pointers: Iterable[str]) -> dict[str, int]:
    """The line, counted from 1, at which each pointer's value (or its key) starts; unknown ones are absent.

    A text of one line is not searched. A pointer into a place that is not in the text gets the line of its nearest
    parent. Costs as much as parsing the text once, at most, for any number of pointers.
    """
    wanted = set(pointers)
    if not wanted or "\n" not in text:
        return {}
    near = {"/".join(pointer.split("/")[:size]) for pointer in wanted for size in range(1, pointer.count("/") + 2)}
    found = {"": 1}
    if text[:64].lstrip("\ufeff \t\r\n")[:1] == "{":
        try:
            _Search(text, near, found).run()
        except (ValueError, IndexError, RecursionError):
            found.update(_yaml(text, near))
    else:
        found.update(_yaml(text, near))
    return {pointer: line for pointer in wanted if (line := _nearest(pointer, found))}


def _nearest(pointer: str, found: dict[str, int]) -> int | None:
    while pointer not in found:
        if not pointer:
            return None
        pointer = pointer.rpartition("/")[0]
    return found[pointer]


class _Search:
    """Walks a JSON text down to what is wanted; everything else is skipped by the decoder, at its speed."""

    def __init__(self, text: str, near: set[str], found: dict[str, int]) -> None:
        self._text = text
        self._near = near
        self._found = found
        self._skip = json.JSONDecoder(strict=False).raw_decode
        self._line, self._last = 1, 0

    def run(self) -> None:
        self._value(self._text.index("{"), "")

    def _blank(self, index: int) -> int:
        found = _BLANK.match(self._text, index)
        return found.end() if found else index

    def _value(self, index: int, place: str) -> int:
        """The index behind the value that begins at an index; -1 once everything wanted is found."""
        mark = self._text[index]
        if place not in self._near or mark not in "{[":
            return self._skip(self._text, index)[1]
        index = self._blank(index + 1)
        number = 0
        while self._text[index] not in "}]":
            begin = index
            name: object = number
            if mark == "{":
                name, index = self._skip(self._text, index)
                index = self._blank(self._blank(index) + 1)
            inner = f"{place}/{escape(str(name))}"
            if inner in self._near:
                self._line += self._text.count("\n", self._last, begin)
                self._last = begin
                self._found.setdefault(inner, self._line)
                if len(self._found) == len(self._near):
                    return -1
            index = self._value(index, inner)
            if index < 0:
                return index
            index = self._blank(index)
            if self._text[index] == ",":
                index = self._blank(index + 1)
            number += 1
        return index + 1


def _yaml(text: str, near: set[str]) -> dict[str, int]:
    import yaml

    found: dict[str, int] = {}
    stack: list[list[Any]] = []

    def enter(line: int) -> str:
        """The pointer of the value that begins, noted if it is wanted."""
        if not stack:
            return ""
        frame = stack[-1]
        place = f"{frame[0]}/{escape(str(frame[2]))}"
        if place in near:
            found.setdefault(place, frame[4] if frame[1] else line)
        if frame[1]:
            frame[3] = True
        else:
            frame[2] += 1
        return place

    try:
        for event in yaml_events(text):
            if len(found) + 1 >= len(near):
                break
            kind = type(event).__name__
            line = event.start_mark.line + 1
            keyed = bool(stack) and stack[-1][1] and stack[-1][3]
            if kind in ("ScalarEvent", "AliasEvent"):
                if keyed:
                    stack[-1][2:] = [getattr(event, "value", ""), False, line]
                else:
                    enter(line)
            elif kind in ("MappingStartEvent", "SequenceStartEvent"):
                place = enter(line)
                stack.append([place, kind == "MappingStartEvent", 0, True, line])
            elif kind in ("MappingEndEvent", "SequenceEndEvent"):
                stack.pop()
            elif kind == "DocumentEndEvent":
                break
    except yaml.YAMLError:
        return found
    return found
