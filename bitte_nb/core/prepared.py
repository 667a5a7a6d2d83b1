"""What exactly would run, the decision that lets it, and how it is taken back."""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

__all__ = ["Grant", "Prepared", "Undo"]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Grant(_Model):
    """A decision that lets one invocation run once."""

    source: Literal["human", "rule", "session"]
    rule: str = ""
    """Id of the policy rule that allowed it, for `rule` and `session`."""
    actor: str = ""
    digest: str
    """The digest of the card that was shown."""
    version: int
    at: int
    """Milliseconds since the epoch."""
    expires_at: int | None = None
    used_at: int | None = None


class Prepared(_Model):
    """What exactly would run: the material that the digest covers and that the card shows."""

    digest: str
    """SHA-256 (hex) over the canonical JSON of everything that will be sent, never over descriptions."""
    method: str = ""
    url: str = ""
    headers: dict[str, str] = {}
    """Headers that matter to a person; credentials are replaced by `•••`."""
    body: str = ""
    review: dict[str, Any] | None = None
    """The review card of a transaction or message, as data."""

    @property
    def origin(self) -> str:
        """Scheme, host and port of the URL as it stands; empty where there is none."""
        scheme, mark, rest = self.url.partition("://")
        return f"{scheme}{mark}{re.split('[/?#]', rest, maxsplit=1)[0]}" if mark else ""

    def goes_like(self, other: Prepared) -> bool:
        """Whether both go by the same method to the same origin."""
        return (self.method, self.origin) == (other.method, other.origin)


class Undo(_Model):
    """How a finished call can be taken back: another call, which asks for its own approval."""

    tool: str
    args: dict[str, Any]
