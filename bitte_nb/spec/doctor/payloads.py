"""Which operations return a payload that a primitive takes, told by the shape of their results."""

from __future__ import annotations

from typing import Any

from bitte_nb.spec.doctor.survey import Survey
from bitte_nb.spec.tree import is_list, mapping, sequence, string

__all__ = ["MAKERS", "described", "payloads"]

_DEPTH = 4
MAKERS: dict[str, frozenset[str]] = {
    "generate-evm-tx": frozenset({"evmSignRequest"}),
    "generate-sui-tx": frozenset({"suiTransactionBytes"}),
    "generate-cardano-tx": frozenset({"cardanoSignRequest"}),
    "generate-transaction": frozenset({"nearTransactions"}),
}
"""Primitives that take a prepared payload, with names of result fields that hold nothing else."""


def payloads(survey: Survey) -> dict[str, dict[str, str]]:
    """The operations that make a payload, as names with their paths, by the primitive that takes it."""
    found: dict[str, dict[str, str]] = {}
    for visit in survey.visits:
        for schema, at in visit.results:
            for kind in _kinds(survey, schema, at, 0):
                found.setdefault(kind, {})[visit.name] = visit.path
    return found


def described(survey: Survey, schema: dict[str, Any], at: str, depth: int = 0) -> bool:
    """True if a schema says what it holds, down to a depth: nothing in it could be a payload unseen."""
    if depth >= _DEPTH:
        return True
    parts = [(raw, where) for _, raw, where in survey.properties(schema, at)]
    parts += [(raw, at) for key in ("oneOf", "anyOf") for raw in sequence(schema.get(key))]
    if "items" in schema:
        parts.append((schema["items"], f"{at}/items"))
    if not parts:
        return schema.get("type") in ("string", "number", "integer", "boolean", "null")
    return all(described(survey, *survey.follow(raw, where), depth + 1) for raw, where in parts)


def _kinds(survey: Survey, schema: dict[str, Any], at: str, depth: int) -> set[str]:
    members = {name: raw for name, raw, _ in survey.properties(schema, at)}
    found = {kind for kind, names in MAKERS.items() if names & members.keys()}
    if {"receiverId", "actions"} <= members.keys():
        found.add("generate-transaction")
    if {"method", "params", "chainId"} <= members.keys() or _wallet_method(survey, members):
        found.add("generate-evm-tx")
    if depth < _DEPTH:
        parts = [*members.values(), schema.get("items")]
        parts += [*sequence(schema.get("oneOf")), *sequence(schema.get("anyOf"))]
        for part in parts:
            target, place = survey.follow(part, at)
            if target:
                found |= _kinds(survey, target, place, depth + 1)
    return found


def _wallet_method(survey: Survey, members: dict[str, Any]) -> bool:
    method = survey.follow(members.get("method"), "")[0]
    values = method.get("enum")
    values = values if is_list(values) else [mapping(method).get("const")]
    return "params" in members and any(string(value).startswith(("eth_", "personal_")) for value in values)
