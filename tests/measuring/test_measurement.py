"""What was measured as a table, as rows and as a file; words from anywhere stay words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

import bitte_nb as bn
from bitte_nb.measuring.measurement import Measured, Measurement
from bitte_nb.measuring.trial import Made, Trial

READ = Made(tool="read-note", args={"id": 8})


def made(**facts: Any) -> Measurement:
    trials = (
        Trial(case="seven", run=1, outcome="passed", input_tokens=100, output_tokens=20, seconds=0.5, steps=1),
        Trial(case="Thank you!", run=1, outcome="missed", calls=(READ,), input_tokens=100),
        Trial(case="seven", run=2, outcome="error", error="The model did not answer."),
        Trial(case="Thank you!", run=2, outcome="missed", refused=("read-note: id is missing.",), text="Hm."),
        Trial(case="Thank you!", run=3, outcome="missed", calls=(READ,), text="Here it is."),
    )
    cases = (
        Measured(name="seven", prompt="What does note 7 say?", expected="read-note(id=7)"),
        Measured(name="Thank you!", prompt="Thank you!", expected="no call"),
    )
    given = {"at": 1, "agent": "Notes", "model": "m", "document": "d", "prompt_tokens": 1200, "runs": 3}
    return Measurement(**{**given, "cases": cases, "trials": trials, **facts})


def test_it_prints_as_a_table_with_what_was_done_instead():
    assert str(made(price=bn.Price(input=10, output=100))).splitlines() == [
        "case                          expected         passed  instead",
        "seven: What does note 7 say?  read-note(id=7)  1/1     error: The model did not answer.",
        "Thank you!                    no call          0/3     2 times read-note(id=8); refused: read-note: id…",
        "",
        "Notes, m: 1 of 4 trials passed; 1 ended in an error and says nothing about the document; it was",
        "stopped after 5 of 6. About 1,200 tokens of system text and tools go with every request, 200 tokens",
        "in and 20 out in all, 0.0040 USD.",
    ]


def test_without_counted_tokens_and_a_price_nothing_is_said_of_them():
    summary = made(trials=(), runs=1).summary
    assert "in all" not in summary
    assert made().cost is None
    assert "0 of 0 trials passed; it was stopped after 0 of 2." in summary


def test_a_case_that_was_not_said_is_in_no_table():
    found = made(trials=made().trials[:1], runs=1)
    assert str(found).splitlines()[:3] == [
        "case                          expected         passed",
        "seven: What does note 7 say?  read-note(id=7)  1/1",
        "",
    ]
    assert "<details><summary>1 passed every time</summary>" in found._repr_html_()


def test_a_row_for_each_trial():
    rows = made().to_rows()
    assert rows[1] == {
        "case": "Thank you!",
        "prompt": "Thank you!",
        "expected": "no call",
        "run": 1,
        "outcome": "missed",
        "did": "read-note(id=8)",
        "text": "",
        "steps": 0,
        "input_tokens": 100,
        "output_tokens": 0,
        "seconds": 0.0,
    }
    assert [row["did"] for row in rows[2:4]] == ["The model did not answer.", "refused: read-note: id is missing."]
    pandas = pytest.importorskip("pandas")
    assert pandas.DataFrame(rows).groupby("case").outcome.count().to_dict() == {"seven": 2, "Thank you!": 3}


HOSTILE = "<img src=x onerror=alert(1)>\n\x1b[2J\u202e| `a` |"


def test_words_from_anywhere_are_shown_as_words():
    trial = Trial(case=HOSTILE, run=1, outcome="missed", text=HOSTILE)
    case = Measured(name=HOSTILE, prompt=HOSTILE, expected=HOSTILE)
    found = made(cases=(case,), trials=(trial,), agent=HOSTILE, model=HOSTILE)
    page = found._repr_html_()
    assert "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt; [2J | `a` |" in page
    for text in (page, str(found), found.compare(found)._repr_html_(), str(found.compare(found))):
        assert not set(text) & set("\x1b\u202e")
    assert len(found._table().rows) == 1
    assert str(found).splitlines()[2] == ""


def test_many_cases_are_shown_in_part_and_that_is_said():
    cases = tuple(Measured(name=f"case {n}", prompt=f"case {n}", expected="no call") for n in range(1000))
    trials = tuple(Trial(case=one.name, run=1, outcome="missed", text="x") for one in cases[:500])
    passed = tuple(Trial(case=one.name, run=1, outcome="passed") for one in cases[500:])
    found = made(cases=cases, trials=(*trials, *passed), runs=1)
    assert "… and 800 more; to_rows() has all." in str(found)
    page = found._repr_html_()
    assert page.count("… and 300 more") == 2
    assert "<details><summary>500 passed every time</summary>" in page
    assert len(page) < 300_000


def test_a_measurement_is_saved_and_loaded_and_keeps_no_key(tmp_path: Path):
    key = "sk-abcdefghij0123456789abcdef"
    trial = Trial(case="seven", run=1, outcome="missed", calls=(Made(tool="read-note", args={"key": key}),), text=key)
    found = made(trials=(trial,), price=bn.Price(input=1, output=2))
    path = found.save(tmp_path / "m.json")
    assert key not in path.read_text("utf-8")
    again = Measurement.load(path)
    assert again.trials[0].calls[0].args == {"key": "•••"}
    assert again.model_copy(update={"trials": ()}) == found.model_copy(update={"trials": ()})
    made().save(path)
    assert Measurement.load(str(path)) == made()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"runs": "many"}, "runs: Input should be a valid integer"),
        ({"colour": 1}, "colour: Extra inputs are not permitted."),
        ({"cases": []}, "there is no case 'Thank you!' in it."),
    ],
)
def test_a_file_that_is_no_measurement_is_a_sentence(change: dict[str, Any], sentence: str, tmp_path: Path):
    path = made().save(tmp_path / "m.json")
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **change}))
    with pytest.raises(bn.errors.MeasureError) as fault:
        Measurement.load(path)
    assert str(fault.value).startswith(f"{path} is no measurement: {sentence}")


def test_a_file_that_is_not_there_or_no_json_is_a_sentence(tmp_path: Path):
    with pytest.raises(bn.errors.MeasureError, match="cannot be read"):
        Measurement.load(tmp_path / "none.json")
    (tmp_path / "m.json").write_text("{")
    with pytest.raises(bn.errors.MeasureError, match="is no measurement: Invalid JSON"):
        Measurement.load(tmp_path / "m.json")


def test_it_is_immutable_and_passed_only_where_every_trial_was_made_and_passed():
    found = made()
    with pytest.raises(ValueError, match="frozen"):
        found.runs = 7  # type: ignore[misc]
    assert not found.passed
    only = found.trials[:1]
    assert made(cases=found.cases[:1], trials=only, runs=1).passed
    assert not made(cases=found.cases[:1], trials=only, runs=2).passed
    assert found.of("seven") == [found.trials[0], found.trials[2]]
    assert repr(found) == str(found)


def test_plain_mistakes_with_a_measurement_are_sentences(tmp_path: Path):
    measured = made()
    with pytest.raises(bn.errors.MeasureError, match=r"'mised' is no outcome\. Did you mean 'missed'"):
        measured.count(cast("Any", "mised"))
    with pytest.raises(bn.errors.MeasureError, match=r"there is no folder .*nowhere"):
        measured.save(tmp_path / "nowhere" / "x.json")
    compared = measured.compare(measured.save(tmp_path / "x.json"))
    assert compared.count("same") == 2
    with pytest.raises(bn.errors.MeasureError, match=r"'wurse' is no change\. Did you mean 'worse'"):
        compared.count(cast("Any", "wurse"))
