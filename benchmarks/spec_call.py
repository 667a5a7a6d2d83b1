"""What a call costs beside the network: arguments to request, response to result.

    python benchmarks/spec_call.py [--peer-python PATH]

Prints CPU microseconds per call, the least of nine rounds: of ours and its parts, of the same call written by hand with
httpx, and of FastMCP and openapi-llm with the interpreter of --peer-python, each in a process of its own. Nothing is
sent: the transports answer by themselves. Fails where our overhead is more than twice what httpx needs to send a
request that is ready and to read its answer, or our call costs more than a peer's.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx

from bitte_nb.core.result import ToolData
from bitte_nb.core.wallet import Wallet
from bitte_nb.spec.load import load_document
from bitte_nb.spec.response import perform

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Accounts", "version": "1"},
    "servers": [{"url": "http://127.0.0.1:9"}],
    "paths": {
        "/accounts/{id}/transfers": {
            "post": {
                "operationId": "transfer",
                "description": "Transfers.",
                "parameters": [
                    {
                        "name": "id",
                        "in": "path",
                        "required": True,
                        "schema": {"type": "string", "pattern": "^[a-z0-9.]+$"},
                    },
                    {"name": "dry", "in": "query", "schema": {"type": "boolean"}},
                ],
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "required": ["to", "amount"],
                                "properties": {
                                    "to": {"type": "string"},
                                    "amount": {"type": "number", "exclusiveMinimum": 0},
                                    "tags": {"type": "array", "items": {"type": "string"}},
                                },
                            }
                        }
                    },
                },
            }
        }
    },
}
ARGS = {"id": "alice.near", "dry": "true", "to": "bob.near", "amount": 1.5, "tags": ["a", "b"]}
ANSWER = json.dumps({"items": [{"id": n, "name": f"item {n}"} for n in range(20)]}).encode()
ROUNDS, CALLS = 9, 300
MOST = 2.0
"""Our overhead by what httpx costs: 300 us where it takes 150."""
PEER = """
import asyncio, json, logging, sys, time, warnings
logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")
document, args, answer, rounds, calls = json.load(sys.stdin)

def least(spans):
    print(min(spans) / calls * 1e6)
"""
PEERS = {
    "fastmcp": PEER
    + """
import httpx
from fastmcp import FastMCP
async def main():
    headers = {"content-type": "application/json"}
    transport = httpx.MockTransport(lambda _: httpx.Response(200, headers=headers, content=answer.encode()))
    client = httpx.AsyncClient(transport=transport, base_url=document["servers"][0]["url"])
    tool = (await FastMCP.from_openapi(openapi_spec=document, client=client).list_tools())[0]
    spans = []
    for _ in range(rounds):
        begun = time.process_time()
        for _ in range(calls):
            done = await tool.run(args)
        spans.append(time.process_time() - begun)
    assert done.structured_content == json.loads(answer), done
    least(spans)
asyncio.run(main())
""",
    "openapi-llm": PEER
    + """
import requests
from openapi_llm.client.openapi import OpenAPIClient
def send(self, request, **_):
    response = requests.Response()
    response.status_code, response._content = 200, answer.encode()
    response.headers = {"content-type": "application/json"}
    return response
requests.Session.send = send
client = OpenAPIClient.from_spec(json.dumps(document))
call = {"type": "function", "id": "1", "function": {"name": "transfer", "arguments": json.dumps(args)}}
spans = []
for _ in range(rounds):
    begun = time.process_time()
    for _ in range(calls):
        done = client.invoke(call)
    spans.append(time.process_time() - begun)
assert done == json.loads(answer), done
least(spans)
""",
}


class Answer(httpx.AsyncByteStream):
    """A body that is received, as one from a socket is."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield ANSWER


async def timed(**works: Callable[[], Awaitable[object]]) -> dict[str, float]:
    """CPU microseconds of a call of each, in turn, so that a busy machine is busy for all."""
    least = dict.fromkeys(works, float("inf"))
    for _ in range(ROUNDS):
        for name, work in works.items():
            begun = time.process_time()
            for _ in range(CALLS):
                await work()
            least[name] = min(least[name], (time.process_time() - begun) / CALLS * 1e6)
    return least


async def ours() -> dict[str, float]:
    operation = load_document(DOCUMENT).operation("transfer")
    wallet = Wallet(account_id="alice.near", evm_address="0x" + "1" * 40, chain_id=1)
    headers = {"content-type": "application/json"}
    transport = httpx.MockTransport(lambda _: httpx.Response(200, headers=headers, stream=Answer()))
    request = operation.request(ARGS, wallet=wallet, idempotency_key="k")
    by_hand = {"mb-metadata": wallet.metadata(), "idempotency-key": "k"}

    async with httpx.AsyncClient(transport=transport) as client:

        async def building() -> object:
            return operation.request(ARGS, wallet=wallet, idempotency_key="k")

        async def sending() -> object:
            return await perform(request, client=client)

        async def ready() -> object:
            copy = httpx.Request("POST", request.url, headers=request.headers, content=request.content)
            return (await client.send(copy)).json()

        async def hand() -> object:
            response = await client.post(
                "http://127.0.0.1:9/accounts/alice.near/transfers",
                params={"dry": "true"},
                json={key: ARGS[key] for key in ("to", "amount", "tags")},
                headers=by_hand,
            )
            return response.json()

        result = (await perform(request, client=client)).result
        assert isinstance(result, ToolData), result
        assert result.data == json.loads(ANSWER)
        return await timed(building=building, sending=sending, ready=ready, hand=hand)


def peer(python: str, program: str) -> float:
    """CPU microseconds of a peer's call. Its arguments are of the declared types: not every peer converts."""
    given = json.dumps([DOCUMENT, {**ARGS, "dry": True}, ANSWER.decode(), ROUNDS, CALLS])
    done = subprocess.run([python, "-c", program], input=given, capture_output=True, text=True, timeout=300, check=True)
    return float(done.stdout.strip().splitlines()[-1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer-python")
    options = parser.parse_args()
    spent = asyncio.run(ours())
    overhead = spent["building"] + spent["sending"] - spent["ready"]
    call = spent["building"] + spent["sending"]
    print(f"arguments to request      {spent['building']:7.0f} us")
    print(f"request to result         {spent['sending']:7.0f} us, of which httpx itself {spent['ready']:.0f} us")
    print(f"overhead of a call        {overhead:7.0f} us, {overhead / spent['ready']:.2f} of httpx (at most {MOST:g})")
    print(f"a call                    {call:7.0f} us")
    print(f"the same with httpx       {spent['hand']:7.0f} us, nothing checked")
    broken = overhead > MOST * spent["ready"]
    for name, program in PEERS.items() if options.peer_python else ():
        theirs = peer(options.peer_python, program)
        print(f"a call of {name:15} {theirs:7.0f} us")
        broken = broken or call > theirs
    if broken:
        print("A promise is broken.", file=sys.stderr)
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
