"""One entry as text, the same in every store and file."""

from __future__ import annotations

import json
from typing import Any

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from bitte_nb.core.log import Entry, entry
from bitte_nb.errors import HistoryError

__all__ = ["dump", "read", "storable"]


def dump(one: Entry) -> str:
    """The entry as one line of JSON; what no file can hold (half a surrogate pair) becomes U+FFFD."""
    try:
        return entry.dump_json(one).decode()
    except PydanticSerializationError:
        return json.dumps(_writable(entry.dump_python(one)), ensure_ascii=False, separators=(",", ":"), default=str)


def read(payload: str | bytes) -> Entry:
    """The entry of a line; `HistoryError` says what is wrong with it."""
    try:
        return entry.validate_json(payload)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise HistoryError(f"unreadable record: {first['msg']}" + (f" (at {where})" if where else "")) from None


def storable(text: str) -> str:
    """The text with every half of a surrogate pair replaced by U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _writable(value: Any) -> Any:
    match value:
        case str():
            return storable(value)
        case dict():
            return {_writable(str(key)): _writable(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - any JSON
        case list() | tuple():
            return [_writable(item) for item in value]  # pyright: ignore[reportUnknownVariableType] - any JSON
        case _:
            return value
