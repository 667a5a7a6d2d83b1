"""The policy: which calls may run by a rule, which a person must approve, which never run.

Deny beats ask, ask beats allow, and where no rule speaks a person is asked. A rule that raises asks too, or denies
where no person can answer. Nothing that a document says about itself can lower the policy. A policy can be written in
a file (`Policy.load`) and shown as a table of what it means for a document (`policy.explain`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from bitte_nb.core.invocation import Executor
from bitte_nb.core.nearest import nearest
from bitte_nb.core.session_rules import BY_DEFAULT
from bitte_nb.core.tool import ToolKind
from bitte_nb.errors import PolicyError
from bitte_nb.spec.guard import origin_of

if TYPE_CHECKING:
    from bitte_nb.agent.policy_table import PolicyTable
    from bitte_nb.spec.load import Document

__all__ = ["OURS", "Check", "Effect", "Policy", "Rule", "Subject", "Verdict", "meant", "pattern"]

OURS = frozenset({
    BY_DEFAULT, "another-version", "declined-before", "edited-before", "hand-off", "internal-error", "repeated-request",
    "restart", "review",
})  # fmt: skip
"""Names under which the runtime itself asks, allows or denies; no rule of a policy may pass for one of them."""

Effect = Literal["allow", "ask", "deny"]

_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY")
_ORIGIN = re.compile(r"(?:[a-z*?][a-z0-9+.*?-]*://|[*?])[^/\s@#]*", re.ASCII)
"""An origin or a pattern of one, whose `*` may stand for the scheme too."""


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

    @field_validator("origins")
    @classmethod
    def _origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        for one in origins:
            # What can never be the origin of a request would be a rule that never holds.
            plain = origin_of(one) if not pattern(one) else one
            if plain != one or not _ORIGIN.fullmatch(one):
                known = plain or origin_of(f"https://{one}")
                hint = f" Did you mean {known!r}?" if known and known != one and _ORIGIN.fullmatch(known) else ""
                raise ValueError(
                    f"{one!r} is no origin: write scheme://host or scheme://host:port in lower case, without a path "
                    f"or a default port, or a pattern such as 'https://*.example.com' or '*'.{hint}"
                )
        return origins

    @field_validator("methods")
    @classmethod
    def _known_methods(cls, methods: tuple[str, ...]) -> tuple[str, ...]:
        for one in methods:
            if one.upper() not in _METHODS:
                raise ValueError(f"{one!r} is no method.{meant(one.upper(), _METHODS)}")
        return methods

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


def pattern(text: str) -> bool:
    """Whether it stands for more than itself."""
    return any(mark in text for mark in "*?[") and not text.startswith(("http://[", "https://["))


def _matches(patterns: tuple[str, ...], value: str) -> bool:
    return not patterns or any(value == one or fnmatchcase(value, one) for one in patterns)


def meant(word: str, known: Sequence[str]) -> str:
    """Which known word was meant, as a sentence that follows another, or which ones there are."""
    close = nearest(word, known, alike=0.5)
    return f" Did you mean {close!r}?" if close else f" Known are {', '.join(known)}."


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
            from bitte_nb.agent.policy_file import first_fault

            raise PolicyError(f"The policy is not valid, so nothing starts: {first_fault(error)}") from error
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
        """What the policy means for every operation and declared primitive of a document, as a table.

        Raises:
            PolicyError: a rule names a tool that the document does not have. What only a rule of Python functions
                (`kinds: [local]`) names is not looked for.
        """
        from bitte_nb.agent.policy_table import table

        return table(self, document)

    def check(self, tools: Collection[str], whose: str, *, kinds: Collection[ToolKind] = get_args(ToolKind)) -> None:
        """Refuse a rule that names a tool which is not there: misspelt, it would never hold.

        Args:
            tools: Names of the tools that there are.
            whose: Of what they are the tools, for the sentence.
            kinds: The kinds of tools that are known; a rule of other kinds only is not looked at.

        Raises:
            PolicyError: the sentence names the rule, the tool and the one that was meant.
        """
        known = {*tools, "hand-off"}  # every agent has it once it is in a chat with another
        for rule in self.rules:
            if rule.kinds and not set(rule.kinds) & set(kinds):
                continue
            for name in rule.tools:
                if name not in known and not pattern(name):
                    raise PolicyError(
                        f"The rule {rule.name} names {name!r}, which is no tool of {whose}.{meant(name, sorted(known))}"
                    )

    def without_allowing(self) -> Policy:
        """The same policy in which nothing is allowed any more: what it asks or forbids stays, the rest asks."""
        kept = tuple(rule for rule in self.rules if rule.effect != "allow")
        return Policy(kept, checks=self.checks, person=self.person)

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
