"""Text that a person is asked to sign: tricks with direction, invisible letters, mixed alphabets and blank lines."""

from __future__ import annotations

import re
import unicodedata

from bitte_nb.review.sheet import Sheet

__all__ = ["escape", "judge_text", "judge_tricks", "one_line", "readable"]

_BIDI = frozenset([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C])
_INVISIBLE = frozenset([0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x00AD, 0x180E, 0x2061, 0x2062, 0x2063, 0x2064])
_TAGS = range(0xE0000, 0xE0080)
_BLANKS = re.compile(r"(?:\A|\n)(?:[^\S\n]*\n){4,}")
_BREAK = re.compile("\r\n|[\r\u2028\u2029]")
"""What pages show as a new line, beside the line feed."""
_MAX_LINES = 40


def _emoji(c: str) -> bool:
    return unicodedata.category(c) in ("So", "Sk") or 0x1F000 <= ord(c) <= 0x1FAFF or ord(c) == 0xFE0F


def _invisible(text: str) -> list[int]:
    found: list[int] = []
    for i, c in enumerate(text):
        code = ord(c)
        joins_emoji = code == 0x200D and 0 < i < len(text) - 1 and _emoji(text[i - 1]) and _emoji(text[i + 1])
        if (code in _INVISIBLE and not joins_emoji) or code in _TAGS:
            found.append(code)
    return found


def readable(data: bytes) -> str | None:
    """The bytes as text if they are UTF-8 without control characters (tab, line feed, return are fine), else None."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if any(unicodedata.category(c) in ("Cc", "Cn", "Co") and c not in "\n\r\t" for c in text) else text


def escape(text: str) -> str:
    """The text with direction marks, invisible letters and control characters written out by their code point."""
    hidden = set(_invisible(text))
    return "".join(
        f"\\u{{{ord(c):04X}}}"
        if ord(c) in _BIDI or ord(c) in hidden or (unicodedata.category(c) == "Cc" and c not in "\n\t")
        else c
        for c in text
    )


def one_line(text: str) -> str:
    """`escape`, with line feeds and tabs written out as well: for names that stand inside a sentence."""
    return escape(text).replace("\n", "\\u{000A}").replace("\t", "\\u{0009}")


def _script(c: str) -> str | None:
    if not c.isalpha():
        return None
    name = unicodedata.name(c, "")
    head = name.split(" ")[0]
    return (
        head if head in {"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "HEBREW", "ARABIC", "COPTIC"} else None
    )


def _mixed(text: str) -> str | None:
    for word in re.findall(r"[^\W\d_]+", text):
        scripts = {script for script in map(_script, word) if script}
        if len(scripts) > 1:
            return word
    return None


def judge_text(sheet: Sheet, text: str, *, what: str = "The message") -> None:
    """Note what a reader of the text could be deceived by; an empty text is said to be empty."""
    if not text:
        sheet.warn("empty_message", f"{what} is empty: there is nothing to read.")
        return
    judge_tricks(sheet, text, what=what)
    lines = _BREAK.sub("\n", text).split("\n")
    if len(lines) > _MAX_LINES or _BLANKS.search("\n".join(lines)):
        sheet.warn("newline_flood", f"{what} has {len(lines)} lines: read to its end, something may be far below.")
    word = _mixed(text)
    if word is not None:
        sheet.warn("mixed_script", f"{word!r} mixes letters of two alphabets: it may imitate another word.")


def judge_tricks(sheet: Sheet, text: str, *, what: str) -> None:
    """Note characters of the text that are not seen, or that turn its direction."""
    marks = sorted({ord(c) for c in text if ord(c) in _BIDI})
    if marks:
        shown = ", ".join(f"U+{m:04X}" for m in marks)
        sheet.warn(
            "bidi_control", f"{what} holds characters that turn the direction of text ({shown}): it may read otherwise."
        )
    hidden = _invisible(text)
    if hidden:
        shown = ", ".join(f"U+{m:04X}" for m in sorted(set(hidden))[:5])
        sheet.warn("invisible_chars", f"{what} holds {len(hidden)} invisible character(s) ({shown}).")
