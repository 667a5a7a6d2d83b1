"""NEAR requests that are put before the person as a NEP-366 delegate action or as Borsh bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from bitte_nb.review.borsh import (
    BorshError,
    UnknownTag,
    base58_encode,
    read_delegate,
    read_signed,
    read_transaction,
)
from bitte_nb.review.borsh_write import write_delegate
from bitte_nb.review.context import ReviewContext
from bitte_nb.review.draft import Draft
from bitte_nb.review.near import draft_near, show_totals
from bitte_nb.review.near_dialects import BadAction, Read, normal_action
from bitte_nb.review.near_reading import Totals, read_network, read_one, with_json
from bitte_nb.review.near_scope import ActionScope
from bitte_nb.review.near_signing import judge_signature
from bitte_nb.review.sheet import Sheet

__all__ = ["draft_borsh", "draft_delegate"]


def draft_delegate(delegate: Mapping[str, Any], ctx: ReviewContext, *, signed: bool = False) -> Draft:
    """A NEP-366 delegate action that is put before the person to sign."""
    sheet = Sheet(ctx)
    chain = read_network(delegate, sheet)
    draft = Draft(kind="near_delegate", title="Delegate action", chain=chain, sheet=sheet)
    try:
        action = delegate if isinstance(delegate, Read) else normal_action({"type": "Delegate", "params": delegate})
    except BadAction as error:
        sheet.warn(error.rule, str(error))
        return draft.invalid("Delegate action that cannot be signed")
    action = dict(action)
    totals = Totals()
    sender = str(action["sender"])
    sheet.account("from", "From", sender, source="senderId")
    sheet.account("to", "To", str(action["receiver"]), source="receiverId")
    if ctx.near_account is not None and sender != ctx.near_account:
        sheet.warn("from_mismatch", f"The request is for {sender}, your connected account is {ctx.near_account}.")
    scope = ActionScope(signer=sender, receiver=str(action["receiver"]), chain=chain, creates=False)
    call, plain, sentence = read_one(action, 0, sheet, scope, "", totals)
    sheet.calls.append(call)
    draft.actions, draft.title, draft.summary = [plain], sentence, sentence
    show_totals(draft, totals)
    sheet.row("nonce", "Nonce", str(action["nonce"]), source="nonce")
    data = write_delegate(action)
    draft.signing_hash, draft.signing_label = hashlib.sha256(data).hexdigest(), "Hash to sign (NEP-366)"
    draft.extra["borsh_hex"] = data.hex()
    return draft


def draft_borsh(data: bytes, request: Mapping[str, Any], ctx: ReviewContext) -> Draft:
    """A transaction, a signed transaction or a delegate action as Borsh bytes."""
    sheet = Sheet(ctx)
    try:
        if data[:4] == (2**30 + 366).to_bytes(4, "little"):
            return draft_delegate(Read(read_delegate(data), kind="Delegate", signature=None), ctx)
        try:
            tx, signature, unsigned = read_transaction(data), None, hashlib.sha256(data).digest()
        except UnknownTag:
            raise
        except BorshError:
            tx, signature, unsigned = read_signed(data)
    except BorshError as error:
        chain = read_network(request, sheet)
        newer = data[:1] == b"\x01"  # transactions of version 1 begin so; a V0 signer of one letter cannot exist
        rule = "unknown_action" if newer or isinstance(error, UnknownTag) else "bad_encoding"
        sheet.warn(rule, f"The bytes are not a NEAR transaction that can be read here: {error}.")
        sheet.row("data", "Bytes", "0x" + data.hex()[:4096], kind="code")
        return Draft(kind="invalid", title="Bytes", chain=chain, sheet=sheet).invalid("Bytes that cannot be read")
    actions = [Read(with_json(a)) for a in tx["actions"]]
    shape = {"signerId": tx["signer"], "receiverId": tx["receiver"], "actions": actions, "nonce": str(tx["nonce"]),
             "publicKey": tx["public_key"], "blockHash": tx["block_hash"]}  # fmt: skip
    draft = draft_near([shape], request, ctx)
    draft.signing_hash, draft.signing_label = base58_encode(unsigned), "Transaction hash"
    draft.extra["nonce"] = str(tx["nonce"])
    if signature is not None:
        judge_signature(draft, tx["public_key"], signature, unsigned)
    return draft
