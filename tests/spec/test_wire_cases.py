"""The handed wire conformance cases: what must go over the wire, or must be refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import httpx
import pytest

from bitte_nb.errors import RequestRefused
from bitte_nb.spec.load import load_document

CASES = Path(__file__).parents[2].parent / "shared" / "data" / "openapi" / "wire_cases.json"


def cases() -> list[Any]:
    if not CASES.is_file():
        return [pytest.param(None, marks=pytest.mark.skip(reason="../shared/data/openapi/wire_cases.json is absent"))]
    return [pytest.param(case, id=case["id"]) for case in json.loads(CASES.read_text())["cases"]]


def document(case: dict[str, Any]) -> dict[str, Any]:
    extra = {key: value for key, value in case["op"].items() if not key.startswith("_")}
    operation = {"operationId": "op", "parameters": case["params"], "responses": {}, **extra}
    if case["body"] is not None:
        operation["requestBody"] = case["body"]
    item: dict[str, Any] = {case["method"]: operation}
    if "_pathparams" in case["op"]:
        item["parameters"] = case["op"]["_pathparams"]
    root: dict[str, Any] = {"openapi": "3.0.3", "info": {"title": "t", "version": "1"}}
    root["servers"] = [{"url": "https://api.test"}]
    root |= case["root"]
    if case["op"].get("_pathitem_ref"):
        root["x-items"] = {"one": item}
        item = {"$ref": "#/x-items/one"}
    root["paths"] = {case["path"]: item}
    return root


def plain(value: Any) -> Any:
    if isinstance(value, dict) and set(value) == {"$bytes_hex"}:
        return bytes.fromhex(value["$bytes_hex"])
    return value


def build(case: dict[str, Any]) -> httpx.Request:
    args = case["args"]
    doc = load_document(document(case), url=case["op"].get("_spec_url"))
    body = {"body": plain(args["body"])} if "body" in args else {}
    return doc.operation("op").build(
        path=args.get("path", {}),
        query=args.get("query", {}),
        headers=args.get("header", {}),
        cookies=args.get("cookie", {}),
        **body,
    )


@pytest.mark.parametrize("case", cases())
def test_what_goes_over_the_wire(case: dict[str, Any]) -> None:
    expect = case["expect"]
    if expect.get("reject") and not expect.keys() & {"or_header", "or_path_prefix", "no_header_contains"}:
        with pytest.raises(RequestRefused):
            build(case)
        return
    try:
        request = build(case)
    except RequestRefused:
        if not expect.get("reject"):
            raise
        return
    path, _, query = request.url.raw_path.decode().partition("?")
    if wanted := expect.get("paths") or ([expect["path"]] if "path" in expect else None):
        assert path in wanted
    if "or_path_prefix" in expect:
        assert path.startswith(expect["or_path_prefix"])
    if wanted := expect.get("queries") or ([expect["query"]] if "query" in expect else None):
        assert query in wanted
    pairs = [list(pair) for pair in parse_qsl(query, keep_blank_values=True)]
    if "qlist" in expect:
        assert pairs == expect["qlist"]
    if "qset" in expect:
        assert sorted(pairs) == sorted(expect["qset"])
    if "qjson" in expect:
        assert {name: json.loads(value) for name, value in pairs} == expect["qjson"]
    for name, value in {**expect.get("header", {}), **expect.get("or_header", {})}.items():
        assert request.headers.get(name) == value
    for name, value in expect.get("no_header_value", {}).items():
        assert request.headers.get(name) != value
    for name, value in expect.get("no_header_contains", {}).items():
        assert value not in request.headers.get(name, "")
    content = request.read()
    if "json" in expect:
        assert json.loads(content) == expect["json"]
    if "form" in expect:
        form = [list(pair) for pair in parse_qsl(content.decode(), keep_blank_values=True)]
        assert form in (expect["form"], expect.get("form_alt"))
    if "body" in expect:
        assert content == plain(expect["body"])
    if "ctype" in expect:
        assert request.headers["content-type"].startswith(expect["ctype"])
    for text in expect.get("sent_contains", []):
        assert text.encode() in content
    for text in expect.get("not_contains", []):
        assert text.encode() not in content
    if "host" in expect:
        assert request.url.host == expect["host"]
