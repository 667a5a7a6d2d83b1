"""The primitives that no wallet carries out: the one that only draws, and those whose service nobody has supplied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bitte_nb.agent.bindings.binding import Outcome, Ready
from bitte_nb.core.chart import ChartError, chart
from bitte_nb.core.digest import digest
from bitte_nb.core.invocation import Executor, Invocation
from bitte_nb.core.invocation_events import Prepared
from bitte_nb.core.primitives import Primitive
from bitte_nb.errors import DecisionRefused, RequestRefused
from bitte_nb.spec.check import Checker

__all__ = ["PrimitiveBinding"]

_FORMAT = "bitte_nb/primitive/1"


class PrimitiveBinding:
    """See the module; nothing that this carries out has an effect."""

    executor: Executor = "local"
    origin = ""
    safe = True
    idempotent = True
    responds = False

    def __init__(self, primitive: Primitive, *, agent: str) -> None:
        self.primitive = primitive
        self.tool = primitive.tool(agent)

    def prepare(self, args: dict[str, Any]) -> Ready:
        """Check the arguments and make the result; nothing happens.

        Raises:
            RequestRefused: an argument is wrong, or nothing here carries this primitive out.
        """
        name = self.primitive.name
        if self.primitive.needs:
            raise RequestRefused(
                f"{name} was not run: it needs {self.primitive.needs}, which this notebook does not have. Tell the "
                f"user; they can supply it as a Python function: bn.Agent(document, tools=[a function named {name}])."
            )
        checked, faults = Checker({}).check(args, self.primitive.input_schema, "arguments")
        if faults:
            raise RequestRefused(f"{name}: {' '.join(faults)}")
        try:
            result = chart(checked)
        except ChartError as error:
            raise RequestRefused(f"{name}: {error}") from error

        async def run(_key: str) -> Outcome:
            return Outcome(kind="result", data=result)

        return Ready(args=checked, prepared=Prepared(digest=digest([_FORMAT, name, checked])), run=run)

    async def answer(self, call: Invocation, text: str, others: Sequence[Invocation]) -> Any:
        """Its result comes from here only."""
        raise DecisionRefused(f"{self.primitive.name} takes no answer from a person.")
