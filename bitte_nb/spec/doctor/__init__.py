"""Advice for the author of a document: everything that makes it a worse prompt, and what to write instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bitte_nb.spec.document import Document
    from bitte_nb.spec.findings import Examined

__all__ = ["doctor"]


def doctor(document: Document) -> Examined:
    """Everything that is wrong with a document, errors first, then by place; the findings of loading are among them.

    Reads only: nothing is fetched, sent or run. Each finding names its rule, JSON pointer, line where the text is small
    enough to look it up, what is wrong and what to write instead; those of class `Advice` may carry a JSON Patch. The
    list prints by rule, as `bitte-nb doctor` does.
    """
    from bitte_nb.spec.doctor.examination import examine
    from bitte_nb.spec.findings import Examined

    return Examined(examine(document), document)
