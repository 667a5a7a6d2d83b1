"""Results within a budget of tokens, as a model reads them: what was left out is said, and how to get at it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, cast

__all__ = ["fit", "without_pictures"]

_BYTES_PER_TOKEN = 4
_LEVELS = ((200, 20_000), (100, 8_000), (50, 4_000), (25, 2_000), (10, 1_000), (5, 400), (2, 160), (1, 60))
"""Items of a list and characters of a text that are kept, from generous to terse."""
_NEXT = ("next", "next_page", "nextPage", "nextPageToken", "next_page_token", "next_cursor", "nextCursor", "cursor")
_PAGING = re.compile(
    r"(?:page|per_?page|page_?(?:size|number|token|no)|limit|offset|skip|top|cursor|after|before|starting_after|"
    r"max_?results|first|count|size|start)\Z",
    re.IGNORECASE,
)
_PICTURE = re.compile(r"data:(image/[\w.+-]+|text/(?:html|markdown));base64,")


def fit(data: Any, tokens: int = 8_000, *, arguments: Iterable[str] = ()) -> Any:
    """The data as it is, if it fits, else a shortened copy of the same shape.

    A cut list ends with a text such as `[cut: 950 of 1,000 items left out]`, a cut text with `[cut: 4,000 more
    characters]`. Objects keep all of their keys as long as possible, cursors to a next page always. Previews of
    pictures are named, not spelled out: their bytes say nothing to a reader of text.

    Args:
        data: Anything that JSON can say.
        tokens: The most that it may cost, estimated as four bytes of JSON each.
        arguments: The names of the call's arguments: where some of them page through results, the markers name them.
    """
    data = without_pictures(data)
    limit = tokens * _BYTES_PER_TOKEN
    if _size(data) <= limit:
        return data
    paging = [name for name in arguments if _PAGING.match(name.strip("$"))][:4]
    more = f"; ask for others with {', '.join(paging)}" if paging else ""
    for most, longest in _LEVELS:
        short = _short(data, most, longest, more)
        if _size(short) <= limit:
            return short
    text = json.dumps(data, ensure_ascii=False, default=str)
    kept = max(0, limit - 60 - len(more))
    while _size(cut := f"{text[:kept]} [cut: {len(text) - kept:,} more characters{more}]") > limit and kept:
        kept = kept * 3 // 4
    return cut


def _size(data: Any) -> int:
    return len(
        json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str).encode("utf-8", "surrogatepass")
    )


def without_pictures(node: Any) -> Any:
    """The same data where it holds no picture, else a copy in which each is named by its type."""
    if isinstance(node, str):
        found = _PICTURE.match(node) if len(node) > 200 else None
        return f"[{found[1]}: the person sees it]" if found else node
    if isinstance(node, list):
        entries = cast("list[Any]", node)
        found_entries = [without_pictures(entry) for entry in entries]
        changed = any(new is not old for new, old in zip(found_entries, entries, strict=True))
        return found_entries if changed else entries
    if isinstance(node, dict):
        members = cast("dict[str, Any]", node)
        found_members = {key: without_pictures(value) for key, value in members.items()}
        return found_members if any(found_members[key] is not members[key] for key in members) else members
    return node


def _short(node: Any, most: int, longest: int, more: str) -> Any:
    if isinstance(node, str):
        return node if len(node) <= longest else f"{node[:longest]} [cut: {len(node) - longest:,} more characters]"
    if isinstance(node, list):
        entries = cast("list[Any]", node)
        kept = [_short(entry, most, longest, more) for entry in entries[:most]]
        left = len(entries) - most
        return [*kept, f"[cut: {left:,} of {len(entries):,} items left out{more}]"] if left > 0 else kept
    if isinstance(node, dict):
        return {
            key: value if key in _NEXT and isinstance(value, str) else _short(value, most, longest, more)
            for key, value in cast("dict[str, Any]", node).items()
        }
    return node
