"""Objects as XML by the `xml` hints of their schemas (OAS 3.1, 4.8.26)."""

from __future__ import annotations

import re
from typing import Any, cast
from xml.etree.ElementTree import Element, SubElement, tostring

from bitte_nb.errors import RequestRefused
from bitte_nb.spec.media import Resolve
from bitte_nb.spec.refs import reference
from bitte_nb.spec.style import scalar
from bitte_nb.spec.tree import mapping, sequence, string

__all__ = ["write_xml"]

_NAME = re.compile(r"[^\W\d][\w.-]*(?::[^\W\d][\w.-]*)?\Z")
"""A name with or without a prefix (Namespaces in XML, section 4)."""
_FOREIGN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that XML does not have (XML 1.0, section 2.2)."""


def write_xml(value: object, schema: object, resolve: Resolve) -> str:
    """A value as an XML document; the root element is named by the schema's hint, its reference, or `root`."""
    resolved = resolve(schema)
    ref = reference(schema)
    name = string(mapping(resolved.get("xml")).get("name")) or (ref.rsplit("/", 1)[-1] if ref else "root")
    root = Element(*_qualified(name, resolved))
    _fill(root, value, resolved, resolve)
    for element in root.iter():
        _check(element)
    try:
        return tostring(root, encoding="unicode")
    except (TypeError, ValueError) as fault:
        raise RequestRefused(f"The body cannot be written as XML: {fault}.") from fault


def _check(element: Element) -> None:
    """Refuse names and characters that XML does not have; they would be read as other elements, or not at all."""
    for name in (element.tag, *element.keys()):
        if not _NAME.match(name):
            raise RequestRefused(f"{name[:80]!r} cannot be the name of an XML element or attribute.")
    if any(_FOREIGN.search(text) for text in (element.text or "", *element.attrib.values())):
        raise RequestRefused(f"The value of {element.tag} has a control character, which XML does not have.")


def _qualified(name: str, schema: dict[str, Any]) -> tuple[str, dict[str, str]]:
    """The tag with its prefix, and the attribute that declares its namespace."""
    hints = mapping(schema.get("xml"))
    namespace, prefix = string(hints.get("namespace")), string(hints.get("prefix"))
    tag = f"{prefix}:{name}" if prefix else name
    return tag, {f"xmlns:{prefix}" if prefix else "xmlns": namespace} if namespace else {}


def _is(schema: dict[str, Any], node: str) -> bool:
    """True for a schema that is written as an attribute, text or other node (`nodeType` of 3.2, `attribute` before)."""
    hints = mapping(schema.get("xml"))
    return hints.get("nodeType") == node or (node == "attribute" and hints.get("attribute") is True)


def _fill(element: Element, value: object, schema: dict[str, Any], resolve: Resolve) -> None:
    if isinstance(value, dict):
        properties = mapping(schema.get("properties"))
        for part in sequence(schema.get("allOf")):
            properties = {**mapping(resolve(part).get("properties")), **properties}
        for key, member in cast("dict[str, Any]", value).items():
            if member is not None:
                _member(element, key, member, resolve(properties.get(key, {})), resolve)
    elif isinstance(value, list):
        _list(element, "item", cast("list[Any]", value), schema, resolve)
    else:
        element.text = scalar(value)


def _member(element: Element, key: str, value: object, schema: dict[str, Any], resolve: Resolve) -> None:
    hints = mapping(schema.get("xml"))
    name = string(hints.get("name")) or key
    if isinstance(value, list):
        wrapped = hints.get("wrapped") is True or _is(schema, "element")
        parent = SubElement(element, *_qualified(name, schema)) if wrapped else element
        # The name of a list that is not wrapped has no effect: its entries have names of their own, or the field's.
        _list(parent, name if wrapped else key, cast("list[Any]", value), schema, resolve)
    elif _is(schema, "attribute"):
        prefix = string(hints.get("prefix"))
        element.set(f"{prefix}:{name}" if prefix else name, scalar(value))
    elif _is(schema, "text") or _is(schema, "cdata"):
        element.text = scalar(value)
    else:
        _fill(SubElement(element, *_qualified(name, schema)), value, schema, resolve)


def _list(element: Element, name: str, values: list[Any], schema: dict[str, Any], resolve: Resolve) -> None:
    item = resolve(schema.get("items", {}))
    own = string(mapping(item.get("xml")).get("name")) or name
    for entry in values:
        _fill(SubElement(element, *_qualified(own, item)), entry, item, resolve)
