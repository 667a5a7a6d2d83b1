"""Rules about the `x-mb` extension: messages begin as the reference validator's, in its order."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from bitte_nb.core.nearest import nearest
from bitte_nb.spec.doctor.primitives import KNOWN
from bitte_nb.spec.doctor.rule import Remark, patch, rule
from bitte_nb.spec.doctor.survey import Survey
from bitte_nb.spec.tree import is_list, is_map, mapping, plain, sequence

__all__: list[str] = []

_ASSISTANT = "/x-mb/assistant"
_PLACEHOLDER = re.compile(
    r"^\W*(?:TODO|TBD|FIXME|XXX)\W*$|[\[<({]\s*(?:TODO|TBD|FIXME)\b|\b(?:TODO|TBD|FIXME)\s*:|\bPLACEHOLDER\b"
    r"|^(?i:todo)\s+(?:add|change|describe|explain|fill|replace|update|write)\b|(?i:\blorem ipsum\b)"
    r"|^(?i:placeholder\b)|\bCHANGE_ME\b|^(?i:change ?me|string|none|null|n/a|undefined"
    r"|(?:insert|your)[ -][\w' -]{1,40} here"
    r"|<[^<>]+>|\[[^\[\]]+\]|\{\{?[^{}]+\}?\}|\.+|-+|x{3,})[.!]?$"
)
_BOILERPLATE = re.compile(r"(?i)\bboilerplate\b")


@rule("XMB001", "error", "the document has an `x-mb` object")
def extension(survey: Survey) -> Iterator[Remark]:
    """Without it the document is an API but no agent, and cannot be registered."""
    if not survey.agent and not is_list(survey.root.get("x-mb")):
        there = "x-mb" in survey.root
        yield Remark(
            at="/x-mb" if there else "",
            message="x-mb spec must be an object" + (": it is something else." if there else ": there is none."),
            fix="Write `x-mb: {account-id: ..., assistant: {name: ..., description: ..., instructions: ...}}`.",
        )


@rule("XMB002", "error", "`x-mb` has an assistant object")
def assistant(survey: Survey) -> Iterator[Remark]:
    """The assistant is the agent: its name, description and instructions."""
    if (survey.agent or is_list(survey.root.get("x-mb"))) and not is_map(survey.extension.get("assistant")):
        yield Remark(
            at=_ASSISTANT if "assistant" in survey.extension else "/x-mb",
            message="x-mb spec must contain assistant object.",
            fix="Add `assistant` with name, description and instructions.",
        )


@rule("XMB003", "error", "the assistant's name, description and instructions are written")
def texts(survey: Survey) -> Iterator[Remark]:
    """Blank text and placeholders pass the reference validator, and leave an agent without a prompt."""
    if not is_map(survey.extension.get("assistant")):
        return
    for key in ("name", "description", "instructions"):
        value = survey.assistant.get(key)
        if not isinstance(value, str) or not value.strip():
            state = "it is absent" if value is None else "it is blank" if isinstance(value, str) else "it is no string"
            message = f"assistant must contain {key} as string: {state}."
        elif _PLACEHOLDER.search(value.strip()) or (key != "instructions" and _BOILERPLATE.search(value)):
            message = f"The assistant's {key} is a placeholder: {_short(value)!r}."
        else:
            continue
        yield Remark(
            at=f"{_ASSISTANT}/{key}" if key in survey.assistant else _ASSISTANT,
            message=message,
            fix=f"Write the {key} that people and the model should read.",
            about=(key,),
        )


@rule("XMB004", "error", "the assistant's tools are known primitives")
def tools(survey: Survey) -> Iterator[Remark]:
    """An unknown primitive is accepted by the reference and then silently dropped, so it is a warning."""
    declared = survey.assistant.get("tools")
    at = f"{_ASSISTANT}/tools"
    if "tools" not in survey.assistant:
        return
    if not is_list(declared):
        yield Remark(at=at, message="tools must be an array.", fix="Write `tools: [{type: generate-transaction}]`.")
        return
    for index, entry in enumerate(declared):
        where, kind = f"{at}/{index}", mapping(entry).get("type")
        if not is_map(entry):
            fix = f"Write `{{type: {entry}}}`." if isinstance(entry, str) else "Write `{type: ...}`."
            repair = patch("replace", where, {"type": entry}) if isinstance(entry, str) and entry in KNOWN else ()
            yield Remark(at=where, message="each tool must be an object.", fix=fix, patch=repair)
        elif not isinstance(kind, str):
            yield Remark(at=where, message="each tool must have a type string.", fix="Add `type`, a primitive's name.")
        elif kind not in KNOWN and kind != "function":
            near = nearest(kind, sorted(KNOWN))
            yield Remark(
                at=f"{where}/type",
                message=f"{kind!r} is not a known primitive, so it would not be offered.",
                fix=f"Did you mean {near!r}?" if near else f"Use one of: {', '.join(sorted(KNOWN))}.",
                severity="warning",
                patch=patch("replace", f"{where}/type", near) if near else (),
            )


@rule("XMB005", "error", "the fields of `x-mb` have their types")
def types(survey: Survey) -> Iterator[Remark]:
    """Chain ids are numbers, or names of chains without one (`solana`); the rest are strings."""
    given = survey.assistant
    if "chainIds" in given:
        yield from _chain_ids(given["chainIds"])
    if "categories" in given and not _all_strings(given["categories"]):
        message, fix = "categories must be an array of strings.", "Write `categories: [DeFi, Social]`."
        yield Remark(at=f"{_ASSISTANT}/categories", message=message, fix=fix)
    for owner, key, at in (
        (given, "version", _ASSISTANT), (given, "repo", _ASSISTANT), (survey.extension, "email", "/x-mb"),
        (survey.extension, "account-id", "/x-mb"),
    ):  # fmt: skip
        value = owner.get(key)
        if value is not None and not isinstance(value, str):
            text = plain(value)
            yield Remark(
                at=f"{at}/{key}",
                message=f"{key} must be a string.",
                fix=f'Write `{key}: "{text}"`.' if text else f"Write `{key}` as a string.",
                patch=patch("replace", f"{at}/{key}", text) if text else (),
            )


def _chain_ids(value: object) -> Iterator[Remark]:
    at = f"{_ASSISTANT}/chainIds"
    entries = sequence(value)
    if not is_list(value):
        yield Remark(at=at, message="chainIds must be an array of numbers.", fix="Write `chainIds: [1, 8453]`.")
    for index, entry in enumerate(entries):
        if _chain(entry):
            continue
        digits = isinstance(entry, str) and entry.strip().isdigit()
        yield Remark(
            at=f"{at}/{index}",
            message=f"chainIds must be an array of numbers: {entry!r} is none.",
            fix=f"Write `{entry.strip()}` without quotes." if digits else "Write the chain's number (EIP-155).",
            patch=patch("replace", f"{at}/{index}", int(entry)) if digits else (),
        )


def _chain(entry: object) -> bool:
    if isinstance(entry, str):
        return bool(re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", entry))
    return isinstance(entry, int | float) and not isinstance(entry, bool) and math.isfinite(entry)


def _all_strings(value: object) -> bool:
    return is_list(value) and all(isinstance(entry, str) for entry in value)


@rule("XMB006", "warning", "the agent can be verified and shown")
def verifiable(survey: Survey) -> Iterator[Remark]:
    """Verification needs account-id and email; an image, where one is named, must load on an https page."""
    if not survey.agent:
        return
    for key, example in (("account-id", "you.near"), ("email", "you@example.org")):
        if not plain(survey.extension.get(key)).strip():
            yield Remark(
                at="/x-mb",
                message=f"x-mb has no {key}: the agent cannot be verified.",
                fix=f"Add `{key}: {example}`.",
                about=(key,),
            )
    image = survey.assistant.get("image")
    if image is not None and not _https(image):
        yield Remark(
            at=f"{_ASSISTANT}/image",
            message="The assistant's image is not an absolute https URL, so most pages will not show it.",
            fix="Write `image: https://...`.",
        )


def _https(value: object) -> bool:
    try:
        return isinstance(value, str) and urlsplit(value).scheme == "https" and bool(urlsplit(value).hostname)
    except ValueError:
        return False


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:57] + "..."
