"""The arguments of one call: checked and converted by schema, then sorted by where they go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bitte_nb.core.nearest import nearest
from bitte_nb.errors import RequestRefused
from bitte_nb.spec.arguments import Argument, Plan
from bitte_nb.spec.check import Checker
from bitte_nb.spec.guard import check_arguments
from bitte_nb.spec.request import Located

__all__ = ["Filling"]

_MOST_FAULTS = 50
"""Faults that are told of one call."""
_LONG = 100
"""Characters from which a name is cut: to find what is like it takes the square of them."""


@dataclass(frozen=True)
class Filling:
    """Fills the plan of one operation with arguments."""

    plan: Plan
    aliases: Mapping[str, str]
    """Argument names by the aliases that providers are shown."""
    body_required: frozenset[str]
    """Fields that an object body needs whenever it is given at all."""

    @cached_property
    def _checker(self) -> Checker:
        return Checker(self.plan.definitions)

    @cached_property
    def _whole(self) -> Argument | None:
        """The argument that is the whole body, where there is one."""
        return next((argument for argument in self.plan.arguments if argument.location == "body"), None)

    def checked(self, args: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as they would be sent, by name. Raises RequestRefused with one sentence per fault."""
        plan = self.plan
        check_arguments(args)
        args = self._gathered(args)
        faults: list[str] = []
        found: dict[str, Any] = {}
        extra: dict[str, Any] = {}
        for given, value in args.items():
            name = given if given in plan.by_name else self.aliases.get(given, given)
            argument = plan.by_name.get(name)
            if argument is not None:
                checked, own = self._one(argument, value)
                if checked is not ...:
                    found[name] = checked
            elif plan.extra is None:
                # To look for what was meant takes as many steps as there are names.
                own = [_unknown(given, plan) if len(faults) < _MOST_FAULTS else f"Unknown argument {given!r}."]
            else:
                extra[given], own = self._checker.check(value, plan.extra, f"Body field {given}")
            faults += own
        faults = list(dict.fromkeys(self._missing(args, found, gives_body=bool(extra)) + faults))
        if faults:
            left = len(faults) - _MOST_FAULTS
            more = [f"And {left:,} more faults like these."] if left > 0 else []
            raise RequestRefused("\n".join(faults[:_MOST_FAULTS] + more))
        return found | extra

    def _gathered(self, args: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments, with the fields of a whole body that were given side by side put into it.

        Only where they can mean nothing else: the body is needed or all that the operation takes, it was not given, and
        an object of those fields is what it accepts.
        """
        whole = self._whole
        if whole is None or whole.name in args or not (whole.required or len(self.plan.arguments) == 1):
            return args
        known = {name for name in args if self.aliases.get(name, name) in self.plan.by_name}
        loose = {name: value for name, value in args.items() if name not in known}
        if not loose or self._checker.check(loose, whole.schema, whole.name)[1]:
            return args
        return {**{name: args[name] for name in known}, whole.name: loose}

    def _missing(self, args: Mapping[str, Any], found: Mapping[str, Any], *, gives_body: bool) -> list[str]:
        gives_body = gives_body or any(self.plan.by_name[name].location == "field" for name in found)
        absent = [
            argument
            for argument in self.plan.arguments
            if argument.name not in found
            and (
                argument.required
                or (gives_body and argument.location == "field" and argument.key in self.body_required)
            )
        ]
        given = {self.aliases.get(name, name) for name in args} | args.keys() if absent else ()
        return [_absent(argument) for argument in absent if argument.name not in given]

    def _one(self, argument: Argument, value: Any) -> tuple[Any, list[str]]:
        """One argument checked; `...` for a null that means absent: null has no form outside a body."""
        if value is None and not (
            argument.location in ("field", "body") and self._checker.accepts(None, argument.schema)
        ):
            return ..., [_absent(argument)] if argument.required else []
        return self._checker.check(value, argument.schema, f"{argument.words.capitalize()} {argument.name}")

    def located(self, args: Mapping[str, Any]) -> Located:
        """The checked arguments, sorted by location. Raises RequestRefused."""
        places: dict[str, dict[str, Any]] = {"path": {}, "query": {}, "header": {}, "cookie": {}, "field": {}}
        whole: dict[str, Any] = {}
        for name, value in self.checked(args).items():
            argument = self.plan.by_name.get(name)
            if argument is None:
                places["field"][name] = value
            elif argument.location in places:
                places[argument.location][argument.key] = value
            else:
                whole[argument.location] = value
        fields = places["field"]
        return Located(
            path=places["path"],
            query=places["query"],
            headers=places["header"],
            cookies=places["cookie"],
            querystring=whole.get("querystring"),
            body=whole.get("body", fields if fields or self._empty_object else ...),
        )

    @property
    def _empty_object(self) -> bool:
        """True where a body must be sent although none of its fields is given."""
        return self.plan.body_required and self._whole is None


def _absent(argument: Argument) -> str:
    return f"Missing required {argument.words}: {argument.key or argument.name}"


def _unknown(name: str, plan: Plan) -> str:
    near = nearest(name, plan.by_name)
    known = ", ".join(list(plan.by_name)[:20]) or "no arguments"
    advice = f"did you mean {near!r}?" if near else f"the operation takes {known}."
    return f"Unknown argument {name if len(name) <= _LONG else name[:_LONG] + '...'!r}: {advice}"
