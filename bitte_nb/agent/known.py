"""What reviews may know beside the request: the person's own tables, and the ABIs that the document declares."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from bitte_nb.review.context import ReviewContext

if TYPE_CHECKING:
    from bitte_nb.spec.document import Document

__all__ = ["known_to_reviews"]

_ABI = "x-abi"
"""Extension at the root of a document: lower-case EVM address, or `*`, to a JSON ABI (an array of entries)."""


def known_to_reviews(given: ReviewContext | Mapping[str, Any] | None, document: Document) -> ReviewContext:
    """The person's contacts, tokens, labels, ABIs and ERC-7730 descriptors, with the document's ABIs behind them.

    Args:
        given: A context, or a mapping of its fields; a descriptor may be the path of its JSON file.
        document: An ABI in it says what arguments are called. It is the document's word, and the card says so.

    Raises:
        ValueError: a descriptor cannot be read, or a field does not exist.
    """
    if isinstance(given, ReviewContext):
        known = given
    else:
        raw = dict(given or {})
        fields = ReviewContext.__dataclass_fields__
        if unknown := next((name for name in raw if name not in fields), None):
            raise ValueError(f"review_context has no field {unknown!r}. Known are {', '.join(sorted(_TABLES))}.")
        raw["descriptors"] = [_descriptor(one) for one in raw.get("descriptors", ())]
        known = ReviewContext.of(raw)
    declared = ReviewContext.of({"abis": document.root.get(_ABI)}).abis
    return replace(known, abis={**declared, **known.abis})


_TABLES = ("abis", "contacts", "contracts", "descriptors", "eoas", "erc1155", "erc721", "labels", "own", "tokens")


def _descriptor(one: object) -> Mapping[str, Any]:
    if isinstance(one, Mapping):
        return cast("Mapping[str, Any]", one)
    try:
        read: Any = json.loads(Path(str(one)).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"The descriptor {one} cannot be read: {error}.") from error
    if not isinstance(read, dict):
        raise ValueError(  # noqa: TRY004 - the file is at fault, not the argument's type
            f"The descriptor {one} is no JSON object, so it is no ERC-7730 descriptor."
        )
    return cast("dict[str, Any]", read)
