"""Wire cases side by side: what bitte_nb, FastMCP and openapi-llm send for the same parameters and arguments.

    python benchmarks/spec_wire.py CASES.json [--peer-python PATH]

CASES.json has the form of `tests/spec/test_wire_cases.py`. Each tool runs in a process of its own; peers are measured
with the interpreter of --peer-python. A peer is given the names of its own schema where names collide. Prints a line
for every case that somebody misses, and the totals.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

COMMON = """
import asyncio, json, logging, sys
logging.disable(logging.CRITICAL)

def plain(value):
    return bytes.fromhex(value["$bytes_hex"]) if isinstance(value, dict) and set(value) == {"$bytes_hex"} else value

def sent(method, url, headers, content):
    path, _, query = url.split("://", 1)[1].partition("/")[2].partition("?")
    return {"host": url.split("://", 1)[1].partition("/")[0], "path": "/" + path, "query": query,
            "headers": {k.lower(): v for k, v in headers.items()}, "body": content.hex()}

def flat(args, known):
    found = {}
    for place in ("path", "query", "header", "cookie"):
        for name, value in args.get(place, {}).items():
            ours = {f"{name}_{place}", f"{name}__{place}"} & set(known) - {name}
            found[ours.pop() if ours else name] = value
    body = plain(args.get("body"))
    if "body" in args:
        found |= body if isinstance(body, dict) and "body" not in known else {"body": body}
    return found

def main(one):
    out = []
    for case, root in json.load(sys.stdin):
        try:
            out.append(one(case, root))
        except BaseException as fault:
            out.append({"refused": f"{type(fault).__name__}: {fault}"[:200]})
    print(json.dumps(out))
"""
OURS = (
    COMMON
    + """
from bitte_nb.spec.load import load_document
def one(case, root):
    args = case["args"]
    body = {"body": plain(args["body"])} if "body" in args else {}
    request = load_document(root, url=case["op"].get("_spec_url")).operation("op").build(
        path=args.get("path", {}), query=args.get("query", {}), headers=args.get("header", {}),
        cookies=args.get("cookie", {}), **body)
    return sent(request.method, str(request.url), request.headers, request.read())
main(one)
"""
)
FASTMCP = (
    COMMON
    + """
import httpx
from fastmcp import FastMCP, Client
def one(case, root):
    seen = []
    def answer(request):
        seen.append(sent(request.method, str(request.url), request.headers, request.read()))
        return httpx.Response(200, json={})
    async def run():
        base = root.get("servers", [{}])[0].get("url", "")
        base = base if "://" in base else "https://api.test"
        client = httpx.AsyncClient(transport=httpx.MockTransport(answer), base_url=base)
        server = FastMCP.from_openapi(openapi_spec=root, client=client)
        tool = (await server.list_tools())[0]
        async with Client(server) as mcp:
            await mcp.call_tool(tool.name, flat(case["args"], tool.parameters.get("properties", {})))
    try:
        asyncio.run(run())
    except Exception:
        if not seen:
            raise
    return seen[0]
main(one)
"""
)
OPENAPI_LLM = (
    COMMON
    + """
import requests
from openapi_llm.client.openapi import OpenAPIClient
def one(case, root):
    seen = []
    def send(self, request, **_):
        body = request.body or b""
        content = body.encode() if isinstance(body, str) else body
        seen.append(sent(request.method, request.url, request.headers, content))
        answer = requests.Response()
        answer.status_code, answer._content, answer.headers = 200, b"{}", {"content-type": "application/json"}
        return answer
    requests.Session.send = send
    client = OpenAPIClient.from_spec(json.dumps(root))
    tool = client.tool_definitions[0]["function"]
    arguments = flat(case["args"], tool["parameters"].get("properties", {}))
    call = {"type": "function", "id": "1", "function": {"name": tool["name"], "arguments": json.dumps(arguments)}}
    client.invoke(call)
    return seen[0]
main(one)
"""
)


def document(case: dict[str, Any]) -> dict[str, Any]:
    """The OpenAPI document of a case."""
    extra = {key: value for key, value in case["op"].items() if not key.startswith("_")}
    responses = {"200": {"description": "ok"}}
    # openapi-llm makes no tool of an operation that nobody described.
    told = {"operationId": "op", "description": "Does it."}
    operation = {**told, "parameters": case["params"], "responses": responses, **extra}
    if case["body"] is not None:
        operation["requestBody"] = case["body"]
    item: dict[str, Any] = {case["method"]: operation}
    if "_pathparams" in case["op"]:
        item["parameters"] = case["op"]["_pathparams"]
    root: dict[str, Any] = {"openapi": "3.0.3", "info": {"title": "t", "version": "1"}}
    root |= {"servers": [{"url": "https://api.test"}], **case["root"]}
    if case["op"].get("_pathitem_ref"):
        root["x-items"] = {"one": item}
        item = {"$ref": "#/x-items/one"}
    return {**root, "paths": {case["path"]: item}}


def _bytes(value: Any) -> bytes:
    return bytes.fromhex(value["$bytes_hex"]) if isinstance(value, dict) else str(value).encode()


def met(expect: dict[str, Any], sent: dict[str, Any]) -> bool:
    """True if what left, or the refusal, is what the case expects."""
    if "refused" in sent:
        return bool(expect.get("reject"))
    if any(mark in value for value in sent["headers"].values() for mark in "\r\n"):
        return bool(expect.get("reject"))  # The HTTP library would refuse it at the socket.
    softer = expect.keys() & {"or_header", "or_path_prefix", "no_header_contains"}
    if expect.get("reject") and not softer:
        return False
    headers, body = sent["headers"], bytes.fromhex(sent["body"])
    pairs = [list(pair) for pair in parse_qsl(sent["query"], keep_blank_values=True)]
    form = [list(pair) for pair in parse_qsl(body.decode("latin-1"), keep_blank_values=True)]
    tests = {
        "path": lambda want: sent["path"] == want,
        "paths": lambda want: sent["path"] in want,
        "or_path_prefix": sent["path"].startswith,
        "query": lambda want: sent["query"] == want,
        "queries": lambda want: sent["query"] in want,
        "qlist": lambda want: pairs == want,
        "qset": lambda want: sorted(pairs) == sorted(want),
        "qjson": lambda want: {name: json.loads(value) for name, value in pairs} == want,
        "header": lambda want: all(headers.get(name) == value for name, value in want.items()),
        "or_header": lambda want: all(headers.get(name) == value for name, value in want.items()),
        "no_header_value": lambda want: all(headers.get(name) != value for name, value in want.items()),
        "no_header_contains": lambda want: all(value not in headers.get(name, "") for name, value in want.items()),
        "json": lambda want: json.loads(body) == want,
        "form": lambda want: form in (want, expect.get("form_alt")),
        "body": lambda want: body == _bytes(want),
        "ctype": lambda want: headers.get("content-type", "").startswith(want),
        "sent_contains": lambda want: all(text.encode() in body for text in want),
        "not_contains": lambda want: all(text.encode() not in body for text in want),
        "host": lambda want: sent["host"] == want,
    }
    try:
        return all(test(expect[key]) for key, test in tests.items() if key in expect)
    except ValueError:
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--peer-python")
    options = parser.parse_args()
    cases = json.loads(options.cases.read_text())["cases"]
    rows = [("bitte_nb", sys.executable, OURS)]
    if options.peer_python:
        rows += [("fastmcp", options.peer_python, FASTMCP), ("openapi-llm", options.peer_python, OPENAPI_LLM)]
    given = json.dumps([(case, document(case)) for case in cases])
    results: dict[str, list[bool]] = {}
    for name, python, program in rows:
        command = [python, "-c", program]
        done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=600, check=False)
        if done.returncode:
            print(name, (done.stderr.strip().splitlines() or ["failed"])[-1])
            continue
        found = json.loads(done.stdout.strip().splitlines()[-1])
        results[name] = [met(case["expect"], one) for case, one in zip(cases, found, strict=True)]
    for index, case in enumerate(cases):
        missed = [name for name, kept in results.items() if not kept[index]]
        if missed:
            print(f"{case['id']:36} missed by {', '.join(missed)}")
    for name, kept in results.items():
        print(f"{name:12} {sum(kept)}/{len(kept)}")


if __name__ == "__main__":
    main()
