"""A policy in a file that a person can read, YAML or JSON; what is misspelt refuses to start and names its line.

extends: default        # the default rules hold too; optional
person: true            # whether somebody can answer; optional
rules:
  - name: read-only
    effect: allow
    methods: [GET, HEAD]
    kinds: [operation]
  - name: no-deletions
    effect: deny
    methods: [DELETE]
    reason: Nothing is deleted from a notebook.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, cast, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from bitte_nb.agent.policy import Check, Effect, Policy, Rule, meant
from bitte_nb.core.tool import ToolKind
from bitte_nb.errors import DocumentError, PolicyError
from bitte_nb.spec.lines import locate
from bitte_nb.spec.read import parse

__all__ = ["first_fault", "read_policy"]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    rules: list[Rule]
    extends: Literal["default"] | None = None
    person: bool = True


_WORDS: dict[str, tuple[str, ...]] = {
    "effect": get_args(Effect),
    "kinds": get_args(ToolKind),
    "extends": ("default",),
}
_SAME: dict[str, str] = {
    **dict.fromkeys(
        ("operation", "operations", "operationid", "operation_id", "operationids", "operation_ids"), "tools"
    ),
    **dict.fromkeys(("tool", "primitive", "primitives", "function", "functions"), "tools"),
    **dict.fromkeys(("origin", "server", "servers", "host", "hosts", "url", "urls"), "origins"),
}
"""Words that are used elsewhere for a condition of a rule, in lower case."""


def read_policy(path: Path, *, checks: tuple[Check, ...] = ()) -> Policy:
    """See `Policy.load`."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PolicyError(f"The policy {path} cannot be read, so nothing starts: {error}.") from error
    try:
        parsed = parse(text)
    except DocumentError as error:
        raise PolicyError(f"The policy {path} is neither YAML nor JSON, so nothing starts: {error}") from error
    if parsed.duplicates:
        key, line = parsed.duplicates[0]
        where = f"{path}, line {line}" if line else str(path)
        raise PolicyError(f"{where}: {key!r} is written twice in one place, so nothing starts. Keep one of them.")
    tree: Any = parsed.tree
    if not isinstance(tree, dict):
        raise PolicyError(f"{path} holds no policy, so nothing starts: write `rules:` and a list of rules below it.")
    try:
        # Through JSON, whose strict mode takes a list for a tuple and converts nothing else.
        found = _File.model_validate_json(json.dumps(tree))
        before = Policy.default().rules if found.extends else ()
        return Policy((*before, *found.rules), checks=checks, person=found.person)
    except ValidationError as error:
        raise PolicyError(_sentence(path, text, error)) from error
    except PolicyError as error:
        raise PolicyError(f"{path}: {error}") from error


def first_fault(error: ValidationError) -> str:
    """What is wrong with a rule that was given in code."""
    first = _first(error)
    return _what(first, ("rules", 0, *first["loc"]))


def _first(error: ValidationError) -> Any:
    # A misspelt key is both unknown and missing; only the first of these says what was meant.
    return min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")


def _sentence(path: Path, text: str, error: ValidationError) -> str:
    first = _first(error)
    place = first["loc"]
    pointer = "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in place)
    line = locate(text, [pointer]).get(pointer)
    where = f"{path}, line {line}" if line else str(path)
    return f"{where}: {_what(first, place)} Nothing starts under it."


def _what(first: Any, place: Sequence[int | str]) -> str:
    name = str(place[-1]) if place else ""
    given = first.get("input")
    match first["type"]:
        case "extra_forbidden":
            known = list(_File.model_fields) if len(place) == 1 else list(Rule.model_fields)
            same = "" if len(place) == 1 else _SAME.get(name.lower(), "")
            hint = f" Did you mean {same!r}?" if same else meant(name, known)
            return f"{name!r} means nothing in a {'policy' if len(place) == 1 else 'rule'}.{hint}"
        case "missing":
            return f"{name!r} is missing."
        case "literal_error":
            known = list(_WORDS["kinds" if "kinds" in place else name])
            hint = meant(str(given), known)
            return f"{given!r} is not one of {', '.join(known)}.{hint if 'mean' in hint else ''}"
        case "tuple_type" | "list_type" if isinstance(given, str):
            return f"{name!r} is a list: write [{given}]."
        case "value_error":
            return cast("str", first["msg"]).removeprefix("Value error, ")
        case "model_type" | "dict_type":
            return "a rule is written as `name: ...`, `effect: ...` and its conditions."
        case _:
            return f"{name or 'the policy'}: {cast('str', first['msg'])}."
