"""What stands behind each tool of an agent: the document's operations, its declared primitives, Python functions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from urllib.parse import urlsplit

from bitte_nb.agent.bindings.binding import Binding
from bitte_nb.agent.bindings.local import LocalBinding
from bitte_nb.agent.bindings.local_tool import LocalTool
from bitte_nb.agent.bindings.operation import OperationBinding
from bitte_nb.agent.bindings.primitive import PrimitiveBinding
from bitte_nb.agent.bindings.wallet import WalletBinding
from bitte_nb.core.primitives import PRIMITIVES
from bitte_nb.core.wallet import Wallet
from bitte_nb.errors import ToolDefinitionError
from bitte_nb.review.context import ReviewContext
from bitte_nb.signing.protocol import Signer
from bitte_nb.spec.document import Document

__all__ = ["toolbox"]


def toolbox(
    document: Document,
    functions: Iterable[LocalTool],
    *,
    agent: str,
    wallet: Wallet,
    signer: Signer,
    rpc: Mapping[int | str, str],
    known: ReviewContext,
) -> dict[str, Binding]:
    """The bindings of an agent by the name of their tool; the arguments are those of `Agent`.

    Raises:
        ToolDefinitionError: a function's name is taken.
    """
    found: dict[str, Binding] = {
        one.id: OperationBinding(one, wallet=wallet, document=document.digest, agent=agent)
        for one in document.operations.values()
    }
    declared = [PRIMITIVES[name] for name in document.assistant.primitives if name in PRIMITIVES]
    own = _own(functions, taken={*found, *(one.name for one in declared if one.executor == "wallet")})
    for primitive in declared:
        name = primitive.name
        if primitive.executor == "wallet":
            # An operation of the same name would be called in the primitive's place, so the primitive wins.
            found[name] = WalletBinding(
                primitive,
                wallet=wallet,
                signer=signer,
                agent=agent,
                origin=document.source or document.title,
                servers=tuple(host for one in document.servers if (host := urlsplit(one).netloc)),
                rpc=rpc,
                known=known,
            )
        elif name in own:
            found[name] = LocalBinding(own.pop(name), agent=agent, primitive=primitive)
        elif name not in found:
            found[name] = PrimitiveBinding(primitive, agent=agent)
    for name, function in own.items():
        found[name] = LocalBinding(function, agent=agent)
    return found


def _own(functions: Iterable[LocalTool], *, taken: Collection[str]) -> dict[str, LocalTool]:
    """The functions by name, none of which may be the name of something else."""
    own: dict[str, LocalTool] = {}
    for function in functions:
        if function.name in own or function.name in taken:
            other = "another function" if function.name in own else "an operation or primitive of the document"
            raise ToolDefinitionError(
                f"Two tools would be called {function.name!r}: a Python function and {other}. Rename the function: "
                'bn.tool(name="another-name")(function).'
            )
        own[function.name] = function
    return own
