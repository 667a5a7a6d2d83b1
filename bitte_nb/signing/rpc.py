"""A JSON-RPC client for one node: time-limited calls, and a refusal told apart from silence."""

from __future__ import annotations

import json
from typing import Any, cast
from urllib.parse import urlsplit

import httpx

from bitte_nb.errors import SigningError

__all__ = ["Node", "NodeRefused", "NodeSilent"]


class NodeRefused(SigningError):
    """The node answered, and its answer is an error; `data` is what it added (for example revert bytes)."""

    def __init__(self, message: str, *, said: str, data: Any = None, cause: str = "") -> None:
        super().__init__(message)
        self.said = said
        self.data = data
        self.cause = cause
        """What NEAR nodes call the cause, for example `UNKNOWN_TRANSACTION`."""


class NodeSilent(SigningError):
    """No usable answer came: whether the node acted on the request is not known."""


class Node:
    """A JSON-RPC node at an http or https URL; only its host is ever shown, for a URL may hold a key."""

    def __init__(self, url: str, *, timeout: float = 10.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise SigningError("The node's URL must begin with http:// or https:// and name a host.")
        self._url = url
        self._timeout = timeout
        self.shown = f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")

    def __repr__(self) -> str:
        return f"Node({self.shown!r})"

    async def call(self, method: str, *params: Any) -> Any:
        """Call one method.

        Raises:
            NodeRefused: the node answered with an error.
            NodeSilent: no answer, or one that is not JSON-RPC, within the time limit.
        """
        return await self._sent(method, list(params))

    async def named(self, method: str, **params: Any) -> Any:
        """Call one method with named parameters, as NEAR nodes take them; raises as `call`."""
        return await self._sent(method, params)

    async def _sent(self, method: str, params: Any) -> Any:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        try:
            async with httpx.AsyncClient(timeout=self._timeout, trust_env=False) as client:
                response = await client.post(self._url, json=body)
        except httpx.HTTPError as error:
            raise NodeSilent(f"The node at {self.shown} did not answer {method} ({type(error).__name__}).") from None
        try:
            answer: object = json.loads(response.content)
        except ValueError:
            answer = None
        if not isinstance(answer, dict) or ("result" not in answer and "error" not in answer):
            raise NodeSilent(
                f"{self.shown} answered {method} with HTTP {response.status_code} and no JSON-RPC: is it a node?"
            )
        fields = cast("dict[str, Any]", answer)
        problem: object = fields.get("error")
        if problem is None:
            return fields.get("result")
        detail = cast("dict[str, Any]", problem) if isinstance(problem, dict) else {"message": str(problem)}
        said = str(detail.get("message", "no reason"))[:500]
        cause: object = detail.get("cause")
        name = str(cast("dict[str, Any]", cause).get("name", "")) if isinstance(cause, dict) else ""
        raise NodeRefused(
            f"The node at {self.shown} refused {method}: {said}.", said=said, data=detail.get("data"), cause=name
        )
