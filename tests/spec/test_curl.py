"""The command for a shell gives curl exactly what the request has, and holds no credential."""

from __future__ import annotations

import os
import subprocess
from itertools import pairwise
from typing import Any

import pytest
from spec_documents import document, json_body

from bitte_nb.spec.document import Document
from bitte_nb.spec.shown_request import ShownRequest

SCHEMES: dict[str, Any] = {
    "key": {"type": "apiKey", "in": "header", "name": "X`id`$-Key"},
    "query": {"type": "apiKey", "in": "query", "name": "api key"},
    "sid": {"type": "apiKey", "in": "cookie", "name": "sid"},
    "my-token": {"type": "http", "scheme": "bearer"},
    "2nd": {"type": "http", "scheme": "basic"},
}


def built(method: str = "get", *, security: Any = None, url: str = "https://api.test", **extra: Any) -> Document:
    node = {"operationId": "op", "security": security or [], **extra}
    return document({"/t": {method: node}}, servers=[{"url": url}], components={"securitySchemes": SCHEMES})


def given(request: ShownRequest, **secrets: str) -> list[str]:
    """What the shell would give curl for the command of a request; `<` and what comes through the pipe at the end."""
    script = "curl() { printf '%s\\0' \"$@\"; case \"$*\" in *@-*) printf '<'; cat;; esac; }\n" + request.curl()
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **secrets}
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True, env=environment)
    assert done.stderr == b""
    return [word.decode(errors="surrogateescape") for word in done.stdout.split(b"\0")]


TRICKY = 'it\'s "$HOME" `id` \\ $(id) ! * \n\t é €'


def test_the_words_are_those_of_the_request() -> None:
    params = [{"name": "q", "in": "query"}, {"name": "c", "in": "cookie"}, {"name": "X-Empty", "in": "header"}]
    doc = built("post", parameters=params, requestBody=json_body({"type": "object", "properties": {"a": {}}}))
    request = doc.operation("op").request({"q": TRICKY, "c": "1", "X-Empty": "", "a": TRICKY})
    words = given(request)
    assert words[0] == str(request.url)
    assert words[1:3] == ["-X", "POST"]
    assert words[words.index("--data-raw") + 1].encode() == request.content
    headers = [word for flag, word in pairwise(words) if flag == "-H"]
    assert headers == [
        "x-empty;",
        *(f"{name}: {request.headers[name]}" for name in ("content-type", "accept", "accept-encoding", "user-agent")),
    ]
    assert words[words.index("-b") + 1] == "c=1"
    assert "--compressed" in words


@pytest.mark.parametrize(
    ("scheme", "variable", "words"),
    [
        ("key", "KEY", ["-H", "X`id`$-Key: s e'c"]),
        ("query", "QUERY", ["https://api.test/t?api%20key=s e'c"]),
        ("sid", "SID", ["-b", "sid=s e'c"]),
        ("my-token", "MY_TOKEN", ["-H", "Authorization: Bearer s e'c"]),
        ("2nd", "_2ND", ["-u", "s e'c"]),
    ],
)
def test_a_credential_is_a_variable_of_the_shell(scheme: str, variable: str, words: list[str]) -> None:
    doc = built(security=[{scheme: []}])
    shown = doc.operation("op").request({}).curl()
    found = given(doc.operation("op").request({}), **{variable: "s e'c"})
    assert any(found[index : index + len(words)] == words for index in range(len(found)))
    doc.authorize(scheme, "the-real-one")
    assert doc.operation("op").request({}).curl() == shown


def test_a_call_that_may_go_without_a_credential_names_none() -> None:
    assert "$KEY" not in built(security=[{"key": []}, {}]).operation("op").request({}).curl()


def test_bytes_come_through_a_pipe_and_what_cannot_be_seen_is_escaped() -> None:
    binary = {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
    words = given(built("put", requestBody=binary).operation("op").request({"body": b"\x00\xff\n"}))
    assert "--data-binary" in words
    assert "<" in words
    assert words[-1] == "\udcff\n"
    plain = {"content": {"text/plain": {"schema": {"type": "string"}}}}
    request = built("put", requestBody=plain).operation("op").request({"body": "a\x1b[201~\u202e'\\b\n@c"})
    assert not {"\x1b", "\u202e"} & set(request.curl())
    assert given(request)[given(request).index("--data-raw") + 1] == "a\x1b[201~\u202e'\\b\n@c"


def test_the_method_and_the_brackets_of_an_address_are_kept() -> None:
    assert given(built("head").operation("op").request({}))[1] == "--head"
    assert "--globoff" in given(built(url="http://[::1]:8080").operation("op").request({}))
