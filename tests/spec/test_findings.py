"""What was found in a document is read by a person: printed by rule, unfolded in a notebook, counted in its repr."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spec_documents import document

from bitte_nb.spec.doctor import doctor
from bitte_nb.spec.load import load_document

BIKES = """openapi: 3.1.0
info: {title: Bike Shed, version: '1.0'}
servers: [{url: https://bikes.shed.dev}]
paths:
  /bikes/{id}:
    get: {operationId: show-bike, description: "<script>alert(1)</script>", deprecated: "<b>"}
  /bikes:
    get: nothing
"""


def test_the_findings_print_by_rule_with_the_document_and_its_line(tmp_path: Path):
    path = tmp_path / "bikes.yaml"
    path.write_text(BIKES, encoding="utf-8")
    doc = load_document(path)
    text = str(doctor(doc))
    assert "error PAR010\n    bikes.yaml:6  The path /bikes/{id} has {id}" in text
    assert repr(doctor(doc)) == text
    assert text.splitlines()[-1].startswith(f"{sum(one.severity == 'error' for one in doctor(doc))} errors, ")
    assert "bikes.yaml:6  The path /bikes/{id} has {id}" in str(doc.findings)
    assert isinstance(doc.findings, tuple)


def test_a_document_that_came_as_text_has_lines_only():
    assert "    line 6  The path /bikes/{id} has {id}" in str(load_document(BIKES).findings)


def test_a_page_escapes_what_the_document_says():
    page = doctor(load_document(BIKES))._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert "<details open><summary><b>error PAR010</b>: " in page
    assert "&lt;b&gt;" in page
    assert "<b>&#x27;" not in page
    assert "<script" not in page


def test_a_document_without_a_finding_says_so():
    assert str(document({}).findings) == "The document: nothing to say against it."


def test_many_places_of_one_rule_are_counted():
    paths: dict[str, Any] = {f"/a{number}/{{id}}": {"get": {"operationId": f"get-{number}"}} for number in range(9)}
    found = load_document({"openapi": "3.1.0", "info": {}, "servers": [{"url": "https://x.dev"}], "paths": paths})
    assert "    and 4 more, in this list" in str(found.findings)


def test_a_document_says_how_many_errors_loading_found():
    assert repr(load_document(BIKES)) == (
        "<Document 'Bike Shed' 1.0: 1 operation (1 left out), 2 errors: see bn.doctor(doc), in memory>"
    )
