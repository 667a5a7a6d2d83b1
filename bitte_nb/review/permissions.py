"""Permissions that an app asks of a wallet (ERC-7715): who may act as the account, how far, and until when."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bitte_nb.review.address import checksum, is_evm
from bitte_nb.review.amounts import BadAmount, display, parse_uint
from bitte_nb.review.chains import Chain
from bitte_nb.review.context import ReviewContext
from bitte_nb.review.draft import Draft
from bitte_nb.review.evm_checks import chain_row, read_chain
from bitte_nb.review.shapes import listed, table
from bitte_nb.review.sheet import Sheet
from bitte_nb.review.times import deadline

__all__ = ["draft_permissions"]


def draft_permissions(entries: list[Any], request: Mapping[str, Any], ctx: ReviewContext) -> Draft:
    """Read each permission of wallet_grantPermissions or wallet_requestExecutionPermissions; all are a danger."""
    sheet = Sheet(ctx)
    first = table(entries[0] if entries else None)
    chain = read_chain({"chainId": first.get("chainId", request.get("chainId"))}, sheet)
    chain_row(sheet, chain)
    draft = Draft(kind="account_delegation", title="Give permissions over your account", chain=chain, sheet=sheet)
    draft.message = True
    if not entries:
        sheet.warn("empty_batch", "The request asks for no permission: there is nothing to grant.")
        return draft.invalid("Request for no permission")
    words: list[str] = []
    for index, entry in enumerate(entries[:20]):
        words += _grant(table(entry), sheet, chain, f"[{index}]")
    if len(entries) > 20:
        sheet.warn("bad_value", f"The request asks for {len(entries)} grants; more than 20 cannot be reviewed.")
        return draft.invalid("Request that is too long")
    draft.summary = "; ".join(words) or "Permissions that cannot be read"
    return draft


def _grant(grant: Mapping[str, Any], sheet: Sheet, chain: Chain, path: str) -> list[str]:
    account = grant.get("address", grant.get("from"))
    if is_evm(account):
        sheet.account("from", "Over your account", checksum(account), source=f"{path}.address")
        if sheet.ctx.evm_account is not None and account.lower() != sheet.ctx.evm_account.lower():
            sheet.warn("from_mismatch", f"{checksum(account)} is not the connected account.")
    signer = table(grant.get("signer"))
    holder = grant.get("to", table(signer.get("data")).get("address"))
    if is_evm(holder):
        sheet.account("to", "Who may act", checksum(holder), source=f"{path}.signer")
        sheet.lookalike(holder)
        who = sheet.ctx.name(holder) or checksum(holder)
    else:
        who = f"the holder of a key ({signer.get('type', 'not stated')})"
        sheet.row("to", "Who may act", who, raw=str(table(signer.get("data")) or holder or ""))
    permissions = [table(one) for one in listed(grant.get("permissions"))]
    permissions += [table(grant["permission"])] if "permission" in grant else []
    found = [_permission(one, sheet, chain, who) for one in permissions]
    expiry = grant.get("expiry", next((_expiry(rule) for rule in listed(grant.get("rules")) if _expiry(rule)), None))
    try:
        deadline(sheet, parse_uint(expiry), row_id="deadline", label="Valid until", what="The permission")
        until = ""
    except BadAmount:
        until = " for ever: no end is stated"
        sheet.row("deadline", "Valid until", "not stated")
    bounded = any(listed(one.get("policies")) or table(one.get("data")) for one in permissions)
    limits = "within the limits below" if bounded else "without any limit"
    sheet.warn("account_delegation", f"{who} may act as your account {limits}{until}.")
    return found or [f"Let {who} act as your account"]


def _expiry(rule: Any) -> Any:
    shape = table(rule)
    return table(shape.get("data")).get("timestamp") if shape.get("type") == "expiry" else None


def _permission(one: Mapping[str, Any], sheet: Sheet, chain: Chain, who: str) -> str:
    kind = table(one.get("type")).get("custom") or one.get("type")
    name = str(kind)[:80]
    data = table(one.get("data"))
    sheet.row("permission", "Permission", name, kind="code")
    for key, value in data.items():
        if is_evm(value):
            sheet.account(f"limit.{key}", key, checksum(value))
            continue
        shown = str(value)
        if isinstance(value, str) and name.startswith("native") and "mount" in key:
            try:
                shown = display(parse_uint(value), chain.decimals, chain.symbol)
            except BadAmount:
                shown = value
        sheet.row(f"limit.{key}", key, shown[:500], raw=str(value)[:500])
    for policy in listed(one.get("policies")):
        shape = table(policy)
        sheet.row("policy", "Limit", f"{shape.get('type', 'not stated')}: {shape.get('data', '')}"[:500])
    return f"Let {who} use {name}"
