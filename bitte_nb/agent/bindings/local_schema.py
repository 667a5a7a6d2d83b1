"""A function's signature and docstring as what a model reads: JSON Schema of the arguments, and descriptions."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model
from pydantic.errors import PydanticUserError
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema

from bitte_nb.errors import ToolDefinitionError

__all__ = ["Arguments", "Words", "arguments_of", "words_of"]


_SPHINX = re.compile(r"^\s*:(?:param|parameter|arg|argument|key|keyword)\b[^:\n]*:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Words:
    """A docstring, taken apart."""

    description: str
    parameters: dict[str, str]


def words_of(function: Callable[..., Any]) -> Words:
    """The docstring's text, and what it says about each parameter, in the style of Google, NumPy or Sphinx."""
    text = inspect.getdoc(function) or ""
    if not text:
        return Words("", {})
    import griffe

    docstring = griffe.Docstring(text, lineno=1)
    if _SPHINX.search(text):  # the heuristics of `parse_auto` need more of it than one line
        sections = griffe.parse_sphinx(docstring, warnings=False)
    else:
        quiet: Any = {style: {"warnings": False} for style in ("google", "numpy", "sphinx")}
        sections = griffe.parse_auto(docstring, per_style_options=quiet)
    prose: list[str] = []
    parameters: dict[str, str] = {}
    for section in sections:
        if isinstance(section, griffe.DocstringSectionText):
            prose.append(section.value.strip())
        elif isinstance(section, griffe.DocstringSectionParameters | griffe.DocstringSectionOtherParameters):
            parameters |= {
                one.name.lstrip("*"): " ".join(one.description.split()) for one in section.value if one.description
            }
    return Words("\n\n".join(part for part in prose if part), parameters)


class _Quiet(GenerateJsonSchema):
    """A default that has no JSON form is left out of the schema; the function still gets it."""

    ignored_warning_kinds = {"non-serializable-default", "skipped-choice"}  # noqa: RUF012 - declared so in pydantic


class Arguments:
    """The arguments of a function: their schema, and the way from JSON to a call."""

    def __init__(self, name: str, model: type[BaseModel], order: dict[str, tuple[str, bool]]) -> None:
        self._name = name
        self._model = model
        self._order = order
        """Each parameter: the model's field of it, and whether it is passed by position only."""
        self.schema = _tidy(model.model_json_schema(by_alias=True, schema_generator=_Quiet))

    def read(self, args: dict[str, Any]) -> BaseModel:
        """The arguments as Python values.

        Raises:
            ValidationError: they do not fit.
        """
        return self._model.model_validate(args)

    def complete(self, read: BaseModel) -> dict[str, Any]:
        """The arguments as JSON again, with the defaults that have a JSON form."""
        try:
            return read.model_dump(mode="json", by_alias=True, warnings=False)
        except (ValueError, TypeError):  # a default may be anything; the function gets it as it is
            return read.model_dump(mode="json", by_alias=True, warnings=False, exclude_unset=True)

    def call(self, function: Callable[..., Any], read: BaseModel) -> Any:
        """Call the function."""
        places: list[Any] = []
        named: dict[str, Any] = {}
        for parameter, (field, by_place) in self._order.items():
            value = getattr(read, field)
            if by_place:
                places.append(value)
            else:
                named[parameter] = value
        return function(*places, **named)

    def faults(self, error: ValidationError) -> str:
        """What does not fit, as sentences."""
        said: list[str] = []
        for one in error.errors(include_url=False)[:8]:
            where = ".".join(str(part) for part in one["loc"]) or "arguments"
            match one["type"]:
                case "missing":
                    said.append(f"{where} is missing.")
                case "extra_forbidden":
                    said.append(f"{where} is no argument of {self._name}: it has {_list(self._order)}.")
                case _:
                    said.append(f"{where}: {one['msg']}.")
        return " ".join(said)


def _list(names: typing.Iterable[str]) -> str:
    return ", ".join(names) or "none"


def arguments_of(function: Callable[..., Any], name: str, words: Words) -> Arguments:
    """The arguments of a function.

    Raises:
        ToolDefinitionError: a parameter cannot be said in JSON, or takes any number of values.
    """
    try:
        signature = inspect.signature(function)
        hints = typing.get_type_hints(_hinted(function), include_extras=True)
    except (TypeError, ValueError, NameError) as error:
        raise ToolDefinitionError(f"The signature of {name} cannot be read: {error}.") from error
    fields: dict[str, Any] = {}
    order: dict[str, tuple[str, bool]] = {}
    for number, parameter in enumerate(signature.parameters.values()):
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
            raise ToolDefinitionError(
                f"{name} takes {stars}{parameter.name}, and a model cannot know what belongs there. Give each argument "
                f"its own name, or wrap {name} in a function that does."
            )
        annotation = hints.get(parameter.name, Any)
        _check(annotation, parameter.name, name)
        # Fields are numbered: a parameter may be called as something that a pydantic model already is.
        fields[f"p{number}"] = (annotation, _field(parameter, annotation, words.parameters.get(parameter.name)))
        order[parameter.name] = (f"p{number}", parameter.kind is parameter.POSITIONAL_ONLY)
    # What a model writes wrongly is said to it: nothing unknown is taken.
    return Arguments(name, create_model("Arguments", __config__=ConfigDict(extra="forbid"), **fields), order)


def _check(annotation: Any, parameter: str, name: str) -> None:
    try:
        TypeAdapter(annotation).json_schema()
    except (PydanticUserError, NameError, TypeError) as error:
        kind = getattr(annotation, "__name__", None) or str(annotation)
        raise ToolDefinitionError(
            f"The parameter {parameter} of {name} is a {kind}, which a model cannot write as JSON. Use text, numbers, "
            "lists, dictionaries, Literal, Enum, dataclasses or pydantic models."
        ) from error


def _hinted(function: Callable[..., Any]) -> Callable[..., Any]:
    """What has the annotations: a method's or partial's function, or the `__call__` of an object."""
    while hasattr(function, "func"):
        function = typing.cast("Any", function).func
    if inspect.isroutine(function) or inspect.isclass(function):
        return inspect.unwrap(function)
    return type(function).__call__


def _field(parameter: inspect.Parameter, annotation: Any, described: str | None) -> FieldInfo:
    """The field of a parameter; what `Field(...)` in the annotation says counts before the docstring."""
    default: Any = ... if parameter.default is parameter.empty else parameter.default
    if isinstance(default, FieldInfo):  # `x: int = Field(ge=1)`, as in a model
        default.alias = default.validation_alias = default.serialization_alias = parameter.name
        default.description = default.description or described
        return default
    own = [one for one in getattr(annotation, "__metadata__", ()) if isinstance(one, FieldInfo)]
    said = next((one.description for one in own if one.description), None)
    return Field(default, alias=parameter.name, description=said or described)


def _tidy(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without the titles that pydantic makes of names."""
    tidied = _untitled(schema)
    tidied.setdefault("properties", {})
    return tidied


def _untitled(node: Any, *, named: bool = False) -> Any:
    if isinstance(node, list):
        return [_untitled(one) for one in typing.cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    members = typing.cast("dict[str, Any]", node)
    return {
        key: _untitled(value, named=key in ("properties", "$defs") and not named)
        for key, value in members.items()
        if named or key != "title" or not isinstance(value, str)
    }
