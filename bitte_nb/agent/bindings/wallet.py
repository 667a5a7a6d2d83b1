"""A primitive as a tool: reviewed by a pure function, decided by the person, carried out by a signer.

The review card that the person saw is part of what the digest covers. A primitive that the signer cannot carry out is
still reviewed; approving it then records the approval and says that nothing was sent.
"""

from __future__ import annotations

import asyncio
import base64
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from bitte_nb.agent.asked import heard
from bitte_nb.agent.bindings.binding import Outcome, Ready, report
from bitte_nb.agent.bindings.ft_transfer import NEAR_TOKENS, ft_transfer
from bitte_nb.agent.bindings.node_facts import GRACE, NodeFacts
from bitte_nb.agent.bindings.wallet_outcome import (
    answer_name,
    answers_another,
    call_name,
    look_again,
    next_nonce,
    outcome,
)
from bitte_nb.agent.bindings.wallet_request import carried, read_request
from bitte_nb.core.digest import digest
from bitte_nb.core.invocation import Executor, Invocation
from bitte_nb.core.invocation_events import Prepared
from bitte_nb.core.primitives import Primitive
from bitte_nb.core.wallet import Wallet
from bitte_nb.errors import RequestRefused, SigningError
from bitte_nb.review.context import ReviewContext
from bitte_nb.signing.claims import record
from bitte_nb.signing.protocol import PerCall, Signer
from bitte_nb.signing.requests import (
    EvmSignRequest,
    NearTransactions,
    SigningRequest,
    SignMessageRequest,
)
from bitte_nb.signing.review_only import ReviewOnlySigner
from bitte_nb.spec.check import Checker

__all__ = ["WalletBinding"]

_FORMAT = "bitte_nb/wallet/1"
_NOTHING = ReviewContext()
_SENDING = ("eth_sendTransaction", "wallet_sendCalls")


class WalletBinding:
    """See the module."""

    executor: Executor = "wallet"
    origin = ""
    safe = False
    idempotent = False
    responds = True

    def __init__(
        self,
        primitive: Primitive,
        *,
        wallet: Wallet,
        signer: Signer,
        agent: str,
        origin: str,
        servers: tuple[str, ...] = (),
        rpc: Mapping[int | str, str] | None = None,
        known: ReviewContext = _NOTHING,
        randomness: Callable[[int], bytes] = secrets.token_bytes,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.primitive = primitive
        self._wallet = wallet
        self._signer = signer
        self._origin = origin
        self._servers = servers
        self._rpc: dict[int | str, str] = {str(chain): url for chain, url in (rpc or {}).items()}
        self._facts = NodeFacts(self._rpc)
        self._known = replace(known, tokens=(*known.tokens, *NEAR_TOKENS))
        self._randomness = randomness
        self._now = now
        self.tool = primitive.tool(agent)

    def prepare(self, args: dict[str, Any]) -> Ready:
        """Check and complete the arguments and review them; nothing is signed.

        Raises:
            RequestRefused: an argument is missing or wrong.
            ReviewRefused: the request cannot be reviewed safely.
        """
        from bitte_nb.review.dispatch import review as reviewed

        value, faults = Checker({}).check(args, self.primitive.input_schema, "arguments")
        if faults:
            raise RequestRefused(f"{self.primitive.name}: {' '.join(faults)}")
        completed = self._complete(value)
        made = ft_transfer(completed) if self.primitive.name == "transfer-ft" else completed
        context = self._context()
        card = reviewed(made, context)
        request = self._request(made)
        signer, why_not = self._able(request)
        # The card says who will carry it out, so that is part of what is approved: another signer is drift.
        chosen = [signer.name, why_not, signer.accounts.context()]
        covered = [_FORMAT, self.primitive.name, made, card.digest, self._wallet.context(), chosen]
        wallet = carried(request, self._wallet, asks=isinstance(signer, PerCall), rpc=self._rpc)
        taken = digest(covered)

        def shown(known: ReviewContext | None, note: str) -> Prepared:
            """The card as data; what a node said is in it, and not in the digest: it is no part of what is signed."""
            told = card if known is None else reviewed(made, known)
            if known == context and "fee" in card.facts:  # a transaction, of which every node can tell something
                note = _TOLD_NOTHING
            review = {**told.to_json(), "signer": signer.name, "signer_note": why_not, "wallet": wallet}
            review["unchecked"] = [*told.unchecked, *([note] if note else [])]
            return Prepared(digest=taken, review=review)

        answer = self._facts.about(made, context, chain=card.chain.id, digest=card.digest)
        known, note = _within(answer, GRACE)

        async def later() -> Prepared | None:
            assert answer is not None
            return shown(*_within(await _ended(answer), 0))

        return Ready(
            args=completed,
            prepared=shown(known, note),
            run=lambda key: self._run(made, request, _for_call(signer, key), call_name(key)),
            later=later if note == _NOT_YET else None,
        )

    def _complete(self, args: dict[str, Any]) -> dict[str, Any]:
        """Fill in what the wallet knows and what must be fixed before it is shown: signer, recipient, nonce."""
        account = self._wallet.account_id
        match self.primitive.name:
            case "sign-message":
                fresh = base64.b64encode(self._randomness(32)).decode("ascii")
                filled = {"nonce": fresh, **({"recipient": account} if account else {})}
                return {**filled, **args}
            case "generate-transaction" if account:
                return {**args, "transactions": [{"signerId": account, **one} for one in args["transactions"]]}
            case "transfer-ft" if account:
                return {"signerId": account, **args}
            case "generate-evm-tx" if self._wallet.evm_address and args["method"] in _SENDING:
                sender = self._wallet.evm_address
                params: list[Any] = [
                    {"from": sender, **one} if isinstance(one, dict) else one for one in args["params"]
                ]
                return {**args, "params": params}
            case _:
                return args

    def _context(self) -> ReviewContext:
        """What the review may know; the time only adds warnings, it is not part of the digest."""
        wallet = self._wallet
        accounts = (wallet.account_id, wallet.evm_address.lower() if wallet.evm_address else None)
        return replace(
            self._known,
            now=int(self._now()),
            evm_account=wallet.evm_address,
            near_account=wallet.account_id,
            chain_id=wallet.chain_id,
            own=self._known.own | {one for one in accounts if one},
            origin=self._origin,
            servers=self._servers,
            tool=self.primitive.name,
            claim=heard.get().claim or None,
            intent=heard.get().intent,
        )

    def _able(self, request: SigningRequest | SigningError) -> tuple[Signer, str]:
        """Who carries it out, and a sentence where that is only the record of an approval."""
        why_not = str(request) if isinstance(request, SigningError) else self._stranger() or self._signer.can(request)
        return (self._signer, "") if why_not is None else (ReviewOnlySigner(why=why_not), why_not)

    def _stranger(self) -> str | None:
        """A sentence where the signer's keys are not those of the accounts that the card names."""
        own, asked = self._signer.accounts, self._wallet
        if own.account_id and asked.account_id and own.account_id != asked.account_id:
            return f"The signer signs for {own.account_id}, but the wallet is {asked.account_id}."
        if own.evm_address and asked.evm_address and own.evm_address.lower() != asked.evm_address.lower():
            return f"The signer signs for {own.evm_address}, but the wallet is {asked.evm_address}."
        return None

    async def _run(
        self, args: dict[str, Any], request: SigningRequest | SigningError, signer: Signer, name: str
    ) -> Outcome:
        try:
            result = await self._carry_out(args, request, signer)
            record(name, result)
            return outcome(result)
        except SigningError as error:
            return Outcome(kind="error", error=str(error))

    async def _carry_out(
        self, args: dict[str, Any], request: SigningRequest | SigningError, signer: Signer
    ) -> dict[str, Any]:
        match request:
            case SignMessageRequest():
                return await signer.sign_message(request)
            case NearTransactions():
                return {"transactions": args["transactions"], **await signer.send_transactions(request)}
            case EvmSignRequest():
                asked = {name: args[name] for name in ("method", "chainId", "params")}
                return {"evmSignRequest": asked, **await signer.evm(request)}
            case SigningError():
                raise request

    async def check(self, call: Invocation) -> Outcome:
        """Ask the network's node once what became of what was sent; see `agent.binding.Checking`."""
        args = call.args or {}
        made = ft_transfer(args) if self.primitive.name == "transfer-ft" else args
        return await look_again(call, self._request(made), self._rpc, self._signer)

    def _request(self, args: Mapping[str, Any]) -> SigningRequest | SigningError:
        return read_request(self.primitive.name, args, account=self._wallet.account_id)

    async def answer(self, call: Invocation, text: str, others: Sequence[Invocation]) -> Any:
        """Take what the person brings from a wallet elsewhere; it counts only if it verifies.

        Raises:
            SigningError: it is no answer to this very request.
        """
        from bitte_nb.signing.paste import Asked, PasteSigner

        async def pasted(_: object) -> str:
            return text

        wallet, args = self._wallet, call.args or {}
        asked = Asked(at=call.started_at / 1000, nonce=next_nonce(call), taken=answers_another(call, others))
        paste = PasteSigner(
            ask=pasted, account_id=wallet.account_id, evm_address=wallet.evm_address, rpc=self._rpc, asked=asked
        )
        made = ft_transfer(args) if self.primitive.name == "transfer-ft" else args
        result = await self._carry_out(made, self._request(made), paste)
        record(answer_name(call), result)
        return result


_NOT_YET = "A node was asked, but it has not answered yet."
_TOLD_NOTHING = "The node that was named for this chain told nothing: it is silent, or another chain's."


def _within(answer: Future[ReviewContext] | None, seconds: float) -> tuple[ReviewContext | None, str]:
    """What a node knows, if it is there in time; else a sentence for the card where a node was asked."""
    if answer is None:
        return None, ""
    try:
        return answer.result(timeout=seconds), ""
    except TimeoutError:
        return None, _NOT_YET
    except Exception as error:  # whatever a node may do, there is a card
        return None, f"A node was asked, but what it knows could not be read: {type(error).__name__}."


async def _ended(answer: Future[ReviewContext]) -> Future[ReviewContext]:
    """The answer, once it is there, whichever it is."""
    await asyncio.wait([asyncio.wrap_future(answer)])
    return answer


def _for_call(signer: Signer, key: str) -> Signer:
    """The signer, told which call it serves where it has to know; `key` is the idempotency key of the dispatch."""
    return signer.at(call_name(key), report.get()) if isinstance(signer, PerCall) else signer
