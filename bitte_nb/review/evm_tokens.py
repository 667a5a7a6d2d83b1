"""Readers of token functions: ERC-20, ERC-721, ERC-1155, permits, wrapped coins and Permit2."""

from __future__ import annotations

from collections.abc import Callable

from bitte_nb.review.address import checksum, is_zero
from bitte_nb.review.amounts import is_unlimited
from bitte_nb.review.card import Amount
from bitte_nb.review.evm_reading import Reading, judge_allowance, judge_spender, native_amount
from bitte_nb.review.times import deadline

__all__ = ["READERS"]


def _unknown_note(r: Reading, address: str) -> None:
    other = r.ctx.elsewhere(r.spec.chain_id, address)
    if other is not None:
        r.sheet.row(
            "token.elsewhere",
            "Token",
            f"{other.symbol} lives at this address on chain {other.chain_id}, not on this one",
        )
    elif r.token(address) is None:
        r.sheet.row(
            "token.readings",
            "Two readings",
            "a number of base units, or the id of an NFT if the contract is an ERC-721",
        )


def _nft(r: Reading, role: str, token_id: int, *, label: str, to: str | None) -> None:
    address = checksum(r.spec.to)
    r.sheet.amounts.append(Amount(role, address, token_id=str(token_id), to=to))
    name = r.called(r.spec.to)
    r.sheet.row(f"amount.{role}", label, f"NFT {token_id} of {name}", raw=str(token_id), kind="amount", note=address)


def _is_nft(r: Reading) -> bool:
    return r.spec.to.lower() in r.ctx.erc721


def moved(r: Reading, source: str | None, to: str, raw: int) -> str:
    """Role of an amount by whose account it leaves or reaches."""
    if source is None or r.mine(source):
        return "out"
    return "in" if r.mine(to) else "move"


def _transfer(r: Reading, *, source: str | None, to: str, raw: int, token: str, kind: str) -> None:
    role = moved(r, source, to, raw)
    words = r.sheet.token_amount(role, r.token(token), token, raw, label="Amount", to=to)
    if source is not None:
        r.sheet.account("arg.from", "Out of", source)
    r.sheet.account("recipient", "Recipient", to)
    r.sheet.recipient(to, sender=source or r.spec.sender, chain_id=r.spec.chain_id, token=token)
    if raw == 0:
        r.sheet.warn("noop_transfer", "The amount is zero: nothing moves.")
    r.kind = kind
    r.summary = f"Send {words} to {r.called(to)}" if role == "out" else f"Move {words} to {r.called(to)}"


def erc20_transfer(r: Reading) -> None:
    """transfer(to, value)."""
    to, raw = r.args["to"], r.args["value"]
    if _is_nft(r):
        _nft_transfer(r, source=None, to=to, token_id=raw)
        return
    _unknown_note(r, r.spec.to)
    _transfer(r, source=None, to=to, raw=raw, token=r.spec.to, kind="erc20_transfer")


def erc20_transfer_from(r: Reading) -> None:
    """transferFrom(from, to, value), or an NFT by its id."""
    source, to, raw = r.args["from"], r.args["to"], r.args["value"]
    if _is_nft(r):
        r.arg_names = ("from", "to", "tokenId")
        _nft_transfer(r, source=source, to=to, token_id=raw)
        return
    _unknown_note(r, r.spec.to)
    _transfer(r, source=source, to=to, raw=raw, token=r.spec.to, kind="erc20_transfer_from")


def _nft_transfer(r: Reading, *, source: str | None, to: str, token_id: int) -> None:
    role = moved(r, source, to, 1)
    _nft(r, role, token_id, label="NFT", to=to)
    if source is not None:
        r.sheet.account("arg.from", "Out of", source)
    r.sheet.account("recipient", "Recipient", to)
    r.sheet.recipient(to, sender=source or r.spec.sender, chain_id=r.spec.chain_id, token=r.spec.to)
    r.kind = "erc721_transfer"
    r.summary = f"Send NFT {token_id} of {r.called(r.spec.to)} to {r.called(to)}"


def erc721_transfer(r: Reading) -> None:
    """SafeTransferFrom of ERC-721."""
    _nft_transfer(r, source=r.args["from"], to=r.args["to"], token_id=r.args["tokenId"])


def erc1155_transfer(r: Reading) -> None:
    """SafeTransferFrom of ERC-1155."""
    _erc1155(r, [r.args["id"]], [r.args["amount"]])


def erc1155_batch(r: Reading) -> None:
    """SafeBatchTransferFrom of ERC-1155."""
    _erc1155(r, r.args["ids"], r.args["amounts"])


def _erc1155(r: Reading, ids: list[int], counts: list[int]) -> None:
    source, to = r.args["from"], r.args["to"]
    role, address = moved(r, source, to, 1), checksum(r.spec.to)
    for token_id, count in zip(ids, counts, strict=False):
        r.sheet.amounts.append(Amount(role, address, str(count), str(count), token_id=str(token_id), to=to))
        r.sheet.row(
            f"amount.{role}", "Item", f"{count} of item {token_id}", raw=str(count), kind="amount", note=address
        )
    if len(ids) != len(counts):
        r.sheet.warn("malformed_calldata", f"The call lists {len(ids)} ids but {len(counts)} amounts; it would revert.")
    r.sheet.account("arg.from", "Out of", source)
    r.sheet.account("recipient", "Recipient", to)
    r.sheet.recipient(to, sender=source, chain_id=r.spec.chain_id, token=r.spec.to)
    if counts and not any(counts):
        r.sheet.warn("noop_transfer", "All amounts are zero: nothing moves.")
    r.kind = "erc1155_transfer"
    r.summary = f"Send {len(ids)} kind{'s' if len(ids) != 1 else ''} of items to {r.called(to)}"


def erc20_approve(r: Reading) -> None:
    """approve(spender, value), or the approval of one NFT."""
    spender, raw = r.args["spender"], r.args["value"]
    if _is_nft(r):
        r.kind, r.arg_names = "erc721_approve", ("to", "tokenId")
        _nft(r, "allowance", raw, label="NFT", to=spender)
        r.sheet.account("spender", "Who may move it", spender)
        r.summary = f"Let {r.called(spender)} move NFT {raw}"
        if not is_zero(spender):
            judge_spender(r.sheet, spender)
        return
    _unknown_note(r, r.spec.to)
    allowance(r, r.spec.to, spender, raw, kind="erc20_approve", revoke="erc20_revoke")


def allowance(r: Reading, token: str, spender: str, raw: int, *, kind: str, revoke: str) -> None:
    entry = r.token(token)
    words = r.sheet.token_amount("allowance", entry, token, raw, label="May spend up to", to=spender)
    r.sheet.account("spender", "Spender", spender)
    symbol = entry.symbol if entry else "token"
    if raw == 0:
        r.kind, r.summary = revoke, f"Revoke the {symbol} allowance of {r.called(spender)}"
        return
    judge_allowance(r.sheet, entry, token, spender, raw, chain_id=r.spec.chain_id)
    r.kind = kind
    r.summary = f"Let {r.called(spender)} spend {'' if is_unlimited(raw) else 'up to '}{words}"


def erc20_increase(r: Reading) -> None:
    """IncreaseAllowance adds to what is already allowed."""
    spender, raw = r.args["spender"], r.args["addedValue"]
    words = r.sheet.token_amount(
        "allowance_delta", r.token(r.spec.to), r.spec.to, raw, label="Added allowance", to=spender
    )
    r.sheet.account("spender", "Spender", spender)
    r.sheet.warn(
        "approve_hidden_increase", f"{words} is added to the present allowance: the total is more than this number."
    )
    if is_unlimited(raw):
        r.sheet.warn("approve_unlimited", f"The allowance of {r.called(spender)} becomes unlimited.")
    judge_spender(r.sheet, spender)
    r.kind, r.summary = "erc20_increase_allowance", f"Raise the allowance of {r.called(spender)} by {words}"


def erc20_decrease(r: Reading) -> None:
    """DecreaseAllowance takes from what is allowed."""
    spender, raw = r.args["spender"], r.args["subtractedValue"]
    words = r.sheet.token_amount(
        "allowance_delta", r.token(r.spec.to), r.spec.to, raw, label="Taken from the allowance"
    )
    r.sheet.account("spender", "Spender", spender)
    r.kind, r.summary = "erc20_decrease_allowance", f"Lower the allowance of {r.called(spender)} by {words}"


def erc20_permit(r: Reading) -> None:
    """Permit of EIP-2612, sent on chain."""
    r.sheet.account("owner", "Owner", r.args["owner"])
    allowance(r, r.spec.to, r.args["spender"], r.args["value"], kind="erc20_permit", revoke="erc20_permit")
    deadline(r.sheet, r.args["deadline"], row_id="deadline", label="Valid until", what="The permit")


def dai_permit(r: Reading) -> None:
    """Permit of DAI: all or nothing."""
    spender, allowed = r.args["spender"], r.args["allowed"]
    token = r.token(r.spec.to)
    symbol = token.symbol if token else "token"
    r.kind = "erc20_permit"
    r.sheet.account("owner", "Owner", r.args["holder"])
    r.sheet.account("spender", "Spender", spender)
    if not allowed:
        r.sheet.token_amount("allowance", token, r.spec.to, 0, label="May spend up to", to=spender)
        r.summary = f"Revoke the {symbol} allowance of {r.called(spender)}"
        return
    if token is None:
        r.sheet.warn("unknown_token", f"The token {checksum(r.spec.to)} is not known here.")
    decimals = token.decimals if token else None
    r.sheet.amounts.append(
        Amount(
            "allowance", checksum(r.spec.to), None, "unlimited", token.symbol if token else None, decimals, to=spender
        )
    )
    r.sheet.row("amount.allowance", "May spend", f"unlimited {symbol}", kind="amount", note=checksum(r.spec.to))
    r.sheet.warn(
        "approve_unlimited", f"{r.called(spender)} may take all your {symbol}: this kind of permit has no amount."
    )
    judge_spender(r.sheet, spender)
    deadline(r.sheet, r.args["expiry"], row_id="deadline", label="Valid until", what="The permit", open_end=True)
    r.summary = f"Let {r.called(spender)} spend unlimited {symbol}"


def erc3009(r: Reading) -> None:
    """transferWithAuthorization, sent on chain."""
    _transfer(r, source=r.args["from"], to=r.args["to"], raw=r.args["value"], token=r.spec.to, kind="erc3009_transfer")
    deadline(r.sheet, r.args["validBefore"], row_id="deadline", label="Valid until", what="The authorization")


def _wrapped(r: Reading) -> bool:
    token = r.token(r.spec.to)
    return token is not None and token.symbol.upper() == f"W{r.spec.chain.symbol.upper()}"


def wrap(r: Reading) -> None:
    """deposit() of a wrapped native coin."""
    if not _wrapped(r):
        r.summary = f"Call deposit() on {r.called(r.spec.to)}"
        return
    words = r.sheet.token_amount("in", r.token(r.spec.to), r.spec.to, r.spec.value, label="You get")
    r.kind = "wrap"
    r.summary = f"Wrap {words.removesuffix(' W' + r.spec.chain.symbol)} {r.spec.chain.symbol} to {words}"
    if r.spec.value == 0:
        r.sheet.warn("noop_transfer", "The amount is zero: nothing is wrapped.")


def unwrap(r: Reading) -> None:
    """withdraw(wad) of a wrapped native coin."""
    if not _wrapped(r):
        r.summary = f"Call withdraw on {r.called(r.spec.to)} with {r.args['wad']}"
        return
    words = r.sheet.token_amount("out", r.token(r.spec.to), r.spec.to, r.args["wad"], label="You give")
    got = native_amount(r.sheet, "in", r.spec.chain, r.args["wad"], label="You get")
    r.kind, r.summary = "unwrap", f"Unwrap {words} to {got}"


def approve_all(r: Reading) -> None:
    """SetApprovalForAll of ERC-721 and ERC-1155."""
    operator, approved = r.args["operator"], r.args["approved"]
    r.sheet.account("spender", "Operator", operator)
    r.sheet.account("collection", "Collection", r.spec.to)
    name = r.called(r.spec.to)
    if not approved:
        r.kind, r.summary = "nft_revoke_all", f"Take {r.called(operator)}'s access to your {name} collection away"
        return
    r.kind, r.summary = "nft_approve_all", f"Let {r.called(operator)} move all your NFTs of {name}"
    r.sheet.warn("approve_all_nfts", f"{r.called(operator)} may move every NFT you have in {name}, now and later.")
    judge_spender(r.sheet, operator)


READERS: dict[str, Callable[[Reading], None]] = {
    f.__name__: f
    for f in (
        erc20_transfer, erc20_transfer_from, erc20_approve, erc20_increase, erc20_decrease, erc20_permit, dai_permit,
        erc3009, wrap, unwrap, erc721_transfer, erc1155_transfer, erc1155_batch, approve_all,
    )
}  # fmt: skip
