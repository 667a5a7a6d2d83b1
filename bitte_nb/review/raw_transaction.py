"""Reviewing a signed raw transaction: decoded, then read like any other."""

from __future__ import annotations

import re
from typing import Any

from bitte_nb.review.chains import evm_chain
from bitte_nb.review.context import ReviewContext
from bitte_nb.review.draft import Draft
from bitte_nb.review.evm import draft_transaction
from bitte_nb.review.rlp import RlpError, decode_raw
from bitte_nb.review.sheet import Sheet

__all__ = ["draft_raw"]


def draft_raw(value: Any, ctx: ReviewContext) -> Draft:
    """Read a raw transaction and review what is in it."""
    sheet = Sheet(ctx)
    if not isinstance(value, str) or not re.fullmatch(r"0x(?:[0-9a-fA-F]{2})+", value):
        sheet.warn("bad_hex", "The raw transaction is not hex data: it must be 0x and an even number of hex digits.")
        return Draft(kind="invalid", title="", chain=evm_chain(None), sheet=sheet).invalid(
            "Raw transaction that cannot be read"
        )
    try:
        found = decode_raw(bytes.fromhex(value[2:]))
    except RlpError as error:
        sheet.warn("bad_encoding", f"The bytes are not a signed transaction: {error}. Ask for a correct one.")
        return Draft(kind="invalid", title="", chain=evm_chain(None), sheet=sheet).invalid(
            "Raw transaction that cannot be read"
        )
    tx = dict(found.tx)
    if found.sender is not None:
        tx["from"] = found.sender
    draft = draft_transaction(tx, ctx)
    draft.extra |= {"tx": found.tx, "sender": found.sender, "hash": found.hash}
    draft.signing_hash, draft.signing_label = found.hash, "Transaction hash"
    state = f"signed by {found.sender}" if found.sender else "not validly signed" if found.signed else "not signed yet"
    draft.sheet.row("signature", "Signature", state)
    if found.signed and found.sender is None:
        draft.sheet.warn("bad_encoding", "The signature is not valid: a node would refuse this transaction.")
    if not found.replay_protected:
        draft.sheet.warn(
            "no_chain_binding", "The transaction is bound to no chain (before EIP-155): it can be sent on every chain."
        )
    return draft
