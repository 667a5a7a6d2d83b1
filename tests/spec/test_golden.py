"""The exact bytes of a call, from a model's arguments, by table."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest
from golden_cases import ARRAY, GOLDEN, Golden, query
from spec_documents import operation

from bitte_nb.errors import RequestRefused
from bitte_nb.spec.load import load_document


def build(case: Golden) -> httpx.Request:
    node: dict[str, Any] = {"operationId": "op", "parameters": list(case.params), "responses": {}, **case.operation}
    if case.content is not None:
        node["requestBody"] = {"required": case.required, "content": case.content}
    root = {"openapi": "3.2.0", "info": {"title": "t", "version": "1"}, "servers": [{"url": "https://api.test"}]}
    return (
        load_document({**root, **case.root, "paths": {case.path: {case.method: node}}}, url=case.url)
        .operation("op")
        .request(case.args)
    )


@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in GOLDEN])
def test_the_exact_bytes(case: Golden) -> None:
    request = build(case)
    url = request.url
    assert f"{url.scheme}://{url.netloc.decode()}" == case.origin
    assert url.raw_path.decode() == case.target
    content, sent = request.content, dict(request.headers)
    if boundary := re.search(r"boundary=(\w+)", sent.get("content-type", "")):
        sent["content-type"] = sent["content-type"].replace(boundary[1], "BOUNDARY")
        content = content.replace(boundary[1].encode(), b"BOUNDARY")
    assert content == case.body
    for name in ("content-type", "cookie", *case.headers):
        assert sent.get(name) == case.headers.get(name)


def test_there_are_many_cases_and_each_has_a_name() -> None:
    assert len({case.id for case in GOLDEN}) == len(GOLDEN) >= 180


@pytest.mark.parametrize(
    ("schema", "value", "sentence"),
    [
        (ARRAY, "a,b", 'Query parameter c must be an array, not "a,b". Write ["a,b"] for one item, or each item in '),
        ({"type": "array", "items": {"type": "integer"}}, "1,x", 'Query parameter c must be an array, not "1,x".'),
        ({"type": "boolean"}, "yes", 'Query parameter c must be true or false, not "yes".'),
        ({"type": "boolean"}, 1, "Query parameter c must be true or false, not 1."),
        ({"type": "integer"}, "1.5", 'Query parameter c must be an integer, not "1.5".'),
        ({"type": "integer"}, "", 'Query parameter c must be an integer, not "".'),
        ({"type": "string"}, ["a"], 'Query parameter c must be a string, not ["a"].'),
        ({"type": "object"}, "x", 'Query parameter c must be an object, not "x".'),
        ({"enum": ["a", "b"]}, "c", 'Query parameter c must be one of "a", "b", not "c".'),
    ],
)
def test_what_could_mean_two_things_is_refused_with_a_sentence(schema: Any, value: Any, sentence: str) -> None:
    with pytest.raises(RequestRefused) as caught:
        operation(params=[query("c", schema)]).request({"c": value})
    assert str(caught.value).startswith(sentence)
