"""How agents are called: their ids as they are shown, and their names as a person addresses them."""

from __future__ import annotations

import re

__all__ = ["format_agent_id", "handle_of"]


def format_agent_id(agent: str) -> str:
    """An agent's id as it is shown where it has no name: without the first `.vercel.app`, as Bitte shows it."""
    return agent.replace(".vercel.app", "", 1)


def handle_of(name: str) -> str:
    """What a person writes after `@` for an agent of this name: lower case, words joined by hyphens."""
    return re.sub(r"[^\w.:]+", "-", name.casefold()).strip("-")
