"""The subcommands `doctor` and `tools`: what they print and how they end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from bitte_nb.cli import main
from bitte_nb.demo.document import document


def _file(folder: Path, tree: dict[str, Any], name: str = "agent.yaml") -> str:
    path = folder / name
    path.write_text(yaml.safe_dump(tree, sort_keys=False), encoding="utf-8")
    return str(path)


def test_a_good_document_ends_with_status_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = _file(tmp_path, document("http://127.0.0.1:8787"))
    assert main(["doctor", path]) == 0
    assert capsys.readouterr().out == f"{path}: nothing to say against it.\n"


def test_an_error_ends_with_status_1_and_names_line_rule_place_and_repair(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    tree = document("http://127.0.0.1:8787")
    tree["paths"]["/api/coin"]["get"]["operationId"] = "flip a coin"
    path = _file(tmp_path, tree)
    line = next(n for n, text in enumerate(Path(path).read_text().splitlines(), 1) if "flip a coin" in text)
    assert main(["doctor", path]) == 1
    out = capsys.readouterr().out
    assert out.startswith(f"error OPID004\n    {path}:{line}  The operationId 'flip a coin' ")
    assert "    Write `operationId: flip_a_coin`" in out
    assert out.endswith("\n\n1 error, 0 warnings, 0 for information\n")
    assert main(["doctor", path, "--format", "lines"]) == 1
    out = capsys.readouterr().out
    assert f"{path}:{line}: error OPID004 #/paths/~1api~1coin/get/operationId\n" in out
    assert "Write `operationId: flip_a_coin`" in out
    assert out.endswith("1 error, 0 warnings, 0 for information\n")


def test_what_is_wrong_in_many_places_is_said_once_the_gravest_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    tree = document("http://127.0.0.1:8787")
    tree["info"].pop("description")
    node = {"summary": "Lists all notes of a person, newest first.", "responses": {}}
    tree["paths"] |= {f"/n{n}": {"get": {**node, "operationId": f"list-notes-{n}"}} for n in range(9)}
    path = _file(tmp_path, tree)
    main(["doctor", path])
    lines = capsys.readouterr().out.splitlines()
    heads = [line for line in lines if line.split(" ", 1)[0] in ("error", "warning", "info")]
    assert len({head.split()[1] for head in heads}) == len(heads)
    assert [head.split()[0] for head in heads] == sorted(
        [head.split()[0] for head in heads], key="error warning info".find
    )
    first = lines.index("warning RES001, 9 times")
    assert [line[:4] for line in lines[first + 1 : first + 8]] == ["    "] * 7
    assert lines[first + 6] == "    and 4 more, with --format lines"
    main(["doctor", path, "--format", "lines"])
    assert capsys.readouterr().out.count(" warning RES001 ") == 9


def test_warnings_alone_end_with_status_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    tree = document("http://127.0.0.1:8787")
    tree["paths"]["/api/coin"]["get"]["deprecated"] = True
    assert main(["doctor", _file(tmp_path, tree)]) == 0
    assert "warning DEP001" in capsys.readouterr().out


def test_json_carries_every_field(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    tree = document("http://127.0.0.1:8787")
    tree["paths"]["/api/coin"]["get"]["operationId"] = "flip a coin"
    assert main(["doctor", _file(tmp_path, tree), "--format", "json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["rule"], found["severity"]) == ("OPID004", "error")
    assert found["pointer"] == "/paths/~1api~1coin/get/operationId"
    assert isinstance(found["line"], int)
    assert found["message"]
    assert found["fix"]
    assert found["patch"] == [{"op": "replace", "path": found["pointer"], "value": "flip_a_coin"}]


def test_a_document_cannot_move_the_cursor(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    tree = document("http://127.0.0.1:8787")
    tree["paths"]["/api/coin"]["get"]["operationId"] = "flip\x1b[2Jcoin"
    tree["paths"]["/a\x1b[2J"] = tree["paths"].pop("/api/stats")
    path = tmp_path / "agent.json"
    path.write_text(json.dumps(tree), encoding="utf-8")
    main(["doctor", str(path)])
    main(["tools", str(path)])
    assert "\x1b" not in capsys.readouterr().out


def test_a_missing_file_is_one_sentence(capsys: pytest.CaptureFixture[str]):
    assert main(["doctor", "no-such-file.yaml"]) == 1
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.startswith("bitte-nb: ")
    assert "no-such-file.yaml" in streams.err
    assert streams.err.count("\n") == 1


def test_tools_shows_what_the_model_sees_and_what_it_weighs(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["tools", _file(tmp_path, document("http://127.0.0.1:8787"))]) == 0
    out = capsys.readouterr().out
    assert "flip-coin  (GET /api/coin; " in out
    assert "Flips a fair coin" in out
    assert "    arguments: receiverId, amount\n" in out
    assert "    arguments: to, amount, chainId?\n" in out
    last = out.splitlines()[-1]
    assert last.startswith("14 tools, ")
    assert "You are " in out.split("add-note")[0]
    assert last.endswith(" tokens in every request")


def test_tools_are_shown_as_a_provider_is_offered_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    tree = document("http://127.0.0.1:8787")
    tree["paths"]["/api/coin"]["get"]["operationId"] = "flip.coin"
    path = _file(tmp_path, tree)
    main(["tools", path])
    assert "flip.coin  (" in capsys.readouterr().out
    main(["tools", path, "--provider", "openai"])
    assert "flip_coin  (" in capsys.readouterr().out
