"""Where NEAR goes: the accounts of a transaction and the judgement of a recipient."""

from __future__ import annotations

from bitte_nb.review.address import is_account_id, is_implicit
from bitte_nb.review.amounts import human
from bitte_nb.review.card import Chain
from bitte_nb.review.sheet import Sheet

__all__ = ["ActionScope", "near_amount", "near_recipient", "network_mismatch"]


class ActionScope:
    """What an action is read against: the accounts of its transaction and whether that creates the receiver."""

    def __init__(self, *, signer: str, receiver: str, chain: Chain, creates: bool) -> None:
        self.signer = signer
        self.receiver = receiver
        self.chain = chain
        self.creates = creates


def near_amount(raw: int) -> dict[str, str]:
    """{"raw": yocto, "near": decimal}."""
    return {"raw": str(raw), "near": human(raw, 24)}


def near_recipient(
    sheet: Sheet, account: str, scope: ActionScope, *, token: str | None = None, contract: bool = False
) -> None:
    """Judge where something goes on NEAR; `contract` leaves out what is only about people."""
    ctx = sheet.ctx
    if not is_account_id(account):
        sheet.warn("invalid_address", f"{account[:80]!r} is not a NEAR account id.")
        return
    if network_mismatch(sheet, account, scope.chain):
        return
    if account == scope.signer and not contract:
        sheet.warn("self_transfer", "The recipient is the sending account itself.")
        return
    if not contract and (account == token or ctx.near_token(account) is not None):
        sheet.warn("recipient_is_token_contract", f"{account} is a token contract: what is sent to it is usually lost.")
        return
    if is_implicit(account):
        sheet.lookalike(account)
        if not contract and token is None:
            sheet.warn("implicit_account", "The account is named by its key; the first transfer creates it.")
        return
    sheet.lookalike(account)
    if contract or scope.creates or account in ctx.own or account in ctx.contacts:
        return
    if ctx.contacts:
        sheet.warn("first_time_recipient", f"{account} is not among your contacts.")
    else:
        sheet.skip("Whether you know the recipient was not checked: there is no contact list.")


def network_mismatch(sheet: Sheet, account: str, chain: Chain) -> bool:
    """Warn about an account of the other network; ids without a network's ending belong to none."""
    other = {"mainnet": ".testnet", "testnet": ".near"}.get(chain.id)
    if other is None or not account.endswith(other):
        return False
    sheet.warn(
        "network_mismatch", f"{account} is an account of another network than {chain.name}: what is sent may be lost."
    )
    return True
