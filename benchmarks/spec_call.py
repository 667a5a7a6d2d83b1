"""What a call costs beside the network: arguments to request, response to result.

    python benchmarks/spec_call.py

Prints CPU microseconds per call, the middle of five rounds.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx

from bitte_nb.core.wallet import Wallet
from bitte_nb.spec.load import load_document
from bitte_nb.spec.response import perform

DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "servers": [{"url": "http://127.0.0.1:9"}],
    "paths": {
        "/accounts/{id}/transfers": {
            "post": {
                "operationId": "transfer",
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
ROUNDS, CALLS = 5, 400


def middle(rounds: list[float]) -> float:
    return statistics.median(rounds) / CALLS * 1e6


async def timed(work: Callable[[], Awaitable[object]]) -> float:
    rounds: list[float] = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        for _ in range(CALLS):
            await work()
        rounds.append(time.process_time() - begun)
    return middle(rounds)


async def main() -> None:
    operation = load_document(DOCUMENT).operation("transfer")
    wallet = Wallet(account_id="alice.near", evm_address="0x" + "1" * 40, chain_id=1)
    headers = {"content-type": "application/json"}
    transport = httpx.MockTransport(lambda _: httpx.Response(200, headers=headers, content=ANSWER))

    async def build() -> object:
        return operation.request(ARGS, wallet=wallet, idempotency_key="k")

    async with httpx.AsyncClient(transport=transport) as client:
        request = operation.request(ARGS, wallet=wallet)

        async def bare() -> object:
            response = await client.send(
                httpx.Request("POST", request.url, headers=request.headers, content=request.content)
            )
            return response.json()

        async def ours() -> object:
            return await perform(request, client=client)

        building, sending, without = await timed(build), await timed(ours), await timed(bare)
    print(f"arguments to request      {building:7.0f} us")
    print(f"request to result         {sending:7.0f} us, of which httpx itself {without:.0f} us")
    print(f"overhead of a call        {building + sending - without:7.0f} us")


if __name__ == "__main__":
    asyncio.run(main())
