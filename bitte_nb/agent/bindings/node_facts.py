"""What nodes add to a review, without a slow one ever holding a card back.

A node is asked on a thread of its own. Its answer is waited for briefly; one that comes later makes another version of
the card. The digest is the same in both: what a node says is what the person should know, not what is signed.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

import httpx

from bitte_nb.review.context import ReviewContext

__all__ = ["NodeFacts"]

GRACE = 0.4
"""Seconds that a card waits for a node."""
LIMIT = 6.0
"""Seconds for all questions about one request together."""
KEPT = 15.0
"""Seconds for which an answer serves the same request again: balances and nonces change."""
_REMEMBERED = 64


class NodeFacts:
    """Asks the nodes that the person named, and no other.

    Args:
        rpc: EIP-155 chain id to the URL of its node.
        limit: Seconds for all questions about one request together.
        now: Seconds, for measuring.
    """

    def __init__(
        self, rpc: Mapping[int | str, str], *, limit: float = LIMIT, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._rpc = {str(chain): url for chain, url in rpc.items()}
        self._limit = limit
        self._now = now
        self._codes: dict[tuple[Any, ...], Any] = {}
        self._asked: OrderedDict[tuple[str, str], tuple[float, Future[ReviewContext]]] = OrderedDict()
        self._lock = threading.Lock()

    def about(self, request: Any, context: ReviewContext, *, chain: str, digest: str) -> Future[ReviewContext] | None:
        """The context with what the chain's node knows about the request, once it is there; None without a node."""
        url = self._rpc.get(chain)
        if url is None:
            return None
        with self._lock:
            known = self._asked.get((chain, digest))
            if known is not None and self._now() - known[0] < KEPT:
                return known[1]
            answer: Future[ReviewContext] = Future()
            self._asked[chain, digest] = (self._now(), answer)
            while len(self._asked) > _REMEMBERED:
                self._asked.popitem(last=False)
        work = threading.Thread(target=self._work, args=(url, request, context, answer), daemon=True)
        work.start()
        return answer

    def _work(self, url: str, request: Any, context: ReviewContext, answer: Future[ReviewContext]) -> None:
        try:
            answer.set_result(asyncio.run(self._gather(url, request, context)))
        except BaseException as error:  # it belongs to whoever waits for the answer
            answer.set_exception(error)

    async def _gather(self, url: str, request: Any, context: ReviewContext) -> ReviewContext:
        from bitte_nb.review.node import gather, http_rpc

        # Proxies and netrc of the environment are nobody's typed address.
        async with httpx.AsyncClient(trust_env=False, timeout=self._limit) as client:
            rpc = http_rpc(url, client)
            return await gather(request, context, rpc=rpc, timeout=self._limit, cache=self._codes)
