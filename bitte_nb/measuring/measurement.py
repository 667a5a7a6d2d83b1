"""What was measured: every trial of every case, as a table, as rows, and as a file to compare with later."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from bitte_nb.core.nearest import nearest
from bitte_nb.core.price import Price
from bitte_nb.errors import MeasureError
from bitte_nb.history.export import masked
from bitte_nb.history.record import storable
from bitte_nb.measuring.table import Table
from bitte_nb.measuring.trial import Outcome, Trial

if TYPE_CHECKING:
    from bitte_nb.measuring.comparison import Comparison

__all__ = ["Measured", "Measurement", "known"]

_OTHERS = 3
"""Different things that a model did instead which a table shows of a case."""
_WORDS = 100
"""Characters of each."""


class Measured(BaseModel):
    """A case as it was measured."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    prompt: str
    expected: str
    """What was expected, in words."""


class Measurement(BaseModel):
    """What `measure` found; immutable, and of no key or password.

    It prints as a table and is one in a notebook: cases that missed first.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    bitte_nb: Literal["measurement/1"] = "measurement/1"
    at: int
    """When it began, in milliseconds since the epoch."""
    agent: str
    model: str
    document: str
    """SHA-256 of the document's text."""
    prompt_tokens: int
    """About how many tokens the system text, which names the wallet, and the tools take in every request."""
    runs: int
    """How often each case was to be said."""
    price: Price | None = None
    cases: tuple[Measured, ...]
    trials: tuple[Trial, ...]
    """Those that ended, in the order of runs and cases; fewer than `planned` where it was stopped."""

    @cached_property
    def _by_case(self) -> dict[str, list[Trial]]:
        found: dict[str, list[Trial]] = {case.name: [] for case in self.cases}
        for trial in self.trials:
            found[trial.case].append(trial)
        return found

    def of(self, case: str) -> list[Trial]:
        """The trials of a case, by its name.

        Raises:
            KeyError: there is no such case.
        """
        return self._by_case[case]

    @property
    def planned(self) -> int:
        """How many trials there were to be."""
        return len(self.cases) * self.runs

    def count(self, outcome: Outcome) -> int:
        """How many trials ended so.

        Raises:
            MeasureError: no trial ever ends so.
        """
        known("outcome", outcome, get_args(Outcome))
        return sum(trial.outcome == outcome for trial in self.trials)

    @property
    def passed(self) -> bool:
        """Whether every trial was made, and passed."""
        return self.count("passed") == self.planned

    @property
    def input_tokens(self) -> int:
        """Tokens that the model read, where its endpoint counts them."""
        return sum(trial.input_tokens for trial in self.trials)

    @property
    def output_tokens(self) -> int:
        """Tokens that the model wrote, where its endpoint counts them."""
        return sum(trial.output_tokens for trial in self.trials)

    @property
    def cost(self) -> float | None:
        """What the tokens cost in `price.currency`; None without a price."""
        if self.price is None:
            return None
        return (self.input_tokens * self.price.input + self.output_tokens * self.price.output) / 1_000_000

    def compare(self, before: Measurement | str | Path) -> Comparison:
        """Which cases are better than in an earlier measurement, which are worse, and whether that may be chance.

        Args:
            before: The measurement, or the path of its file (`load`).
        """
        from bitte_nb.measuring.comparison import Comparison

        return Comparison(Measurement.load(before) if isinstance(before, str | Path) else before, self)

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each trial, for `pandas.DataFrame(...)` or a CSV file."""
        about = {case.name: {"prompt": case.prompt, "expected": case.expected} for case in self.cases}
        return [
            {
                "case": trial.case,
                **about[trial.case],
                **trial.model_dump(exclude={"case", "calls", "refused", "error"}),
                "did": trial.words,
            }
            for trial in self.trials
        ]

    # Files -----------------------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> Path:
        """Write it as JSON; anything in it that looks like a key or password is replaced.

        Raises:
            MeasureError: it cannot be written there.
        """
        path = Path(path)
        text = json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=1)
        try:
            path.write_text(masked(storable(text)) + "\n", encoding="utf-8")
        except OSError as error:
            why = error.strerror if path.parent.is_dir() else f"there is no folder {path.parent}"
            raise MeasureError(f"The measurement cannot be written to {path}: {why}.") from error
        return path

    @classmethod
    def load(cls, path: str | Path) -> Measurement:
        """Read what `save` wrote.

        Raises:
            MeasureError: it cannot be read, or it is no measurement.
        """
        try:
            found = cls.model_validate_json(Path(path).read_bytes())
        except OSError as error:
            raise MeasureError(f"The measurement {path} cannot be read: {error}.") from error
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise MeasureError(f"{path} is no measurement: {f'{where}: ' if where else ''}{first['msg']}.") from error
        if unknown := {trial.case for trial in found.trials} - {case.name for case in found.cases}:
            raise MeasureError(f"{path} is no measurement: there is no case {min(unknown)!r} in it.")
        return found

    # Reading ---------------------------------------------------------------------------------------------------------

    @property
    def summary(self) -> str:
        """How many trials passed, what they took and what they cost, in words."""
        errors, done = self.count("error"), len(self.trials)
        parts = [f"{self.agent}, {self.model}: {self.count('passed')} of {done - errors} trials passed"]
        if errors:
            parts.append(
                f"{errors} ended in an error and {'says' if errors == 1 else 'say'} nothing about the document"
            )
        if done < self.planned:
            parts.append(f"it was stopped after {done} of {self.planned}")
        return f"{'; '.join(parts)}. {self._spent()}"

    def _spent(self) -> str:
        parts = [f"About {self.prompt_tokens:,} tokens of system text and tools go with every request"]
        if self.input_tokens or self.output_tokens:
            parts.append(f"{self.input_tokens:,} tokens in and {self.output_tokens:,} out in all")
        if self.cost is not None and self.price is not None:
            parts.append(f"{self.cost:.4f} {self.price.currency}")
        return f"{', '.join(parts)}."

    def _table(self) -> Table:
        rows = [(case, trials) for case in self.cases if (trials := self.of(case.name))]
        missed = [_row(case, trials) for case, trials in rows if any(one.outcome != "passed" for one in trials)]
        passed = [_row(case, trials) for case, trials in rows if all(one.outcome == "passed" for one in trials)]
        return Table(("case", "expected", "passed", "instead"), missed, passed, "passed every time", self.summary)

    def __str__(self) -> str:
        return str(self._table())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self._table().html()


def known(what: str, word: str, words: tuple[str, ...]) -> None:
    """Refuse a word that counts nothing: a 0 of it would read as good news.

    Raises:
        MeasureError: it is none of the words.
    """
    if word not in words:
        near = nearest(str(word), words)
        hint = f"Did you mean {near!r}?" if near else f"Write one of {', '.join(words)}."
        raise MeasureError(f"{word!r} is no {what}. {hint}")


def _row(case: Measured, trials: list[Trial]) -> tuple[str, ...]:
    judged = [one for one in trials if one.outcome != "error"]
    passed = sum(one.outcome == "passed" for one in judged)
    name = case.name if case.name == case.prompt else f"{case.name}: {case.prompt}"
    return (name, case.expected, f"{passed}/{len(judged)}", "; ".join(_instead(trials)))


def _instead(trials: list[Trial]) -> Iterator[str]:
    for outcome, mark in (("missed", ""), ("error", "error: ")):
        said = Counter(one.words for one in trials if one.outcome == outcome)
        for words, count in said.most_common(_OTHERS):
            yield f"{f'{count} times ' if count > 1 else ''}{mark}{words[:_WORDS]}{'…' if len(words) > _WORDS else ''}"
