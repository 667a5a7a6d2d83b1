"""From a name or a URL to a model, importing a provider library only when its model is first asked."""

from __future__ import annotations

from typing import cast
from urllib.parse import urlsplit

from bitte_nb.errors import ModelError
from bitte_nb.model.offline import OfflineModel
from bitte_nb.model.port import Model

__all__ = ["connect", "resolve_model"]

PROVIDERS = ("openai", "openai-responses", "anthropic", "google")
"""Prefixes of `provider:model-name`; each needs its extra, for example `pip install 'bitte_nb[openai]'`."""
_HOW = (
    'Write "offline", "http://host:port/v1#model-name" for an OpenAI-compatible endpoint, or "provider:model-name" '
    f"with one of {', '.join(PROVIDERS)}."
)


def connect(
    name_or_url: str,
    *,
    api_key: str | None = None,
    timeout: float = 120.0,
    trust_missing_finish_reason: bool = False,
) -> Model:
    """Make a model for an endpoint; nothing is imported or requested until it is first asked.

    Args:
        name_or_url: `http(s)://host/v1#model-name` (OpenAI-compatible) or `provider:model-name`.
        api_key: The key; absent means the provider's own environment variable, or none for a URL.
        timeout: The most seconds to wait for the next byte of an answer.
        trust_missing_finish_reason: Take a clean end without a finish reason as complete, for endpoints that never
            send one. Calls still need whole JSON that fits the tool's schema.

    Raises:
        ModelError: The name says neither an endpoint nor a provider that is known here.
    """
    from bitte_nb.model.pydantic_ai import PydanticAIModel

    if name_or_url.startswith(("http://", "https://")):
        base_url, _, model_name = name_or_url.partition("#")
        if not model_name:
            raise ModelError(f"{base_url} names no model: write it after a #, for example {base_url}#model-name.")
        if "@" in urlsplit(base_url).netloc:
            raise ModelError("A model's URL must hold no name or password; give the key as api_key=... of `connect`.")
        provider = "openai"
    else:
        provider, _, model_name = name_or_url.partition(":")
        base_url = None
        if provider not in PROVIDERS or not model_name:
            raise ModelError(f"{name_or_url!r} is no model that is known here. {_HOW}")
    return PydanticAIModel(
        provider=provider,
        model_name=model_name,
        base_url=base_url,
        api_key=api_key,
        timeout=timeout,
        trust_missing_finish_reason=trust_missing_finish_reason,
    )


def resolve_model(model: object) -> Model:
    """Turn what a person writes as `model=` into a model: "offline", a URL with #name, `provider:name`, or a model.

    Raises:
        ModelError: It is none of these.
    """
    if isinstance(model, str):
        return OfflineModel() if model == "offline" else connect(model)
    if isinstance(getattr(model, "name", None), str) and callable(getattr(model, "stream", None)):
        return cast("Model", model)
    raise ModelError(f"A {type(model).__name__} is no model. {_HOW}")
