"""Which operations a text is about: BM25F over ids, descriptions, paths and parameters.

Robertson & Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), section 3.6.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

from bitte_nb.core.tool import Tool
from bitte_nb.model.words import action_of, resembles, split_identifier, stem, tokens

__all__ = ["Hit", "Index"]

_ID, _SUMMARY, _USE_WHEN, _DESCRIPTION, _PATH, _PARAMETER, _PARAMETER_TEXT = 3.0, 1.5, 1.2, 0.4, 1.0, 0.6, 0.25
_GENERIC = frozenset({"id", "ids", "api", "rest", "v1", "v2", "v3"})
"""Parts of ids that say nothing about what an operation is for."""
_MOST_PARAMETERS, _MOST_TEXT = 60, 240
_MOST_CACHED = 5000
_K1, _B = 1.2, 0.3
_KIN = 0.7
"""What a word counts that only resembles a word of the operation, as `chain` of `blockchain`."""
_USE_WHEN_FORM = re.compile(
    r"\s*(?:use\s+(?:it|this)\b[^,.;]*?\b(?:when|if|for|to)\b|(?:call\s+(?:it|this)\s+)?when\b)"
    r"(?:\s+(?:the|a)\s+(?:user|person)\s+(?:asks?|wants?|needs?|would\s+like)(?:\s+(?:to|for|about))?)?",
    re.IGNORECASE,
)
"""How a sentence begins that says when an operation is meant; the beginning itself says nothing."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|\n")


@dataclass(frozen=True, slots=True)
class Hit:
    """An operation that shares words with a text."""

    tool: Tool
    score: float
    matched: frozenset[str]
    """The stems of the text that the operation knows in its id, first sentence or path."""
    faint: frozenset[str]
    """The stems of the text that it knows only from elsewhere."""
    precision: float = 0.0
    """The share of its id's words that the text has, verbs of effect and the like left out, 0 to 1."""


class Index:
    """A list of tools, ready to be searched; building it reads every schema once."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self.tools = list(tools)
        self._weights: list[dict[str, float]] = []
        self._strong: list[set[str]] = []
        self._names: list[frozenset[str]] = []
        self._found: dict[str, list[tuple[int, float, str]]] = {}
        self._actions = {tool.name: _action(tool) for tool in self.tools}
        self._numbers = {tool.name: number for number, tool in enumerate(self.tools)}
        self._postings: dict[str, list[int]] = defaultdict(list)
        names = [re.escape(tool.name) for tool in self.tools if re.search(r"[^a-z]", tool.name)]
        others = (
            re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(names, key=len, reverse=True))})(?![\w-])") if names else None
        )
        for number, tool in enumerate(self.tools):
            weights, strong = _fields(tool, others)
            self._weights.append(weights)
            self._strong.append(strong)
            self._names.append(frozenset(tokens(tool.name)))
            for token in weights:
                self._postings[token].append(number)
        lengths = [sum(weights.values()) for weights in self._weights]
        mean = sum(lengths) / len(lengths) if lengths else 1.0
        self._norms = [_K1 * (1 - _B + _B * length / (mean or 1.0)) for length in lengths]

    def idf(self, token: str) -> float:
        """How much a stem tells about which tool is meant; a stranger to all tools counts as known to one."""
        count = max(1, len(self._postings.get(token, ())))
        return math.log(1 + (len(self.tools) - count + 0.5) / (count + 0.5))

    def share(self, token: str) -> float:
        """The share of the tools that know a stem, or one like it, from their id, path or first sentence, 0 to 1."""
        known = [number for number, _, kin in self._matches(token) if kin in self._strong[number]]
        return len(known) / len(self.tools) if self.tools else 0.0

    def named(self, token: str) -> bool:
        """True where a stem, or one like it, is part of some tool's id."""
        return any(kin in self._names[number] for number, _, kin in self._matches(token))

    def id_words(self, tool: Tool) -> frozenset[str]:
        """The stems of a tool's id."""
        return self._names[self._numbers[tool.name]]

    def spelled(self, token: str) -> bool:
        """True where some tool has exactly this stem."""
        return token in self._postings

    def action(self, tool: Tool) -> str | None:
        """The kind of effect of a tool of this index."""
        return self._actions[tool.name]

    def search(self, query: Sequence[str]) -> list[Hit]:
        """The tools that share a stem with the query, best first; equal scores keep the order of the document."""
        scores: dict[int, float] = defaultdict(float)
        matched: dict[int, set[str]] = defaultdict(set)
        faint: dict[int, set[str]] = defaultdict(set)
        said: dict[int, set[str]] = defaultdict(set)
        for token in dict.fromkeys(query):
            for number, weight, kin in self._matches(token):
                saturated = weight * (_K1 + 1) / (weight + self._norms[number])
                scores[number] += self.idf(kin) * saturated * (1.0 if kin == token else _KIN)
                (matched if kin in self._strong[number] else faint)[number].add(token)
                said[number].add(kin)
        order = sorted(scores, key=lambda number: (-scores[number], number))
        return [
            Hit(
                self.tools[n],
                scores[n],
                frozenset(matched[n]),
                frozenset(faint[n] - matched[n]),
                self._precision(n, said[n]),
            )
            for n in order
        ]

    def _precision(self, number: int, said: set[str]) -> float:
        names = self._names[number]
        telling = {name for name in names if name not in _GENERIC and action_of(name) is None} or names
        return len(telling & said) / len(telling) if telling else 0.0

    def _matches(self, token: str) -> list[tuple[int, float, str]]:
        """For each tool that knows a stem or one like it: its number, the weight there, and the stem that it has."""
        if (found := self._found.get(token)) is None:
            exact = [(number, self._weights[number][token], token) for number in self._postings.get(token, ())]
            sure = set(self._postings.get(token, ()))
            near: dict[int, tuple[float, str]] = {}
            for other, numbers in self._postings.items():
                if other[:4] == token[:4] or other.endswith(token) or token.endswith(other):
                    for number in numbers if resembles(token, other) else ():
                        if number not in sure:
                            near[number] = max(near.get(number, (0.0, "")), (self._weights[number][other], other))
            found = exact + [(number, weight, kin) for number, (weight, kin) in near.items()]
            if len(self._found) >= _MOST_CACHED:
                self._found.clear()
            self._found[token] = found
        return found


def _action(tool: Tool) -> str | None:
    """What a tool does, by the first verb of its id, else by its HTTP method."""
    for piece in split_identifier(tool.name):
        if found := action_of(stem(piece)):
            return found
    by_method = {"GET": "read", "HEAD": "read", "PUT": "update", "PATCH": "update", "DELETE": "delete"}
    return by_method.get(tool.method)


def _fields(tool: Tool, others: re.Pattern[str] | None) -> tuple[dict[str, float], set[str]]:
    """Weights of a tool's stems and those of its id, first sentence, path and "use it when" sentences.

    Names of tools inside a description say what else to call, not what this one does, so they are left out.
    """
    weights: dict[str, float] = defaultdict(float)

    def add(text: str, weight: float) -> set[str]:
        found = tokens(text)
        for token in found:
            weights[token] += weight
        return set(found)

    description = others.sub(" ", tool.description) if others is not None else tool.description
    sentences = _SENTENCE_END.split(description.strip())
    path = " ".join(part for part in tool.path.split("/") if not part.startswith("{"))
    strong = add(tool.name, _ID) | add(sentences[0], _SUMMARY) | add(path, _PATH)
    for sentence in sentences[1:]:
        if frame := _USE_WHEN_FORM.match(sentence):
            strong |= add(sentence[frame.end() :], _USE_WHEN)
        else:
            add(sentence, _DESCRIPTION)
    for name, text in islice(_parameters(tool.input_schema, depth=2), _MOST_PARAMETERS):
        add(name, _PARAMETER)
        add(text[:_MOST_TEXT], _PARAMETER_TEXT)
    return dict(weights), strong


def _parameters(schema: dict[str, Any], *, depth: int) -> Iterator[tuple[str, str]]:
    """Names and words of the properties of an object schema, nested ones too, `$ref`s not followed."""
    properties: Any = schema.get("properties")
    if depth == 0 or not isinstance(properties, dict):
        return
    for name, prop in cast("dict[str, Any]", properties).items():
        if not isinstance(prop, dict):
            continue
        schema_of = cast("dict[str, Any]", prop)
        words = [str(schema_of.get("description", "")), str(schema_of.get("title", ""))]
        if isinstance(options := schema_of.get("enum"), list):
            words += [str(option) for option in cast("list[Any]", options)[:30]]
        yield name, " ".join(words)
        yield from _parameters(schema_of, depth=depth - 1)
