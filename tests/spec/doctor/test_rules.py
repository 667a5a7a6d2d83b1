"""Every rule: a small fault that it finds, where and how bad, and a good twin that it leaves alone."""

from __future__ import annotations

from typing import Any

import pytest
from doctor_cases import CASES, LISTED, URL, Case
from doctor_documents import LIST, changed, good, good_text, put

from bitte_nb.spec.doctor import doctor
from bitte_nb.spec.doctor.rule import rules
from bitte_nb.spec.load import load_document


def found(tree: dict[str, Any] | str, url: str | None = None) -> list[tuple[str, str, str]]:
    return [(one.rule, one.severity, one.pointer) for one in doctor(load_document(tree, url=url))]


def test_the_document_that_the_cases_change_has_no_finding():
    assert found(good()) == []
    assert found(good(), URL) == []
    assert found(good_text()) == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rule}-{case.at.rsplit('/', 1)[-1]}")
def test_a_rule_finds_its_fault_where_it_is(case: Case):
    assert (case.rule, case.severity, case.at) in found(changed(case.bad), case.url)


TWINS = [case for case in CASES if case.twin is not None]


@pytest.mark.parametrize("case", TWINS, ids=lambda case: f"{case.rule}-{case.at.rsplit('/', 1)[-1]}")
def test_a_rule_leaves_the_good_twin_alone(case: Case):
    assert case.twin is not None
    assert case.rule not in [rule for rule, _, _ in found(changed(case.twin), case.url)]


YAML = {
    "keys that are numbers": ("'200':", "200:", "200"),
    "words that YAML 1.1 reads as true or false": ("title: Order desk", "title: no", "no"),
    "dates that some readers turn into date objects": ("version: 1.0.0", "version: 2026-01-31", "2026-01-31"),
    "numbers that YAML 1.1 reads in base 8 or 60": ("red lamp", "010", "010"),
}


@pytest.mark.parametrize("what", YAML)
def test_yaml_that_readers_of_1_1_read_otherwise_is_named_with_its_line(what: str):
    right, wrong, word = YAML[what]
    text = good_text().replace(right, wrong)
    (finding,) = [one for one in doctor(load_document(text)) if one.rule == "DOC001"]
    assert (finding.severity, finding.tokens) == ("warning", (what,))
    assert finding.line is not None
    assert word in text.splitlines()[finding.line - 1]
    assert word in finding.message


def test_a_key_that_is_written_twice_is_found_once():
    text = good_text().replace("security: []", "security: []\nsecurity: []")
    (finding,) = [one for one in doctor(load_document(text)) if one.rule == "DOC001"]
    assert finding.line == 9


def test_the_rules_are_those_that_are_listed_with_their_severities():
    listed = {name: severity for severity, names in LISTED.items() for name in names.split()}
    assert {rule.id: rule.severity for rule in rules()} == listed
    assert len(listed) >= 60


def test_every_rule_has_a_case_of_its_own_severity():
    covered = {(case.rule, case.severity) for case in CASES} | {("DOC001", "warning")}
    assert {(rule.id, rule.severity) for rule in rules()} <= covered


def test_every_rule_says_what_a_good_document_does_and_why():
    assert [rule.id for rule in rules() if not rule.title or not rule.check.__doc__] == []


@pytest.mark.parametrize(
    ("name", "tells"), [("rent-bike", True), ("end_rental", True), ("bike", False), ("the-end", False)]
)
def test_a_name_that_begins_with_a_verb_says_what_is_done(name: str, tells: bool):
    wrong = [pointer for rule, _, pointer in found(changed(put(f"{LIST}/operationId", name))) if rule == "OPID006"]
    assert wrong == ([] if tells else [f"{LIST}/operationId"])
