"""The `x-mb` extension: what makes a document an agent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bitte_nb.spec.tree import clean, mapping, plain, sequence, string

__all__ = ["AssistantSpec", "read_assistant"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantSpec:
    """The agent that a document declares. All of its text is the document author's and untrusted."""

    name: str
    description: str = ""
    instructions: str = ""
    primitives: tuple[str, ...] = ()
    """Declared primitive types, verbatim, such as `generate-transaction`."""
    image: str = ""
    chain_ids: tuple[int | str, ...] = ()
    categories: tuple[str, ...] = ()
    account_id: str = ""
    """NEAR account of the author, or empty."""
    email: str = ""
    repo: str = ""
    version: str = ""
    declared: bool = False
    """True when the document has an `x-mb` assistant; otherwise the fields come from `info`."""


def read_assistant(root: dict[str, Any]) -> AssistantSpec:
    """The assistant of a document; a document without `x-mb` becomes one named by its title."""
    info = mapping(root.get("info"))
    extension = mapping(root.get("x-mb"))
    assistant = mapping(extension.get("assistant"))
    types = [string(mapping(tool).get("type")) for tool in sequence(assistant.get("tools"))]
    return AssistantSpec(
        name=clean(assistant.get("name")) or clean(plain(info.get("title"))) or "Agent",
        description=clean(assistant.get("description")) or clean(info.get("description")),
        instructions=clean(assistant.get("instructions")),
        primitives=tuple(dict.fromkeys(kind for kind in types if kind and kind != "function")),
        image=string(assistant.get("image")),
        chain_ids=tuple(chain for chain in sequence(assistant.get("chainIds")) if isinstance(chain, int | str)),
        categories=tuple(entry for entry in sequence(assistant.get("categories")) if isinstance(entry, str)),
        account_id=plain(extension.get("account-id")),
        email=string(extension.get("email")),
        repo=string(assistant.get("repo")),
        version=plain(assistant.get("version")),
        declared=bool(assistant),
    )
