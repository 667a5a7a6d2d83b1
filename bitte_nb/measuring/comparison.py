"""Two measurements of the same cases: what became better, what became worse, and whether that may be chance. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

from bitte_nb.measuring.measurement import Measurement, known
from bitte_nb.measuring.table import Table
from bitte_nb.measuring.trial import Trial

__all__ = ["Change", "Comparison", "sign_test"]

UNLIKELY = 0.05
"""Below this probability a difference is called more than chance."""

Changed = Literal["better", "worse", "same", "open"]
_WORDS = {"better": "better", "worse": "worse", "same": "", "open": "not compared"}


def sign_test(better: int, worse: int) -> float:
    """The probability of a split at least this uneven where either way is as likely: exact and two-sided.

    With one run of each case this is McNemar's exact test; cases that did not change say nothing and are left out.
    """
    changed = better + worse
    tail = sum(math.comb(changed, count) for count in range(min(better, worse) + 1))
    return min(1.0, 2 * tail / 2**changed)


@dataclass(frozen=True, slots=True)
class Change:
    """One case, before and after: passed trials out of those that were compared."""

    case: str
    before: tuple[int, int]
    after: tuple[int, int]
    change: Changed
    """`open`: a side has no trial of it that says something, or expected something else."""


@dataclass(frozen=True)
class Comparison:
    """What `after.compare(before)` says; it prints as a table and is one in a notebook."""

    before: Measurement
    after: Measurement

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """The cases of the later measurement, in its order."""
        known = {case.name: case for case in self.before.cases}
        return tuple(
            _change(case.name, self.before.of(case.name) if known.get(case.name) == case else [], self.after)
            for case in self.after.cases
        )

    def count(self, change: Changed) -> int:
        """How many cases changed so.

        Raises:
            MeasureError: no case ever does.
        """
        known("change", change, get_args(Changed))
        return sum(one.change == change for one in self.changes)

    @property
    def p(self) -> float:
        """How likely so uneven a split of the changed cases is where the change does nothing (`sign_test`)."""
        return sign_test(self.count("better"), self.count("worse"))

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each case, for `pandas.DataFrame(...)` or a CSV file."""
        return [
            {
                "case": one.case,
                "passed_before": one.before[0],
                "passed_after": one.after[0],
                "trials": one.after[1],
                "change": one.change,
            }
            for one in self.changes
        ]

    @property
    def chance(self) -> str:
        """Whether it could be chance, as a sentence."""
        better, worse = self.count("better"), self.count("worse")
        changed = better + worse
        if not changed:
            return "No case changed, so nothing can be said for or against the change."
        if sign_test(changed, 0) > UNLIKELY:
            least = next(n for n in range(1, 100) if sign_test(n, 0) <= UNLIKELY)
            which = "one changed case" if changed == 1 else f"{changed} changed cases"
            return f"This could be chance: {which} cannot tell, it takes at least {least} that all change the same way."
        often = f"in {self.p:.1%} of measurements" if self.p >= 0.001 else "in fewer than 0.1% of measurements"
        odds = f"if the change did nothing, so uneven a split would come up {often} (sign test, p = {self.p:.2g})."
        return f"This is hardly chance: {odds}" if self.p <= UNLIKELY else f"This could be chance: {odds}"

    @property
    def summary(self) -> str:
        """What changed in all, whether it could be chance, and what cannot be compared."""
        return " ".join(self._sentences())

    def _sentences(self) -> Iterator[str]:
        compared = [one for one in self.changes if one.change != "open"]
        trials = sum(one.after[1] for one in compared)
        before, after = sum(one.before[0] for one in compared), sum(one.after[0] for one in compared)
        yield (
            f"{before} of {trials} trials passed before, {after} after. Of {len(compared)} cases "
            f"{self.count('better')} became better, {self.count('worse')} worse."
        )
        if compared and self.before.runs != self.after.runs:
            fewer = min(self.before.runs, self.after.runs)
            yield (
                f"Each case had {_runs(self.before.runs)} before and {_runs(self.after.runs)} after; the first "
                f"{'one' if fewer == 1 else fewer} of each side {'is' if fewer == 1 else 'are'} compared."
            )
        yield self.chance
        more = self.after.prompt_tokens - self.before.prompt_tokens
        yield (
            f"Every request takes about {abs(more):,} tokens {'more' if more > 0 else 'less'}."
            if more
            else ("Every request is about as long as before.")
        )
        was, now = (one.input_tokens / max(1, len(one.trials)) for one in (self.before, self.after))
        if was and now:
            yield f"A trial read {was:,.0f} tokens on average before, {now:,.0f} after."
        same = self.before.document == self.after.document
        yield "The document is the same." if same else "The documents differ."
        if self.before.model != self.after.model:
            yield f"The models differ ({self.before.model}, {self.after.model}), so it may be theirs."
        if left := self.count("open"):
            yield f"{left} {'case is' if left == 1 else 'cases are'} not compared: one side has no trial of it."

    def _table(self) -> Table:
        order = {"worse": 0, "better": 1, "open": 2, "same": 3}
        found = sorted(self.changes, key=lambda one: order[one.change])
        rows = [_row(one) for one in found if one.change != "same"]
        same = [_row(one) for one in found if one.change == "same"]
        return Table(("case", "before", "after", "change"), rows, same, "the same as before", self.summary)

    def __str__(self) -> str:
        return str(self._table())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return self._table().html()


def _change(name: str, before: list[Trial], measurement: Measurement) -> Change:
    old = [one for one in before if one.outcome != "error"]
    new = [one for one in measurement.of(name) if one.outcome != "error"]
    # As many of each: out of more trials one that misses is more likely, whatever the document says.
    trials = min(len(old), len(new))
    if not trials:
        return Change(name, (0, 0), (0, 0), "open")
    was, now = (sum(one.outcome == "passed" for one in side[:trials]) for side in (old, new))
    change = "same" if was == now else "better" if now > was else "worse"
    return Change(name, (was, trials), (now, trials), change)


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count} runs"


def _row(one: Change) -> tuple[str, ...]:
    return (one.case, f"{one.before[0]}/{one.before[1]}", f"{one.after[0]}/{one.after[1]}", _WORDS[one.change])
