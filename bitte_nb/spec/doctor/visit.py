"""One operation under examination, usable or not, with what a caller fills and what comes back."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bitte_nb.spec.guard import reserved_header
from bitte_nb.spec.index import SAFE_METHODS
from bitte_nb.spec.media import kind_of
from bitte_nb.spec.tree import clean, items, mapping, plain, pointer, sequence

if TYPE_CHECKING:
    from bitte_nb.spec.doctor.survey import Survey
    from bitte_nb.spec.operation import Operation

__all__ = ["Slot", "Visit"]


@dataclass(frozen=True, slots=True)
class Slot:
    """One thing that a caller fills: a parameter, or a field of an object body."""

    name: str
    location: str
    """`path`, `query`, `header`, `cookie`, `querystring`, or `body` for a field of the body."""
    at: str
    """Pointer of the parameter or property, where it is written."""
    node: dict[str, Any]
    """The Parameter Object or the property's schema, references followed."""
    schema: dict[str, Any]
    """Its schema, references followed."""
    schema_at: str
    description: str
    required: bool
    sample: Any = ...
    """A value that the document gives for it outside the schema, or `...`."""

    @property
    def words(self) -> str:
        """What it is, for a sentence."""
        return f"body field {self.name!r}" if self.location == "body" else f"{self.location} parameter {self.name!r}"

    @property
    def types(self) -> tuple[str, ...]:
        """Its declared types without null."""
        kind = self.schema.get("type")
        kinds = [kind] if isinstance(kind, str) else sequence(kind)
        return tuple(one for one in kinds if isinstance(one, str) and one != "null")


@dataclass(frozen=True)
class Visit:
    """One operation, usable or not."""

    survey: Survey = field(repr=False)
    method: str
    path: str
    at: str
    node: dict[str, Any] = field(repr=False)
    item: dict[str, Any] = field(repr=False)
    item_at: str

    @cached_property
    def id(self) -> str:
        """The declared operationId, or empty."""
        return plain(self.node.get("operationId")).strip()

    @property
    def name(self) -> str:
        """How a sentence calls it."""
        return self.id or f"{self.method} {self.path}"

    @property
    def operation(self) -> Operation | None:
        """The usable operation, or None where it is quarantined."""
        document = self.survey.document
        return document.operations.get(document.ids_by_pointer.get(self.at, ""))

    @property
    def safe(self) -> bool:
        """True if the method promises to change nothing."""
        return self.method in SAFE_METHODS

    @cached_property
    def summary(self) -> str:
        """The summary as a model reads it."""
        return clean(self.node.get("summary")) or clean(self.item.get("summary"))

    @cached_property
    def description(self) -> str:
        """The description as a model reads it."""
        return clean(self.node.get("description")) or clean(self.item.get("description"))

    @cached_property
    def words(self) -> str:
        """Summary and description together."""
        summary, description = self.summary, self.description
        return description if not summary or description.startswith(summary) else f"{summary} {description}".strip()

    @cached_property
    def description_at(self) -> str:
        """Where its description is written, else its summary, else the operation itself."""
        for key in ("description", "summary"):
            if clean(self.node.get(key)):
                return f"{self.at}/{key}"
        return self.at

    @cached_property
    def parameters(self) -> tuple[Slot, ...]:
        """Its declared parameters; one of the operation replaces its path's of the same name and place."""
        found: dict[tuple[str, str], Slot] = {}
        for owner, base in ((self.item, self.item_at), (self.node, self.at)):
            for index, raw in enumerate(sequence(owner.get("parameters"))):
                node, at = self.survey.follow(raw, f"{base}/parameters/{index}")
                name, location = node.get("name"), node.get("in")
                if isinstance(name, str) and name and isinstance(location, str):
                    own = clean(mapping(raw).get("description"))
                    found[location, name] = self._parameter(name, location, node, at, own)
        return tuple(found.values())

    def _parameter(self, name: str, location: str, node: dict[str, Any], at: str, own: str) -> Slot:
        schema, schema_at = node.get("schema"), f"{at}/schema"
        sample = node.get("example", ...)
        for media, content in items(node.get("content")):
            schema, schema_at = mapping(content).get("schema"), f"{at}/content{pointer(media)}/schema"
            sample = mapping(content).get("example", sample)
            break
        for _, example in items(node.get("examples")):
            sample = mapping(example).get("value", sample)
        target, schema_at = self.survey.follow(schema, schema_at)
        required = location == "path" or node.get("required") is True
        words = own or clean(node.get("description"))
        return Slot(name, location, at, node, target, schema_at, words, required, sample)

    @cached_property
    def body(self) -> tuple[dict[str, Any], str]:
        """The schema of the body that a tool is made for, references followed, with its place; empty without one."""
        media, at = self._body_content
        return self.survey.follow(media.get("schema"), f"{at}/schema") if media else ({}, at)

    @cached_property
    def _body_content(self) -> tuple[dict[str, Any], str]:
        node, at = self.survey.follow(self.node.get("requestBody"), f"{self.at}/requestBody")
        best = self.body_kind or "json"
        contents = list(items(node.get("content")))
        contents.sort(key=lambda pair: kind_of(pair[0]) != best and "*" not in pair[0])
        for media, raw in contents:
            return self.survey.follow(raw, f"{at}/content{pointer(media)}")
        return {}, at

    @property
    def body_kind(self) -> str:
        """The kind of that body, such as `json` or `text`; empty without one."""
        operation = self.operation
        return operation.body.best.kind if operation is not None and operation.body is not None else ""

    @property
    def body_node(self) -> tuple[dict[str, Any], str]:
        """The Request Body Object, references followed, with its place."""
        return self.survey.follow(self.node.get("requestBody"), f"{self.at}/requestBody")

    @property
    def whole_described(self) -> bool:
        """True if the body is described as a whole: by itself, by its schema, or by the alternatives of that."""
        schema, _ = self.body
        branches = [self.survey.follow(raw, "")[0] for key in ("oneOf", "anyOf") for raw in sequence(schema.get(key))]
        nodes = (self.body_node[0], schema, *branches)
        return any(clean(node.get("description")) or clean(node.get("title")) for node in nodes)

    @cached_property
    def fields(self) -> tuple[Slot, ...]:
        """The fields of an object body, `allOf` merged, without those that a caller must not send."""
        schema, at = self.body
        media, _ = self._body_content
        sample = mapping(media.get("example"))
        for _, example in items(media.get("examples")):
            sample = mapping(mapping(example).get("value")) or sample
        found: dict[str, Slot] = {}
        required = self.survey.required(schema)
        for name, raw, where in self.survey.properties(schema, at):
            target, schema_at = self.survey.follow(raw, where)
            if target.get("readOnly") is True or mapping(raw).get("readOnly") is True:
                continue
            words = clean(mapping(raw).get("description")) or clean(target.get("description"))
            value = sample.get(name, ...)
            found[name] = Slot(name, "body", where, target, target, schema_at, words, name in required, value)
        return tuple(found.values())

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """What a model fills: parameters and body fields without those that it may not choose."""
        secret = self.survey.document.secret_parameters
        return tuple(slot for slot in (*self.parameters, *self.fields) if not _hidden(slot, secret))

    @cached_property
    def responses(self) -> tuple[tuple[str, dict[str, Any], str], ...]:
        """Its responses as (status, node, place), references followed."""
        found: list[tuple[str, dict[str, Any], str]] = []
        for status, raw in items(self.node.get("responses")):
            if not str(status).startswith("x-"):
                node, at = self.survey.follow(raw, f"{self.at}/responses{pointer(status)}")
                found.append((str(status).upper(), node, at))
        return tuple(found)

    @cached_property
    def results(self) -> tuple[tuple[dict[str, Any], str], ...]:
        """The schemas of its successful JSON responses, references followed, with their places."""
        found: list[tuple[dict[str, Any], str]] = []
        for status, node, at in self.responses:
            if status.startswith("2") or (status == "DEFAULT" and len(self.responses) == 1):
                for media, raw in items(node.get("content")):
                    if kind_of(media) in ("json", "lines") or "*" in media:
                        place = f"{at}/content{pointer(media)}/schema"
                        found.append(self.survey.follow(mapping(raw).get("schema"), place))
        return tuple(found)


def _hidden(slot: Slot, secret: frozenset[tuple[str, str]]) -> bool:
    return (slot.location == "header" and reserved_header(slot.name)) or (slot.location, slot.name) in secret
