"""Sign-In with Ethereum (ERC-4361): the message's fields, parsed strictly, and whether they fit the request."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from bitte_nb.review.address import is_evm
from bitte_nb.review.chains import evm_chain
from bitte_nb.review.sheet import Sheet

__all__ = ["Siwe", "judge_siwe", "looks_like_siwe", "parse_siwe"]

_FIRST = re.compile(
    r"(?:(?P<scheme>[a-z][a-z0-9+.-]*)://)?(?P<domain>\S+) wants you to sign in with your Ethereum account:"
)
_FIELDS = (
    ("URI", "uri", True),
    ("Version", "version", True),
    ("Chain ID", "chain_id", True),
    ("Nonce", "nonce", True),
    ("Issued At", "issued_at", True),
    ("Expiration Time", "expiration_time", False),
    ("Not Before", "not_before", False),
    ("Request ID", "request_id", False),
)


class _Bad(ValueError):
    pass


@dataclass(frozen=True, slots=True)
class Siwe:
    """The fields of a well-formed message; times are as written."""

    domain: str
    address: str
    statement: str
    uri: str
    chain_id: int
    nonce: str
    issued_at: str
    expiration_time: str = ""
    not_before: str = ""
    request_id: str = ""
    resources: tuple[str, ...] = ()


def looks_like_siwe(text: str) -> bool:
    """True if the first line is that of ERC-4361."""
    return _FIRST.fullmatch(text.split("\n", 1)[0]) is not None


def _seconds(text: str) -> int:
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError as error:
        raise _Bad(f"{text[:40]!r} is not an RFC 3339 time") from error
    if moment.tzinfo is None or "T" not in text:
        raise _Bad(f"{text[:40]!r} has no time zone")
    return int(moment.astimezone(UTC).timestamp())


def parse_siwe(text: str) -> Siwe:
    """The message's fields; ValueError says what breaks its grammar."""
    lines = text.split("\n")
    first = _FIRST.fullmatch(lines[0])
    if first is None:
        raise _Bad("the first line is another one")
    if len(lines) < 8 or not is_evm(lines[1]):
        raise _Bad("the second line is not an Ethereum address")
    if lines[2] != "":
        raise _Bad("an empty line is missing after the address")
    at, statement = 3, ""
    if lines[3] != "":
        statement, at = lines[3], 4
        if lines[4] != "":
            raise _Bad("an empty line is missing after the statement")
    at += 1
    # Without a statement the grammar has two empty lines; many writers leave one out.
    if not statement and lines[3].startswith("URI: "):
        at = 3
    found: dict[str, str] = {}
    for label, key, required in _FIELDS:
        if at < len(lines) and lines[at].startswith(f"{label}: "):
            found[key] = lines[at][len(label) + 2 :]
            at += 1
        elif required:
            raise _Bad(f"the line {label!r} is missing or at another place")
    resources: list[str] = []
    if at < len(lines) and lines[at] == "Resources:":
        at += 1
        while at < len(lines) and lines[at].startswith("- "):
            resources.append(lines[at][2:])
            at += 1
    if at != len(lines):
        raise _Bad(f"line {at + 1} does not belong there")
    if found["version"] != "1":
        raise _Bad("the version is not 1")
    if not re.fullmatch(r"[0-9]{1,20}", found["chain_id"]):
        raise _Bad("the chain id is not a number")
    if not re.fullmatch(r"[A-Za-z0-9]{8,}", found["nonce"]):
        raise _Bad("the nonce has fewer than eight letters and digits")
    for key in ("issued_at", "expiration_time", "not_before"):
        if key in found:
            _seconds(found[key])
    return Siwe(
        domain=first["domain"],
        address=lines[1],
        statement=statement,
        uri=found["uri"],
        chain_id=int(found["chain_id"]),
        nonce=found["nonce"],
        issued_at=found["issued_at"],
        expiration_time=found.get("expiration_time", ""),
        not_before=found.get("not_before", ""),
        request_id=found.get("request_id", ""),
        resources=tuple(resources),
    )


def judge_siwe(sheet: Sheet, text: str, *, signer: str | None, chain_id: int | None) -> Siwe | None:
    """Rows and warnings of a login message; None if it only looks like one."""
    try:
        found = parse_siwe(text)
    except _Bad as error:
        sheet.warn("siwe_malformed", f"It begins like a login message (ERC-4361) but is none: {error}.")
        return None
    ctx = sheet.ctx
    sheet.row("siwe.domain", "Login for", found.domain, source="line 1")
    sheet.account("siwe.address", "Login as", found.address, source="line 2")
    if found.statement:
        sheet.row("siwe.statement", "Statement", found.statement)
    sheet.row("siwe.uri", "For", found.uri, kind="url")
    sheet.row("siwe.chain", "On chain", f"{evm_chain(found.chain_id).name} ({found.chain_id})")
    sheet.row("siwe.nonce", "Nonce", found.nonce)
    sheet.row("siwe.issued", "Issued at", found.issued_at, kind="time")
    for resource in found.resources:
        sheet.row("siwe.resource", "Resource", resource, kind="url")
    if ctx.origin is None:
        sheet.skip("Whether the login is for the site that asks was not checked: the site is not known here.")
    elif _host(found.domain) != _host(ctx.origin):
        sheet.warn("siwe_domain_mismatch", f"The login is for {found.domain}, but {ctx.origin} asks for it.")
    if signer is not None and found.address.lower() != signer.lower():
        sheet.warn("siwe_address_mismatch", f"The login names the account {found.address}, but {signer} would sign it.")
    expected = chain_id if chain_id is not None else ctx.chain_id
    if expected is None:
        sheet.skip("The wallet's chain is not known here; the login was compared with Ethereum (1).")
    if found.chain_id != (expected if expected is not None else 1):
        sheet.warn(
            "chain_mismatch",
            f"The login names chain {found.chain_id}, the wallet is on {expected if expected is not None else 1}.",
            severity="warn",
        )
    _times(sheet, found)
    return found


def _times(sheet: Sheet, found: Siwe) -> None:
    now = sheet.ctx.now
    if found.expiration_time:
        sheet.row("siwe.expires", "Expires", found.expiration_time, kind="time")
    if found.not_before:
        sheet.row("siwe.not_before", "Not before", found.not_before, kind="time")
    if now is None:
        if found.expiration_time or found.not_before:
            sheet.skip("The login's times were not checked: no clock was given.")
        return
    if found.expiration_time and _seconds(found.expiration_time) < now:
        sheet.warn("siwe_expired", f"The login expired at {found.expiration_time}.")
    elif found.not_before and _seconds(found.not_before) > now:
        sheet.warn("siwe_expired", f"The login is valid only from {found.not_before}.")


def _host(text: str) -> str:
    return re.sub(r"^[a-z][a-z0-9+.-]*://", "", text.strip().lower()).split("/")[0]
