"""The size of tool definitions beside FastMCP's and openapi-llm's, and what a smaller one does not tell.

    python benchmarks/spec_size.py --peer-python PATH DOCUMENT...

FastMCP is compared with the full form, openapi-llm, which keeps types, texts, patterns and enums only,
with `trimmed`.
A fact is something that a definition says of a tool, wherever it says it: a field, an allowed value, a default, a
limit, a type, an example, that null is allowed, that a field is required. Fails where a peer says all of our facts in
fewer bytes.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

OURS = """
import json, sys
from pathlib import Path
from bitte_nb.spec.load import load_document
tools = load_document(Path(sys.argv[1]), url="https://fallback.test/openapi.json").tools("anthropic", rung=sys.argv[2])
print(json.dumps([[t.name, t.description, t.input_schema] for t in tools]))
"""
FASTMCP = """
import asyncio, json, logging, sys
logging.disable(logging.CRITICAL)
import httpx, yaml
from fastmcp import FastMCP
text = open(sys.argv[1]).read()
spec = json.loads(text) if text.lstrip()[0] == "{" else yaml.load(text, Loader=yaml.CSafeLoader)
server = FastMCP.from_openapi(openapi_spec=spec, client=httpx.AsyncClient(base_url="https://fallback.test"))
print(json.dumps([[t.name, t.description, t.parameters] for t in asyncio.run(server.list_tools())]))
"""
OPENAPI_LLM = """
import json, logging, sys
logging.disable(logging.CRITICAL)
from openapi_llm.client.config import ClientConfig
from openapi_llm.core.spec import OpenAPISpecification
config = ClientConfig(openapi_spec=OpenAPISpecification.from_str(open(sys.argv[1]).read()))
found = [tool["function"] for tool in config.get_tool_definitions()]
print(json.dumps([[t["name"], t["description"], t.get("parameters", {})] for t in found]))
"""
Tools = list[tuple[str, str, dict[str, Any]]]
Fact = tuple[str, str]
_LIMITS = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern", "format", "multipleOf")


def definitions(python: str, program: str, *arguments: str) -> Tools | str:
    """The tools that a program makes of a document, or the last line of what went wrong."""
    try:
        done = subprocess.run(
            [python, "-c", program, *arguments], capture_output=True, text=True, timeout=180, check=False
        )
    except subprocess.TimeoutExpired:
        return "more than 180 s"
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["failed"])[-1][:50]
    return [tuple(tool) for tool in json.loads(done.stdout.strip().splitlines()[-1])]


def facts(node: Any) -> Iterator[Fact]:
    """What a schema says, wherever in it: shared definitions and copies of them say the same."""
    if isinstance(node, list):
        for entry in node:
            yield from facts(entry)
    if not isinstance(node, dict):
        return
    kinds = node.get("type", [])
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        yield ("null" if kind == "null" else "type"), kind
    for value in node.get("enum", [node["const"]] if "const" in node else []):
        yield "value", json.dumps(value)
    for value in node.get("examples", []):
        # `example` is OpenAPI's word: no keyword of JSON Schema, which is what providers read.
        yield "example in JSON Schema", json.dumps(value)
    if "default" in node:
        yield "default", json.dumps(node["default"])
    for key in _LIMITS:
        if key in node and not isinstance(node[key], dict):
            yield "limit", f"{key}={node[key]}"
    required = node.get("required")
    for field in required if isinstance(required, list) else []:
        yield "required", field
    for key, value in node.items():
        if key in ("properties", "$defs", "patternProperties") and isinstance(value, dict):
            for field, schema in value.items():
                if key == "properties":
                    yield "field", field
                yield from facts(schema)
        elif key in ("items", "anyOf", "oneOf", "allOf", "additionalProperties", "not", "prefixItems"):
            yield from facts(value)


def dangling(node: Any, whole: dict[str, Any]) -> int:
    """How many references lead nowhere."""
    if isinstance(node, list):
        return sum(dangling(entry, whole) for entry in node)
    if not isinstance(node, dict):
        return 0
    ref = node.get("$ref")
    lost = isinstance(ref, str) and ref.removeprefix("#/$defs/") not in whole.get("$defs", {})
    return lost + sum(dangling(value, whole) for value in node.values())


def size(tools: Tools) -> int:
    """Bytes of all definitions."""
    return sum(len(json.dumps(tool)) for tool in tools)


def by_name(tools: Tools, known: set[str]) -> dict[str, set[Fact]]:
    """The facts of each tool by its plain name; those that no one else names so together."""
    found: dict[str, set[Fact]] = {}
    for name, description, schema in tools:
        key = plain(name) if plain(name) in known else ""
        words = {("word of a description", word) for word in re.findall(r"\w+", description.lower())}
        found.setdefault(key, set()).update(words | set(facts(schema)))
    return found


def plain(name: str) -> str:
    """A name without what converters change in it."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def missing(ours: Tools, peer: Tools) -> Counter[str]:
    """How many of our facts the peer does not tell, by kind, with its operations and references that are lost."""
    known = {plain(name) for name, *_ in ours} & {plain(name) for name, *_ in peer}
    theirs = by_name(peer, known)
    lost: Counter[str] = Counter()
    for key, told in by_name(ours, known).items():
        lost.update(kind for kind, _ in told - theirs.get(key, set()))
    lost["operation"] = max(0, len(ours) - len(peer))
    lost["dangling reference"] = sum(dangling(schema, schema) for _, _, schema in peer)
    return +lost


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("documents", nargs="+", type=Path)
    parser.add_argument("--peer-python", required=True)
    options = parser.parse_args()
    failed = 0
    print(f"{'document':40} {'peer':12} {'ours':>10} {'peer':>10}  what the peer does not tell")
    for document in options.documents:
        for peer, program, rung in (("fastmcp", FASTMCP, "full"), ("openapi-llm", OPENAPI_LLM, "trimmed")):
            ours = definitions(sys.executable, OURS, str(document), rung)
            found = definitions(options.peer_python, program, str(document))
            if isinstance(ours, str) or isinstance(found, str):
                print(f"{document.name[:40]:40} {peer:12} {'':10} {'':10}  {ours if isinstance(ours, str) else found}")
                failed += isinstance(ours, str)
                continue
            lost = missing(ours, found)
            larger = size(ours) > size(found)
            failed += larger and not lost
            words = ", ".join(f"{count} {kind}" for kind, count in lost.most_common()) or "nothing"
            mark = ("  LARGER: " if larger else "  ") + words
            print(f"{document.name[:40]:40} {peer:12} {size(ours):10,} {size(found):10,}{mark}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
