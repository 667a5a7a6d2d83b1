"""An agent as it is measured: the same document, model, policy and checks, and nothing that leaves or runs.

What stands behind a tool still checks a call and builds its exact request; in place of carrying it out, it gives the
result that the person named, or waits for a decision that nobody takes.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from bitte_nb.agent.agent import Agent
from bitte_nb.agent.bindings.binding import Binding, Outcome, Ready
from bitte_nb.agent.bindings.primitive import PrimitiveBinding
from bitte_nb.agent.given import why_left_out
from bitte_nb.agent.policy import Policy, Subject, Verdict
from bitte_nb.core.digest import digest
from bitte_nb.core.invocation import Executor, Invocation
from bitte_nb.core.nearest import nearest
from bitte_nb.core.prepared import Prepared
from bitte_nb.core.result import ToolData, ToolError
from bitte_nb.errors import DecisionRefused, MeasureError, RequestRefused
from bitte_nb.model.offline import OfflineModel
from bitte_nb.spec.check import Checker

__all__ = ["BROKEN", "Results", "rehearsed"]

Results = Mapping[str, Any]
"""Tools to what they return: a JSON value, a `ToolError`, or a function of the arguments that returns either."""

BROKEN = "The function that stands in for"
"""How the error of such a function begins when it raises."""


def rehearsed(agent: Agent, results: Results) -> Agent:
    """The agent with these results, in which no request is sent, no function runs and no node is asked.

    Raises:
        MeasureError: there is a result for a tool that the agent does not have.
    """
    names = {tool.name for tool in agent.tools}
    for name in results:
        if name not in names:
            near, why = nearest(name, names), why_left_out(agent.document, name)
            hint = f": {why}" if why else f". Did you mean {near!r}?" if near else "."
            raise MeasureError(f"There is a result for {name!r}, which is no tool of {agent.name}{hint}")

    def standing_in(binding: Binding) -> Binding:
        name = binding.tool.name
        if name not in results and isinstance(binding, PrimitiveBinding):
            return binding  # it draws, or says that nobody supplies it
        return _StandIn(binding, results)

    # The offline model types as if it were one that thinks; nobody watches it here.
    model = OfflineModel(delay=0) if type(agent.model) is OfflineModel else agent.model
    drawn = {name for name in names if isinstance(agent.find(name), PrimitiveBinding)}
    return agent.rehearsing(standing_in, _Rehearsal(agent.policy, {*results, *drawn}), model)


class _Rehearsal(Policy):
    """What the agent's own policy denies is denied; what has a result gets it; everything else waits."""

    def __init__(self, policy: Policy, free: set[str]) -> None:
        super().__init__(person=policy.person)
        self._policy = policy
        self._free = free

    def judge(self, subject: Subject) -> Verdict:
        said = self._policy.judge(subject)
        if said.effect == "deny":
            return said
        return Verdict("allow", "given-result") if subject.tool in self._free else Verdict("ask", "measured")


class _StandIn:
    """A tool that checks its calls and carries out none."""

    responds = False

    def __init__(self, binding: Binding, results: Results) -> None:
        self.tool = binding.tool
        self.executor: Executor = binding.executor
        self.safe, self.idempotent = binding.safe, binding.idempotent
        self._binding = binding
        self._results = results

    @property
    def origin(self) -> str:
        return self._binding.origin

    def prepare(self, args: dict[str, Any]) -> Ready:
        async def run(_key: str) -> Outcome:
            return await self._run(ready.args)

        if isinstance(self._binding, PrimitiveBinding):  # nobody supplies it but the result that is given
            checked, faults = Checker({}).check(args, self.tool.input_schema, "arguments")
            if faults:
                raise RequestRefused(f"{self.tool.name}: {' '.join(faults)}")
            prepared = Prepared(digest=digest(["bitte_nb/rehearsal/1", self.tool.name, checked]))
            ready = Ready(args=checked, prepared=prepared, run=run)
        else:
            ready = replace(self._binding.prepare(args), run=run, later=None)
        return ready

    async def _run(self, args: dict[str, Any]) -> Outcome:
        name = self.tool.name
        if name not in self._results:
            return Outcome(kind="error", error="Nothing is sent while an agent is measured.")
        value = self._results[name]
        if callable(value) and not isinstance(value, ToolData | ToolError):
            try:
                value = await asyncio.to_thread(cast("Callable[[dict[str, Any]], Any]", value), copy.deepcopy(args))
            except Exception as error:
                return Outcome(kind="error", error=f"{BROKEN} {name} raised {type(error).__name__}: {error}")
        if isinstance(value, ToolError):
            return Outcome(kind="error", error=value.error)
        return Outcome(kind="result", data=value.data if isinstance(value, ToolData) else value)

    async def answer(self, call: Invocation, text: str, others: Sequence[Invocation]) -> Any:
        raise DecisionRefused(f"{call.tool} takes no answer while an agent is measured.")
