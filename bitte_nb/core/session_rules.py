"""What a person allows for the rest of a chat: one tool of one agent, by one method, at exactly one origin.

Such a rule only speaks where the policy has nothing to say. It never covers a wallet, and it ends with the kernel.
"""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict

from bitte_nb.core.invocation import Invocation

__all__ = ["BY_DEFAULT", "SessionRule", "offered_rule", "rule_for"]

BY_DEFAULT = "ask-by-default"
"""The rule that asks where no rule of the policy speaks."""

_COVERED = frozenset({"http", "local"})


class SessionRule(BaseModel):
    """One thing that is always allowed in this chat until it is revoked or the kernel ends."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule: str
    """Its name: `always-` and the key of the call on whose card it was given."""
    agent: str
    tool: str
    method: str = ""
    origin: str = ""
    """Scheme, host and port, exactly; empty for a Python function."""
    actor: str = ""
    at: int = 0
    """Milliseconds since the epoch."""

    @property
    def sentence(self) -> str:
        """Its scope in words."""
        what = f"{self.tool} ({self.method})" if self.method else self.tool
        where = f" at {self.origin}" if self.origin else ""
        return f"Always allow {what}{where}, with any arguments, in this chat, until you revoke it or the kernel ends."

    def covers(self, call: Invocation) -> bool:
        """Whether it allows this call."""
        scope = _scope(call)
        return scope is not None and scope == (self.agent, self.tool, self.method, self.origin)


def offered_rule(call: Invocation) -> SessionRule | None:
    """The rule that a person may give on a pending card, or None where the policy itself asks or a wallet acts."""
    scope = _scope(call)
    if call.state != "pending" or call.rule != BY_DEFAULT or scope is None:
        return None
    agent, tool, method, origin = scope
    return SessionRule(rule=f"always-{call.key}", agent=agent, tool=tool, method=method, origin=origin)


def rule_for(rules: Iterable[SessionRule], call: Invocation) -> SessionRule | None:
    """The first rule that allows the call."""
    return next((rule for rule in rules if rule.covers(call)), None)


def _scope(call: Invocation) -> tuple[str, str, str, str] | None:
    if call.executor not in _COVERED or call.kind not in {"operation", "local"} or call.prepared is None:
        return None
    return call.agent, call.tool, call.prepared.method, call.prepared.origin
