"""The subcommand `measure`: what it prints, keeps and compares, and how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from bitte_nb.cli import main
from bitte_nb.demo.document import document
from bitte_nb.demo.faults import FaultServer, status
from bitte_nb.measuring.measurement import Measurement

GOOD = "- {prompt: Flip a coin, calls: [flip-coin]}\n- {prompt: Thank you!, calls: []}\n"
MISSED = GOOD + "- {prompt: jot buy milk, calls: [{add-note: {text: buy milk}}]}\n"


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    path = tmp_path / "agent.yaml"
    path.write_text(yaml.safe_dump(document("http://127.0.0.1:1"), sort_keys=False), encoding="utf-8")
    return path


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "cases.yaml"
    path.write_text(GOOD)
    return path


def test_where_all_passes_the_status_is_0_and_the_measurement_is_kept(
    agent: Path, cases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    kept = tmp_path / "new.json"
    assert main(["measure", str(agent), str(cases), "--runs", "2", "--save", str(kept)]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("case         expected   passed\nFlip a coin  flip-coin  2/2\n")
    assert "Demo agent, offline model: 4 of 4 trials passed." in printed.out
    assert printed.err == ""
    assert Measurement.load(kept).passed


def test_where_some_missed_the_status_is_1(agent: Path, cases: Path, capsys: pytest.CaptureFixture[str]):
    cases.write_text(MISSED)
    assert main(["measure", str(agent), str(cases)]) == 1
    assert (
        capsys.readouterr().out.splitlines()[1].startswith("jot buy milk  add-note(text='buy milk')  0/1     no call: ")
    )


def test_against_an_earlier_measurement_only_what_became_worse_counts(
    agent: Path, cases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    cases.write_text(MISSED)
    old = str(tmp_path / "old.json")
    assert main(["measure", str(agent), str(cases), "--save", old]) == 1
    assert main(["measure", str(agent), str(cases), "--against", old]) == 0
    assert "No case changed" in capsys.readouterr().out
    tree = yaml.safe_load(agent.read_text())
    del tree["paths"]["/api/coin"]["get"]["summary"], tree["paths"]["/api/coin"]["get"]["description"]
    tree["paths"]["/api/coin"]["get"]["parameters"] = [
        {"name": "side", "in": "query", "required": True, "schema": {"type": "string", "pattern": "^[HT]$"}}
    ]
    agent.write_text(yaml.safe_dump(tree, sort_keys=False))
    assert main(["measure", str(agent), str(cases), "--against", old]) == 1
    assert "Flip a coin   1/1     0/1    worse" in capsys.readouterr().out


def test_where_only_the_model_failed_the_status_is_3(agent: Path, cases: Path, capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("pydantic_ai")
    cases.write_text("- {prompt: Flip a coin, calls: [flip-coin]}\n")
    with FaultServer() as endpoint:
        endpoint.answer(status(401, "Incorrect API key provided"))
        assert main(["measure", str(agent), str(cases), "--model", f"{endpoint.url}#any-name"]) == 3
        assert len(endpoint.requests) == 1
    assert "0 of 0 trials passed; 1 ended in an error and says nothing about the document." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--runs", "0"], "runs is 0"),
        (["--against", "none.json"], "The measurement none.json cannot be read"),
        (["--model", "none"], "'none' is no model that is known here."),
    ],
)
def test_what_cannot_be_measured_is_one_line_and_status_1(
    agent: Path, cases: Path, arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
):
    assert main(["measure", str(agent), str(cases), *arguments]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"bitte-nb: {sentence}")
    assert printed.err.count("\n") == 1


def test_its_help_says_what_each_status_means(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(["measure", "--help"])
    assert "0 all passed, 1 some missed" in " ".join(capsys.readouterr().out.split())
