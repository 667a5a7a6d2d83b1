"""A model endpoint behind the port, by pydantic-ai's single requests; the library is imported at the first request."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from bitte_nb.errors import ModelError
from bitte_nb.model.port import ModelEvent, ModelRequest

if TYPE_CHECKING:
    from bitte_nb.model.provider import Connection

__all__ = ["Endpoint", "PydanticAIModel"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a model answers and how to reach it."""

    provider: str
    """openai (chat completions, also any compatible endpoint), openai-responses, anthropic or google."""
    model_name: str
    base_url: str | None = field(default=None, repr=False)
    """None means the provider's own; it may hold a password."""
    api_key: str | None = field(default=None, repr=False)
    """None means the provider's environment variable, or no key where `base_url` is given."""
    timeout: float = 120.0
    """The most seconds to wait for the next byte."""
    trust_missing_finish_reason: bool = False

    @property
    def host(self) -> str:
        """The endpoint as an error may name it: no user, no password, no query."""
        if self.base_url is None:
            return self.provider
        parts = urlsplit(self.base_url)
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)


class PydanticAIModel:
    """One model of one endpoint; it makes a single request a step and never retries by itself.

    Args:
        provider: openai, openai-responses, anthropic or google.
        model_name: The model's name at the endpoint.
        base_url: Where an OpenAI-compatible endpoint answers, for example `http://127.0.0.1:8000/v1`.
        api_key: The key; it stays in this process and out of `repr`, errors and logs.
        timeout: The most seconds to wait for the next byte of an answer.
        trust_missing_finish_reason: Take a clean end without a finish reason as complete.
    """

    def __init__(
        self,
        *,
        provider: str,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 120.0,
        trust_missing_finish_reason: bool = False,
    ) -> None:
        self._endpoint = Endpoint(
            provider=provider,
            model_name=model_name,
            base_url=base_url,
            api_key=api_key,
            timeout=timeout,
            trust_missing_finish_reason=trust_missing_finish_reason,
        )
        self._lock = Lock()
        self._connection: Connection | None = None

    @property
    def name(self) -> str:
        """The model's name at the endpoint."""
        return self._endpoint.model_name

    def __repr__(self) -> str:
        return f"PydanticAIModel({self._endpoint.model_name!r} at {self._endpoint.host})"

    async def prepare(self) -> None:
        """Import the provider's library now, in a thread, so that the first answer need not wait for it.

        Raises:
            ModelError: The library is not installed, or there is no key.
        """
        await asyncio.to_thread(self._connect)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Answer one step."""
        connection = await asyncio.to_thread(self._connect)
        async with aclosing(connection.stream(request)) as events:
            async for event in events:
                yield event

    def _connect(self) -> Connection:
        with self._lock:
            if self._connection is None:
                try:
                    module = importlib.import_module("bitte_nb.model.provider")
                    self._connection = cast("Connection", module.Connection(self._endpoint))
                except ImportError as error:
                    extra = self._endpoint.provider.partition("-")[0]
                    raise ModelError(
                        f"The library for {self._endpoint.provider} is not installed: pip install 'bitte_nb[{extra}]'."
                    ) from error
            return self._connection
