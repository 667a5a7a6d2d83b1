"""Findings and tools as text for a terminal, and findings as JSON for other programs."""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any

from bitte_nb.spec.budget import tokens, tool_size
from bitte_nb.spec.doctor.examination import RANK
from bitte_nb.spec.doctor.rule import Advice, rules

if TYPE_CHECKING:
    from bitte_nb.core.tool import Tool
    from bitte_nb.spec.finding import Finding

__all__ = ["page", "report", "tool_list"]

_WIDTH = 100
_PLACES = 5
"""Places of one rule that are shown."""
_PAGE_PLACES = 100
"""Places of one rule that are shown in a page."""


def report(findings: Sequence[Finding], form: str, *, name: str, rest: str = "with --format lines") -> str:
    """The findings as `text` (by rule, with the first places of each), `lines` (each by itself) or `json`.

    `name` is the document as the person called it, or empty; `rest` says where the places are that are not shown.
    """
    if form == "json":
        return _json(findings)
    if not findings:
        return f"{name or 'The document'}: nothing to say against it."
    shown = [_entry(one, name) for one in findings] if form == "lines" else [*_text(findings, name, rest)]
    return "\n".join([*shown, "", _count(findings)])


def page(findings: Sequence[Finding], *, name: str) -> str:
    """The findings by rule as a fragment of HTML that needs no script and no style sheet; errors are unfolded.

    Colours are the page's own, so that it reads in every theme; every text is the document's, and is escaped.
    """
    if not findings:
        return f"<p>{_escaped(name or 'The document')}: nothing to say against it.</p>"
    groups = [_details(group, name) for group in _groups(findings)]
    return f"<p>{_count(findings)}</p>{''.join(groups)}"


@dataclass(frozen=True, slots=True)
class _Group:
    """The findings of one rule and severity."""

    found: list[Finding]

    @property
    def head(self) -> str:
        times = f", {len(self.found)} times" if len(self.found) > 1 else ""
        return f"{self.found[0].severity} {self.found[0].rule}{times}"

    @property
    def fix(self) -> str:
        """What to write instead, where it is the same for all."""
        return self.found[0].fix if len({one.fix for one in self.found}) == 1 else ""

    def says(self, one: Finding) -> str:
        """What is said of one of them, without what is said of all."""
        return one.message if self.fix or not one.fix else f"{one.message} {one.fix}"


def _groups(findings: Sequence[Finding]) -> Iterator[_Group]:
    """The findings by severity and rule, in the order of the rules."""
    order = {one.id: number for number, one in enumerate(rules())}
    groups: dict[tuple[int, int, str], list[Finding]] = {}
    for one in findings:
        groups.setdefault((RANK[one.severity], order.get(one.rule, -1), one.rule), []).append(one)
    return (_Group(groups[key]) for key in sorted(groups))


def _text(findings: Sequence[Finding], name: str, rest: str) -> Iterator[str]:
    for group in _groups(findings):
        yield group.head
        for one in group.found[:_PLACES]:
            yield f"    {_where(one, name)}  {_visible(group.says(one))}"
        if len(group.found) > _PLACES:
            yield f"    and {len(group.found) - _PLACES} more, {rest}"
        if group.fix:
            yield f"    {_visible(group.fix)}"


def _details(group: _Group, name: str) -> str:
    titles = {one.id: one.title for one in rules()}
    first = group.found[0]
    title = f": {_escaped(titles[first.rule])}" if first.rule in titles else ""
    places = "".join(
        f"<li><code>{_escaped(_where(one, name))}</code> {_escaped(group.says(one))}</li>"
        for one in group.found[:_PAGE_PLACES]
    )
    left = f"<p>… and {len(group.found) - _PAGE_PLACES} more</p>" if len(group.found) > _PAGE_PLACES else ""
    fix = f"<p>{_escaped(group.fix)}</p>" if group.fix else ""
    opened = " open" if first.severity == "error" else ""
    head = f"<summary><b>{_escaped(group.head)}</b>{title}</summary>"
    return f"<details{opened}>{head}<ul>{places}</ul>{left}{fix}</details>"


def _where(one: Finding, name: str) -> str:
    if not one.line:
        return f"#{_visible(one.pointer)}"
    return f"{name}:{one.line}" if name else f"line {one.line}"


def _escaped(text: str) -> str:
    return html.escape(_visible(text))


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
