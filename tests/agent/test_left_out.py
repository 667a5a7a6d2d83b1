"""An operation that is left out at loading is named with its reason wherever somebody looks for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.agent.given import why_left_out
from bitte_nb.measuring.case import check_cases
from bitte_nb.measuring.rehearsal import rehearsed

REASON = "A parameter needs a name and an `in` of path, query, header or cookie"
FINE: dict[str, Any] = {"operationId": "get-bike", "responses": {"200": {"description": "A bike"}}}
SHED: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Bike Shed", "version": "1"},
    "servers": [{"url": "https://bikes.example"}],
    "paths": {
        "/bikes": {"get": {**FINE, "operationId": "list-bikes", "parameters": [{"name": "q", "in": "qery"}]}},
        "/bike": {"get": FINE},
    },
}


def test_the_line_of_an_agent_names_what_is_left_out():
    assert repr(bn.Agent(SHED)) == "<Agent 'Bike Shed': 1 tool, 1 left out: list-bikes; offline model>"
    assert repr(bn.Agent({**SHED, "paths": {"/bike": {"get": FINE}}})) == "<Agent 'Bike Shed': 1 tool; offline model>"


def test_a_chat_says_why(tmp_path: Path):
    chat = Chat(SHED, store=tmp_path / "history.sqlite")
    assert chat.notice == (
        f"1 operation of Bike Shed is left out: list-bikes ({REASON}). See bn.doctor(agent.document)."
    )
    chat.close()


def test_one_without_a_name_is_counted(tmp_path: Path):
    paths = {**SHED["paths"], "/rent": {"delet": {**FINE, "operationId": "rent"}}}
    agent = bn.Agent({**SHED, "paths": paths})
    assert "2 left out: list-bikes, …" in repr(agent)
    chat = Chat(agent, store=tmp_path / "history.sqlite")
    assert chat.notice.startswith(f"2 operations of Bike Shed are left out: list-bikes ({REASON}), 1 more.")
    chat.close()


def test_who_looks_for_it_reads_the_reason():
    agent = bn.Agent(SHED)
    with pytest.raises(bn.errors.UnknownTool, match=f"'list-bikes' does not exist: {REASON}"):
        agent.binding("list-bikes")
    with pytest.raises(bn.errors.MeasureError, match=f"no tool of Bike Shed: 'list-bikes' is left out of it: {REASON}"):
        check_cases([bn.Case("all bikes", ["list-bikes"])], agent)
    with pytest.raises(bn.errors.MeasureError, match=f"'list-bikes' is left out of it: {REASON}"):
        rehearsed(agent, {"list-bikes": []})
    assert why_left_out(agent.document, "get-bike") == ""
