"""NEP-413 messages: message, recipient, nonce and callback, with the exact hash that is signed."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import urlsplit

from bitte_nb.review.address import is_account_id
from bitte_nb.review.borsh_write import nep413_payload
from bitte_nb.review.chains import near_chain
from bitte_nb.review.context import ReviewContext
from bitte_nb.review.draft import Draft
from bitte_nb.review.intents import judge_intents, parse_json
from bitte_nb.review.near_args import strict_base64
from bitte_nb.review.near_dialects import field
from bitte_nb.review.sheet import Sheet
from bitte_nb.review.text import escape, judge_text, readable

__all__ = ["draft_nep413", "nep413_hash", "parse_nonce"]

_LOCAL = ("localhost", "127.0.0.1", "[::1]", "::1")


def nep413_hash(message: str, nonce: bytes, recipient: str, callback_url: str | None) -> str:
    """SHA-256 (hex) of the prefixed Borsh payload: what the key signs (NEP-413)."""
    return hashlib.sha256(nep413_payload(message, nonce, recipient, callback_url)).hexdigest()


def parse_nonce(value: object) -> bytes | None:
    """Exactly 32 bytes from strict base64, base64url or a list of numbers; None for anything else."""
    if isinstance(value, str):
        data = strict_base64(value)
        if data is None and re.fullmatch(r"[A-Za-z0-9_-]{43}", value):
            data = strict_base64(value + "=")
    else:
        items = cast("Mapping[str, Any]", value).get("data", value) if isinstance(value, Mapping) else value
        if isinstance(items, Mapping):
            items = list(cast("Mapping[str, Any]", items).values())
        data = None
        if isinstance(items, list | tuple):
            numbers = list(cast("list[object]", items))
            if all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= 255 for n in numbers):
                data = bytes(cast("list[int]", numbers))
    return data if data is not None and len(data) == 32 else None


def draft_nep413(request: Mapping[str, Any], ctx: ReviewContext) -> Draft:
    """Check and read a message to sign; the arguments of the primitive sign-message have the same shape."""
    sheet = Sheet(ctx)
    network = field(request, "network", "networkId") or ctx.network
    chain = near_chain(network if isinstance(network, str) else "mainnet")
    draft = Draft(kind="nep413_message", title="Sign a message", chain=chain, sheet=sheet, message=True)
    sheet.row("chain", "Network", "NEAR", note="a message belongs to no network; the account's key signs it")
    account = field(request, "accountId", "account_id", "signerId") or ctx.near_account
    if isinstance(account, str):
        sheet.account("from", "Signer", account)
    else:
        sheet.row("from", "Signer", "not stated", note="no account is connected")
    bad = _message(request, sheet)
    recipient = _recipient(request, sheet, account if isinstance(account, str) else None)
    nonce, stated = _nonce(request, sheet)
    callback = _callback(request, sheet, recipient)
    message = request.get("message")
    if bad or recipient is None or (stated and nonce is None) or not isinstance(message, str):
        return draft.invalid("Message that cannot be signed")
    payload = parse_json(message)
    order = judge_intents(sheet, payload, recipient)
    if order is not None:
        draft.kind, draft.title = "near_intents", "Sign a payment order"
    elif isinstance(payload, dict) and {"receiverId", "receiver_id", "actions", "methodName", "method_name"} & set(
        cast("dict[str, Any]", payload)
    ):
        sheet.warn(
            "message_looks_like_transaction",
            "The message reads like a transaction: ask why it has to be signed as a message.",
        )
    draft.summary = order or f"Sign a message of {len(message)} characters for {recipient}"
    if nonce is not None:
        draft.signing_hash = nep413_hash(message, nonce, recipient, callback)
        draft.signing_label = "Hash to sign (NEP-413)"
        draft.extra["nonce_base64"] = base64.b64encode(nonce).decode()
    return draft


def _message(request: Mapping[str, Any], sheet: Sheet) -> bool:
    message = request.get("message")
    if not isinstance(message, str):
        sheet.warn("bad_value", "The request holds no message text. Ask the agent to send one.")
        return True
    shown = escape(message)
    note = "hidden characters are written out" if shown != message else f"{len(message)} characters"
    sheet.row("message", "Message", shown, raw=message, kind="message", note=note, source="message")
    judge_text(sheet, message)
    if message and readable(message.encode("utf-8", "replace")) is None:
        sheet.warn("not_text", "The message holds control characters.")
    return False


def _recipient(request: Mapping[str, Any], sheet: Sheet, account: str | None) -> str | None:
    recipient, note = request.get("recipient"), ""
    if recipient in (None, ""):
        stated = any(request.get(name) is not None for name in ("nonce", "nonceBase64", "nonce_base64"))
        if account is None or stated:
            sheet.warn("missing_recipient", "The message names no recipient: the signature would be bound to no app.")
            return None
        recipient, note = account, "not stated: your own account is used"
    if not isinstance(recipient, str):
        sheet.warn("bad_value", "The recipient is not text.")
        return None
    sheet.row(
        "recipient",
        "Recipient",
        escape(recipient),
        raw=recipient,
        kind="address",
        note=note or sheet.ctx.name(recipient),
        source="recipient",
    )
    if recipient == account or recipient in sheet.ctx.own:
        sheet.warn("recipient_is_signer", "The recipient is your own account: the signature is not bound to one app.")
    elif is_account_id(recipient):
        sheet.lookalike(recipient)
    return recipient


def _nonce(request: Mapping[str, Any], sheet: Sheet) -> tuple[bytes | None, bool]:
    """(the 32 bytes or None, whether the request states a nonce)."""
    value = field(request, "nonce_base64", "nonceBase64", "nonce")
    if value is None:
        sheet.row("nonce", "Nonce", "32 fresh random bytes, made when you sign", note="the request states none")
        sheet.skip("The hash to sign is not known yet: the nonce is made when you sign.")
        return None, False
    nonce = parse_nonce(value)
    if nonce is None:
        sheet.row("nonce", "Nonce", str(value)[:200], note="not 32 bytes")
        sheet.warn(
            "bad_nonce", "The nonce is not 32 bytes in base64. Ask for a correct one, or for a request without a nonce."
        )
        return None, True
    text = base64.b64encode(nonce).decode()
    note = "one byte repeated: not random" if len(set(nonce)) == 1 else ""
    sheet.row("nonce", "Nonce", text, raw=nonce.hex(), kind="code", note=note, source="nonce")
    if not any(nonce[16:]):
        sheet.warn(
            "weak_nonce", "Half of the nonce is zeros: it is easy to guess, so a signature may be made to repeat."
        )
    return nonce, True


def _callback(request: Mapping[str, Any], sheet: Sheet, recipient: str | None) -> str | None:
    value = request.get("callbackUrl", request.get("callback_url"))
    if value is None:
        sheet.row("callback", "Answer goes to", "nobody but this notebook", note="no callbackUrl")
        return None
    if not isinstance(value, str):
        sheet.warn("bad_value", "The callbackUrl is not text.")
        return None
    if value == "":
        sheet.row("callback", "Answer goes to", "nobody", note="an empty callbackUrl")
        sheet.warn(
            "callback_ambiguous", "The callbackUrl is empty: wallets disagree whether that is none, so hashes differ."
        )
        return value
    try:
        parts = urlsplit(value.replace("\\", "/"))  # as browsers read it (WHATWG URL)
        host, scheme = (parts.hostname or "").lower(), parts.scheme.lower()
    except ValueError:
        host, scheme = "", ""
    sheet.row(
        "callback",
        "Answer goes to",
        escape(value),
        raw=value,
        kind="url",
        note=f"host {host or 'none'}",
        source="callbackUrl",
    )
    local = host in _LOCAL or host.endswith(".localhost")
    if scheme != "https":
        where = "to this machine over plain http" if local else "unprotected, or to nobody"
        sheet.warn("callback_not_https", f"The signature is sent {where}: {value[:120]}")
    if host and not local and not _fits(host, recipient, sheet.ctx):
        sheet.warn(
            "callback_host_mismatch",
            f"The signature is sent to {host}, which is not the recipient {recipient or '(none)'}.",
        )
    return value


def _fits(host: str, recipient: str | None, ctx: ReviewContext) -> bool:
    allowed = [_host(item) for item in (recipient or "", *ctx.servers, ctx.origin or "") if item]
    return any(host == item or host.endswith("." + item) for item in allowed)


def _host(text: str) -> str:
    return re.sub(r"^[a-z][a-z0-9+.-]*://", "", text.strip().lower()).split("/")[0].split(":")[0]
