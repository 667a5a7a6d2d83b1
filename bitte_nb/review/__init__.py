"""Transaction and message review: pure functions from a request to a card."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bitte_nb.review.card import Amount, Call, Chain, ReviewCard, ReviewWarning, Row
    from bitte_nb.review.context import ReviewContext
    from bitte_nb.review.derivation import Step, explain
    from bitte_nb.review.dispatch import request_digest
    from bitte_nb.review.dispatch import review as review

__all__ = [
    "Amount",
    "Call",
    "Chain",
    "ReviewCard",
    "ReviewContext",
    "ReviewWarning",
    "Row",
    "Step",
    "explain",
    "request_digest",
    "review",
]

_HOMES = {
    **dict.fromkeys(("Amount", "Call", "Chain", "ReviewCard", "ReviewWarning", "Row"), "card"),
    "ReviewContext": "context",
    "Step": "derivation",
    "explain": "derivation",
    "request_digest": "dispatch",
    "review": "dispatch",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


class _Room(ModuleType):
    """Makes the package itself callable: Python puts it where `bitte_nb.review` the function is looked up."""

    def __call__(self, *args: Any, **kwargs: Any) -> ReviewCard:
        """Review a request; see `bitte_nb.review.dispatch.review`."""
        from bitte_nb.review.dispatch import review

        return review(*args, **kwargs)


sys.modules[__name__].__class__ = _Room
