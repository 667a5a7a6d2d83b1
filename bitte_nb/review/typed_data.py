"""eth_signTypedData: the checks that every typed data passes, all its fields as rows, and what it means if known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from bitte_nb.review import erc7730
from bitte_nb.review.abi_table import built_in
from bitte_nb.review.address import checksum, checksum_fails, is_evm
from bitte_nb.review.amounts import BadAmount
from bitte_nb.review.canonical import RepeatedName, strict_json
from bitte_nb.review.chains import Chain, evm_chain
from bitte_nb.review.context import ReviewContext
from bitte_nb.review.draft import Draft
from bitte_nb.review.eip712 import TypedDataError, TypedMessage, integer, parse_typed_data
from bitte_nb.review.erc7730_formats import Show
from bitte_nb.review.erc7730_paths import Scope
from bitte_nb.review.erc7730_rows import show
from bitte_nb.review.evm_calls import read_call
from bitte_nb.review.evm_checks import chain_row, parse_chain_id
from bitte_nb.review.evm_reading import CallSpec, new_budget
from bitte_nb.review.sheet import Sheet
from bitte_nb.review.text import escape, judge_text
from bitte_nb.review.typed import Typed
from bitte_nb.review.typed_readers import read_known
from bitte_nb.review.typed_v1 import draft_version_one

__all__ = ["draft_typed_data"]

_MAX_ROWS = 400


def draft_typed_data(value: Any, request: Mapping[str, Any], ctx: ReviewContext, *, signer: Any = None) -> Draft:
    """Check and read typed data given as an object, as JSON text, or as the array of version 1."""
    sheet = Sheet(ctx)
    draft = Draft(kind="unknown_typed_data", title="Sign typed data", chain=evm_chain(None), sheet=sheet, message=True)
    if isinstance(value, str):
        try:
            value = strict_json(value)
        except RepeatedName as error:
            sheet.warn("bad_typed_data", f"The typed data is JSON text, but {error}. Ask the agent for another.")
            return draft.invalid("Typed data that cannot be signed")
        except (ValueError, RecursionError):
            sheet.warn(
                "bad_typed_data", "The typed data is text that is not valid JSON. Ask the agent for a correct one."
            )
            return draft.invalid("Typed data that cannot be signed")
    who = signer if is_evm(signer) else None
    account = who or ctx.evm_account
    if account is not None:
        mine = ctx.evm_account is None or account.lower() == ctx.evm_account.lower()
        note = "" if mine else "not the connected account"
        sheet.account("from", "Signer", account, note=note)
    else:
        sheet.row("from", "Signer", "not stated", note="no account is connected")
    if isinstance(value, list):
        return draft_version_one(cast("list[Any]", value), draft)
    try:
        data = parse_typed_data(value)
    except (TypedDataError, RecursionError) as error:
        sheet.warn("bad_typed_data", f"This is not valid EIP-712 data: {error}. Ask the agent for a correct one.")
        return draft.invalid("Typed data that cannot be signed")
    draft.chain = _chain(data, request, sheet)
    chain_row(sheet, draft.chain)
    _domain(data, sheet)
    typed = Typed(data=data, sheet=sheet, chain=draft.chain, signer=account)
    known = read_known(typed)
    described = erc7730.for_typed(ctx, data, typed.chain_id, typed.contract)
    sentence = _described(described, typed) if described is not None else None
    if sentence and not known:
        typed.kind, typed.summary = "described_typed_data", sentence
    _fields(data, sheet)
    if data.extra:
        names = ", ".join(data.extra[:8])
        sheet.warn("unsigned_fields", f"The request shows fields that the signature does not cover: {names}.")
    contact = typed.contract is not None and typed.contract.lower() in ctx.contacts
    if not known and sentence is None:
        _calldata(data, typed, sheet)
        if not contact:
            sheet.warn(
                "blind_typed_data",
                f"What a signature of {data.primary!r} does is not known here; all its fields are shown.",
            )
    _wrong_chain(data, typed, sheet)
    draft.kind = typed.kind
    draft.title = draft.summary = typed.summary or f"Sign {data.primary} of {_app(data)}"
    draft.signing_hash, draft.signing_label = data.hash, "Hash to sign (EIP-712)"
    draft.extra |= {"domain_hash": "0x" + data.domain_hash.hex(), "message_hash": "0x" + data.message_hash.hex()}
    sheet.row("domain_hash", "Domain hash", "0x" + data.domain_hash.hex(), kind="hash")
    sheet.row("message_hash", "Message hash", "0x" + data.message_hash.hex(), kind="hash")
    return draft


def _described(described: erc7730.Described, typed: Typed) -> str | None:
    container = {"value": 0, "to": typed.contract, "from": typed.signer, "chainId": typed.chain_id}
    held = list(typed.sheet.amounts)

    def embedded(to: str, value: int, data: bytes) -> None:
        path = f"calls[{len(typed.sheet.calls)}]"
        spec = CallSpec(
            to=to,
            value=value,
            data=data,
            sender=typed.contract,
            chain=typed.chain,
            path=path,
            depth=1,
            count_value=False,
        )
        typed.sheet.calls.append(read_call(spec, typed.ctx, new_budget(), typed.sheet.unchecked))

    sentence = show(
        Show(
            described=described,
            scope=Scope(dict(typed.message), described.descriptor, container),
            sheet=typed.sheet,
            chain=typed.chain,
            call=None if typed.sheet.calls else embedded,
        )
    )
    if typed.kind != "unknown_typed_data":
        typed.sheet.amounts[:] = held
    return sentence or (
        "Described typed data" if any(r.id.startswith("described.") for r in typed.sheet.rows) else None
    )


def _app(data: TypedMessage) -> str:
    name = data.domain.get("name")
    return escape(name) if isinstance(name, str) and name else "an unnamed app"


def _chain(data: TypedMessage, request: Mapping[str, Any], sheet: Sheet) -> Chain:
    ctx = sheet.ctx
    value = data.domain.get("chainId") if "chainId" in dict(data.types["EIP712Domain"]) else None
    if value is None:
        return evm_chain(None)
    try:
        chain_id = integer(value, "domain.chainId")
    except TypedDataError as error:
        sheet.warn("bad_typed_data", f"The domain's chain is not usable: {error}.")
        return evm_chain(None)
    chain = evm_chain(chain_id)
    if not chain.known:
        sheet.warn("unknown_chain", f"Chain {chain_id} is not in the table of known chains.")
    try:
        outer = parse_chain_id(request.get("chainId"))
    except BadAmount:
        outer = None
    for other, whose in ((ctx.chain_id, "the wallet is on"), (outer, "the request names")):
        if other is not None and other != chain_id:
            sheet.warn(
                "chain_mismatch",
                f"The typed data is for {chain.name} ({chain_id}), {whose} {evm_chain(other).name} ({other}). "
                f"Switch the wallet to {chain.name} to go on.",
            )
    return chain


def _wrong_chain(data: TypedMessage, typed: Typed, sheet: Sheet) -> None:
    """A token contract that is known, but on another chain: the domain names the wrong one."""
    if typed.contract is None:
        return
    other = sheet.ctx.elsewhere(typed.chain_id, typed.contract)
    if other is None:
        return
    if not any(w.id == "chain_mismatch" for w in sheet.warnings):
        sheet.warn(
            "chain_mismatch",
            f"{other.symbol} is at this address on {evm_chain(other.chain_id).name}, not on {typed.chain.name}: "
            "the chain of the typed data is wrong. Ask the agent for a correct one.",
        )
    sheet.warnings = [w for w in sheet.warnings if w.id != "unknown_token"]


def _domain(data: TypedMessage, sheet: Sheet) -> None:
    declared = dict(data.types["EIP712Domain"])
    domain = {key: value for key, value in data.domain.items() if key in declared}
    name, contract = domain.get("name"), domain.get("verifyingContract")
    sheet.row("call", "Type", data.primary, kind="code", note=f"of {_app(data)}", source="primaryType")
    if isinstance(name, str):
        version = f" {domain['version']}" if isinstance(domain.get("version"), str) else ""
        sheet.row("domain.name", "App", f"{escape(name)}{escape(version)}", note="as the request says, not checked")
        if name:
            judge_text(sheet, name, what="The app's name")
    if is_evm(contract):
        sheet.account("to", "Verified by", contract, source="domain.verifyingContract")
        if contract.lower() in sheet.ctx.own:
            sheet.warn(
                "verifying_contract_is_own_account",
                "The signature is aimed at your own account, which others could then empty. Ask for another request.",
            )
        if checksum_fails(contract):
            sheet.warn(
                "bad_checksum", f"The capitals of {contract} do not fit its digits (EIP-55): a digit may be mistyped."
            )
        sheet.lookalike(contract)
    else:
        sheet.row("to", "Verified by", "not stated", note="any contract may use the signature")
    if domain.get("chainId") is None and contract is None:
        sheet.warn("no_chain_binding", "The signature is bound to no chain and no contract: it can be used anywhere.")
    if data.derived_domain:
        sheet.skip(
            "The request does not define the type of its domain: some wallets would sign an empty domain instead."
        )
    if "salt" in domain:
        sheet.row("domain.salt", "Salt", str(domain["salt"]), kind="code")


def _fields(data: TypedMessage, sheet: Sheet) -> None:
    left = [_MAX_ROWS]
    _struct(data, data.primary, data.message, "", sheet, left)
    if left[0] <= 0:
        sheet.skip(f"Only the first {_MAX_ROWS} fields have a row; the raw request holds all of them.")


def _struct(data: TypedMessage, name: str, value: Mapping[str, Any], path: str, sheet: Sheet, left: list[int]) -> None:
    for label, kind in data.types[name]:
        _field(data, kind, value[label], f"{path}.{label}".lstrip("."), sheet, left)


def _field(data: TypedMessage, kind: str, value: Any, path: str, sheet: Sheet, left: list[int]) -> None:
    if kind.endswith("]"):
        items = cast("list[Any]", value)
        for index, item in enumerate(items):
            _field(data, kind[: kind.rindex("[")], item, f"{path}[{index}]", sheet, left)
        if not items:
            sheet.row(f"field.{path}", path, "empty list", note=kind, source=f"message.{path}")
        return
    if kind in data.types:
        _struct(data, kind, value, path, sheet, left)
        return
    left[0] -= 1
    if left[0] <= 0:
        return
    source = f"message.{path}"
    if kind == "address":
        sheet.row(
            f"field.{path}", path, checksum(value), kind="address", note=sheet.ctx.name(value) or kind, source=source
        )
        if checksum_fails(value):
            sheet.warn(
                "bad_checksum",
                f"The capitals of {value} in {path} do not fit its digits (EIP-55): a digit may be mistyped.",
            )
    elif kind == "string":
        shown = escape(value)
        sheet.row(f"field.{path}", path, shown, raw=value, kind="message", note=kind, source=source)
        if value:
            judge_text(sheet, value, what=f"The text of {path}")
    elif "int" in kind:
        sheet.row(f"field.{path}", path, str(integer(value, path)), note=kind, source=source)
    else:
        sheet.row(
            f"field.{path}",
            path,
            str(value).lower() if isinstance(value, bool) else str(value),
            kind="code",
            note=kind,
            source=source,
        )


def _calldata(data: TypedMessage, typed: Typed, sheet: Sheet) -> None:
    """A bytes field of unknown typed data that holds a call is read, so that a relayed call is not hidden."""
    fields = dict(data.types[data.primary])
    target = next((data.message[n] for n in ("to", "target", "contract") if fields.get(n) == "address"), typed.contract)
    for label, kind in fields.items():
        text = data.message.get(label)
        if kind != "bytes" or not isinstance(text, str) or len(text) < 10 or not is_evm(target):
            continue
        payload = bytes.fromhex(text[2:])
        if payload[:4] not in built_in():
            continue
        path = f"calls[{len(sheet.calls)}]"
        spec = CallSpec(
            to=target,
            value=0,
            data=payload,
            sender=typed.signer,
            chain=typed.chain,
            path=path,
            source=f"message.{label}",
            depth=1,
        )
        sheet.calls.append(read_call(spec, sheet.ctx, new_budget(), sheet.unchecked))
