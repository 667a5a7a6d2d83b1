"""One entry as text, the same in every store and file."""

from __future__ import annotations

import json
import math
from typing import Any

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from bitte_nb.core.log import Entry, entry
from bitte_nb.errors import HistoryError

__all__ = ["NEWER", "dump", "read", "storable", "storable_entry", "storable_value"]


NEWER = "unreadable record: a newer bitte_nb wrote it"
"""How the error of such a record begins."""
_NEWER = frozenset({"union_tag_invalid", "extra_forbidden"})
"""Faults of a record whose kind, event or field this version does not know."""
_TOO_DEEP = "A value is nested too deeply to be kept."


def dump(one: Entry) -> str:
    """The entry as one line of JSON; what no file can hold is replaced as `storable_value` says.

    Raises:
        HistoryError: a value is nested too deeply.
    """
    try:
        return entry.dump_json(one).decode()
    except PydanticSerializationError:
        try:
            value = storable_value(entry.dump_python(one))
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_named)
        except (PydanticSerializationError, RecursionError):
            raise HistoryError(_TOO_DEEP) from None


def read(payload: str | bytes) -> Entry:
    """The entry of a line; `HistoryError` says what is wrong with it."""
    try:
        return entry.validate_json(payload)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        if first["type"] in _NEWER:
            what = f"it holds {where}" if where else "its kind is not known here"
            raise HistoryError(f"{NEWER} ({what}); update to see it") from None
        raise HistoryError(f"unreadable record: {first['msg']}" + (f" (at {where})" if where else "")) from None


def storable(text: str) -> str:
    """The text with every half of a surrogate pair replaced by U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def storable_entry(one: Entry) -> Entry:
    """The entry as every store gives it back; to fold this one, and not `one`, keeps memory the same as the disk.

    Raises:
        HistoryError: it could not be read back (a value is nested too deeply), so it must not be written.
    """
    return read(dump(one))


def storable_value(value: Any) -> Any:
    """A JSON value as every store gives it back: no half of a surrogate pair, no infinity, no NaN, keys of text.

    Whoever takes a digest of a value that came from outside takes it of this one.
    """
    match value:
        case str():
            return storable(value)
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {storable(str(key)): storable_value(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - any JSON
        case list() | tuple():
            return [storable_value(item) for item in value]  # pyright: ignore[reportUnknownVariableType] - any JSON
        case _:
            return value


def _named(value: object) -> str:
    return storable(str(value))
