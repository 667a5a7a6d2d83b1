"""The doctor as a whole: order, lines, repairs, the reference's messages, hostile and real documents."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from doctor_cases import CASES, Case
from doctor_documents import ASSISTANT, LIST, PLACE, all_of, changed, drop, field, good, patched, put
from hypothesis import given, settings
from hypothesis import strategies as st

from bitte_nb.errors import DocumentError
from bitte_nb.spec.doctor import doctor
from bitte_nb.spec.doctor.rule import Advice
from bitte_nb.spec.finding import Finding
from bitte_nb.spec.load import load_document

DATA = Path(__file__).parents[3].parent / "shared" / "data" / "openapi"
RANK = {"error": 0, "warning": 1, "info": 2}


def examined(tree: dict[str, Any]) -> list[Finding]:
    return doctor(load_document(tree))


def key(finding: Finding) -> tuple[str, str, tuple[str, ...]]:
    return finding.rule, finding.pointer, finding.tokens


def test_errors_come_first_then_the_order_of_the_document():
    tree = changed(
        all_of(
            put(f"{PLACE}/operationId", "place order"),
            put(f"{LIST}/operationId", "list orders"),
            put(f"{LIST}/deprecated", True),
            drop("/tags/0/description"),
        )
    )
    assert [(one.rule, one.pointer) for one in examined(tree)] == [
        ("XMB008", f"{ASSISTANT}/instructions"),
        ("OPID004", f"{LIST}/operationId"),
        ("OPID004", f"{PLACE}/operationId"),
        ("DEP001", f"{LIST}/deprecated"),
        ("TAG001", "/tags/0"),
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_nothing_is_said_twice(case: Case):
    found = [(*key(one), one.message) for one in doctor(load_document(changed(case.bad), url=case.url))]
    assert len(found) == len(set(found))


def test_what_loading_found_is_there_once_with_its_repair():
    tree = changed(drop(f"{LIST}/operationId"))
    found = [one for one in examined(tree) if one.rule == "OPID001"]
    assert len(found) == 1
    assert isinstance(found[0], Advice)
    assert found[0].message == load_document(tree).findings[0].message
    assert "OPID001" not in [one.rule for one in examined(patched(tree, found[0]))]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rule}-{case.at.rsplit('/', 1)[-1]}")
def test_a_repair_repairs_what_it_is_for_and_breaks_nothing(case: Case):
    tree = changed(case.bad)
    before = doctor(load_document(tree, url=case.url))
    for finding in before:
        if getattr(finding, "patch", ()):
            after = doctor(load_document(patched(tree, finding), url=case.url))
            assert key(finding) not in [key(one) for one in after]
            assert {one.rule for one in after if one.severity == "error"} <= {one.rule for one in before}


def test_most_mechanical_faults_carry_a_repair():
    repaired = {
        finding.rule
        for case in CASES
        for finding in doctor(load_document(changed(case.bad), url=case.url))
        if getattr(finding, "patch", ())
    }
    assert {"OPID001", "OPID004", "PAR010", "XMB004", "XMB005", "XMB008", "SRV001", "SEC003", "SCH005"} <= repaired


@pytest.mark.parametrize("kind", ["json", "yaml"])
def test_a_finding_has_the_line_of_its_place(kind: str):
    tree = changed(put(f"{PLACE}/operationId", "place order"))
    text = json.dumps(tree, indent=2) if kind == "json" else yaml.safe_dump(tree, sort_keys=False)
    (finding,) = doctor(load_document(text))
    assert finding.line is not None
    assert "place order" in text.splitlines()[finding.line - 1]


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (..., "x-mb spec must be an object"),
        (None, "x-mb spec must be an object"),
        ({}, "x-mb spec must contain assistant object"),
        ({"assistant": {}}, "assistant must contain name as string"),
        ({"assistant": {"name": "a"}}, "assistant must contain description as string"),
        ({"assistant": {"name": "a", "description": "b"}}, "assistant must contain instructions as string"),
        ({"tools": {}}, "tools must be an array"),
        ({"tools": ["x"]}, "each tool must be an object"),
        ({"tools": [{}]}, "each tool must have a type string"),
        ({"chainIds": 1}, "chainIds must be an array of numbers"),
        ({"categories": "x"}, "categories must be an array of strings"),
        ({"version": 1}, "version must be a string"),
        ({"repo": 1}, "repo must be a string"),
    ],
)
def test_the_first_message_about_x_mb_begins_as_the_reference_validators(value: Any, sentence: str):
    tree = good()
    if value is ...:
        del tree["x-mb"]
    elif isinstance(value, dict) and value and "assistant" not in value:
        tree["x-mb"]["assistant"] |= value
    else:
        tree["x-mb"] = value
    first = next(one for one in examined(tree) if one.rule.startswith("XMB"))
    assert first.severity == "error"
    assert first.message.startswith(sentence)


def test_places_in_a_converted_document_are_places_of_the_one_that_was_written():
    tree = {
        "swagger": "2.0",
        "info": {"title": "Old", "version": "1"},
        "host": "old.dev",
        "schemes": ["http"],
        "securityDefinitions": {"key": {"type": "apiKey", "in": "query", "name": "key"}},
        "paths": {
            "/a": {
                "post": {
                    "operationId": "make-a",
                    "consumes": ["application/json"],
                    "parameters": [
                        {"name": "q", "in": "query", "type": "string"},
                        {
                            "name": "b",
                            "in": "body",
                            "schema": {"type": "object", "properties": {"x": {"type": "array"}}},
                        },
                    ],
                    "responses": {"200": {"description": "ok", "schema": {"type": "array"}}},
                }
            }
        },
    }
    for finding in examined(tree):
        node: Any = tree
        for step in finding.pointer.split("/")[1:]:
            node = node[int(step) if isinstance(node, list) else step.replace("~1", "/").replace("~0", "~")]
    places = {(one.rule, one.pointer) for one in examined(tree)}
    assert ("SRV001", "/host") in places
    assert ("SEC002", "/securityDefinitions/key") in places
    assert ("PAR001", "/paths/~1a/post") in places
    assert ("SCH005", "/paths/~1a/post/responses/200") in places


def test_several_faults_of_one_rule_at_one_place_are_all_said():
    tree = changed(
        put(f"{ASSISTANT}/instructions", "Call send-receipt, then call make-invoice, then call list-orders. " * 2)
    )
    assert {one.tokens for one in examined(tree) if one.rule == "XMB008"} == {("send-receipt",), ("make-invoice",)}


def test_as_many_unknown_names_are_looked_at_as_somebody_reads():
    calls = " ".join(f"Call send-receipt{number} at /orders/receipt{number}." for number in range(1000))
    found = [one for one in examined(changed(put(f"{ASSISTANT}/instructions", calls))) if one.rule == "XMB008"]
    assert 100 <= len(found) <= 200


def test_a_message_carries_no_character_that_nobody_sees():
    tree = changed(field("pay\u202e\x1bnow", {"type": "string"}))
    assert all(one.message.isprintable() for one in examined(tree))


LEAVES = st.sampled_from(
    [None, True, 0, -1, 1.5, "", "x", "#/nowhere", [], {}, [[]], [None], {"$ref": "#"}, {"$ref": 1}]
)


def _places(node: Any, at: str = "") -> list[str]:
    found = [at] if at else []
    members = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, value in members:
        found += _places(value, f"{at}/{str(name).replace('~', '~0').replace('/', '~1')}")
    return found


PLACES = _places(good())


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(PLACES), LEAVES), min_size=1, max_size=4))
def test_no_rule_raises_whatever_stands_anywhere(changes: list[tuple[str, Any]]):
    tree = good()
    for at, value in changes:
        try:
            put(at, value)(tree)
        except (KeyError, TypeError, IndexError, ValueError, AttributeError):
            continue
    try:
        document = load_document(tree)
    except DocumentError:
        return
    for finding in doctor(document):
        assert finding.severity in RANK
        assert finding.message
        assert finding.fix


def documents(limit: int) -> list[Any]:
    if not DATA.is_dir():
        return [pytest.param(None, marks=pytest.mark.skip(reason="../shared/data/openapi is absent"))]
    found = [path for path in sorted(DATA.glob("documents/*.*")) if path.suffix != ".tsv"]
    found += sorted(DATA.glob("agents/*.json"))
    return [pytest.param(path, id=path.name) for path in found if path.stat().st_size < limit]


@pytest.mark.parametrize("path", documents(400_000))
def test_a_real_document_is_examined_to_the_end(path: Path):
    document = load_document(path)
    started = time.process_time()
    found = doctor(document)
    assert time.process_time() - started < 5
    assert [RANK[one.severity] for one in found] == sorted(RANK[one.severity] for one in found)
    assert set(document.findings) <= {Finding(*_fields(one)) for one in found}


def _fields(finding: Finding) -> tuple[Any, ...]:
    return (
        finding.rule, finding.severity, finding.pointer, finding.message, finding.fix, finding.line, finding.tokens,
    )  # fmt: skip


def test_a_document_of_three_megabytes_takes_seconds():
    path = DATA / "documents" / "stripe_spec3_2020.json"
    if not path.is_file():
        pytest.skip("../shared/data/openapi is absent")
    document = load_document(path)
    started = time.process_time()
    doctor(document)
    assert time.process_time() - started < 6
