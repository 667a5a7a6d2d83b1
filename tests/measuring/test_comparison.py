"""Two measurements: which cases changed, and whether that can be chance."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitte_nb.measuring.comparison import sign_test
from bitte_nb.measuring.measurement import Measured, Measurement
from bitte_nb.measuring.trial import Trial

Outcomes = dict[str, str]
"""By case, a letter for each run: p passed, m missed, e error."""
_LETTERS = {"p": "passed", "m": "missed", "e": "error"}


def measurement(outcomes: Outcomes, **facts: Any) -> Measurement:
    each = facts.pop("each", {})
    trials = [
        Trial.model_validate({"case": case, "run": run, "outcome": _LETTERS[letter], **each})
        for case, letters in outcomes.items()
        for run, letter in enumerate(letters, 1)
    ]
    given = {"at": 0, "agent": "Notes", "model": "m", "document": "d", "prompt_tokens": 500, "runs": 1, **facts}
    cases = tuple(Measured(name=case, prompt=case, expected="no call") for case in outcomes)
    return Measurement(cases=cases, trials=tuple(trials), **given)


def halves(better: int, worse: int) -> tuple[Outcomes, Outcomes]:
    before = {f"b{n}": "m" for n in range(better)} | {f"w{n}": "p" for n in range(worse)}
    return before, {case: "p" if letter == "m" else "m" for case, letter in before.items()}


@given(st.integers(0, 5), st.integers(0, 5))
def test_the_probability_is_that_of_all_coins_thrown(better: int, worse: int):
    n, uneven = better + worse, abs(better - worse)
    as_uneven = sum(abs(n - 2 * sum(coins)) >= uneven for coins in product((0, 1), repeat=n))
    assert sign_test(better, worse) == pytest.approx(as_uneven / 2**n)


@given(st.integers(0, 400), st.integers(0, 400))
def test_it_is_a_probability_for_any_number_of_cases(better: int, worse: int):
    assert 0 < sign_test(better, worse) == sign_test(worse, better) <= 1
    assert sign_test(better, better) == 1


@pytest.mark.parametrize(
    ("better", "worse", "p"),
    [(0, 0, 1.0), (5, 0, 0.0625), (6, 0, 0.03125), (9, 1, 22 / 1024), (8, 2, 112 / 1024), (10, 0, 2 / 1024)],
)
def test_values_of_tables(better: int, worse: int, p: float):
    assert sign_test(better, worse) == pytest.approx(p)


@pytest.mark.parametrize(
    ("better", "worse", "sentence"),
    [
        (0, 0, "No case changed, so nothing can be said for or against the change."),
        (1, 0, "This could be chance: one changed case cannot tell, it takes at least 6 that all change the same way."),
        (3, 2, "This could be chance: 5 changed cases cannot tell, it takes at least 6"),
        (
            8,
            2,
            "This could be chance: if the change did nothing, so uneven a split would come up in 10.9% of measurements "
            "(sign test, p = 0.11).",
        ),
        (
            9,
            1,
            "This is hardly chance: if the change did nothing, so uneven a split would come up in 2.1% of measurements "
            "(sign test, p = 0.021).",
        ),
        (0, 20, "This is hardly chance: if the change did nothing, so uneven a split would come up in fewer than 0.1%"),
    ],
)
def test_chance_is_said_in_plain_words(better: int, worse: int, sentence: str):
    before, after = halves(better, worse)
    found = measurement(after).compare(measurement(before))
    assert (found.count("better"), found.count("worse")) == (better, worse)
    assert found.chance.startswith(sentence)


def test_a_case_is_better_or_worse_by_as_many_trials_of_each_side_and_errors_are_none():
    before = measurement({"up": "mpm", "down": "ppp", "same": "mp", "longer": "pm", "late": "ee", "few": "ep"}, runs=3)
    after = measurement({"up": "ppm", "down": "pm", "same": "pm", "longer": "ppmmm", "late": "pp", "few": "mm"}, runs=5)
    found = {one.case: (one.before, one.after, one.change) for one in after.compare(before).changes}
    assert found == {
        "up": ((1, 3), (2, 3), "better"),
        "down": ((2, 2), (1, 2), "worse"),
        "same": ((1, 2), (1, 2), "same"),
        "longer": ((1, 2), (2, 2), "better"),
        "late": ((0, 0), (0, 0), "open"),
        "few": ((1, 1), (0, 1), "worse"),
    }
    assert [row["trials"] for row in after.compare(before).to_rows()] == [3, 2, 2, 2, 0, 1]


def test_what_is_not_the_same_case_is_not_compared_and_that_is_said():
    before = measurement({"a": "m", "gone": "p"})
    changed = before.cases[0].model_copy(update={"expected": "read-note"})
    after = measurement({"a": "p", "new": "p"}).model_copy(
        update={"cases": (changed, Measured(name="new", prompt="new", expected="no call"))}
    )
    found = after.compare(before)
    assert [one.change for one in found.changes] == ["open", "open"]
    assert "2 cases are not compared: one side has no trial of it." in found.summary


def test_the_summary_has_totals_tokens_and_another_model():
    before = measurement({"a": "m", "b": "p"}, prompt_tokens=1500, each={"input_tokens": 100})
    after = measurement({"a": "p", "b": "p"}, prompt_tokens=300, model="n", each={"input_tokens": 80})
    assert after.compare(before).summary == (
        "1 of 2 trials passed before, 2 after. Of 2 cases 1 became better, 0 worse. This could be chance: one changed "
        "case cannot tell, it takes at least 6 that all change the same way. Every request takes about 1,200 tokens "
        "less. A trial read 100 tokens on average before, 80 after. The document is the same. The models differ (m, "
        "n), so it may be theirs."
    )


def test_other_runs_and_another_document_are_said():
    before, after = measurement({"a": "mmm"}, runs=3), measurement({"a": "p"}, document="e")
    said = after.compare(before).summary
    assert "Each case had 3 runs before and 1 run after; the first one of each side is compared." in said
    assert "The documents differ." in said
    assert "the first 2 of each side are compared" in before.compare(measurement({"a": "pp"}, runs=2)).summary
    assert "compared" not in before.compare(before).summary


def test_the_table_has_what_became_worse_first():
    before = measurement({"same": "p", "up": "m", "down": "p"})
    after = measurement({"same": "p", "up": "p", "down": "m"})
    lines = str(after.compare(before)).splitlines()
    assert [line.split() for line in lines[:4]] == [
        ["case", "before", "after", "change"],
        ["down", "1/1", "0/1", "worse"],
        ["up", "0/1", "1/1", "better"],
        ["same", "1/1", "1/1"],
    ]
    page = after.compare(before)._repr_html_()
    assert "<details><summary>1 the same as before</summary>" in page
