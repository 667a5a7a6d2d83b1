"""What each provider accepts as a tool: names, property names and dialects of JSON Schema."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from bitte_nb.errors import ArgumentRefused
from bitte_nb.spec.share import shared
from bitte_nb.spec.subschemas import mapped
from bitte_nb.spec.tree import is_list, is_map

if TYPE_CHECKING:
    from bitte_nb.core.tool import Tool

__all__ = ["PROVIDERS", "adapt", "property_aliases", "tool_aliases"]

PROVIDERS = ("openai", "openai-strict", "anthropic", "gemini")

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_PROPERTY = re.compile(r"[A-Za-z0-9_.-]{1,64}\Z")


def _short(text: str, seed: str) -> str:
    """At most 64 characters, with a digest of the whole where it had to be cut."""
    if len(text) <= 64:
        return text
    return f"{text[:55].rstrip('_-')}_{hashlib.sha256(seed.encode()).hexdigest()[:8]}"


def _aliases(names: Iterable[str], valid: re.Pattern[str], unsafe: re.Pattern[str], fallback: str) -> dict[str, str]:
    wanted = list(names)
    taken = {name for name in wanted if valid.match(name)}
    found: dict[str, str] = {}
    for name in wanted:
        if name in taken:
            continue
        base = _short(unsafe.sub("_", name).strip("_") or fallback, name)
        if not re.search(r"[A-Za-z0-9]", base):
            base = fallback
        alias, number = base, 2
        while alias in taken:
            alias, number = f"{base[:60]}_{number}", number + 1
        taken.add(alias)
        found[name] = alias
    return found


def tool_aliases(names: Iterable[str]) -> dict[str, str]:
    """Aliases for the tool names that OpenAI and Anthropic refuse; the others keep their own.

    Distinct, at most 64 characters of `a-zA-Z0-9_-`, the same for the same list of names.
    """
    return _aliases(names, _NAME, re.compile(r"[^A-Za-z0-9_-]+"), "operation")


def property_aliases(names: Iterable[str]) -> dict[str, str]:
    """Aliases for the property names that Anthropic refuses (one bad name fails the whole list of tools)."""
    return _aliases(names, _PROPERTY, re.compile(r"[^A-Za-z0-9_.-]+"), "argument")


def adapt(tool: Tool, provider: str, name: str) -> Tool:
    """A tool as a provider takes it, under the given name.

    `openai`: names only. `anthropic`: property names too. `openai-strict` and `gemini`: their dialects of JSON Schema.
    What the schema repeats becomes a definition (`spec/share.py`), but for `gemini`, which has no references.

    Raises ArgumentRefused for an unknown provider.
    """
    if provider not in PROVIDERS:
        raise ArgumentRefused(f"{provider!r} is not a known provider; use one of {', '.join(PROVIDERS)}.")
    schema = tool.input_schema
    if provider in ("anthropic", "gemini", "openai-strict"):
        schema = _renamed(schema)
    if provider == "openai-strict":
        from bitte_nb.spec.dialects import strict

        schema = strict(schema)
    elif provider == "gemini":
        from bitte_nb.spec.dialects import gemini

        schema = gemini(schema)
    if provider in ("openai", "anthropic"):
        schema = _with_example(schema)
    if provider != "gemini":
        schema = shared(schema)
    return tool.model_copy(update={"name": name, "input_schema": schema})


def _renamed(schema: dict[str, Any]) -> dict[str, Any]:
    aliases = property_aliases(list(schema["properties"]))
    if not aliases:
        return schema
    out = dict(schema)
    out["properties"] = {
        aliases.get(name, name): _called(name, value, aliases[name]) if name in aliases else value
        for name, value in schema["properties"].items()
    }
    if "required" in schema:
        out["required"] = [aliases.get(name, name) for name in schema["required"]]
    return out


def _with_example(schema: Any) -> Any:
    """The schema with OpenAPI's `example` for a list of one: providers take either, and it is shorter."""
    if not is_map(schema):
        return schema
    examples = schema.get("examples")
    if is_list(examples) and len(examples) == 1:
        schema = {("example" if key == "examples" else key): value for key, value in schema.items()}
        schema["example"] = examples[0]
    return mapped(schema, _with_example)


def _called(name: str, schema: dict[str, Any], alias: str) -> dict[str, Any]:
    """A property's schema that says which name the alias stands for, where that is not plain."""
    if re.sub(r"[\W_]+", "", name) == re.sub(r"[\W_]+", "", alias):
        return schema
    words = schema.get("description", "")
    return {**schema, "description": f"Sent as `{name}`. {words}".strip()}
