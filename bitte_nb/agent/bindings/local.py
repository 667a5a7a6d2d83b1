"""A Python function as what stands behind a tool: asked for like any call, run in a thread of its own."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from bitte_nb.agent.bindings.binding import Outcome, Ready, report
from bitte_nb.agent.bindings.local_result import as_json
from bitte_nb.agent.bindings.local_run import Ended, Printed, run_apart
from bitte_nb.agent.bindings.local_tool import LocalTool
from bitte_nb.core.digest import digest
from bitte_nb.core.invocation import Executor, Invocation
from bitte_nb.core.invocation_events import Prepared
from bitte_nb.core.primitives import Primitive
from bitte_nb.core.result import ToolData, ToolError
from bitte_nb.core.tool import Tool
from bitte_nb.errors import BitteError, DecisionRefused, RequestRefused
from bitte_nb.spec.check import Checker

__all__ = ["LocalBinding"]

_FORMAT = "bitte_nb/python/1"
_LIVE = 40
"""Values of the latest calls that are kept for a page to show."""


class LocalBinding:
    """A function under its own name, or one that supplies a primitive and then has that primitive's words."""

    executor: Executor = "local"
    origin = ""
    responds = False

    def __init__(self, local: LocalTool, *, agent: str, primitive: Primitive | None = None) -> None:
        self.local = local
        self.safe = local.safe
        self.idempotent = local.safe
        self._primitive = primitive
        self._values: OrderedDict[str, object] = OrderedDict()
        self.tool = Tool(
            name=local.name,
            description=primitive.description if primitive else local.description,
            input_schema=primitive.input_schema if primitive else local.arguments.schema,
            kind="primitive" if primitive else "local",
            agent=agent,
            result_hint=primitive.result_hint if primitive else local.returns,
        )

    def prepare(self, args: dict[str, Any]) -> Ready:
        """Check the arguments; nothing is called.

        Raises:
            RequestRefused: an argument is missing or wrong.
        """
        if self._primitive is not None:
            args, faults = Checker({}).check(args, self._primitive.input_schema, "arguments")
            if faults:
                raise RequestRefused(f"{self.local.name}: {' '.join(faults)}")
        try:
            complete = self.local.arguments.complete(self.local.arguments.read(args))
        except ValidationError as error:
            raise RequestRefused(f"{self.local.name}: {self.local.arguments.faults(error)}") from error
        covered = [_FORMAT, self.local.name, complete, self.local.source]
        return Ready(
            args=complete,
            prepared=Prepared(digest=digest(covered), body=_written(self.local.name, complete)),
            run=lambda key: self._run(complete, key),
        )

    async def _run(self, args: dict[str, Any], key: str) -> Outcome:
        arguments, function = self.local.arguments, self.local.function
        printed = Printed(asyncio.get_running_loop(), report.get())
        try:
            outcome, live = await run_apart(lambda: arguments.call(function, arguments.read(args)), _taken, printed)
        except Exception as error:
            return Outcome(kind="error", error=_sentence(self.local.name, error))
        if live is not None:
            self._values[key] = live
            while len(self._values) > _LIVE:
                self._values.popitem(last=False)
        return outcome

    def value(self, idempotency_key: str) -> object:
        """What the call that left with this key returned, where it is more than JSON; None where it is not."""
        return self._values.get(idempotency_key)

    async def answer(self, call: Invocation, text: str, others: Sequence[Invocation]) -> Any:
        """A function's result comes from the function only."""
        raise DecisionRefused(f"{self.local.name} takes no answer from a person.")


def _taken(value: object) -> tuple[Outcome, object]:
    """What a function returned as an outcome, and the value itself where a page shows it better than JSON does."""
    if isinstance(value, ToolError):
        return Outcome(kind="error", error=value.error), None
    data, live = as_json(value.data if isinstance(value, ToolData) else value)
    return Outcome(kind="result", data=data), value if live else None


def _sentence(name: str, error: Exception) -> str:
    """The error as a sentence: our own say all, others are named."""
    if isinstance(error, BitteError):
        return str(error)
    text = str(error).strip()
    if isinstance(error, Ended):
        return f"{name} failed: {text}"
    said = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return f"{name} failed: {said}"


def _written(name: str, args: dict[str, Any]) -> str:
    """The call as Python writes it."""
    pairs = ", ".join(f"{key}={value!r}" for key, value in args.items())
    return f"{name}({pairs})"
