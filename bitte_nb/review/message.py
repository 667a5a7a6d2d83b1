"""personal_sign and eth_sign: a message as bytes, its EIP-191 hash, and what the text may hide."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from bitte_nb.review.address import checksum, is_evm, keccak
from bitte_nb.review.context import ReviewContext
from bitte_nb.review.draft import Draft
from bitte_nb.review.evm_checks import chain_row, read_chain
from bitte_nb.review.sheet import Sheet
from bitte_nb.review.siwe import judge_siwe, looks_like_siwe
from bitte_nb.review.text import escape, judge_text, readable

__all__ = ["draft_message", "eip191_hash"]

_HEX = re.compile(r"0x(?:[0-9a-fA-F]{2})*")


def eip191_hash(message: bytes) -> str:
    """The hash that personal_sign signs (EIP-191, version 0x45)."""
    return "0x" + keccak(b"\x19Ethereum Signed Message:\n" + str(len(message)).encode() + message).hex()


def _bytes(value: object, sheet: Sheet) -> bytes:
    if isinstance(value, str):
        if _HEX.fullmatch(value):
            return bytes.fromhex(value[2:])
        if value.startswith("0x"):
            sheet.skip("The message begins with 0x but is no hex data, so it is read as text; wallets differ here.")
        return value.encode("utf-8")
    return b""


def draft_message(request: Mapping[str, Any], params: Sequence[Any], ctx: ReviewContext, *, method: str) -> Draft:
    """Check and read a message; eth_sign is refused because nobody can read what a bare hash means."""
    sheet = Sheet(ctx)
    chain = read_chain(request, sheet) if request.get("chainId") is not None or ctx.chain_id is not None else None
    first, second = (*params, None, None)[:2]
    if method == "eth_sign" or (is_evm(first) and not is_evm(second)):
        first, second = second, first
    signer = second if is_evm(second) else None
    draft = Draft(
        kind=method, title="Sign a message", chain=chain or read_chain({}, Sheet(ctx)), sheet=sheet, message=True
    )
    if chain is not None:
        chain_row(sheet, chain)
    else:
        sheet.row("chain", "Network", "any: the signature is not bound to a chain")
    if signer is not None:
        mine = ctx.evm_account is None or signer.lower() == ctx.evm_account.lower()
        sheet.account(
            "from", "Signer", checksum(signer), note="" if mine else "not the connected account", source="params[1]"
        )
    elif second not in (None, ""):
        sheet.row("from", "Signer", str(second)[:80])
        sheet.warn("invalid_address", f"The signer {str(second)[:80]!r} is not an Ethereum address.")
        return draft.invalid("Message for an unusable signer")
    elif ctx.evm_account is not None:
        sheet.account("from", "Signer", ctx.evm_account, note="the connected account; the request names none")
    if not isinstance(first, str):
        sheet.warn("bad_value", "The request holds no message. Ask the agent to send one.")
        return draft.invalid("Message that is missing")
    message = _bytes(first, sheet)
    if method == "eth_sign":
        return _eth_sign(draft, message)
    signer = signer or ctx.evm_account
    draft.signing_hash, draft.signing_label = eip191_hash(message), "Hash to sign (EIP-191)"
    text = readable(message)
    if text is None:
        _binary(sheet, message)
        draft.summary = f"Sign {len(message)} bytes that are not text"
    else:
        shown = escape(text)
        note = "hidden characters are written out" if shown != text else ""
        sheet.row("message", "Message", shown, raw=text, kind="message", note=note, source="params[0]")
        judge_text(sheet, text)
        draft.summary = f"Sign a message of {len(text)} characters"
        if looks_like_siwe(text):
            found = judge_siwe(sheet, text, signer=signer, chain_id=int(chain.id) if chain and chain.id else None)
            if found is not None:
                draft.kind = "siwe"
                draft.title = draft.summary = f"Log in to {found.domain}"
    sheet.row("message.bytes", "Message bytes", "0x" + message.hex(), kind="code", note=f"{len(message)} bytes")
    return draft


def _binary(sheet: Sheet, message: bytes) -> None:
    sheet.row("message", "Message", "0x" + message.hex(), kind="code", note="not text", source="params[0]")
    if len(message) == 32:
        sheet.warn("looks_like_hash", "The message is 32 opaque bytes, like a hash: nobody can tell what they approve.")
    else:
        sheet.warn("not_text", f"The message is {len(message)} bytes that are not readable text.")


def _eth_sign(draft: Draft, message: bytes) -> Draft:
    draft.title = draft.summary = "Sign a bare hash (eth_sign)"
    draft.sheet.row("message", "Hash", "0x" + message.hex(), kind="code", source="params[1]")
    draft.sheet.warn(
        "eth_sign",
        "eth_sign signs a bare hash, which may be any transaction. Ask the agent for personal_sign or typed data.",
    )
    return draft
