"""The notebook workbench for agents made of OpenAPI documents.

    import bitte_nb as bn

    agent = bn.Agent("http://127.0.0.1:8787/.well-known/ai-plugin.json", wallet=bn.Wallet(account_id="alice.near"))
    chat = bn.Chat(agent)
    turn = chat.ask("flip a coin")

Names are resolved when they are first used, so that importing the package costs little.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bitte_nb import errors as errors
    from bitte_nb.agent.agent import Agent as Agent
    from bitte_nb.agent.bindings.local_tool import tool as tool
    from bitte_nb.agent.policy import Policy as Policy
    from bitte_nb.agent.policy import Rule as Rule
    from bitte_nb.agent.timeouts import Timeouts as Timeouts
    from bitte_nb.core.price import Price as Price
    from bitte_nb.core.result import ToolData as ToolData
    from bitte_nb.core.result import ToolError as ToolError
    from bitte_nb.core.wallet import Wallet as Wallet
    from bitte_nb.measuring.case import Case as Case
    from bitte_nb.measuring.case_file import load_cases as load_cases
    from bitte_nb.measuring.measure import measure as measure
    from bitte_nb.measuring.measurement import Measurement as Measurement
    from bitte_nb.review import review as review
    from bitte_nb.spec.doctor import doctor as doctor
    from bitte_nb.spec.load import load_document as load_document
    from bitte_nb.widget.chat import Chat as Chat
    from bitte_nb.widget.chat import ChatWidget as ChatWidget
    from bitte_nb.widget.renderers import renderer as renderer

_HOMES = {
    "Agent": "bitte_nb.agent.agent",
    "Case": "bitte_nb.measuring.case",
    "Chat": "bitte_nb.widget.chat",
    "ChatWidget": "bitte_nb.widget.chat",
    "Measurement": "bitte_nb.measuring.measurement",
    "Policy": "bitte_nb.agent.policy",
    "Price": "bitte_nb.core.price",
    "Rule": "bitte_nb.agent.policy",
    "Timeouts": "bitte_nb.agent.timeouts",
    "ToolData": "bitte_nb.core.result",
    "ToolError": "bitte_nb.core.result",
    "Wallet": "bitte_nb.core.wallet",
    "doctor": "bitte_nb.spec.doctor",
    "load_cases": "bitte_nb.measuring.case_file",
    "load_document": "bitte_nb.spec.load",
    "measure": "bitte_nb.measuring.measure",
    "renderer": "bitte_nb.widget.renderers",
    "review": "bitte_nb.review",
    "tool": "bitte_nb.agent.bindings.local_tool",
}

__all__ = [
    "Agent",
    "Case",
    "Chat",
    "ChatWidget",
    "Measurement",
    "Policy",
    "Price",
    "Rule",
    "Timeouts",
    "ToolData",
    "ToolError",
    "Wallet",
    "__version__",
    "doctor",
    "errors",
    "load_cases",
    "load_document",
    "measure",
    "renderer",
    "review",
    "tool",
]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name == "errors":
        return import_module("bitte_nb.errors")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'bitte_nb' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext bitte_nb`: the magics `%bitte` and `%%bitte`."""
    import_module("bitte_nb.extension").load(shell)
