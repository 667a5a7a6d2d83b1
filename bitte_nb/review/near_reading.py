"""NEAR actions being read one by one: calls of the card, plain forms, and the sums over all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bitte_nb.review.address import is_account_id
from bitte_nb.review.amounts import human
from bitte_nb.review.card import Call, Chain
from bitte_nb.review.chains import near_chain
from bitte_nb.review.draft import Draft
from bitte_nb.review.near_actions import read_action
from bitte_nb.review.near_args import parse_args
from bitte_nb.review.near_dialects import BadAction, as_read, field
from bitte_nb.review.near_scope import ActionScope
from bitte_nb.review.rules import worst
from bitte_nb.review.sheet import Sheet, merge_warnings

__all__ = ["Totals", "read_actions", "read_network", "read_one", "with_json"]


_GAS_LIMIT = 300 * 10**12


def read_network(request: Mapping[str, Any], sheet: Sheet) -> Chain:
    """The NEAR network of the request, else of the wallet, else mainnet; never guessed from an account id."""
    ctx = sheet.ctx
    named = field(request, "network", "networkId", "network_id")
    network = named if isinstance(named, str) else ctx.network or "mainnet"
    chain = near_chain(network)
    if not isinstance(named, str) and ctx.network is None:
        sheet.skip("The request names no network; NEAR mainnet is assumed.")
    if not chain.known:
        sheet.warn("unknown_chain", f"{network[:40]!r} is not a NEAR network that is known here.")
    if isinstance(named, str) and ctx.network is not None and named != ctx.network:
        sheet.warn(
            "network_mismatch", f"The request is for {named}, the wallet is on {ctx.network}. Switch the wallet."
        )
    note = "test network" if chain.testnet else "" if isinstance(named, str) or ctx.network else "assumed"
    sheet.row("chain", "Network", chain.name, raw=network, note=note, source="network")
    return chain


class Totals:
    """What all actions of a request come to, and whether one of them cannot be signed."""

    def __init__(self) -> None:
        self.deposit = 0
        self.gas = 0
        self.bad = False


def read_actions(
    actions: list[Any],
    draft: Draft,
    totals: Totals,
    *,
    signer: str,
    receiver: str,
    path: str,
    own: Sheet | None = None,
) -> tuple[list[Call], list[dict[str, Any]], list[str]]:
    """The calls, plain forms and sentences of a transaction; what cannot be read is said and marks the totals bad."""
    sheet = own or draft.sheet
    if not actions:
        sheet.warn("empty_batch", "The transaction holds no action: there is nothing to sign.")
        totals.bad = True
    normal: list[dict[str, Any]] = []
    for index, action in enumerate(actions[:200]):
        try:
            normal.append(as_read(action))
        except BadAction as error:
            Sheet(sheet.ctx, path=path, action=index, warnings=sheet.warnings).warn(
                error.rule, f"Action {index + 1}: {error}"
            )
            sheet.row(f"action.{index}", f"Action {index + 1}", "cannot be read", note=str(error))
            totals.bad = True
    if len(actions) > 200:
        sheet.warn("bad_value", "More than 200 actions cannot be reviewed by a person.")
        totals.bad = True
    if not receiver or totals.bad:
        return [], [], []
    scope = ActionScope(
        signer=signer, receiver=receiver, chain=draft.chain, creates=any(a["kind"] == "CreateAccount" for a in normal)
    )
    found = [read_one(action, i, sheet, scope, path, totals) for i, action in enumerate(normal)]
    gas = sum(a["gas"] for a in normal if a["kind"] == "FunctionCall")
    if gas > _GAS_LIMIT:
        sheet.warn(
            "gas_over_limit", f"{human(gas, 12)} TGas are more than the 300 TGas of one transaction. Ask for less gas."
        )
    return [c for c, _, _ in found], [p for _, p, _ in found], [s for _, _, s in found]


def read_one(
    action: dict[str, Any], index: int, outer: Sheet, scope: ActionScope, path: str, totals: Totals
) -> tuple[Call, dict[str, Any], str]:
    """One action as a call of the card, in plain form and as a sentence."""
    where = f"{path}.actions[{index}]".lstrip(".")
    sheet = Sheet(outer.ctx, path=where, action=index)
    if action["kind"] == "Delegate":
        plain, sentence = _delegate(action, sheet, scope.chain, where, totals)
    else:
        plain, sentence = read_action(action, sheet, scope)
    totals.deposit += action.get("deposit", 0)
    totals.gas += action.get("gas", 0)
    outer.unchecked += [s for s in sheet.unchecked if s not in outer.unchecked]
    warnings = merge_warnings(sheet.warnings, [w for call in sheet.calls for w in call.warnings])
    call = Call(
        kind="near_action",
        title=sentence,
        to=scope.receiver,
        value=str(action.get("deposit", 0)),
        operation=action["kind"],
        function=action.get("method"),
        args=(plain.get("args"),) if "args" in plain else (),
        path=where,
        rows=tuple(sheet.rows),
        warnings=warnings,
        amounts=(*sheet.amounts, *(a for inner in sheet.calls for a in inner.amounts)),
        calls=tuple(sheet.calls),
        severity=worst([w.severity for w in warnings]),
    )
    return call, plain, sentence


def _delegate(
    action: dict[str, Any], sheet: Sheet, chain: Chain, path: str, totals: Totals
) -> tuple[dict[str, Any], str]:
    sender, receiver = action["sender"], action["receiver"]
    sheet.account("delegate.sender", "On behalf of", sender, source="senderId")
    sheet.account("delegate.receiver", "To", receiver, source="receiverId")
    sheet.row("delegate.nonce", "Nonce of the key", str(action["nonce"]), source="nonce")
    height = action["max_block_height"]
    sheet.row(
        "delegate.until",
        "Valid until block",
        str(height),
        source="maxBlockHeight",
        note="the present block is not known here",
    )
    sheet.warn(
        "meta_transaction",
        f"Somebody else sends and pays this for {sender}: it can be sent at any time until block {height}.",
    )
    for name in (sender, receiver):
        if not is_account_id(name):
            sheet.warn("invalid_address", f"{name[:80]!r} is not a NEAR account id.")
    scope = ActionScope(
        signer=sender,
        receiver=receiver,
        chain=chain,
        creates=any(a["kind"] == "CreateAccount" for a in action["actions"]),
    )
    found = [read_one(with_json(a), i, sheet, scope, path, totals) for i, a in enumerate(action["actions"])]
    sheet.calls += [call for call, _, _ in found]
    if not found:
        sheet.warn("empty_batch", "The delegate action holds no action: there is nothing to sign.")
    sentence = "; then ".join(s for _, _, s in found) or "nothing"
    return {
        "kind": "Delegate",
        "sender": sender,
        "receiver": receiver,
        "actions": [p for _, p, _ in found],
    }, f"Let a relayer do: {sentence}"


def with_json(action: dict[str, Any]) -> dict[str, Any]:
    """A FunctionCall read from Borsh has bytes only; its JSON is found here."""
    if action["kind"] != "FunctionCall" or "is_json" in action:
        return action
    data: bytes = action["args"]
    _, is_json, value = parse_args(list(data), base64_first=True) if data else parse_args(None)
    return {**action, "is_json": is_json, "json": value if is_json else None}
