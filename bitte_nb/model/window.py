"""How much a model can read at once, as far as its name tells; the table errs on the small side."""

from __future__ import annotations

import re

__all__ = ["context_window"]

_UNKNOWN = 32_000
_WINDOWS: tuple[tuple[str, int], ...] = (
    (r"gpt-4\.1", 1_000_000),
    (r"gpt-5", 270_000),
    (r"gpt-4o|gpt-4-turbo|chatgpt", 128_000),
    (r"gpt-4", 8_000),
    (r"gpt-3\.5", 16_000),
    (r"\bo[134]\b", 128_000),
    (r"claude", 200_000),
    (r"gemini", 1_000_000),
    (r"llama-?3\.[1-9]|llama-?4|mistral-(large|medium)|qwen-?[23]|deepseek", 128_000),
    (r"offline", 200_000),
)


def context_window(name: str) -> int:
    """Tokens that a model of this name reads at once, question and answer together; 32,000 where it is not known."""
    lower = name.lower()
    return next((tokens for pattern, tokens in _WINDOWS if re.search(pattern, lower)), _UNKNOWN)
