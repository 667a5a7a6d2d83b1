"""Loading and converting documents, side by side with FastMCP and openapi-llm, each in a process of its own.

    python benchmarks/spec_load.py DOCUMENT... [--peer-python PATH]

Prints CPU seconds (parsing included, imports not), peak memory, the number of tools and the bytes of their definitions.
Peers are measured with the interpreter of --peer-python (an environment that has them installed); without it only ours.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

OURS = """
import json, resource, sys, time
from pathlib import Path
import bitte_nb.core.tool
from bitte_nb.spec.load import load_document
begun = time.process_time()
document = load_document(Path(sys.argv[1]), url="https://fallback.test/openapi.json")
tools = document.tools("anthropic")
spent = time.process_time() - begun
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
sizes = [len(json.dumps([t.name, t.description, t.input_schema])) for t in tools]
print(json.dumps([spent, peak, len(tools), sum(sizes)]))
"""
FASTMCP = """
import asyncio, json, resource, sys, time, logging
logging.disable(logging.CRITICAL)
import httpx, yaml
from fastmcp import FastMCP
begun = time.process_time()
text = open(sys.argv[1]).read()
spec = json.loads(text) if text.lstrip()[0] == "{" else yaml.load(text, Loader=yaml.CSafeLoader)
server = FastMCP.from_openapi(openapi_spec=spec, client=httpx.AsyncClient(base_url="https://fallback.test"))
tools = asyncio.run(server.list_tools())
spent = time.process_time() - begun
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
sizes = [len(json.dumps([t.name, t.description, t.parameters])) for t in tools]
print(json.dumps([spent, peak, len(tools), sum(sizes)]))
"""
OPENAPI_LLM = """
import json, resource, sys, time, logging
logging.disable(logging.CRITICAL)
from openapi_llm.client.config import ClientConfig
from openapi_llm.core.spec import OpenAPISpecification
begun = time.process_time()
config = ClientConfig(openapi_spec=OpenAPISpecification.from_str(open(sys.argv[1]).read()))
tools = config.get_tool_definitions()
spent = time.process_time() - begun
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(json.dumps([spent, peak, len(tools), len(json.dumps(tools))]))
"""


def measure(python: str, program: str, document: Path) -> list[float] | str:
    """One run in its own process, or the last line of what went wrong."""
    command = [python, "-c", program, str(document)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    except subprocess.TimeoutExpired:
        return "more than 180 s"
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["failed"])[-1][:70]
    return json.loads(done.stdout.strip().splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("documents", nargs="+", type=Path)
    parser.add_argument("--peer-python")
    options = parser.parse_args()
    rows = [("bitte_nb", sys.executable, OURS)]
    if options.peer_python:
        rows += [("fastmcp", options.peer_python, FASTMCP), ("openapi-llm", options.peer_python, OPENAPI_LLM)]
    print(f"{'document':36} {'tool':12} {'CPU s':>7} {'MB':>6} {'tools':>6} {'bytes':>12}")
    for document in options.documents:
        for name, python, program in rows:
            found = measure(python, program, document)
            if isinstance(found, str):
                print(f"{document.name[:36]:36} {name:12} {found}")
            else:
                spent, peak, count, size = found
                print(f"{document.name[:36]:36} {name:12} {spent:7.2f} {peak:6.0f} {count:6.0f} {size:12,.0f}")


if __name__ == "__main__":
    main()
