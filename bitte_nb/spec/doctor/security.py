"""Rules about who may call what, and which calls a person should approve."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from bitte_nb.spec.doctor.rule import Remark, patch, rule
from bitte_nb.spec.doctor.survey import Survey, Visit
from bitte_nb.spec.doctor.verbs import MUTATING, READING, word_set, words_of
from bitte_nb.spec.tree import is_list, items, mapping, pointer, sequence, string

__all__: list[str] = []

_HINT = "x-openai-isConsequential"
_HARMLESS = word_set("""
    request track share sort format hash parse transform classify extract map rank score answer ask chat complete
""")
_NOUNS = word_set("tag log order patch build record report batch schedule post lock comment map link star")


@rule("SEC001", "warning", "security schemes exist, and writing says who may")
def declared(survey: Survey) -> Iterator[Remark]:
    """A root `security: []` is a statement: nobody has to sign in. An operation's own `[]` is an info."""
    schemes = survey.document.security_schemes
    for requirements, at in _requirements(survey):
        for index, requirement in enumerate(requirements):
            for name in mapping(requirement):
                if name not in schemes:
                    yield Remark(
                        at=f"{at}/{index}{pointer(name)}",
                        message=f"The security scheme {name!r} is required, but not declared.",
                        fix=f"Declare it in `components.securitySchemes`{_offer(schemes)}.",
                    )
    yield from _open_writes(survey)


def _requirements(survey: Survey) -> Iterator[tuple[list[Any], str]]:
    yield sequence(survey.root.get("security")), "/security"
    for visit in survey.visits:
        yield sequence(visit.node.get("security")), f"{visit.at}/security"


def _offer(schemes: dict[str, Any]) -> str:
    return f", or use one of {', '.join(list(schemes)[:6])}" if schemes else ""


def _open_writes(survey: Survey) -> Iterator[Remark]:
    writing = [visit for visit in survey.visits if not visit.safe and _verb(visit) not in READING]
    root = survey.root.get("security")
    silent = [visit for visit in writing if "security" not in visit.node]
    if root is None and silent and not any("security" in visit.node for visit in survey.visits):
        more = f" and {len(silent) - 1} more" if len(silent) > 1 else ""
        yield Remark(
            at="",
            message=f"{silent[0].name}{more} may change something, and nothing says who may call it.",
            fix="Declare `security`, or `security: []` at the root if everybody may.",
        )
        return
    for visit in silent if root is None else ():
        yield Remark(
            at=visit.at,
            message=f"{visit.name} may change something, but unlike others it says nothing about security.",
            fix="Add `security`, or `security: []` if everybody may.",
        )
    for visit in writing:
        if is_list(visit.node.get("security")) and not visit.node["security"] and root:
            yield Remark(
                at=f"{visit.at}/security",
                message=f"{visit.name} may change something, and everybody may call it.",
                fix="Remove the empty `security` if that is not meant.",
                severity="info",
            )


@rule("SEC002", "warning", "credentials do not travel in the open")
def careful(survey: Survey) -> Iterator[Remark]:
    """A key in a URL ends up in logs; a token URL without TLS gives the secret away."""
    for name, scheme in survey.document.security_schemes.items():
        at = f"/components/securitySchemes{pointer(name)}"
        if scheme.get("type") == "apiKey" and scheme.get("in") == "query":
            message = f"The key of {name!r} travels in the URL, where logs keep it."
            yield Remark(at=at, message=message, fix="Take it in a header: `in: header`.")
        if scheme.get("type") == "oauth2":
            yield from _flows(name, scheme, at)
        for key in ("openIdConnectUrl",):
            if _plain_http(scheme.get(key)):
                message = f"The {key} of {name!r} is not https."
                yield Remark(at=f"{at}/{key}", message=message, fix="Write an https URL.")


def _flows(name: str, scheme: dict[str, Any], at: str) -> Iterator[Remark]:
    for kind, raw in items(scheme.get("flows")):
        flow, where = mapping(raw), f"{at}/flows{pointer(kind)}"
        if kind.startswith("x-"):
            continue
        if not mapping(flow.get("scopes")):
            yield Remark(
                at=where, message=f"The flow {kind} of {name!r} has no scopes.", fix="Name its `scopes`.", about=(kind,)
            )
        for key in ("tokenUrl", "authorizationUrl", "refreshUrl"):
            if _plain_http(flow.get(key)):
                message = f"The {key} of {name!r} is not https: secrets would travel readable."
                yield Remark(at=f"{where}/{key}", message=message, fix="Write an https URL.")


def _plain_http(value: object) -> bool:
    try:
        parts = urlsplit(string(value))
        return parts.scheme == "http" and parts.hostname not in ("localhost", "127.0.0.1", "::1")
    except ValueError:
        return False


@rule("SEC003", "warning", "operations that change something say so")
def consequential(survey: Survey) -> Iterator[Remark]:
    """`x-openai-isConsequential` tells clients when to ask a person.

    On a GET that is named like a change, `false` says that it only prepares something; where it does change something,
    GET is the wrong method.
    """
    for visit in survey.visits:
        if isinstance(visit.node.get(_HINT), bool):
            continue
        verb = _verb(visit)
        if not visit.safe and verb not in READING:
            yield Remark(
                at=visit.at,
                message=f"{visit.name} may change something, but does not say whether a person should approve it.",
                fix=f"Add `{_HINT}: true`, or `false` if it is harmless.",
                patch=patch("add", f"{visit.at}/{_HINT}", True),
            )
        elif visit.method == "GET" and verb in MUTATING - _HARMLESS:
            yield Remark(
                at=visit.at,
                message=f"{visit.name} is a GET, but its name says that it changes something.",
                fix=f"Make it a POST, or add `{_HINT}: false` if it only prepares something.",
            )


def _verb(visit: Visit) -> str:
    """The verb that a name begins with; a noun such as `order-history` is none."""
    words = [word for word in words_of(visit.id) if word not in ("api", "get")] or list(words_of(visit.id))
    if words_of(visit.id)[:1] == ("get",):
        return "get"
    first = words[0] if words else ""
    return "" if first in _NOUNS and visit.safe else first
