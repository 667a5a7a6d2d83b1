"""What a page asks for that is done at once: each act, on the conversation that it is about."""

from __future__ import annotations

import logging
from typing import Any

from bitte_nb.agent import acts, versions
from bitte_nb.agent.attachments import send
from bitte_nb.agent.conversation import Conversation
from bitte_nb.errors import BitteError, DecisionRefused
from bitte_nb.review.derivation import explain
from bitte_nb.widget import protocol as page
from bitte_nb.widget.files import Drafts
from bitte_nb.widget.given import given, given_json
from bitte_nb.widget.wallets import WalletLine

__all__ = ["carry_out", "carry_out_later", "found", "reason"]

_log = logging.getLogger(__name__)


def carry_out(chat: Conversation, wallets: WalletLine, drafts: Drafts, request: page.QuickAct) -> None:
    """Carry an act of a page out; on the agent thread.

    Raises:
        BitteError: it is refused; the sentence is for the person.
        ValueError: there is nothing to send.
    """
    match request:
        case page.Send(text=text, files=files):
            send(chat, text, drafts.given(files))
            drafts.drop(files)
        case page.EditMessage(turn=turn, text=text):
            if not text.strip():
                raise ValueError("There is nothing to send: the message is empty.")
            versions.edit(chat, turn, text)
        case page.Regenerate(turn=turn):
            versions.regenerate(chat, turn)
        case page.Choose(turn=turn):
            versions.choose(chat, turn)
        case page.Rate(turn=turn, rating=rating):
            versions.rate(chat, turn, rating)
        case page.Decide():
            acts.decide(
                chat,
                request.key,
                request.decision,
                digest=request.digest,
                version=request.version,
                actor="page",
                reason=request.reason,
                always=request.always,
            )
            wallets.decided(request)
        case page.Stop():
            chat.stop()
        case page.Retry(turn=turn):
            chat.retry(turn)
        case page.Continue(turn=turn):
            chat.extend(turn)
        case page.Undo(key=key):
            acts.undo(chat, key)
        case page.Reconcile(key=key, happened=happened, note=note):
            acts.reconcile(chat, key, happened=happened, note=note, actor="page")
        case page.RetryCall(key=key):
            acts.retry_call(chat, key, actor="page")
        case page.Revoke(rule=rule):
            acts.revoke(chat, rule, actor="page")
        case page.WalletAnswer():
            wallets.answered(request)


async def carry_out_later(chat: Conversation, request: page.SlowAct) -> None:
    """Carry out an act that is checked before it counts.

    Raises:
        BitteError: it is refused; the sentence is for the person.
    """
    match request:
        case page.Respond(key=key, digest=digest, version=version):
            await acts.respond(chat, key, request.text, digest=digest, version=version, actor="page")
        case page.EditCall(key=key, digest=digest, version=version):
            await acts.edit(chat, key, request.args, digest=digest, version=version, actor="page")
        case page.CheckCall(key=key):
            await acts.check(chat, key)


def found(chat: Conversation, drafts: Drafts, request: page.QuickQuestion) -> Any:
    """The answer to a question of a page that changes nothing of the chat; on the agent thread.

    Raises:
        BitteError: there is no answer; the sentence is for the person.
        ValueError: the chat has nothing of the kind.
    """
    match request:
        case page.Upload():
            return drafts.take(request)
        case page.DropUpload(draft=draft):
            return drafts.drop([draft])
        case page.ArgumentsForm(key=key):
            return form(chat, key)
        case page.SessionLog(turn=turn):
            return session_log(chat, turn)
        case page.StepRequest(turn=turn, step=step, raw=raw):
            made = given(chat, turn, step)
            return given_json(made) if raw else made.model_dump()
        case page.Explain(key=key):
            call = chat.call(key)
            return explain(call.prepared.review if call.prepared else None)


def form(chat: Conversation, key: str) -> dict[str, object]:
    """The JSON Schema of a card's arguments.

    Raises:
        BitteError: there is no such call or no such tool.
    """
    call = chat.call(key)
    return chat.agent_of(call).binding(call.tool).tool.input_schema


def session_log(chat: Conversation, number: int) -> list[dict[str, object]]:
    """How the session of a turn went.

    Raises:
        DecisionRefused: there is no such turn.
    """
    turn = chat.state.turn(number)
    if turn is None:
        raise DecisionRefused(f"There is no turn {number} in this chat.")
    return [
        page.SessionPart(
            at=one.at, event=one.event, phase=one.phase, attempt=one.attempt, cause=one.cause, reason=one.reason
        ).model_dump()
        for one in turn.transitions
    ]


def reason(error: Exception) -> tuple[str, str]:
    """Code and sentence for a request that could not be carried out."""
    match error:
        case DecisionRefused():
            return error.code, str(error)
        case BitteError() | ValueError():
            return "refused", str(error)
        case _:
            _log.error("A page's request failed.", exc_info=error)
            return "internal", f"Internal error: {type(error).__name__}: {error}"
