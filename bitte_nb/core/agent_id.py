"""Ids of agents as they are shown."""

from __future__ import annotations

__all__ = ["format_agent_id"]


def format_agent_id(agent: str) -> str:
    """An agent's id as it is shown where it has no name: without the first `.vercel.app`, as Bitte shows it."""
    return agent.replace(".vercel.app", "", 1)
