"""An agent: a document, a model, a wallet, a policy and a signer, put together."""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit, urlunsplit

from bitte_nb.agent.bindings.binding import Binding
from bitte_nb.agent.bindings.local import LocalBinding
from bitte_nb.agent.bindings.local_tool import LocalTool, local_tool
from bitte_nb.agent.bindings.toolbox import toolbox
from bitte_nb.agent.context import system_text
from bitte_nb.agent.given import easy_questions, given_policy, given_wallet, left_out, restored_policy, why_left_out
from bitte_nb.agent.handoff import HandOffBinding
from bitte_nb.agent.known import known_to_reviews
from bitte_nb.agent.policy import Policy
from bitte_nb.agent.timeouts import Timeouts
from bitte_nb.core.log import AgentRecord
from bitte_nb.core.nearest import nearest
from bitte_nb.core.price import Price
from bitte_nb.core.primitives import PRIMITIVES
from bitte_nb.core.tool import Tool
from bitte_nb.core.wallet import Wallet
from bitte_nb.errors import ArgumentRefused, DocumentError, HistoryError, UnknownTool
from bitte_nb.model.port import Model
from bitte_nb.model.registry import resolve_model
from bitte_nb.review.context import ReviewContext
from bitte_nb.signing.protocol import Signer
from bitte_nb.signing.registry import resolve_signer
from bitte_nb.spec.load import Document, load_document

__all__ = ["Agent", "together"]

LEAST_TOKENS = 1_000
"""The smallest context that a chat can be held in."""


class Agent:
    """A document that can be chatted with.

    Args:
        document: A loaded document, or whatever `load_document` takes.
        model: A name ("offline"), an OpenAI-compatible URL, or a model object.
        wallet: Who the person is; sent to the document's own servers as `mb-metadata`.
        policy: What may run without asking, or the path of its file; reading may, by default.
        signer: What approved transactions and messages go to: "review-only", "development", "injected" (the wallet of
            the person's browser) or a signer object.
        rpc: EIP-155 chain id, or NEAR network, to the URL of a JSON-RPC node. Only what stands here is ever asked:
            reviews show what the node knows, and named signers send or check outcomes there. It is not kept in history.
        review_context: What reviews may know: `contacts` ({"Bob": "bob.near"}), `tokens`, `labels`, `abis`, ERC-7730
            `descriptors`; a mapping or a `ReviewContext`. Not kept in history.
        suggestions: Messages that the empty page offers; by default made from the document.
        tools: Python functions that are offered beside the document's operations, plain or decorated with `tool`. One
            of the name of a declared primitive carries that primitive out.
        timeouts: How long the model may take.
        approval_timeout: Seconds that a person has to answer what is asked, unless a rule of the policy says otherwise;
            later the call expires and is not run. By default it waits as long as it takes.
        context_tokens: How much of the chat the model is given, in tokens; by default what its window holds.
        price: What the model costs, for the sum below each answer; without it only tokens are shown.
        agent_id: How a chat with several agents tells them apart; by default the host or title of the document.
        instructions: What the model is told to be and do, in place of the document's instructions (`document.changed`).

    Raises:
        DocumentError: the document cannot be loaded.
        PolicyError: the policy is not valid, or names a tool that the agent does not have.
        ToolDefinitionError: a function cannot be offered as a tool, or its name is taken.
    """

    def __init__(
        self,
        document: Document | str | bytes | Path | dict[str, Any] | IO[str] | IO[bytes],
        *,
        model: str | Model = "offline",
        wallet: Wallet | None = None,
        policy: Policy | str | Path | None = None,
        signer: str | Signer = "review-only",
        rpc: Mapping[int | str, str] | None = None,
        review_context: ReviewContext | Mapping[str, Any] | None = None,
        suggestions: tuple[str, ...] | list[str] = (),
        tools: Iterable[Callable[..., Any]] = (),
        timeouts: Timeouts | None = None,
        approval_timeout: float | None = None,
        context_tokens: int | None = None,
        price: Price | None = None,
        agent_id: str = "",
        instructions: str | None = None,
    ) -> None:
        self.document = document if isinstance(document, Document) else load_document(document)
        if instructions is not None:
            self.document = self.document.changed(instructions=instructions)
        self.wallet = given_wallet(wallet)
        self.policy = given_policy(policy)
        self.model: Model = resolve_model(model)
        self.signer: Signer = resolve_signer(signer, self.wallet, rpc)
        self._rpc, self._known = dict(rpc or {}), known_to_reviews(review_context, self.document)
        self._signer_name = signer if isinstance(signer, str) else ""
        self._model_name = model if isinstance(model, str) else ""
        self.timeouts = timeouts or Timeouts()
        if approval_timeout is not None and not 0 < approval_timeout < math.inf:
            raise ArgumentRefused(
                f"approval_timeout is {approval_timeout}; give seconds above 0, or None to wait for ever."
            )
        if context_tokens is not None and context_tokens < LEAST_TOKENS:
            raise ArgumentRefused(f"context_tokens is {context_tokens}; give at least {LEAST_TOKENS}, or None.")
        self.approval_timeout = approval_timeout
        self.context_tokens = context_tokens
        self.price = price
        self.id = agent_id or _agent_id(self.document)
        self.suggestions = tuple(suggestions) or easy_questions(self.document)
        self.others: tuple[Agent, ...] = ()
        """The other agents of the chat that this one takes part in."""
        self.notice = ""
        """What is not as it was, where it was restored from history."""
        self._restored = False
        self._bindings: dict[str, Binding] = {}
        self._bind([local_tool(function) for function in tools])

    def _bind(self, functions: Sequence[LocalTool]) -> None:
        """Put what stands behind each tool in place."""
        self._bindings = toolbox(
            self.document,
            functions,
            agent=self.id,
            wallet=self.wallet,
            signer=self.signer,
            rpc=self._rpc,
            known=self._known,
        )
        self.policy.check(self._bindings, self.name)

    @property
    def name(self) -> str:
        """The assistant's name."""
        return self.document.assistant.name

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What the model is offered: the document's operations, its declared primitives, and the given functions."""
        return tuple(binding.tool for binding in self._bindings.values())

    @property
    def system(self) -> str:
        """The system text that the model is given with every request; `turn.request()` has the whole of one."""
        return system_text(self)

    def find(self, tool: str) -> Binding | None:
        """What stands behind a tool's name, or None."""
        return self._bindings.get(tool)

    def binding(self, tool: str) -> Binding:
        """What stands behind a tool's name.

        Raises:
            UnknownTool: the document neither has nor declares it.
        """
        found = self._bindings.get(tool)
        if found is not None:
            return found
        if why := why_left_out(self.document, tool):
            raise UnknownTool(f"The tool {tool!r} does not exist: {why.partition(': ')[2]}")
        close = nearest(tool, self._bindings)
        hint = f" Did you mean {close}?" if close else ""
        whose = next((one.name for one in self.others if tool in one._bindings or tool.endswith(f"@{one.id}")), None)
        if whose is not None:
            raise UnknownTool(
                f"{tool!r} is a tool of {whose}, not of {self.name}. Hand the conversation over to use it."
            )
        known = "is a primitive, but the document does not declare it" if tool in PRIMITIVES else "does not exist"
        if self._restored:  # history keeps no code
            known += " here: this agent was restored from history, which keeps no Python function. Where it is one, "
            known += "load the chat with its agent, Chat.load(..., agent=bn.Agent(..., tools=[...]))"
        raise UnknownTool(f"The tool {tool!r} {known}.{hint}")

    def among(self, others: Sequence[Agent]) -> Agent:
        """The agent as part of a chat with others, to which it can hand the conversation over."""
        part = copy.copy(self)
        part.others = tuple(others)
        own = {name: binding for name, binding in self._bindings.items() if binding.tool.kind != "handoff"}
        handing = HandOffBinding(agent=self.id, others={one.id: one.name for one in others}, taken=own)
        part._bindings = {**own, handing.tool.name: handing}
        return part

    def changed(
        self, operations: Mapping[str, Mapping[str, Any]] | None = None, *, instructions: str | None = None
    ) -> Agent:
        """The same agent of a document with other words, to measure beside this one; see `Document.changed`.

        Raises:
            OperationError: the document has no such operation, field or argument.
            PolicyError: the policy names a tool that is called otherwise now.
        """
        part = copy.copy(self)
        part.document = self.document.changed(operations, instructions=instructions)
        part.others = ()
        part._bind([one.local for one in self._bindings.values() if isinstance(one, LocalBinding)])
        return part

    def rehearsing(self, standing_in: Callable[[Binding], Binding], policy: Policy, model: Model) -> Agent:
        """The same agent with something else behind each tool, a policy for that, and no node to ask for reviews."""
        part = copy.copy(self)
        part._rpc, part.policy, part.model, part.others = {}, policy, model, ()
        part._bind([one.local for one in self._bindings.values() if isinstance(one, LocalBinding)])
        part._bindings = {name: standing_in(binding) for name, binding in part._bindings.items()}
        return part

    def record(self) -> AgentRecord:
        """What a chat keeps of it; enough to load it again without a network, and no secret."""
        return AgentRecord(
            agent=self.id,
            name=self.name,
            description=self.document.assistant.description,
            image=self.document.assistant.image,
            model=self._model_name,
            model_name=self.model.name,
            document=self.document.digest,
            url=_shown_url(self.document.url),
            variables=dict(self.document.variables),
            trust=tuple(sorted(self.document.trust)),
            wire=self.document.wire,
            wallet=self.wallet,
            signer=self._signer_name,
            policy=self.policy.record(),
            functions=tuple(one.tool.name for one in self._bindings.values() if isinstance(one, LocalBinding)),
            approval_timeout=self.approval_timeout,
            context_tokens=self.context_tokens,
            suggestions=self.suggestions,
            price=self.price,
        )

    @classmethod
    def from_record(cls, record: AgentRecord, text: str) -> Agent:
        """Build the agent of a stored chat from its stored document.

        Raises:
            DocumentError: the document no longer loads, or is not the one that was stored.
            HistoryError: its model or signer was an object, which history does not keep.
        """
        kept = {"model": record.model, "signer": record.signer, "policy": record.policy}
        what = next((name for name, value in kept.items() if not value), None)
        if what is not None or record.policy is None:
            raise HistoryError(
                f"The {what} of {record.name} was an object, which history does not keep. Load the chat with its "
                "agent: Chat.load(..., agent=Agent(...))."
            )
        given = record.model_dump(include={"variables", "trust", "wire"})
        document = load_document(text, url=record.url or None, **given)
        if document.digest != record.document:
            raise DocumentError(f"The stored document of {record.name} is damaged: its SHA-256 differs.")
        agent = cls(
            document,
            model=record.model,
            wallet=record.wallet,
            signer=record.signer,
            suggestions=record.suggestions,
            approval_timeout=record.approval_timeout,
            context_tokens=record.context_tokens,
            price=record.price,
            agent_id=record.agent,
        )
        agent._restored = True
        known = {*agent._bindings, *record.functions}
        agent.policy, agent.notice = restored_policy(record.policy, known, agent.name)
        return agent

    def __repr__(self) -> str:
        count = f"{len(self._bindings)} {'tool' if len(self._bindings) == 1 else 'tools'}"
        tools = ", ".join(filter(None, (count, left_out(self.document))))
        return f"<Agent {self.name!r}: {tools}; {self.model.name}>"


def together(agents: Mapping[str, Agent]) -> dict[str, Agent]:
    """The agents of one chat, each of which knows the others; a single one stays as it is."""
    if len(agents) < 2:
        return dict(agents)
    return {key: one.among([other for other in agents.values() if other is not one]) for key, one in agents.items()}


def _agent_id(document: Document) -> str:
    place = urlsplit(document.url)
    host = f"{place.hostname}:{place.port}" if place.port else place.hostname or ""
    return host or re.sub(r"[^a-z0-9]+", "-", document.title.lower()).strip("-") or "agent"


def _shown_url(url: str) -> str:
    """The document's URL without name, password and query, which may hold secrets."""
    place = urlsplit(url)
    host = place.netloc.rpartition("@")[2]
    return urlunsplit((place.scheme, host, place.path, "", ""))
