"""Where requests go: servers, variables, relative URLs, and documents without any."""

from __future__ import annotations

from typing import Any

import pytest
from spec_documents import document, operation

from bitte_nb.core.result import ToolError
from bitte_nb.errors import DocumentError, OperationError, RequestRefused
from bitte_nb.spec.guard import check_target, origin_of, same_place
from bitte_nb.spec.load import load_document


@pytest.mark.parametrize(
    ("servers", "url", "base"),
    [
        ([{"url": "https://a.test/v1/"}], None, "https://a.test/v1"),
        ([{"url": "https://a.test"}, {"url": "https://b.test"}], None, "https://a.test"),
        ([{"url": "/v1"}], "https://a.test/x/openapi.json", "https://a.test/v1"),
        ([{"url": "./v1"}], "https://a.test/x/openapi.json", "https://a.test/x/v1"),
        ([{"url": "../v1"}], "https://a.test/x/y/openapi.json", "https://a.test/x/v1"),
        ([{"url": "//b.test/v1"}], "https://a.test/openapi.json", "https://b.test/v1"),
        ([{"url": "/"}], "https://a.test/openapi.json", "https://a.test"),
        ([], "https://a.test/openapi.json", "https://a.test"),
        (
            [{"url": "https://{h}.test:{p}", "variables": {"h": {"default": "a"}, "p": {"default": 8443}}}],
            None,
            "https://a.test:8443",
        ),
        ([{"url": "https://{h}.test", "variables": {"h": {"enum": ["x", "y"]}}}], None, "https://x.test"),
        ([{"url": ""}], "https://a.test/x/openapi.json", "https://a.test"),
        ([{"description": "no url"}, {"url": "https://a.test"}], None, "https://a.test"),
    ],
)
def test_a_server_is_resolved(servers: Any, url: str | None, base: str) -> None:
    assert operation(url=url, root={"servers": servers}).server == base


@pytest.mark.parametrize(
    ("servers", "why"),
    [
        ([], "names no server"),
        ([{"url": "/v1"}], "is relative"),
        ([{"url": "https://{x}.test"}], "needs a value for"),
        ([{"url": "ftp://a.test"}], "not an http or https URL"),
        ([{"url": "file:///etc"}], "not an http or https URL"),
        ([{"url": "javascript:alert(1)"}], "not an http or https URL"),
        ([{"url": "api.test/v1"}], "has no scheme: write http:// or https:// before it"),
        ([{"url": "localhost:8080"}], "has no scheme"),
        ([{"url": "https://a.test:99999"}], "a port that is none"),
        ([{"url": "https://a.test:x/v1"}], "a port that is none"),
        ([{"url": "https://"}], "names no host"),
        ([{"url": "https://u:p@a.test"}], "user name or password"),
        (None, "names no server"),
    ],
)
async def test_a_document_without_a_usable_server_is_an_error_sentence(servers: Any, why: str) -> None:
    made = operation(root={"servers": servers})
    with pytest.raises(OperationError, match=why):
        made.request({})
    result = await made.call({})
    assert isinstance(result, ToolError)
    assert len(result.error) > 20


def test_the_most_specific_server_wins() -> None:
    item = {"servers": [{"url": "https://path.test"}], "get": {"operationId": "a"}}
    item["post"] = {"operationId": "b", "servers": [{"url": "https://op.test/x"}]}
    doc = document({"/t": item, "/u": {"get": {"operationId": "c"}}})
    assert [doc.operation(name).server for name in "abc"] == [
        "https://path.test",
        "https://op.test/x",
        "https://api.test",
    ]
    assert set(doc.servers) == {"https://path.test", "https://op.test", "https://api.test"}


def test_a_server_variable_can_be_chosen_within_its_enum() -> None:
    root = {
        "openapi": "3.1.0",
        "servers": [{"url": "https://{r}.test", "variables": {"r": {"default": "eu", "enum": ["eu", "us"]}}}],
        "paths": {"/t": {"get": {"operationId": "op"}}},
    }
    assert load_document(root, variables={"r": "us"}).operation("op").server == "https://us.test"
    with pytest.raises(OperationError, match="one of eu, us"):
        load_document(root, variables={"r": "evil.test/#"}).operation("op").request({})


def test_a_value_for_a_variable_that_no_server_has_is_refused_while_loading() -> None:
    own = {"url": "https://{zone}.test", "variables": {"zone": {"default": "a"}}}
    root: dict[str, Any] = {
        "openapi": "3.1.0",
        "servers": [{"url": "https://{region}.test", "variables": {"region": {"default": "eu"}}}],
        "paths": {"/t": {"get": {"operationId": "op", "servers": [own]}}},
    }
    assert load_document(root, variables={"zone": "b", "region": "us"}).operation("op").server == "https://b.test"
    with pytest.raises(DocumentError, match="has a variable 'regoin'; did you mean 'region'"):
        load_document(root, variables={"regoin": "us"})
    with pytest.raises(DocumentError, match="they have: none"):
        load_document({**root, "servers": [], "paths": {}}, variables={"region": "us"})


def test_the_base_path_is_kept_without_a_double_slash() -> None:
    made = operation(root={"servers": [{"url": "https://api.test/api/v3/"}]})
    assert str(made.build().url) == "https://api.test/api/v3/t"


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("https://evil.test/t", "https://api.test"),
        ("http://api.test/t", "https://api.test"),
        ("https://api.test:8443/t", "https://api.test"),
        ("https://api.test/other", "https://api.test/v1"),
        ("https://api.test/v1evil", "https://api.test/v1"),
        ("https://api.test/v1/../admin", "https://api.test/v1"),
        ("https://api.test/v1/%252e%252e/admin", "https://api.test/v1"),
        ("https://api.test@evil.test/", "https://api.test"),
        ("/t", "https://api.test"),
    ],
)
def test_a_finished_url_that_left_its_server_is_refused(url: str, server: str) -> None:
    with pytest.raises(RequestRefused):
        check_target(url, server)


def test_a_path_template_cannot_leave_the_base_path() -> None:
    for path in ("/../admin", "/x/%2e%2e/%2e%2e/admin", "/..;/admin/.."):
        with pytest.raises(RequestRefused):
            operation(path, root={"servers": [{"url": "https://api.test/v1"}]}).build()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://localhost:1", "http://127.0.0.1:1", True),
        ("http://[::1]:1", "http://localhost:1", True),
        ("http://localhost", "http://127.0.0.1", True),
        ("http://[::1]", "http://localhost", True),
        ("http://localhost:1", "http://127.0.0.1:2", False),
        ("http://localhost:1", "https://localhost:1", False),
        ("http://localhost.evil.test", "http://127.0.0.1.evil.test", False),
    ],
)
def test_the_names_of_this_machine_are_one_place(one: str, other: str, same: bool) -> None:
    assert same_place(one, other) is same


def test_origins_are_compared_without_default_ports_and_case() -> None:
    assert origin_of("HTTPS://API.test:443/x") == "https://api.test"
    assert origin_of("http://[::1]:8080/") == "http://[::1]:8080"
    assert origin_of("nonsense") == ""
    assert origin_of("https://a:99999999") == ""
    assert origin_of("https://a:0/") == "https://a:0"
