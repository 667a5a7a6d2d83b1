"""How far a measurement is: where it is said, and how."""

from __future__ import annotations

import sys

import pytest

import bitte_nb as bn
from bitte_nb.measuring import progress
from tests.measuring.conftest import Answering

TREE = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": {}}


def test_on_a_terminal_one_line_is_written_over(capsys: pytest.CaptureFixture[str]):
    cases = [bn.Case("Hello", []), bn.Case("Bye", text="see you")]
    bn.measure(TREE, cases, model=Answering(lambda _: "Hm."), progress=True)
    written = capsys.readouterr().err
    assert written.startswith("\r\x1b[K0 of 2 trials: 0 passed, 0 missed\r")
    assert written.endswith("\r\x1b[K2 of 2 trials: 1 passed, 1 missed\n")


def test_nothing_is_said_where_nobody_looks(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    bn.measure(TREE, [bn.Case("Hello", [])])
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    bn.measure(TREE, [bn.Case("Hello", [])], progress=False)
    assert capsys.readouterr().err == ""


def test_in_a_notebook_the_output_is_replaced(monkeypatch: pytest.MonkeyPatch):
    shown: list[tuple[str, str]] = []

    class Handle:
        def update(self, bundle: dict[str, str], *, raw: bool) -> None:
            shown.append(("update", bundle["text/plain"]))

    def display(bundle: dict[str, str], *, raw: bool, display_id: bool) -> Handle:
        shown.append(("display", bundle["text/plain"]))
        return Handle()

    monkeypatch.setattr(progress, "in_kernel", lambda: True)
    monkeypatch.setattr("IPython.display.display", display)
    bn.measure(TREE, [bn.Case("Hello", [])])
    assert shown[0] == ("display", "0 of 1 trials: 0 passed, 0 missed")
    assert shown[-1] == ("update", "1 of 1 trials: 1 passed, 0 missed")
    assert all(how == "update" for how, _ in shown[1:])
