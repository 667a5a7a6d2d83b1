"""Rules about what parameters and body fields say: the model fills them by their descriptions."""

from __future__ import annotations

from collections.abc import Iterator

from bitte_nb.spec.doctor.rule import Remark, rule
from bitte_nb.spec.doctor.survey import Survey

__all__: list[str] = []


@rule("PAR001", "error", "every parameter and body field has a description")
def described(survey: Survey) -> Iterator[Remark]:
    """A name alone makes the model guess."""
    for visit in survey.visits:
        for slot in visit.slots:
            if not slot.description:
                yield Remark(
                    at=slot.at,
                    message=f"{visit.name}: the {slot.words} has no description, so the model guesses what to put.",
                    fix="Add `description`: what it means, its form, and where its value comes from.",
                )
