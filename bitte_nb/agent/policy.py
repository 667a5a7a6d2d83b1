"""The policy: which calls may run by a rule, which a person must approve, which never run.

Deny beats ask, ask beats allow, and where no rule speaks a person is asked. A rule that raises asks too, or denies
where no person can answer. Nothing that a document says about itself can lower the policy. A policy can be written in
a file (`Policy.load`) and shown as a table of what it means for a document (`policy.explain`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bitte_nb.core.invocation import Executor
from bitte_nb.core.session_rules import BY_DEFAULT
from bitte_nb.core.tool import ToolKind
from bitte_nb.errors import PolicyError

if TYPE_CHECKING:
    from bitte_nb.agent.policy_table import PolicyTable
    from bitte_nb.spec.load import Document

__all__ = ["OURS", "Check", "Effect", "Policy", "Rule", "Subject", "Verdict"]

OURS = frozenset({
    BY_DEFAULT, "another-version", "declined-before", "edited-before", "hand-off", "internal-error", "repeated-request",
    "restart", "review",
})  # fmt: skip
"""Names under which the runtime itself asks, allows or denies; no rule of a policy may pass for one of them."""

Effect = Literal["allow", "ask", "deny"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The call that is judged."""

    tool: str
    kind: ToolKind
    executor: Executor
    method: str = ""
    origin: str = ""
    """Scheme, host and port the request goes to."""
    args: dict[str, Any]
    safe: bool = False
    """It changes nothing: a method that only reads, a drawing, or a function whose author says so."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the policy says, and which rule said it."""

    effect: Effect
    rule: str
    reason: str = ""
    expires_s: float | None = None
    """Seconds that a person has to answer, where the rule says so."""


class Rule(BaseModel):
    """One line of a policy; every given condition must hold.

    `tools` and `origins` are names or patterns with `*`; an empty condition holds for everything.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    effect: Effect
    tools: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    kinds: tuple[ToolKind, ...] = ()
    safe: bool = False
    """Holds only for calls that change nothing."""
    reason: str = ""
    expires_s: Annotated[float, Field(gt=0, le=10_000_000)] | None = None
    """For `ask`: seconds that a person has to answer; later the call expires and is not run."""

    def holds(self, subject: Subject) -> bool:
        """Whether the rule speaks about this call."""
        return (
            _matches(self.tools, subject.tool)
            and (not self.methods or subject.method.upper() in {method.upper() for method in self.methods})
            and _matches(self.origins, subject.origin)
            and (not self.kinds or subject.kind in self.kinds)
            and (not self.safe or subject.safe)
        )

    def names(self, tool: str) -> bool:
        """Whether it names the tool itself, without a pattern."""
        return tool in self.tools


def _matches(patterns: tuple[str, ...], value: str) -> bool:
    return not patterns or any(fnmatchcase(value, pattern) for pattern in patterns)


Check = Callable[[Subject], Effect | None]
"""A rule in code: what it says about a call, or None where it has nothing to say."""


class Policy:
    """An ordered set of rules and checks.

    Args:
        rules: Declared rules.
        checks: Functions of a `Subject`; their rule name is the function's.
        person: Whether somebody can answer; without one, what would ask is still shown as pending, but a rule that
            raises denies.

    Raises:
        PolicyError: a rule is not valid; an invalid policy never starts.
    """

    def __init__(
        self,
        rules: tuple[Rule, ...] | list[Rule | dict[str, Any]] = (),
        *,
        checks: tuple[Check, ...] = (),
        person: bool = True,
    ) -> None:
        try:
            self.rules = tuple(rule if isinstance(rule, Rule) else Rule.model_validate(rule) for rule in rules)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "rule"
            raise PolicyError(f"The policy is not valid, so nothing starts: {where}: {first['msg']}.") from error
        names = [rule.name for rule in self.rules]
        ours = sorted(OURS.intersection(names))
        if ours:
            raise PolicyError(f"The policy has a rule named {ours[0]!r}, which the runtime uses itself; rename it.")
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise PolicyError(f"The policy has two rules named {sorted(twice)[0]!r}; give each its own name.")
        self.checks = checks
        self.person = person

    @classmethod
    def default(cls) -> Policy:
        """Reading from the document's own servers is allowed, and what changes nothing here; everything else asks."""
        read = Rule(name="read-only", effect="allow", methods=("GET", "HEAD"), kinds=("operation",))
        here = Rule(name="only-reads-here", effect="allow", safe=True, kinds=("local", "primitive"))
        return cls((read, here))

    @classmethod
    def load(cls, source: str | Path, *, checks: tuple[Check, ...] = ()) -> Policy:
        """Read a policy from a YAML or JSON file.

        Args:
            source: The file's path.
            checks: Rules in code beside those of the file.

        Raises:
            PolicyError: the file cannot be read or is not valid; the sentence names the line and, for a misspelt
                word, the one that was meant. Nothing starts under it.
        """
        from bitte_nb.agent.policy_file import read_policy

        return read_policy(Path(source), checks=checks)

    def explain(self, document: Document) -> PolicyTable:
        """What the policy means for every operation and declared primitive of a document, as a table."""
        from bitte_nb.agent.policy_table import table

        return table(self, document)

    def record(self) -> dict[str, Any] | None:
        """The rules as JSON for history, or None where checks in code are part of the policy."""
        if self.checks:
            return None
        rules = [rule.model_dump(mode="json", exclude_defaults=True) for rule in self.rules]
        return {"rules": rules, "person": self.person}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Policy:
        """The policy that `record` describes.

        Raises:
            PolicyError: it is not valid; nothing starts under it.
        """
        return cls(list(record.get("rules", [])), person=bool(record.get("person", True)))

    def judge(self, subject: Subject) -> Verdict:
        """Say what may happen to one call."""
        said: list[Verdict] = []
        for rule in self.rules:
            if not rule.holds(subject):
                continue
            if rule.effect == "allow" and subject.executor == "wallet" and not rule.names(subject.tool):
                continue  # money and signatures are never allowed by a pattern
            said.append(Verdict(rule.effect, rule.name, rule.reason, rule.expires_s))
        for check in self.checks:
            said.extend(self._checked(check, subject))
        for effect in ("deny", "ask", "allow"):
            for verdict in said:
                if verdict.effect == effect:
                    return verdict
        return Verdict("ask", BY_DEFAULT)

    def _checked(self, check: Check, subject: Subject) -> list[Verdict]:
        name = getattr(check, "__name__", "check")
        try:
            effect = check(subject)
        except BaseException as error:  # a rule of the user's may raise anything, and must not end the thread
            reason = f"The rule {name} failed: {type(error).__name__}: {error}"
            return [Verdict("ask" if self.person else "deny", name, reason)]
        if effect is None:
            return []
        if effect not in ("allow", "ask", "deny"):
            return [Verdict("ask" if self.person else "deny", name, f"The rule {name} said {effect!r}.")]
        if effect == "allow" and subject.executor == "wallet":
            return []
        return [Verdict(effect, name)]
