"""Says every case to an agent, several times and several at once, and sends nothing."""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from bitte_nb.agent.agent import Agent
from bitte_nb.agent.clock import Clock, SystemClock
from bitte_nb.agent.thread import AgentThread, agent_thread
from bitte_nb.errors import MeasureError, WaitRefused
from bitte_nb.measuring.case import Case, check_cases
from bitte_nb.measuring.case_file import load_cases
from bitte_nb.measuring.measurement import Measured, Measurement
from bitte_nb.measuring.progress import Progress, progress_for
from bitte_nb.measuring.rehearsal import Results, rehearsed
from bitte_nb.measuring.trial import Trial, run_trial
from bitte_nb.spec.budget import budget, text_size, tokens

__all__ = ["measure"]

_LOOK = 0.2
"""Seconds between two looks at how far it is."""


def measure(
    agent: Agent | Any,
    cases: Sequence[Case] | str | Path,
    *,
    runs: int = 1,
    results: Results | None = None,
    max_concurrency: int = 4,
    progress: bool | None = None,
    clock: Clock | None = None,
    **options: Any,
) -> Measurement:
    """Say every case to the agent and hold what it does against what is expected; no request of a tool is sent.

    Each trial is a chat of its own that nobody keeps, by the same loop, policy, checks and timeouts as any. A call that
    has no result in `results` waits for a decision, which ends its trial. An interrupt (Ctrl-C, the stop button) ends
    what runs and returns what was measured by then.

    Args:
        agent: An agent, or whatever `Agent` takes as its document.
        cases: The cases, or the path of their file (`load_cases`).
        runs: How often each case is said; a model that is no program may do something else each time.
        results: What tools return, by name, so that the model goes on: a JSON value, a `ToolError`, or a function of
            the arguments.
        max_concurrency: How many trials run side by side.
        progress: Whether to say how far it is; by default in a notebook and on a terminal.
        clock: The source of time.
        options: Further arguments for `Agent`, where `agent` is a document.

    Raises:
        MeasureError: a case or result names a tool or argument that the agent does not have, or two cases are alike.
        WaitRefused: the caller runs on the agent thread.
    """
    if isinstance(agent, Agent) and options:
        raise TypeError(f"{', '.join(options)}: give this to Agent(...); a measurement takes the agent as it is.")
    if runs < 1 or max_concurrency < 1:
        raise MeasureError(f"runs is {runs} and max_concurrency {max_concurrency}; both are at least 1.")
    agent = agent if isinstance(agent, Agent) else Agent(agent, **options)
    cases = _given_cases(cases)
    check_cases(cases, agent)
    thread, clock = agent_thread(), clock or SystemClock()
    if thread.here:
        raise WaitRefused("This runs on the agent thread, which cannot go on while it waits for itself.")
    begun = clock.now()
    trials = _Trials(rehearsed(agent, results or {}), cases, runs, thread, clock)
    trials.wait(max_concurrency, progress_for(progress))
    order = {case.name: place for place, case in enumerate(cases)}
    return Measurement(
        at=begun,
        agent=agent.name,
        model=agent.model.name,
        document=agent.document.digest,
        prompt_tokens=budget(agent.tools).tokens + tokens(text_size(agent.system)),
        runs=runs,
        price=agent.price,
        cases=tuple(Measured(name=one.name, prompt=one.prompt, expected=one.words) for one in cases),
        trials=tuple(sorted(trials.ended, key=lambda one: (one.run, order[one.case]))),
    )


def _given_cases(given: object) -> list[Case]:
    if isinstance(given, str | Path):
        return load_cases(given)
    if isinstance(given, Case) or not isinstance(given, Iterable):
        raise MeasureError(
            "The cases are a list of bn.Case(...), or the path of their file: bn.measure(agent, [case])."
        )
    cases = list(cast("Iterable[object]", given))
    if not cases:
        raise MeasureError("There are no cases to measure.")
    wrong = next((one for one in cases if not isinstance(one, Case)), None)
    if wrong is not None:
        raise MeasureError(
            f"{wrong!r} is no case: write bn.Case('what is said', ['the-tool-that-is-called']) for each."
        )
    return cast("list[Case]", cases)


class _Trials:
    """The trials of one measurement: first each case once, then each once more, so that a stop leaves none behind."""

    def __init__(self, agent: Agent, cases: Sequence[Case], runs: int, thread: AgentThread, clock: Clock) -> None:
        self._agent = agent
        self._planned = len(cases) * runs
        self._waiting = iter([(case, run) for run in range(1, runs + 1) for case in cases])
        self._thread = thread
        self._clock = clock
        self._workers: list[asyncio.Task[None]] = []
        self.ended: list[Trial] = []

    def wait(self, workers: int, progress: Progress) -> None:
        """Run them all; an interrupt stops them and keeps those that ended."""
        said, over = self._standing(), False
        progress.tell(said)
        running = self._thread.submit(self._run(workers))
        try:
            while not over:
                over = bool(concurrent.futures.wait([running], timeout=_LOOK).done)
                if not over and (line := self._standing()) != said:
                    said = line
                    progress.tell(said)
        except KeyboardInterrupt:
            self._thread.call(self._stop)
            concurrent.futures.wait([running])
            progress.end(f"Stopped: {self._standing()}")
            return
        progress.end(self._standing())
        running.result()

    def _standing(self) -> str:
        ended = list(self.ended)  # the agent thread adds to it
        counts = {what: sum(one.outcome == what for one in ended) for what in ("passed", "missed", "error")}
        errors = f", {counts['error']} in error" if counts["error"] else ""
        done = f"{len(ended)} of {self._planned} trials: "
        return f"{done}{counts['passed']} passed, {counts['missed']} missed{errors}"

    async def _run(self, workers: int) -> None:
        self._workers = [self._thread.spawn(self._work()) for _ in range(workers)]
        await asyncio.gather(*self._workers, return_exceptions=True)

    async def _work(self) -> None:
        for case, run in self._waiting:
            try:
                trial = await run_trial(self._agent, case, run, clock=self._clock, thread=self._thread)
            except Exception as error:  # a fault of ours must not take what was measured with it
                said = f"Internal error: {type(error).__name__}: {error}"
                trial = Trial(case=case.name, run=run, outcome="error", error=said)
            self.ended.append(trial)

    def _stop(self) -> None:
        for worker in self._workers:
            worker.cancel()
