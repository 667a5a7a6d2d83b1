"""Findings and tools as text for a terminal, and findings as JSON for other programs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any

from bitte_nb.spec.doctor.examination import RANK
from bitte_nb.spec.doctor.rule import Advice, rules
from bitte_nb.spec.doctor.weight import tokens, tool_size

if TYPE_CHECKING:
    from bitte_nb.core.tool import Tool
    from bitte_nb.spec.finding import Finding

__all__ = ["report", "tool_list"]

_WIDTH = 100
_PLACES = 5
"""Places of one rule that are shown."""


def report(findings: Sequence[Finding], form: str, *, name: str) -> str:
    """The findings as `text` (by rule, with the first places of each), `lines` (each by itself) or `json`.

    `name` is the document as the person called it.
    """
    if form == "json":
        return _json(findings)
    if not findings:
        return f"{name}: nothing to say against it."
    shown = [_entry(one, name) for one in findings] if form == "lines" else [*_groups(findings, name)]
    return "\n".join([*shown, "", _count(findings)])


def _groups(findings: Sequence[Finding], name: str) -> Iterator[str]:
    """The findings by severity and rule, in the order of the rules; a fix that is the same for all is said once."""
    order = {one.id: number for number, one in enumerate(rules())}
    groups: dict[tuple[int, int, str], list[Finding]] = {}
    for one in findings:
        groups.setdefault((RANK[one.severity], order.get(one.rule, -1), one.rule), []).append(one)
    for key in sorted(groups):
        found = groups[key]
        yield f"{found[0].severity} {found[0].rule}" + (f", {len(found)} times" if len(found) > 1 else "")
        same = len({one.fix for one in found}) == 1
        for one in found[:_PLACES]:
            where = f"{name}:{one.line}" if one.line else f"#{_visible(one.pointer)}"
            yield f"    {where}  {_visible(one.message)}" + ("" if same or not one.fix else f" {_visible(one.fix)}")
        if len(found) > _PLACES:
            yield f"    and {len(found) - _PLACES} more, with --format lines"
        if same and found[0].fix:
            yield f"    {_visible(found[0].fix)}"


def _entry(finding: Finding, name: str) -> str:
    where = f"{name}:{finding.line}" if finding.line else name
    head = f"{where}: {finding.severity} {finding.rule} #{_visible(finding.pointer)}"
    fix = f" {finding.fix}" if finding.fix else ""
    return f"{head}\n    {_visible(finding.message)}{_visible(fix)}"


def _count(findings: Iterable[Finding]) -> str:
    count = Counter(finding.severity for finding in findings)
    errors, warnings, infos = count["error"], count["warning"], count["info"]
    return f"{errors} error{'s' * (errors != 1)}, {warnings} warning{'s' * (warnings != 1)}, {infos} for information"


def _json(findings: Iterable[Finding]) -> str:
    """An array of objects: rule, severity, pointer, line or null, message, fix, patch (RFC 6902)."""
    shown: list[dict[str, Any]] = [
        {
            "rule": finding.rule,
            "severity": finding.severity,
            "pointer": finding.pointer,
            "line": finding.line,
            "message": finding.message,
            "fix": finding.fix,
            "patch": list(finding.patch) if isinstance(finding, Advice) else [],
        }
        for finding in findings
    ]
    return json.dumps(shown, indent=2, ensure_ascii=True)


def tool_list(tools: Sequence[Tool]) -> str:
    """Each tool as a model sees it, with its arguments and size, and what all of them weigh together."""
    sizes = [tool_size(tool) for tool in tools]
    shown = [_tool(tool, size) for tool, size in zip(tools, sizes, strict=True)]
    total = sum(sizes)
    word = "tool" if len(tools) == 1 else "tools"
    return "\n".join([*shown, f"{len(tools)} {word}, {total:,} bytes, about {tokens(total):,} tokens in every request"])


def _tool(tool: Tool, size: int) -> str:
    head = (
        f"{_visible(tool.name)}  ({tool.method} {_visible(tool.path)}; {size:,} bytes, about {tokens(size):,} tokens)"
    )
    required = set(tool.input_schema.get("required", ()))
    names = [f"{_visible(name)}{'' if name in required else '?'}" for name in tool.input_schema.get("properties", {})]
    lines = [fill(" ".join(_visible(part).split()), _WIDTH) for part in tool.description.split("\n\n") if part.strip()]
    lines.append(fill(f"arguments: {', '.join(names) or 'none'}", _WIDTH))
    if tool.result_hint:
        lines.append(fill(f"result: {_visible(tool.result_hint)}", _WIDTH))
    return f"{head}\n{indent(chr(10).join(lines), '    ')}\n"


def _visible(text: str) -> str:
    """Document text as a terminal may show it: no control characters, so that it cannot move the cursor."""
    return "".join(mark if mark.isprintable() or mark == "\n" else " " for mark in text)
