"""Results within a budget of tokens: long lists and texts are cut, and a marker says what was left out."""

from __future__ import annotations

import json
from typing import Any

from bitte_nb.spec.tree import is_list, is_map

__all__ = ["fit"]

_BYTES_PER_TOKEN = 4
_LEVELS = ((200, 20_000), (100, 8_000), (50, 4_000), (25, 2_000), (10, 1_000), (5, 400), (2, 160), (1, 60))
"""Items of a list and characters of a text that are kept, from generous to terse."""
_NEXT = ("next", "next_page", "nextPage", "nextPageToken", "next_page_token", "next_cursor", "nextCursor", "cursor")


def fit(data: Any, tokens: int = 8_000) -> Any:
    """The data as it is, if it fits, else a shortened copy of the same shape.

    A cut list ends with a text such as `[cut: 950 of 1,000 items left out]`, a cut text with `[cut: 4,000 more
    characters]`. Objects keep all of their keys as long as possible, cursors to a next page always. `tokens` are
    estimated as four bytes of JSON each.
    """
    limit = tokens * _BYTES_PER_TOKEN
    if _size(data) <= limit:
        return data
    for most, longest in _LEVELS:
        short = _short(data, most, longest)
        if _size(short) <= limit:
            return short
    text = json.dumps(data, ensure_ascii=False, default=str)
    kept = max(0, limit - 60)
    while _size(cut := f"{text[:kept]} [cut: {len(text) - kept:,} more characters]") > limit and kept:
        kept = kept * 3 // 4
    return cut


def _size(data: Any) -> int:
    return len(
        json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str).encode("utf-8", "surrogatepass")
    )


def _short(node: Any, most: int, longest: int) -> Any:
    if isinstance(node, str):
        return node if len(node) <= longest else f"{node[:longest]} [cut: {len(node) - longest:,} more characters]"
    if is_list(node):
        kept = [_short(entry, most, longest) for entry in node[:most]]
        left = len(node) - most
        return [*kept, f"[cut: {left:,} of {len(node):,} items left out]"] if left > 0 else kept
    if is_map(node):
        return {
            key: value if key in _NEXT and isinstance(value, str) else _short(value, most, longest)
            for key, value in node.items()
        }
    return node
