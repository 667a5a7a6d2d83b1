"""What an agent was given, checked before anything starts, and what a stored one can still take up of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from bitte_nb.agent.policy import Policy, Rule
from bitte_nb.core.log import AgentRecord
from bitte_nb.core.wallet import Wallet
from bitte_nb.errors import PolicyError
from bitte_nb.spec.document import Document
from bitte_nb.spec.finding import Finding

if TYPE_CHECKING:
    from bitte_nb.agent.agent import Agent

__all__ = [
    "changed",
    "easy_questions",
    "given_policy",
    "given_wallet",
    "left_out",
    "restored_policy",
    "why_left_out",
]

_SUGGESTIONS = 4


def given_policy(policy: object) -> Policy:
    """The policy that `Agent(policy=...)` means: a `Policy`, the path of its file, or None for the default one.

    Raises:
        PolicyError: it is none of these, or the file is not valid.
    """
    if policy is None:
        return Policy.default()
    if isinstance(policy, str | Path):
        return Policy.load(policy)
    if not isinstance(policy, Policy):
        raise PolicyError(
            f"policy must be a bn.Policy or the path of its file, not {type(policy).__name__}; nothing starts under "
            "anything else: bn.Policy([...]), bn.Policy.load('policy.yaml')."
        )
    return policy


def given_wallet(wallet: object) -> Wallet:
    """The wallet that `Agent(wallet=...)` means; None is one that says nothing.

    Raises:
        WalletError: it is no `Wallet`.
    """
    return Wallet() if wallet is None else Wallet.of(wallet)


def easy_questions(document: Document) -> tuple[str, ...]:
    """What is suggested where nothing was given: summaries of operations that need nothing from the person."""
    easy = [one for one in document.operations.values() if one.safe and not one.input_schema.get("required")]
    return tuple(one.summary.rstrip(".") for one in easy if one.summary)[:_SUGGESTIONS]


def left_out(document: Document) -> str:
    """What of the document is no tool, such as `1 left out: list-bikes`, or empty."""
    if not document.quarantined:
        return ""
    names = list(document.left_out)[:_SUGGESTIONS]
    more = ", …" if names and len(names) < len(document.quarantined) else ""
    return f"{len(document.quarantined)} left out{': ' if names else ''}{', '.join(names)}{more}"


def why_left_out(document: Document, tool: str) -> str:
    """Why an operation of that name is no tool, as a sentence, or empty where there is none."""
    finding = document.left_out.get(tool)
    return f"{tool!r} is left out of it: {_reason(finding)}." if finding is not None else ""


def _reason(finding: Finding) -> str:
    return (finding.message.partition(" is left out: ")[2] or finding.message).rstrip(".")


def _said_left_out(agent: Agent) -> str:
    count = len(agent.document.quarantined)
    if not count:
        return ""
    named = [f"{name} ({_reason(one)})" for name, one in list(agent.document.left_out.items())[:_SUGGESTIONS]]
    if named and len(named) < count:
        named.append(f"{count - len(named)} more")
    what = f"1 operation of {agent.name} is" if count == 1 else f"{count} operations of {agent.name} are"
    return f"{what} left out{': ' if named else ''}{', '.join(named)}. See bn.doctor(agent.document)."


def restored_policy(record: Mapping[str, Any], tools: Collection[str], whose: str) -> tuple[Policy, str]:
    """The policy of a stored chat, and a sentence where it does not fit any more.

    Such a chat still loads: what the policy forbids stays forbidden, and nothing runs without asking.
    """
    try:
        policy = Policy.from_record(dict(record))
        policy.check(tools, whose)
    except PolicyError as error:
        kept: list[Rule] = []
        for rule in cast("list[dict[str, Any]]", record.get("rules", [])):
            try:
                kept += Policy([rule]).rules
            except PolicyError:
                continue  # it can never have held
        policy = Policy(tuple(kept), person=bool(record.get("person", True))).without_allowing()
        return policy, f"{error} So nothing is allowed by a rule here: everything that is not forbidden asks."
    return policy, ""


def changed(records: Iterable[AgentRecord], chat: str, agents: Collection[Agent]) -> str:
    """What the agents of a chat lack of their documents, and of what they were when it was stored, or empty."""
    said = [sentence for one in agents for sentence in (one.notice, _said_left_out(one)) if sentence]
    tools = {tool.name for one in agents for tool in one.tools}
    gone = sorted({name for one in records for name in one.functions} - tools)
    if gone:
        one = len(gone) == 1
        said.append(
            f"The Python {'function' if one else 'functions'} {', '.join(gone)} {'is' if one else 'are'} not here, "
            f"because history keeps no code. To have {'it' if one else 'them'} again: "
            f"Chat.load({chat!r}, agent=bn.Agent(..., tools=[{', '.join(gone)}]))."
        )
    return " ".join(said)
