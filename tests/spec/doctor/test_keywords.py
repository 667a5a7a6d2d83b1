"""No keyword that is left out for its value is left out in silence."""

from __future__ import annotations

from typing import Any

import pytest
from doctor_documents import BODY, LIST, PLACE, all_of, changed, good, patched, put

from bitte_nb.spec.doctor import doctor
from bitte_nb.spec.finding import Finding
from bitte_nb.spec.load import load_document

ARTICLE = f"{BODY}/properties/article"
LIMIT = f"{LIST}/parameters/0"


def said(tree: dict[str, Any], rule: str = "SCH007") -> list[Finding]:
    return [one for one in doctor(load_document(tree)) if one.rule == rule]


@pytest.mark.parametrize(
    ("at", "value", "fix"),
    [
        (f"{ARTICLE}/enum", "red, blue", "Write `enum: [red, blue]`."),
        (f"{ARTICLE}/enum", [], "List its values, or remove it."),
        (f"{ARTICLE}/minLength", "3", "Write `minLength: 3`, without quotes."),
        (f"{ARTICLE}/maximum", "one", "Write a number, or remove `maximum`."),
        (f"{ARTICLE}/maximum", True, "Write a number, or remove `maximum`."),
        (f"{ARTICLE}/maxLength", float("inf"), "Write a number, or remove `maxLength`."),
        (f"{ARTICLE}/exclusiveMinimum", True, "Add `minimum`, or write the number itself in OpenAPI 3.1."),
        (f"{ARTICLE}/pattern", "[a-z", "Correct it: unterminated character set."),
        (f"{ARTICLE}/format", 7, 'Write `format: "7"`, in quotes.'),
        (f"{ARTICLE}/readOnly", "no", "Write `readOnly: false`."),
        (f"{ARTICLE}/title", 2024, 'Write `title: "2024"`, in quotes.'),
        (f"{ARTICLE}/type", None, 'Write `type: "null"`, with quotes.'),
        (f"{ARTICLE}/type", {"string": True}, "Write a type, or remove `type`."),
        (f"{ARTICLE}/items", "string", "Write `items: {type: string}`, or a `$ref`."),
        (f"{ARTICLE}/anyOf", {"type": "string"}, "Write `anyOf: [{...}]`, one schema for each."),
        (f"{ARTICLE}/anyOf/0", "string", "Write `{type: ...}` or a `$ref`."),
        (f"{ARTICLE}/examples", {"one": 1}, "Write a list, or remove `examples`."),
        (f"{ARTICLE}/discriminator", 1, "Write an object, or remove `discriminator`."),
        (f"{BODY}/additionalProperties", "false", "Write `additionalProperties: false`, without quotes."),
        (f"{BODY}/properties/days", "integer", "Write `days: {type: integer}`."),
        (f"{BODY}/properties/days", None, "Write `days: {type: ...}`."),
        (f"{BODY}/required", "article", "Write `required: [article]`."),
        (f"{BODY}/required/0", 7, "Write it as text, or remove it."),
        (f"{LIMIT}/required", "yes", "Write `required: true`."),
        (f"{LIMIT}/style", "forms", "Did you mean `form`?"),
        (f"{LIMIT}/schema", "integer", "Write `schema: {type: integer}`, or a `$ref`."),
        (f"{PLACE}/requestBody/required", "true", "Write `required: true`."),
        (f"{PLACE}/tags", "orders", "Write `tags: [orders]`."),
    ],
)
def test_a_keyword_of_a_wrong_value_is_named_with_what_to_write(at: str, value: Any, fix: str):
    tree = good()
    put(at.removesuffix("/0"), [value] if at.endswith("/0") and at != LIMIT else value)(tree)
    (finding,) = said(tree)
    assert (finding.pointer, finding.fix) == (at, fix)


def test_what_can_be_repaired_is_by_its_patch():
    tree = changed(all_of(put(f"{ARTICLE}/enum", "red, blue"), put(f"{ARTICLE}/minLength", "3")))
    for finding in said(tree):
        tree = patched(tree, finding)
    assert said(tree) == []
    schema = load_document(tree).operation("place-order").tool.input_schema["properties"]["article"]
    assert (schema["enum"], schema["minLength"]) == (["red", "blue"], 3)


@pytest.mark.parametrize("pattern", [r"^\p{L}+$", "(?<year>[0-9]{4})", r"(?<=a)b", "[]", r"^[\w/]+\/$"])
def test_a_pattern_that_only_python_reads_otherwise_is_no_fault(pattern: str):
    assert said(changed(put(f"{ARTICLE}/pattern", pattern))) == []


def test_null_stands_for_what_is_not_there():
    assert said(changed(all_of(put(f"{ARTICLE}/enum", None), put(f"{ARTICLE}/format", None)))) == []


def test_a_name_in_required_that_is_no_property_is_told_with_the_nearest():
    (finding,) = said(changed(put(f"{BODY}/required", ["article", "counts"])), "SCH008")
    assert finding.message == "`required` names 'counts', which is no property."
    assert (finding.pointer, finding.fix) == (f"{BODY}/required/1", "Did you mean 'count'?")


@pytest.mark.parametrize(
    "schema",
    [
        {"allOf": [{"properties": {"a": {"type": "string"}}}, {"required": ["a"], "properties": {"b": {}}}]},
        {"properties": {"a": {}, "b": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"properties": {"b": {}}, "required": ["a"], "oneOf": [{"properties": {"a": {}}}]},
        {"properties": {"b": {}}, "required": ["a"], "additionalProperties": {"type": "string"}},
        {"properties": {"b": {}}, "required": ["a"], "patternProperties": {"^a": {}}},
    ],
)
def test_what_another_part_of_the_schema_describes_is_a_property(schema: dict[str, Any]):
    assert said(changed(put(BODY, {"type": "object", **schema})), "SCH008") == []
