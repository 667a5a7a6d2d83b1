"""What tools cost in a model's context, and a ladder of smaller forms that a person chooses knowingly."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from bitte_nb.spec.subschemas import mapped, references
from bitte_nb.spec.tree import is_map

if TYPE_CHECKING:
    from bitte_nb.core.tool import Tool
    from bitte_nb.spec.operation import Operation

__all__ = [
    "BYTES_PER_TOKEN",
    "MAX_TOOLS",
    "RUNGS",
    "Budget",
    "Cost",
    "Rung",
    "budget",
    "json_size",
    "matches",
    "text_size",
    "tokens",
    "tool_size",
    "trim",
]

Rung = Literal["full", "trimmed", "required", "index"]
RUNGS: tuple[Rung, ...] = ("full", "trimmed", "required", "index")
"""`full`: as declared; `trimmed`: without titles, examples and long texts; `required`: only what must be given;
`index`: name and one line."""

MAX_TOOLS = 128
"""Most tools that an OpenAI request takes."""
BYTES_PER_TOKEN = 4
"""Bytes that make a token, about, with the tokenizers of the large providers."""
_DESCRIPTION = 300
_PROPERTY = 120
_NOISE = frozenset({"title", "examples", "deprecated", "default"})


@dataclass(frozen=True, slots=True)
class Cost:
    """One tool's share."""

    name: str
    bytes: int
    tokens: int
    """About (`tokens`)."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a list of tools costs, heaviest first."""

    costs: tuple[Cost, ...]

    @property
    def bytes(self) -> int:
        """Of all definitions together."""
        return sum(cost.bytes for cost in self.costs)

    @property
    def tokens(self) -> int:
        """Of all definitions together, about (`tokens`)."""
        return tokens(self.bytes)

    def warnings(self, *, tokens: int = 16_000, tools: int = MAX_TOOLS) -> list[str]:
        """A sentence for every limit that is passed."""
        found: list[str] = []
        if len(self.costs) > tools:
            found.append(
                f"There are {len(self.costs)} tools; {tools} is the most that every provider takes. Select some."
            )
        if self.tokens > tokens:
            heavy = ", ".join(f"{cost.name} ({cost.tokens:,})" for cost in self.costs[:3])
            found.append(
                f"The definitions take about {self.tokens:,} tokens, more than {tokens:,}. The heaviest: {heavy}. "
                "Select fewer tools or a smaller form."
            )
        return found


def tokens(size: int) -> int:
    """Bytes as tokens, about; whatever is counted for a person is counted by this."""
    return -(-size // BYTES_PER_TOKEN)


def text_size(text: str) -> int:
    """Bytes of a text in UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


def json_size(value: object) -> int:
    """Bytes of a value as compact JSON."""
    return text_size(json.dumps(value, separators=(",", ":"), ensure_ascii=False))


def tool_size(tool: Tool) -> int:
    """Bytes of a tool as most requests carry it: name, what is read as its description, and parameters."""
    return json_size({"name": tool.name, "description": tool.prompt, "parameters": tool.input_schema})


def budget(tools: Iterable[Tool]) -> Budget:
    """What these tools cost as name, description and schema."""
    costs = [Cost(tool.name, size := tool_size(tool), tokens(size)) for tool in tools]
    return Budget(tuple(sorted(costs, key=lambda cost: -cost.bytes)))


def matches(
    operation: Operation,
    *,
    tags: Iterable[str] | None = None,
    methods: Iterable[str] | None = None,
    paths: Iterable[str] | None = None,
    ids: Iterable[str] | None = None,
    where: Callable[[Operation], bool] | None = None,
    deprecated: bool = True,
) -> bool:
    """True if an operation meets every condition that is given; `paths` are prefixes."""
    return (
        (tags is None or bool(set(tags) & set(operation.tags)))
        and (methods is None or operation.method.upper() in {method.upper() for method in methods})
        and (paths is None or operation.path.startswith(tuple(paths)))
        and (ids is None or operation.id in set(ids))
        and (where is None or where(operation))
        and (deprecated or not operation.deprecated)
    )


def trim(tool: Tool, rung: Rung) -> Tool:
    """The tool on a rung of the ladder; arguments of the full form are accepted whatever the model was shown."""
    if rung == "full":
        return tool
    line = tool.description.split("\n", 1)[0]
    if rung == "index":
        schema: dict[str, Any] = {"type": "object", "properties": {}}
        return tool.model_copy(update={"description": _cut(line, _PROPERTY), "input_schema": schema})
    schema = _trimmed(tool.input_schema)
    if rung == "required":
        schema = _only_required(schema)
    return tool.model_copy(update={"description": _cut(tool.description, _DESCRIPTION), "input_schema": schema})


def _cut(text: str, limit: int) -> str:
    """A text within a limit, ended at a word, with an ellipsis that says so."""
    if len(text) <= limit:
        return text
    return text[: limit - 1].rsplit(" ", 1)[0].rstrip(" ,.;:") + "…"


def _trimmed(schema: Any) -> Any:
    """A schema without what a model can do without."""
    if not is_map(schema):
        return schema
    kept = {key: value for key, value in schema.items() if key not in _NOISE}
    if isinstance(words := kept.get("description"), str):
        kept["description"] = _cut(words.split("\n", 1)[0], _PROPERTY)
    return mapped(kept, _trimmed)


def _only_required(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with its required properties only, and the definitions that those still need."""
    required = schema.get("required", [])
    properties = {name: node for name, node in schema.get("properties", {}).items() if name in required}
    out = {key: value for key, value in schema.items() if key not in ("properties", "$defs")}
    out["properties"] = properties
    kept: dict[str, Any] = {}
    waiting = references(out)
    definitions = schema.get("$defs", {})
    while waiting:
        name = waiting.pop()
        if name in definitions and name not in kept:
            kept[name] = definitions[name]
            waiting |= references(definitions[name])
    return {**out, "$defs": kept} if kept else out
