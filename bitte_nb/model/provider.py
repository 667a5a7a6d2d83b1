"""The half of `PydanticAIModel` that needs pydantic-ai: clients, history, events and errors. Imported lazily."""

from __future__ import annotations

import importlib
import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any, cast

from pydantic_ai import exceptions as library_errors
from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import (
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)
from pydantic_ai.models import Model as LibraryModel
from pydantic_ai.models import ModelRequestParameters, StreamedResponse
from pydantic_ai.tools import ToolDefinition

from bitte_nb.core.tool import Tool
from bitte_nb.errors import ModelError, ModelStreamCut
from bitte_nb.model.aliases import Aliases
from bitte_nb.model.event_stream import complete_last_event
from bitte_nb.model.port import (
    CallArgsDelta,
    CallStarted,
    Connected,
    Finished,
    ModelEvent,
    ModelRequest,
    TextDelta,
    ThinkingDelta,
    Usage,
)
from bitte_nb.model.provider_history import library_messages, record_of
from bitte_nb.model.pydantic_ai import Endpoint

__all__ = ["Connection"]

_CONNECT_TIMEOUT = 4.0
"""Seconds to reach a server at all; what it then takes to answer is another matter."""
_REASONS = {"stop": "stop", "tool_call": "tool_calls", "length": "length", "content_filter": "content_filter"}


class Connection:
    """A client of one endpoint, kept between requests."""

    def __init__(self, endpoint: Endpoint) -> None:
        """Make the client.

        Raises:
            ModelError: The provider is unknown or there is no key.
            ImportError: The provider's library is not installed.
        """
        self._endpoint = endpoint
        try:
            self._model = _library_model(endpoint)
        except library_errors.UserError as error:
            raise ModelError(f"{endpoint.provider} cannot be used: {self._clean(str(error))}") from None

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Make one request and translate its events."""
        aliases = Aliases(tool.name for tool in request.tools)
        tools = [_definition(tool, aliases) for tool in request.tools]
        parameters = ModelRequestParameters(function_tools=tools, allow_text_output=True)
        messages = library_messages(request, aliases, provider=self._endpoint.provider)
        try:
            async with model_request_stream(self._model, messages, model_request_parameters=parameters) as response:
                yield Connected()
                silent: dict[int, None] = {}
                async for event in _events(response, aliases):
                    if isinstance(event, CallStarted):
                        silent[event.index] = None
                    elif isinstance(event, CallArgsDelta):
                        silent.pop(event.index, None)
                    yield event
                finished = self._finished(response)
                if finished.reason == "tool_calls":
                    for index in silent:  # some endpoints write no arguments as no text at all
                        yield CallArgsDelta(index, "{}")
                yield finished
        except (ModelError, GeneratorExit):
            raise
        except Exception as error:
            raise self._error(error) from None

    def _finished(self, response: StreamedResponse) -> Finished:
        answer = response.get()
        said = (answer.provider_details or {}).get("finish_reason")
        if not said and not self._endpoint.trust_missing_finish_reason:
            raise ModelStreamCut(
                f"The answer of {self._endpoint.host} ended without saying that it was finished, so nothing in it was "
                "run. Retry, or connect with trust_missing_finish_reason=True if this endpoint never says so."
            )
        calls = any(isinstance(part, ToolCallPart) for part in answer.parts)
        reason = _REASONS.get(answer.finish_reason or "")
        if reason is None and said:
            raise ModelError(f"{self._endpoint.host} ended its answer for a reason that is not known here: {said!r}.")
        if reason in (None, "stop"):
            reason = "tool_calls" if calls else "stop"
        usage = Usage(response.usage.input_tokens, response.usage.output_tokens)
        return Finished(cast("Any", reason), usage, record_of(answer, self._endpoint.provider))

    def _error(self, error: Exception) -> ModelError:
        host = self._endpoint.host
        status = error.status_code if isinstance(error, library_errors.ModelHTTPError) else None
        retry_after = getattr(error, "retry_after", None)
        in_stream = bool(getattr(error, "in_stream", False))
        said = self._clean(_said(error))
        match status:
            case None:
                if _is_cut(error):
                    return ModelStreamCut(f"The connection to {host} broke off in the middle of the answer: {said}")
                if isinstance(error, library_errors.ModelAPIError):
                    return ModelError(f"No answer from {host}: {said} Is it running and reachable from the kernel?")
                return ModelError(f"{host} answered what is no answer of a model: {said}")
            case 401 | 403:
                advice = "Check the API key."
            case 404:
                advice = f"Check the URL and the model's name, {self._endpoint.model_name!r}."
            case 429:
                advice = "Wait, then retry." if retry_after is None else f"Retry in {retry_after:g} seconds."
            case 400 | 413 | 422:
                advice = "The same request will fail again: shorten the chat or change the model."
            case _:
                advice = "Retry later."
        where = "in the middle of its answer" if in_stream else f"with HTTP {status}"
        return ModelError(f"{host} failed {where}: {said} {advice}", status=status, retry_after=retry_after)

    def _clean(self, text: str) -> str:
        """Words of a library or an endpoint: one line, cut, the key taken out, ending in a full stop."""
        if self._endpoint.api_key:
            text = text.replace(self._endpoint.api_key, "***")
        text = " ".join(text.split())[:400]
        return text if text.endswith((".", "!", "?")) else f"{text}."


def _library_model(endpoint: Endpoint) -> LibraryModel[Any]:
    match endpoint.provider:
        case "openai" | "openai-responses":
            from openai import AsyncOpenAI, DefaultAsyncHttpxClient, OpenAIError, Timeout
            from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
            from pydantic_ai.providers.openai import OpenAIProvider

            key = endpoint.api_key or ("none" if endpoint.base_url else None)
            try:
                client = AsyncOpenAI(
                    api_key=key,
                    base_url=endpoint.base_url,
                    max_retries=0,
                    timeout=Timeout(endpoint.timeout, connect=min(_CONNECT_TIMEOUT, endpoint.timeout)),
                    http_client=DefaultAsyncHttpxClient(event_hooks={"response": [complete_last_event]}),
                )
            except OpenAIError as error:
                raise library_errors.UserError(str(error)) from None
            kind = OpenAIChatModel if endpoint.provider == "openai" else OpenAIResponsesModel
            return kind(endpoint.model_name, provider=OpenAIProvider(openai_client=client))
        case "anthropic":
            sdk: Any = importlib.import_module("anthropic")  # not installed where its extra was not asked for
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            anthropic = sdk.AsyncAnthropic(
                api_key=endpoint.api_key, base_url=endpoint.base_url, max_retries=0, timeout=endpoint.timeout
            )
            return AnthropicModel(endpoint.model_name, provider=AnthropicProvider(anthropic_client=anthropic))
        case "google":
            from pydantic_ai.models.google import GoogleModel
            from pydantic_ai.providers.google import GoogleProvider

            google = GoogleProvider(api_key=endpoint.api_key) if endpoint.api_key else GoogleProvider()
            return GoogleModel(endpoint.model_name, provider=google)
        case other:
            raise ModelError(f"{other!r} is no provider that is known here.")


def _definition(tool: Tool, aliases: Aliases) -> ToolDefinition:
    return ToolDefinition(
        name=aliases.sent(tool.name),
        description=tool.prompt,
        parameters_json_schema=dict(tool.input_schema),
        strict=False,
    )


async def _events(response: StreamedResponse, aliases: Aliases) -> AsyncIterator[ModelEvent]:
    """Translate; the index of a call counts the calls of this response, in the order in which they began."""
    calls: dict[int, int] = {}
    async for event in response:
        if isinstance(event, PartStartEvent):
            match event.part:
                case TextPart(content=text):
                    if text:
                        yield TextDelta(text)
                case ThinkingPart(content=text):
                    if text:
                        yield ThinkingDelta(text)
                case ToolCallPart() as part:
                    calls[event.index] = len(calls)
                    yield CallStarted(calls[event.index], part.tool_call_id, aliases.name(part.tool_name))
                    if part.args:
                        yield CallArgsDelta(calls[event.index], _text(part.args))
                case _:
                    pass
        elif isinstance(event, PartDeltaEvent):
            match event.delta:
                case TextPartDelta(content_delta=text):
                    if text:
                        yield TextDelta(text)
                case ThinkingPartDelta(content_delta=text):
                    if text:
                        yield ThinkingDelta(text)
                case ToolCallPartDelta(args_delta=args):
                    if args:
                        yield CallArgsDelta(calls[event.index], _text(args))
                case _:
                    pass


def _text(args: object) -> str:
    return args if isinstance(args, str) else json.dumps(args, ensure_ascii=False)


def _said(error: Exception) -> str:
    """The endpoint's own words where it sent some, else the library's."""
    body = getattr(error, "body", None)
    if isinstance(body, dict):
        inner = cast("dict[str, Any]", body).get("error", cast("dict[str, Any]", body))
        words: Any = cast("dict[str, Any]", inner).get("message") if isinstance(inner, dict) else inner
        if isinstance(words, str) and words.strip():
            return words
    if isinstance(body, str) and body.strip():
        return body
    return getattr(error, "message", None) or str(error) or type(error).__name__


def _is_cut(error: Exception) -> bool:
    """True where the answer had begun when the connection failed."""
    if isinstance(error, library_errors.ModelAPIError) and getattr(error, "in_stream", False):
        return False
    return getattr(error, "phase", None) == "read"
