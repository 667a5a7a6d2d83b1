"""What is wrong with a document, said so that its author can repair it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

__all__ = ["Finding", "Severity", "written_twice"]

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of a document: which rule, where, what, and what to write instead."""

    rule: str
    """Rule id such as `OPID002`."""
    severity: Severity
    """`error`: something cannot be used as written; `warning`: it works worse than it could; `info`: worth knowing."""
    pointer: str
    """JSON pointer (RFC 6901) into the document as it was written."""
    message: str
    """One sentence: what is wrong."""
    fix: str = ""
    """One sentence: what to write instead, or empty."""
    line: int | None = None
    """Line in the document's text, counted from 1, where it is known."""
    tokens: tuple[str, ...] = field(default=(), repr=False)
    """The words the message is about, for tools that underline them."""

    def at(self, line: int | None) -> Finding:
        """The same finding with its line."""
        return replace(self, line=line)

    def __str__(self) -> str:
        where = f"#{self.pointer}" + (f" (line {self.line})" if self.line else "")
        return f"{self.rule} {self.severity} {where}: {self.message}" + (f" {self.fix}" if self.fix else "")


def written_twice(key: str, line: int | None = None) -> Finding:
    """What is wrong with a key that one object has twice."""
    sentence = f"The key {key!r} is written twice in one object; the last one counts."
    return Finding("DOC001", "warning", "", sentence, "Remove one of them.", line)
