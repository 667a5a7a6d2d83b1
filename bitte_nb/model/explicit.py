"""The syntax that always picks a tool: `use <tool-name> with key=value, other="quoted value"`."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bitte_nb.core.tool import Tool
from bitte_nb.model.schema import ABSENT, slots_of

__all__ = ["Command", "parse_command", "write_command"]

_COMMAND = re.compile(
    r"\s*use\s+[`\"']?(?P<name>[^\s`\"']+?)[`\"']?(?:\s+with(?:\s+(?P<args>.*))?)?\s*[.!]?\s*", re.I | re.S
)
_NAME = re.compile(r"\s*(?P<name>[^\s=,\"']+)\s*=\s*")
_BARE_END = re.compile(r",\s*(?=[^\s=,\"']+\s*=)|$")


@dataclass(frozen=True, slots=True)
class Command:
    """A tool that the person picked by name; `tool` is None where the agent has none of that name."""

    name: str
    tool: Tool | None
    args: dict[str, Any]
    trouble: str = ""
    """Why an argument could not be read, as a sentence, or empty."""


def parse_command(text: str, tools: Sequence[Tool]) -> Command | None:
    """Read the explicit syntax, or return None where the text is something else.

    Values are JSON where they are JSON, a JSON text in double quotes, else the words up to the next `, name=`.
    Text without `with` counts only if the name is that of a tool.
    """
    match = _COMMAND.fullmatch(text)
    if match is None:
        return None
    name = match.group("name")
    tool = next((t for t in tools if t.name == name), None)
    tool = tool or next((t for t in tools if t.name.lower() == name.lower().rstrip(".,;!")), None)
    given = match.group("args")
    if tool is None:
        return Command(name, None, {}) if given and _NAME.match(given) else None
    args, trouble = _arguments(given or "", tool)
    return Command(tool.name, tool, args, trouble)


def write_command(tool: str, args: dict[str, Any]) -> str:
    """Write the syntax that `parse_command` reads, as a form or a button sends it."""
    if not args:
        return f"use {tool}"
    return f"use {tool} with " + ", ".join(
        f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in args.items()
    )


def _arguments(text: str, tool: Tool) -> tuple[dict[str, Any], str]:
    slots = {slot.label.lower(): slot for slot in slots_of(tool.input_schema)}
    args: dict[str, Any] = {}
    at = 0
    while text[at:].strip(" ,;\n\t"):
        match = _NAME.match(text, at)
        if match is None:
            return args, f"I could not read {text[at:].strip()!r}: write name=value, with a comma between two of them."
        raw, at = _value(text, match.end())
        name = match.group("name")
        slot = slots.get(name.lower())
        value = slot.read(raw) if slot is not None else _json_or_text(raw)
        if value is ABSENT:
            return args, f"{raw} does not fit {name} of {tool.name}."
        path = slot.path if slot is not None else (name,)
        target = args
        for step in path[:-1]:
            target = target.setdefault(step, {})
        target[path[-1]] = value
        at += len(text[at:]) - len(text[at:].lstrip(" ,;\n\t"))
    return args, ""


def _value(text: str, start: int) -> tuple[str, int]:
    try:
        _, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        end = -1
    if end > 0 and re.match(r"\s*(?:,|;|$)", text[end:]):
        return text[start:end], end
    if text[start : start + 1] == "'" and (close := re.compile(r"'\s*(?:,|$)").search(text, start + 1)):
        return text[start : close.start() + 1], close.start() + 1
    stop = _BARE_END.search(text, start)
    end = stop.start() if stop else len(text)
    return text[start:end].strip(), end


def _json_or_text(raw: str) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return raw
