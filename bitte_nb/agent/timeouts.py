"""How long a model may take, and what is said when it took longer."""

from __future__ import annotations

from dataclasses import dataclass

from bitte_nb.core.session import FIRST_TIMEOUT, HARD_TIMEOUT, STALL_HINT

__all__ = ["Timeouts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """How long a model may take, in seconds; an OpenAI-compatible server out of reach is given up after four."""

    first: float = FIRST_TIMEOUT
    """Until its first word: a model on this machine may have to be loaded first, and reads the whole chat."""
    stall: float = STALL_HINT
    """Without a word until the page says so."""
    hard: float = HARD_TIMEOUT
    """Without a word, in the middle of an answer, until it counts as broken off."""

    def limit(self, *, connected: bool) -> float:
        """The silence that ends an attempt; `connected` is true after its first word."""
        return self.hard if connected else self.first

    def passed(self, *, connected: bool) -> TimeoutError:
        """That limit, passed, as a sentence."""
        said, name = ("said nothing more", "hard") if connected else ("did not answer", "first")
        return TimeoutError(
            f"The model {said} for {self.limit(connected=connected):g} seconds. Where it needs longer, make the agent "
            f"with `timeouts=bn.Timeouts({name}=...)`."
        )
