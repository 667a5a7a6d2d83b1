"""Rules about what descriptions are there: the model chooses a tool by them."""

from __future__ import annotations

from collections.abc import Iterator

from bitte_nb.spec.doctor.rule import Remark, rule
from bitte_nb.spec.doctor.survey import Survey

__all__: list[str] = []


@rule("DESC001", "error", "every operation has a summary or a description")
def described(survey: Survey) -> Iterator[Remark]:
    """Without one the model has only a name to go by."""
    for visit in survey.visits:
        if not visit.words:
            yield Remark(
                at=visit.at,
                message=f"{visit.name} has neither summary nor description: the model cannot know what it does.",
                fix="Add `description`: what it does, when to use it, and what it gives back.",
            )
