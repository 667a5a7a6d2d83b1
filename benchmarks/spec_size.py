"""The size of tool definitions beside FastMCP's and openapi-llm's, for the same information.

    python benchmarks/spec_size.py --peer-python PATH DOCUMENT...

A peer's definitions can be smaller because they say less: it drops limits, values and fields, that null is allowed, or
it leaves a reference that leads nowhere. So each document has three sizes: ours, the peer's, and ours without
what the peer does not say of the same operations ("alike"). Fails where that is larger than the peer's or lacks a fact
that both say, and where the peer says a fact that we do not ("lost").

The peers run in processes of their own, in another environment (`pip install fastmcp openapi-llm httpx`).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from size_facts import WORD, Fact, bare, dangling, facts, plain, words
from size_losses import alike

from bitte_nb.core.tool import Tool
from bitte_nb.errors import DocumentError
from bitte_nb.spec.document import Document
from bitte_nb.spec.load import load_document
from bitte_nb.spec.operation import Operation
from bitte_nb.spec.profiles import adapt
from bitte_nb.spec.tree import items, mapping, sequence, string

FASTMCP = """
import asyncio, json, logging, sys
logging.disable(logging.CRITICAL)
import httpx, yaml
from fastmcp import FastMCP
text = open(sys.argv[1]).read()
spec = json.loads(text) if text.lstrip()[0] == "{" else yaml.load(text, Loader=yaml.CSafeLoader)
server = FastMCP.from_openapi(openapi_spec=spec, client=httpx.AsyncClient(base_url="https://fallback.test"))
tools = asyncio.run(server.list_tools())
print(json.dumps([[t._route.method + t._route.path, t.name, t.description, t.parameters] for t in tools]))
"""
OPENAPI_LLM = """
import json, logging, sys
logging.disable(logging.CRITICAL)
from openapi_llm.client.config import ClientConfig
from openapi_llm.core.spec import OpenAPISpecification
config = ClientConfig(openapi_spec=OpenAPISpecification.from_str(open(sys.argv[1]).read()))
found = [tool["function"] for tool in config.get_tool_definitions()]
print(json.dumps([["", t["name"], t["description"], t.get("parameters", {})] for t in found]))
"""
PEERS = {"fastmcp": FASTMCP, "openapi-llm": OPENAPI_LLM}
_SECONDS = 900
_ADDED = {"format=binary", "format=byte", "path", "query", "header", "cookie", "parameter"}
"""What we say in words (it is a file), and what FastMCP adds to the descriptions of arguments of one name."""

Definition = tuple[str, str, dict[str, Any]]
"""Name, description and schema."""


def of_peer(python: str, program: str, path: Path) -> list[list[Any]] | str:
    """Place, name, description and schema of each tool that a peer makes, or the last line of what went wrong."""
    try:
        done = subprocess.run(
            [python, "-c", program, str(path)], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"more than {_SECONDS} s"
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["failed"])[-1][:60]
    return json.loads(done.stdout.strip().splitlines()[-1])


def paired(tools: list[Tool], peers: list[list[Any]]) -> list[tuple[Tool, Definition]]:
    """Our tools with the peer's for the same operation: of one method and path, or of one whole name."""
    known: dict[str, Definition] = {}
    for place, name, *rest in peers:
        for key in (place, plain(place), plain(name), plain(place).lower(), plain(name).lower()):
            known.setdefault(key, (name, *rest))
    found: list[tuple[Tool, Definition]] = []
    for tool in tools:
        keys = [plain(tool.method + tool.path), plain(tool.name), plain(tool.path + tool.method)]
        keys = [tool.method + tool.path, *keys, *(key.lower() for key in keys)]
        if (match := next((known[key] for key in keys if key in known), None)) is not None:
            found.append((tool, match))
    return found


def size(definition: Definition) -> int:
    """Bytes of a definition."""
    return len(json.dumps(definition))


def shown(tool: Tool, name: str) -> Definition:
    """A tool of ours as Anthropic is given it."""
    given = adapt(tool, "anthropic", name)
    return given.name, given.description, given.input_schema


def alike_name(document: Document, tool: Tool, name: str, peer: str) -> str:
    """Our name; where the document gives none, the peer's if ours has a word more: both are invented."""
    declared = document.operations[tool.name].node.get("operationId")
    return name if declared or words(name) <= words(peer) else peer


def unsaid(ours: Definition, peer: Definition) -> Counter[str]:
    """How many of our facts the peer does not tell, by kind."""
    told = facts(peer[2]) | words(f"{peer[0]} {peer[1]}")
    return Counter(kind for kind, _ in (facts(ours[2]) | words(ours[1])) - told)


def wrongly(ours: Definition, peer: Definition, cut: Definition) -> int:
    """How many facts were cut of ours although the peer says them."""
    # Which of several arguments of one name must be given cannot be told where the peer has only one of them.
    colliding = {name for name, count in Counter(map(bare, ours[2]["properties"])).items() if count > 1}
    both = facts(ours[2]) & facts(peer[2]) - facts(cut[2])
    return len(both - {("required", f": {name}") for name in colliding})


def missing(operation: Operation, hidden: set[str], ours: Definition, peer: Definition) -> list[Fact]:
    """What the peer says and we do not, but for what is not so, or not a caller's to say.

    That is: of fields that are the server's, of parameters that are the runtime's (credentials, reserved headers) or
    nobody's (the path has no place for them); that a field of a body that may be left out is required; that an empty
    body is an argument.
    """
    known, body = facts(ours[2]), operation.body
    title = string(operation.document.schemas.resolve(body.best.schema).get("title")) if body else ""
    declared = [*sequence(operation.node.get("parameters")), *sequence(operation.path_item.get("parameters"))]
    parameters = {string(mapping(operation.document.refs.follow(one)).get("name")) for one in declared}
    given = {argument.key for argument in operation.plan.arguments}
    own = {told.split(": ")[1] for kind, told in known if kind == "field"}
    ours_not = ({bare(name) for name in parameters - given} | hidden) - own
    if not any(argument.location in ("field", "body") for argument in operation.plan.arguments):
        ours_not.add("body")
    found: list[Fact] = []
    for kind, told in facts(peer[2], whole=title.lower()) - known:
        field, _, said = told.partition(": ")
        free = kind == "required" and not (body and body.required)
        cut = kind == WORD and any(other.startswith(told) for _, other in known)
        if not ({field, said if kind in ("field", "required") else ""} & ours_not or free or cut or said in _ADDED):
            found.append((kind, told))
    return found


def server_fields(document: Document) -> set[str]:
    """The names of all fields that a caller must not send."""
    found: set[str] = set()
    waiting: list[Any] = [document.root]
    while waiting:
        node = waiting.pop()
        waiting += node.values() if isinstance(node, dict) else node if isinstance(node, list) else []
        for name, schema in items(node.get("properties")) if isinstance(node, dict) else ():
            if document.schemas.read_only(schema):
                found.add(bare(name))
    return found


def compare(path: Path, peer: str, python: str) -> bool:
    """Print one row; False where we are larger for the same information, lose some, or cannot load the document."""
    try:
        document = load_document(path, url="https://fallback.test/openapi.json")
    except DocumentError as fault:
        print(f"{path.name[:36]:36} {peer:11} {fault}")
        return False
    found = of_peer(python, PEERS[peer], path)
    if isinstance(found, str):
        print(f"{path.name[:36]:36} {peer:11} {found}", flush=True)
        return True
    pairs = paired(document.tools(), found)
    ours = [shown(tool, document.aliases.get(tool.name, tool.name)) for tool, _ in pairs]
    same = [
        shown(alike(tool, *other[1:]), alike_name(document, tool, mine[0], other[0]))
        for (tool, other), mine in zip(pairs, ours, strict=True)
    ]
    sizes = [sum(map(size, one)) for one in (ours, [other for _, other in pairs], same)]
    lost = Counter({"operation": max(0, len(document.operations) - len(pairs))})
    for mine, (_, other) in zip(ours, pairs, strict=True):
        lost.update(unsaid(mine, other))
        lost["dangling reference"] += dangling(other[2])
    told = ", ".join(f"{count} {kind}" for kind, count in (+lost).most_common()) or "nothing"
    unfair = sum(wrongly(mine, other, cut) for mine, (_, other), cut in zip(ours, pairs, same, strict=True))
    told += f"; {unfair} cut though it does" if unfair else ""
    hidden = server_fields(document)
    lacking = sum(
        len(missing(document.operations[tool.name], hidden, mine, other))
        for (tool, other), mine in zip(pairs, ours, strict=True)
    )
    good = sizes[2] <= sizes[1] and not unfair and not lacking
    numbers = " ".join(f"{number:11,}" for number in sizes) + f" {lacking:5}"
    print(f"{path.name[:36]:36} {peer:11} {numbers}  {'' if good else 'NOT SHOWN: '}{told}", flush=True)
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("documents", nargs="+", type=Path)
    parser.add_argument("--peer-python", required=True)
    options = parser.parse_args()
    print(
        f"{'document':36} {'peer':11} {'ours':>11} {'peer':>11} {'alike':>11} {'lost':>5}  what the peer does not tell"
    )
    rows = [compare(path, peer, options.peer_python) for path in options.documents for peer in PEERS]
    return 0 if all(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
