"""Lines of JSON pointers in a document's text, looked up only when somebody asks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from bitte_nb.spec.read import yaml_events
from bitte_nb.spec.tree import escape

__all__ = ["locate"]

_MAX_JSON = 4_000_000
_MAX_YAML = 400_000
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]')


def locate(text: str, pointers: Iterable[str]) -> dict[str, int]:
    """The line, counted from 1, at which each pointer's value (or its key) starts; unknown ones are absent.

    Large texts and texts of one line are not searched.
    A pointer into a place that is not in the text gets the line of its nearest parent.
    """
    wanted = set(pointers)
    if not wanted or "\n" not in text:
        return {}
    braced = text[:64].lstrip("\ufeff \t\r\n")[:1] == "{"
    if len(text) > (_MAX_JSON if braced else _MAX_YAML):
        return {}
    near = {"/".join(pointer.split("/")[:size]) for pointer in wanted for size in range(1, pointer.count("/") + 2)}
    found = {"": 1}
    found.update(_json(text, near) if braced else _yaml(text, near))
    return {pointer: line for pointer in wanted if (line := _nearest(pointer, found))}


def _nearest(pointer: str, found: dict[str, int]) -> int | None:
    while pointer not in found:
        if not pointer:
            return None
        pointer = pointer.rpartition("/")[0]
    return found[pointer]


def _json(text: str, near: set[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    # A frame is its pointer, whether it is an object, the index or key of the member at hand, and if a key is due.
    stack: list[list[Any]] = []
    line, last = 1, 0
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in "{[":
            stack.append([_place(stack), mark == "{", 0, mark == "{"])
        elif mark in "}]":
            if stack:
                stack.pop()
        elif mark == ",":
            if stack:
                frame = stack[-1]
                if frame[1]:
                    frame[3] = True
                else:
                    frame[2] += 1
        elif mark == ":":
            continue
        elif stack and stack[-1][1] and stack[-1][3]:
            frame = stack[-1]
            try:
                frame[2] = json.loads(mark, strict=False)
            except ValueError:
                frame[2] = mark[1:-1]
            frame[3] = False
        else:
            continue
        if stack and (place := _place(stack)) in near and place not in found:
            line += text.count("\n", last, token.start())
            last = token.start()
            found[place] = line
    return found


def _place(stack: list[list[Any]]) -> str:
    if not stack:
        return ""
    frame = stack[-1]
    return f"{frame[0]}/{escape(str(frame[2]))}"


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
