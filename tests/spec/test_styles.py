"""Every style and explode of a parameter, by table (OAS 3.1, 4.8.12.3 and RFC 6570)."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spec_documents import operation

from bitte_nb.errors import RequestRefused

ARRAY = ["blue", "black"]
OBJECT = {"R": 100, "G": 200}


def parameter(place: str, name: str = "c", **rules: Any) -> dict[str, Any]:
    return {"name": name, "in": place, "required": place == "path", "schema": {}, **rules}


@pytest.mark.parametrize(
    ("style", "explode", "value", "query"),
    [
        ("form", True, "blue", "c=blue"),
        ("form", True, ARRAY, "c=blue&c=black"),
        ("form", False, ARRAY, "c=blue,black"),
        ("form", True, OBJECT, "R=100&G=200"),
        ("form", False, OBJECT, "c=R,100,G,200"),
        (None, None, ARRAY, "c=blue&c=black"),
        ("form", None, OBJECT, "R=100&G=200"),
        ("spaceDelimited", False, ARRAY, "c=blue%20black"),
        ("spaceDelimited", None, ARRAY, "c=blue%20black"),
        ("spaceDelimited", True, ARRAY, "c=blue&c=black"),
        ("pipeDelimited", False, ARRAY, "c=blue%7Cblack"),
        ("pipeDelimited", None, OBJECT, "c=R%7C100%7CG%7C200"),
        ("deepObject", True, OBJECT, "c%5BR%5D=100&c%5BG%5D=200"),
        ("deepObject", None, {"a": {"b": [1, {"x": 2}]}}, "c%5Ba%5D%5Bb%5D%5B0%5D=1&c%5Ba%5D%5Bb%5D%5B1%5D%5Bx%5D=2"),
        ("form", True, [], ""),
        ("form", False, [], ""),
        ("form", True, None, ""),
        ("form", True, "", "c="),
        ("form", True, 0, "c=0"),
        ("form", True, False, "c=false"),
        ("form", True, 1.5, "c=1.5"),
        ("form", True, 5.0, "c=5"),
        ("form", True, 12345678901234567890, "c=12345678901234567890"),
        ("form", True, ["a", None, "b"], "c=a&c=b"),
        ("form", True, [True, 0], "c=true&c=0"),
        ("form", False, ["a,b", "c"], "c=a%2Cb,c"),
        ("form", True, [{"a": 1}], "c=%7B%22a%22%3A1%7D"),
        ("form", True, "é ", "c=%C3%A9%20"),
    ],
)
def test_a_query_parameter_is_written_by_its_style(style: Any, explode: Any, value: Any, query: str) -> None:
    rules = {key: rule for key, rule in (("style", style), ("explode", explode)) if rule is not None}
    request = operation(params=[parameter("query", **rules)]).build(query={"c": value})
    assert request.url.query.decode() == query


@pytest.mark.parametrize(
    ("style", "explode", "value", "path"),
    [
        ("simple", False, "blue", "/t/blue"),
        ("simple", False, ARRAY, "/t/blue,black"),
        ("simple", True, ARRAY, "/t/blue,black"),
        ("simple", False, OBJECT, "/t/R,100,G,200"),
        ("simple", True, OBJECT, "/t/R=100,G=200"),
        ("label", False, "blue", "/t/.blue"),
        ("label", False, ARRAY, "/t/.blue,black"),
        ("label", True, ARRAY, "/t/.blue.black"),
        ("label", False, OBJECT, "/t/.R,100,G,200"),
        ("label", True, OBJECT, "/t/.R=100.G=200"),
        ("matrix", False, "blue", "/t/;c=blue"),
        ("matrix", False, ARRAY, "/t/;c=blue,black"),
        ("matrix", True, ARRAY, "/t/;c=blue;c=black"),
        ("matrix", False, OBJECT, "/t/;c=R,100,G,200"),
        ("matrix", True, OBJECT, "/t/;R=100;G=200"),
        ("simple", False, 0, "/t/0"),
        ("simple", False, False, "/t/false"),
        ("simple", False, "a/b", "/t/a%2Fb"),
        ("simple", False, ["a,b", "c"], "/t/a%2Cb,c"),
        ("simple", False, "100%", "/t/100%25"),
        ("simple", False, "a..b", "/t/a..b"),
        ("simple", False, "...", "/t/..."),
    ],
)
def test_a_path_parameter_is_written_by_its_style(style: str, explode: bool, value: Any, path: str) -> None:
    built = operation("/t/{c}", params=[parameter("path", style=style, explode=explode)]).build(path={"c": value})
    assert built.url.raw_path.decode() == path


CLIMBING = [
    "..",
    ".",
    "../admin",
    "a/../..",
    "%2e%2e",
    "%2E%2e%2fadmin",
    "%252e%252e",
    "%25252e%25252e/x",
    "..\\admin",
    "a\\b",
    "%5c..",
    "..;x=1/y",
    "a\x00b",
    "a%00b",
    "a\r\nb",
    "a%0d%0ab",
    "%" + "25" * 40 + "2e",
]


@pytest.mark.parametrize("value", [*CLIMBING, "", None, [], [".."], {"..": 1}, {"a": ""}])
@pytest.mark.parametrize("template", ["/t/{c}", "/t/{c}/x", "/t/x.{c}", "/{c}"])
def test_a_path_parameter_cannot_climb_or_vanish(template: str, value: Any) -> None:
    with pytest.raises(RequestRefused):
        operation(template, params=[parameter("path")]).build(path={"c": value})


@pytest.mark.parametrize("value", [["a", None, "b"], {"a": "b", "c": None}])
def test_null_inside_a_path_value_is_left_out(value: Any) -> None:
    assert operation("/t/{c}", params=[parameter("path")]).build(path={"c": value}).url.path == "/t/a,b"


def test_a_path_parameter_that_allows_reserved_characters_keeps_its_slashes_but_cannot_climb() -> None:
    made = operation("/v1/{c}:run", "post", params=[parameter("path", allowReserved=True)])
    assert made.build(path={"c": "projects/p 1/jobs/a?b#c"}).url.raw_path == b"/v1/projects/p%201/jobs/a%3Fb%23c:run"
    for value in ("a/../../b", "a/%2e%2e/b", "a/./b"):
        with pytest.raises(RequestRefused):
            made.build(path={"c": value})


def test_a_header_given_by_the_program_replaces_the_runtimes() -> None:
    request = operation().request({}, headers={"Accept": "text/csv", "user-agent": "mine"})
    assert request.headers.get_list("accept") == ["text/csv"]
    assert request.headers.get_list("user-agent") == ["mine"]


def test_two_parameters_cannot_build_a_dot_segment_together() -> None:
    made = operation("/t/{a}{b}/x", params=[parameter("path", "a"), parameter("path", "b")])
    with pytest.raises(RequestRefused, match="dot segment"):
        made.build(path={"a": ".", "b": "."})


@pytest.mark.parametrize(
    ("rules", "value", "sent"),
    [
        ({}, ARRAY, "blue,black"),
        ({}, OBJECT, "R,100,G,200"),
        ({"explode": True}, OBJECT, "R=100,G=200"),
        ({}, 5, "5"),
        ({}, True, "true"),
        ({}, "  padded ", "padded"),
        ({"content": {"application/json": {}}}, {"a": [1]}, '{"a":[1]}'),
    ],
)
def test_a_header_is_written_by_its_style(rules: dict[str, Any], value: Any, sent: str) -> None:
    assert operation(params=[parameter("header", "X-C", **rules)]).build(headers={"X-C": value}).headers["x-c"] == sent


@pytest.mark.parametrize("value", ["a\r\nX: 1", "a\nb", "a\rb", "a\x00b", "é", "\x7f"])
def test_a_header_value_that_would_break_or_forge_a_header_is_refused(value: str) -> None:
    with pytest.raises(RequestRefused):
        operation(params=[parameter("header", "X-C")]).build(headers={"x-c": value})


@pytest.mark.parametrize(
    "name", ["Host", "Cookie", "Content-Length", "Transfer-Encoding", "Connection", "Proxy-X", "Upgrade"]
)
def test_a_header_that_frames_or_routes_is_refused_even_if_declared(name: str) -> None:
    made = operation(params=[parameter("header", name)])
    assert name not in made.input_schema["properties"]
    with pytest.raises(RequestRefused):
        made.build(headers={name: "x"})
    with pytest.raises(RequestRefused):
        made.request({name: "x"})


@pytest.mark.parametrize("name", ["Accept", "Content-Type", "Authorization", "mb-metadata"])
def test_a_header_that_the_runtime_sets_is_left_to_it(name: str) -> None:
    made = operation(params=[parameter("header", name, required=True)])
    assert made.build(headers={name: "model"}).headers.get(name) != "model"
    assert name not in made.request({}).headers.get(name, "")


@pytest.mark.parametrize(
    ("rules", "value", "sent"),
    [
        ({}, "abc", "sid=abc"),
        ({}, 5, "sid=5"),
        ({}, "a b", "sid=a%20b"),
        ({"explode": False}, ["a", "b"], "sid=a,b"),
        ({}, ["a", "b"], "sid=a; sid=b"),
    ],
)
def test_a_cookie_is_written_by_its_style(rules: dict[str, Any], value: Any, sent: str) -> None:
    assert (
        operation(params=[parameter("cookie", "sid", **rules)]).build(cookies={"sid": value}).headers["cookie"] == sent
    )


@pytest.mark.parametrize("value", ["a; admin=1", "a,b", 'a"', "a\\", "a\r\nSet-Cookie: x", "a\x00"])
def test_a_cookie_cannot_start_another_one(value: str) -> None:
    with pytest.raises(RequestRefused):
        operation(params=[parameter("cookie", "sid")]).build(cookies={"sid": value})


@pytest.mark.parametrize(
    ("value", "query"),
    [
        ("a/b:c?d@e", "c=a/b:c?d@e"),
        ("a&b#c", "c=a%26b%23c"),
        ("a+b c", "c=a%2Bb%20c"),
        ("%2F", "c=%2F"),
        ("50%", "c=50%25"),
        ("[x]", "c=%5Bx%5D"),
    ],
)
def test_allow_reserved_keeps_only_what_cannot_split_the_query(value: str, query: str) -> None:
    assert (
        operation(params=[parameter("query", allowReserved=True)]).build(query={"c": value}).url.query.decode() == query
    )


def test_a_content_parameter_is_written_as_json() -> None:
    made = operation(params=[{"name": "f", "in": "query", "content": {"application/json": {"schema": {}}}}])
    assert parse_qsl(made.build(query={"f": {"a": [1, None]}}).url.query.decode()) == [("f", '{"a":[1,null]}')]
    assert parse_qsl(made.build(query={"f": "x"}).url.query.decode()) == [("f", '"x"')]


def test_the_query_of_a_path_template_is_merged_and_replaced_by_an_argument_of_the_same_name() -> None:
    made = operation("/?Action=Run&v=1", params=[parameter("query", "k"), parameter("query", "Action", required=True)])
    assert made.build(query={"k": "2"}).url.query == b"Action=Run&v=1&k=2"
    assert made.build(query={"Action": "Stop"}).url.query == b"v=1&Action=Stop"


def test_a_fragment_of_a_path_template_is_not_sent() -> None:
    made = operation("/#X-Amz-Target=T.Do", "post", params=[parameter("header", "X-Amz-Target", required=True)])
    assert str(made.build(headers={"X-Amz-Target": "T.Do"}).url) == "https://api.test/"


def test_a_placeholder_in_the_query_of_a_template_is_filled() -> None:
    built = operation("/t?id={c}", params=[parameter("path")]).build(path={"c": "a&b"})
    assert built.url.raw_path == b"/t?id=a%26b"


def test_a_querystring_parameter_is_the_whole_query() -> None:
    media = {"application/x-www-form-urlencoded": {"schema": {"type": "object"}}}
    made = operation(params=[{"name": "q", "in": "querystring", "content": media}])
    assert made.request({"q": {"a": 1, "b": ["x", "y"]}}).url.query == b"a=1&b=x&b=y"


@given(st.text(min_size=1).filter(lambda text: not any("\ud800" <= mark <= "\udfff" for mark in text)))
def test_any_query_text_arrives_as_it_is(text: str) -> None:
    request = operation(params=[parameter("query")]).build(query={"c": text})
    assert parse_qsl(request.url.query.decode(), keep_blank_values=True) == [("c", text)]


@given(st.text(min_size=1))
def test_any_path_text_arrives_as_one_segment_or_is_refused(text: str) -> None:
    made = operation("/base/{c}/end", params=[parameter("path")])
    try:
        request = made.build(path={"c": text})
    except RequestRefused:
        return
    assert request.url.host == "api.test"
    _, base, segment, end = request.url.raw_path.decode().split("/")
    assert (base, unquote(segment), end) == ("base", text, "end")
