"""What each operation of the demo agent does, apart from HTTP: a function of the agent's state and one request."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any, cast
from urllib.parse import urlencode, urlsplit

from bitte_nb.demo.chains import EVM_CHAINS, blockchains
from bitte_nb.demo.exchange import Ask, Operation, Reply, State
from bitte_nb.demo.reading import Refusal, base_units, evm_address, near_account, one_of, text_within, whole_number

__all__ = ["OPERATIONS"]

NOTES_KEPT = 500


async def get_blockchains(_state: State, ask: Ask) -> Reply:
    """List the chains this agent can prepare requests for."""
    limit = whole_number(ask.query, "limit", default=10, low=1, high=50)
    return Reply(200, {"blockchains": blockchains()[:limit]})


async def get_user(_state: State, ask: Ask) -> Reply:
    """Tell the accounts that the wallet context names."""
    if ask.wallet is None:
        raise Refusal(
            400,
            "The person's account is unknown: the request carried no mb-metadata header. Ask the person to connect a "
            "wallet, or to say which account is meant.",
        )
    known = {name: ask.wallet[name] for name in ("accountId", "evmAddress", "chainId") if ask.wallet.get(name)}
    if not known.keys() & {"accountId", "evmAddress"}:
        raise Refusal(
            400,
            "The mb-metadata header names neither accountId nor evmAddress. Ask the person to connect a wallet, or to "
            "say which account is meant.",
        )
    return Reply(200, known)


async def create_near_transaction(_state: State, ask: Ask) -> Reply:
    """Build the payload of a NEAR transfer; nothing is signed or sent."""
    receiver = near_account(ask.query, "receiverId")
    deposit = base_units(ask.query, "amount", unit="NEAR", decimals=24, bits=128)
    action = {"type": "Transfer", "params": {"deposit": str(deposit)}}
    return Reply(200, {"transactionPayload": {"receiverId": receiver, "actions": [action]}})


async def create_evm_transaction(_state: State, ask: Ask) -> Reply:
    """Build the request of an ETH transfer; nothing is signed or sent."""
    recipient = evm_address(ask.query, "to")
    value = base_units(ask.query, "amount", unit="ETH", decimals=18, bits=256)
    transaction = {"to": recipient, "value": hex(value), "data": "0x"}
    sender = _wallet_text(ask, "evmAddress")
    if sender:
        transaction["from"] = evm_address({"evmAddress": sender}, "evmAddress", where="the mb-metadata header")
    request = {"method": "eth_sendTransaction", "chainId": _chain(ask), "params": [transaction]}
    return Reply(200, {"evmSignRequest": request})


async def create_evm_sign_request(_state: State, ask: Ask) -> Reply:
    """Build a request to sign a text with an EVM account, plainly or as typed data."""
    method = one_of(ask.query, "method", ("personal_sign", "eth_signTypedData_v4"))
    text = text_within(ask.query, "message", high=1000)
    chain_id = _chain(ask)
    given = ask.query if "evmAddress" in ask.query else {"evmAddress": _wallet_text(ask, "evmAddress")}
    if not given["evmAddress"]:
        raise Refusal(
            400,
            "No account to sign with: give evmAddress, or ask the person to connect an EVM wallet so that the "
            "mb-metadata header names one.",
        )
    signer = evm_address(given, "evmAddress")
    if method == "personal_sign":
        params = ["0x" + text.encode().hex(), signer]
    else:
        params = [signer, json.dumps(_statement(text, chain_id), ensure_ascii=False, separators=(",", ":"))]
    request = {"method": method, "chainId": chain_id, "params": params}
    return Reply(200, {"transaction": request, "meta": {"text": text, "signer": signer}})


def _statement(text: str, chain_id: int) -> dict[str, Any]:
    """Wrap a text as EIP-712 typed data, bound to one chain."""
    return {
        "types": {
            "EIP712Domain": [
                {"name": "name", "type": "string"},
                {"name": "version", "type": "string"},
                {"name": "chainId", "type": "uint256"},
            ],
            "Statement": [{"name": "text", "type": "string"}],
        },
        "primaryType": "Statement",
        "domain": {"name": "bitte_nb demo agent", "version": "1", "chainId": chain_id},
        "message": {"text": text},
    }


async def create_share_link(_state: State, ask: Ask) -> Reply:
    """Make a link that opens a prepared post; the agent itself requests nothing."""
    fields = {"text": text_within(ask.query, "text", high=280)}
    if "url" in ask.query:
        url = text_within(ask.query, "url", high=500)
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or re.search(r"\s", url):
            raise Refusal(400, f"url must be a whole http or https link such as https://example.org/page, not {url!r}.")
        fields["url"] = url
    return Reply(200, {"shareUrl": "https://x.com/intent/post?" + urlencode(fields)})


async def flip_coin(state: State, _ask: Ask) -> Reply:
    """Flip a coin."""
    return Reply(200, {"result": state.coin.choice(("heads", "tails"))})


async def make_slow_report(state: State, ask: Ask) -> Reply:
    """Take the asked time, then report; hanging up ends the work at once."""
    seconds = whole_number(ask.query, "seconds", default=3, low=1, high=20)
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        state.abandoned += 1
        raise
    evm = sum(1 for chain in blockchains() if chain["kind"] == "evm")
    report = f"{len(state.notes)} notes are kept and {evm} EVM chains are served."
    return Reply(200, {"seconds": seconds, "report": report})


async def reserve_username(state: State, ask: Ask) -> Reply:
    """Reserve a name that nobody has yet."""
    name = text_within(ask.body, "username", high=200)
    if not re.fullmatch(r"[a-z][a-z0-9-]{2,19}", name):
        raise Refusal(
            422,
            f"{name!r} cannot be a username: it must have 3 to 20 characters, begin with a letter a to z, and hold "
            "only letters a to z, digits and hyphens. Ask the person for a name like that.",
        )
    if name in state.usernames:
        stem = name[:17]
        free = [choice for n in range(2, 99) if (choice := f"{stem}-{n}") not in state.usernames][:3]
        raise Refusal(
            409,
            f"The username {name} is taken. Ask the person to choose another; free now: {', '.join(free)}.",
            suggestions=free,
        )
    state.usernames.add(name)
    state.count_effect("reserve-username")
    return Reply(201, {"username": name, "reserved": True})


async def add_note(state: State, ask: Ask) -> Reply:
    """Keep a note."""
    text = text_within(ask.body, "text", high=280)
    if len(state.notes) >= NOTES_KEPT:
        raise Refusal(409, f"{NOTES_KEPT} notes are kept already. Remove one with remove-note, then add this again.")
    state.last_note += 1
    note_id = f"note-{state.last_note}"
    state.notes[note_id] = text
    state.count_effect("add-note")
    return Reply(201, {"noteId": note_id, "text": text})


async def list_notes(state: State, ask: Ask) -> Reply:
    """List the notes, the newest first."""
    limit = whole_number(ask.query, "limit", default=20, low=1, high=100)
    newest = [{"noteId": note_id, "text": text} for note_id, text in reversed(state.notes.items())]
    return Reply(200, {"notes": newest[:limit], "total": len(newest)})


async def remove_note(state: State, ask: Ask) -> Reply:
    """Forget a note."""
    note_id = ask.path["noteId"]
    text = state.notes.pop(note_id, None)
    if text is None:
        raise Refusal(
            404,
            f"There is no note {note_id!r}: it was never added or is removed already. Call list-notes to see the ids "
            "that exist.",
        )
    state.count_effect("remove-note")
    return Reply(200, {"noteId": note_id, "removed": True})


async def count_effects(state: State, _ask: Ask) -> Reply:
    """Count what this agent was asked and what it changed."""
    mutating = [operation.id for operation in OPERATIONS if operation.method != "GET"]
    return Reply(
        200,
        {
            "requests": {operation.id: state.requests.get(operation.id, 0) for operation in OPERATIONS},
            "effects": {operation_id: state.effects.get(operation_id, 0) for operation_id in mutating},
            "replays": state.replays,
            "abandoned": state.abandoned,
        },
    )


async def create_chart(state: State, _ask: Ask) -> Reply:
    """Build the chart of what this agent was asked; drawing it is the primitive's work."""
    counts = [(operation.id, state.requests.get(operation.id, 0)) for operation in OPERATIONS]
    return Reply(
        200,
        {
            "title": "Requests by operation",
            "description": "How often each operation was requested since this agent began.",
            "chartType": "bar",
            "dataFormat": "number",
            "metricLabels": ["Operation", "Requests"],
            "dataPoints": [[name, count] for name, count in counts if count],
        },
    )


OPERATIONS: tuple[Operation, ...] = (
    Operation("get-blockchains", "GET", "/api/blockchains", get_blockchains, query=("limit",)),
    Operation("get-user", "GET", "/api/user", get_user),
    Operation(
        "create-near-transaction",
        "GET",
        "/api/payloads/near-transfer",
        create_near_transaction,
        query=("receiverId", "amount"),
    ),
    Operation(
        "create-evm-transaction",
        "GET",
        "/api/payloads/evm-transfer",
        create_evm_transaction,
        query=("to", "amount", "chainId"),
    ),
    Operation(
        "create-evm-sign-request",
        "GET",
        "/api/payloads/evm-signature",
        create_evm_sign_request,
        query=("chainId", "evmAddress", "method", "message"),
    ),
    Operation("create-share-link", "GET", "/api/share-link", create_share_link, query=("text", "url")),
    Operation("flip-coin", "GET", "/api/coin", flip_coin),
    Operation("make-slow-report", "GET", "/api/slow-report", make_slow_report, query=("seconds",)),
    Operation("reserve-username", "POST", "/api/usernames", reserve_username, body=("username",)),
    Operation("add-note", "POST", "/api/notes", add_note, body=("text",)),
    Operation("list-notes", "GET", "/api/notes", list_notes, query=("limit",)),
    Operation("remove-note", "DELETE", "/api/notes/{noteId}", remove_note),
    Operation("count-effects", "GET", "/api/stats", count_effects),
    Operation("create-chart", "GET", "/api/chart", create_chart),
)


def _wallet_text(ask: Ask, name: str) -> str:
    value: object = (ask.wallet or {}).get(name)
    return value if isinstance(value, str) else ""


def _chain(ask: Ask) -> int:
    """The asked chain, else the wallet's, else Ethereum."""
    if "chainId" in ask.query:
        chain_id = whole_number(ask.query, "chainId", default=1, low=1, high=2**53 - 1)
        source = "chainId"
    else:
        held = cast("object", (ask.wallet or {}).get("chainId"))
        chain_id = held if isinstance(held, int) else 1
        source = "the wallet's chain"
    if chain_id not in EVM_CHAINS:
        served = ", ".join(str(known) for known in EVM_CHAINS)
        raise Refusal(
            400, f"This agent does not serve {source} {chain_id}. Give a chainId that get-blockchains lists: {served}."
        )
    return chain_id
