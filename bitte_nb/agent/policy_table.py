"""What a policy means for a document: one row for each tool, with the rule that decides and why."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from bitte_nb.agent.policy import BY_DEFAULT, Effect, Policy, Subject, pattern
from bitte_nb.core.primitives import PRIMITIVES
from bitte_nb.errors import OperationError

if TYPE_CHECKING:
    from bitte_nb.spec.load import Document
    from bitte_nb.spec.operation import Operation

__all__ = ["PolicyRow", "PolicyTable", "table"]

_WORDS: dict[Effect, str] = {"allow": "allowed", "ask": "asked", "deny": "denied"}
_WHY = {
    "allow": "the rule allows it",
    "ask": "the rule asks a person",
    "deny": "the rule forbids it",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRow:
    """What happens to the calls of one tool."""

    tool: str
    method: str
    origin: str
    effect: Effect
    rule: str
    why: str

    @property
    def cells(self) -> tuple[str, ...]:
        """The row as words."""
        return (self.tool, self.method, self.origin, _WORDS[self.effect], self.rule, self.why)


@dataclass(frozen=True, slots=True)
class PolicyTable:
    """The rows, in the document's order; prints as a table and is one in a notebook."""

    rows: tuple[PolicyRow, ...]
    note: str = ""

    def __iter__(self) -> Iterator[PolicyRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        lines = [_HEAD, *(row.cells for row in self.rows)]
        widths = [max(len(line[column]) for line in lines) for column in range(len(_HEAD))]
        shown = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
        return "\n".join([*(line.rstrip() for line in shown), *([self.note] if self.note else [])])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{cell}</th>" for cell in _HEAD)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row.cells) + "</tr>" for row in self.rows
        )
        note = f"<p>{html.escape(self.note)}</p>" if self.note else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"


_HEAD = ("tool", "method", "server", "effect", "rule", "why")


def table(policy: Policy, document: Document) -> PolicyTable:
    """See `Policy.explain`; a check in code is asked with empty arguments."""
    rows = [
        _row(
            policy,
            Subject(
                tool=one.id,
                kind="operation",
                executor="http",
                method=one.method,
                origin=_origin(one),
                safe=one.safe,
                args={},
            ),
        )
        for one in document.operations.values()
    ]
    declared = [PRIMITIVES[name] for name in document.assistant.primitives if name in PRIMITIVES]
    rows += [
        # What is not the wallet's only shows something, as its binding says.
        _row(
            policy,
            Subject(tool=one.name, kind="primitive", executor=one.executor, safe=one.executor != "wallet", args={}),
        )
        for one in declared
    ]
    policy.check([row.tool for row in rows], document.title, kinds=("operation", "primitive"))
    return PolicyTable(tuple(rows), " ".join(_notes(policy, [row.tool for row in rows])))


def _notes(policy: Policy, tools: list[str]) -> Iterator[str]:
    if policy.checks:
        yield "Rules in code were asked with empty arguments; they may say something else about a call."
    missing = [rule.name for rule in Policy.default().rules if rule not in policy.rules]
    if missing:
        yield (
            f"The default rules ({', '.join(missing)}) are not part of this policy, so what no rule speaks about asks, "
            "reading too; a file takes them in by `extends: default`."
        )
    for rule in policy.rules:
        for one in rule.tools:
            if pattern(one) and not any(fnmatchcase(tool, one) for tool in tools):
                yield f"The rule {rule.name} speaks about {one!r}, which no tool of the document is called."


def _origin(operation: Operation) -> str:
    try:
        return operation.origin
    except OperationError:
        return ""


def _row(policy: Policy, subject: Subject) -> PolicyRow:
    verdict = policy.judge(subject)
    if verdict.reason:
        why = verdict.reason
    elif verdict.rule == BY_DEFAULT:
        wallet = subject.executor == "wallet"
        why = "only a rule that names it can allow money or signatures" if wallet else "no rule speaks about it"
    else:
        why = _WHY[verdict.effect]
    return PolicyRow(
        tool=subject.tool,
        method=subject.method,
        origin=subject.origin,
        effect=verdict.effect,
        rule=verdict.rule,
        why=why,
    )
