"""Findings as one thing that a person reads: printed by rule in a terminal, unfolded in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, cast

from bitte_nb.spec.finding import Finding

if TYPE_CHECKING:
    from bitte_nb.spec.document import Document

__all__ = ["Examined", "Loaded"]


class _Readable:
    """Prints as `bitte-nb doctor` does; each finding alone prints as one line."""

    _name = ""

    def __str__(self) -> str:
        from bitte_nb.spec.doctor.report import report

        return report(cast("Sequence[Finding]", self), "text", name=self._name, rest="in this list")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from bitte_nb.spec.doctor.report import page

        return page(cast("Sequence[Finding]", self), name=self._name)


class Examined(_Readable, list[Finding]):
    """A list of findings that prints by rule, the gravest first."""

    def __init__(self, found: Iterable[Finding], document: Document) -> None:
        super().__init__(found)
        self._name = _called(document)


class Loaded(_Readable, tuple[Finding, ...]):
    """A tuple of findings that prints by rule, the gravest first."""

    @classmethod
    def of(cls, found: Iterable[Finding], document: Document) -> Loaded:
        """The findings of loading a document."""
        made = cls(found)
        made._name = _called(document)
        return made


def _called(document: Document) -> str:
    """A document in a place such as `bikes.yaml:12`; empty for one that came as text."""
    source = document.source
    return source if "://" in source else PurePath(source).name
