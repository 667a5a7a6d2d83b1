"""A Python function as a tool: its name, its words, its arguments, and what identifies its code."""

from __future__ import annotations

import functools
import hashlib
import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar, cast, overload

from bitte_nb.agent.bindings.local_schema import Arguments, arguments_of, words_of
from bitte_nb.errors import ToolDefinitionError

__all__ = ["LocalTool", "local_tool", "tool"]

P = ParamSpec("P")
R = TypeVar("R")
_MARK = "__bitte_tool__"
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class _Mark:
    """What `tool` was given."""

    name: str
    description: str
    safe: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalTool:
    """A function with all that is needed to offer and to call it."""

    name: str
    description: str
    arguments: Arguments
    function: Callable[..., Any]
    safe: bool
    """The author says that it only reads: it may run without asking, and again."""
    source: str
    """SHA-256 of its source; where there is none, of its compiled code."""
    returns: str


@overload
def tool(function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def tool(
    *, name: str = "", description: str = "", safe: bool = False
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def tool(
    function: Callable[..., Any] | None = None, /, *, name: str = "", description: str = "", safe: bool = False
) -> Any:
    """Say how a function is offered as a tool; the function itself stays as it is.

        @bn.tool(safe=True)
        def price(coin: Literal["btc", "eth"], days: int = 30) -> pandas.DataFrame: ...

        agent = bn.Agent(document, tools=[price])

    Its docstring says what it does, and what each parameter is.

    Args:
        function: The function, where the decorator is written without arguments.
        name: What the model calls it; by default the function's name.
        description: What it does; by default the docstring, without what that says about parameters.
        safe: It only reads and changes nothing, so that it may run without asking. You say so; nothing checks it.
    """

    def mark(given: Callable[..., Any]) -> Callable[..., Any]:
        # A method or an object takes no marks; what wraps it does.
        target = given if inspect.isfunction(given) else functools.partial(given)
        setattr(target, _MARK, _Mark(name, description, safe))
        return target

    return mark if function is None else mark(function)


def local_tool(function: Callable[..., Any]) -> LocalTool:
    """The tool of a function, decorated or not.

    Raises:
        ToolDefinitionError: it cannot be offered; the sentence says why.
    """
    if not callable(function):
        raise ToolDefinitionError(f"{function!r} is no function. Give the function itself: tools=[my_function].")
    mark = getattr(function, _MARK, None) or getattr(_bare(function), _MARK, None) or _Mark("", "", safe=False)
    name = mark.name or getattr(_bare(function), "__name__", "") or type(_bare(function)).__name__
    if not _NAME.fullmatch(name):
        raise ToolDefinitionError(
            f"{name!r} cannot be the name of a tool: models take 1 to 64 letters, digits, _ and -. Give another one: "
            'bn.tool(name="my-tool")(function).'
        )
    words = words_of(_bare(function))
    return LocalTool(
        name=name,
        description=mark.description or words.description or f"The Python function {name}.",
        arguments=arguments_of(function, name, words),
        function=function,
        safe=mark.safe,
        source=_source(function),
        returns=_returns(_bare(function)),
    )


def _bare(function: Callable[..., Any]) -> Callable[..., Any]:
    """What a partial was made of."""
    while isinstance(function, functools.partial):
        function = function.func  # pyright: ignore[reportUnknownMemberType]
    return function


def _source(function: Callable[..., Any]) -> str:
    """What identifies the code. Not covered: what it calls, globals, and the state of objects."""
    bare: Any = inspect.unwrap(_bare(function))
    if not (inspect.isroutine(bare) or inspect.isclass(bare)):
        bare = cast("Any", type(bare))
    try:
        text = textwrap.dedent(inspect.getsource(bare))
    except (OSError, TypeError):
        code = getattr(bare, "__code__", None)
        text = f"{code.co_code!r} {code.co_consts!r} {code.co_names!r}" if code is not None else repr(bare)
    bound = [function.args, function.keywords] if isinstance(function, functools.partial) else []
    return hashlib.sha256(f"{text}{bound or ''}".encode("utf-8", "surrogatepass")).hexdigest()


def _returns(function: Callable[..., Any]) -> str:
    annotation = getattr(function, "__annotations__", {}).get("return")
    if annotation is None:
        return ""
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
