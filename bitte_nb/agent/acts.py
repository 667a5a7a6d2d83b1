"""What a person does about one call: decide it, change it, answer it, take it back, say what came of it, try it again.

Only for the agent thread, so acts happen one after another: the first decision wins. An act that has no place is
refused with a sentence and changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

from bitte_nb.agent.attachments import binding_of
from bitte_nb.agent.bindings.binding import Checking, Outcome, forbidden, prepare
from bitte_nb.agent.calls import close_args, show_later, start_call
from bitte_nb.agent.judging import deadline, verdict
from bitte_nb.core.fold import turn_of
from bitte_nb.core.invocation import Invocation, refusal
from bitte_nb.core.invocation_events import (
    Approve,
    Deny,
    Edit,
    Expire,
    Grant,
    InvocationEvent,
    ReconcileFailed,
    ReconcileOk,
    Respond,
    Retry,
)
from bitte_nb.core.log import Entry, InvocationChanged, RuleGranted, RuleRevoked, SessionChanged
from bitte_nb.core.session_events import Interrupt, Start
from bitte_nb.core.session_rules import offered_rule
from bitte_nb.errors import AlreadyDecided, BitteError, DecisionExpired, DecisionRefused, StaleDecision
from bitte_nb.history.record import storable_value

if TYPE_CHECKING:
    from bitte_nb.agent.conversation import Conversation

__all__ = ["check", "decide", "edit", "reconcile", "respond", "retry_call", "revoke", "undo"]

_HAPPENED = "The person says that it happened; what it returned is not known."
_DID_NOT_HAPPEN = "The person says that it did not happen."


def decide(
    chat: Conversation,
    key: str,
    decision: Literal["approve", "deny"],
    *,
    digest: str,
    version: int,
    actor: str,
    reason: str = "",
    always: bool = False,
) -> None:
    """Approve or decline the card of that digest and version; `always` allows what is like it in this chat as well.

    Raises:
        StaleDecision: the card has changed since.
        AlreadyDecided: somebody decided first.
        DecisionExpired: the time to approve it is over.
        DecisionRefused: there is no such card, its review forbids approving it, or it cannot always be allowed.
    """
    call = chat.call(key)
    now = chat.clock.now()
    if decision == "deny":
        _take(chat, call, Deny(reason=reason, actor=actor, at=now))  # a no holds for any version
        return
    event = Approve(grant=Grant(source="human", actor=actor, digest=digest, version=version, at=now))
    why_not = forbidden(call.prepared)
    if why_not:
        raise DecisionRefused(f"{call.tool} cannot be approved: {why_not}")
    more: list[Entry] = []
    if always and refusal(call, event) is None:
        rule = offered_rule(call)
        if rule is None:
            raise DecisionRefused(f"{call.tool} cannot always be allowed: a rule asks about it, or a wallet acts.")
        more.append(RuleGranted(at=now, rule=rule.model_copy(update={"actor": actor, "at": now})))
    _take(chat, call, event, *more)


async def edit(chat: Conversation, key: str, args: dict[str, Any], *, digest: str, version: int, actor: str) -> None:
    """Give the card other arguments; it comes back with a new digest and version, for the same operation and server.

    Raises:
        BitteError: the arguments are not valid, nothing changed, the policy forbids it, or it comes too late.
    """
    call = chat.call(key)
    now = chat.clock.now()
    shown: dict[str, Any] = {"digest": digest, "version": version, "actor": actor}
    if call.prepared is not None:  # whether it comes too late is known before anything is prepared
        _refuse(chat, call, Edit(args=args, prepared=call.prepared, at=now, **shown))
    args = cast("dict[str, Any]", storable_value(args))
    ready = await prepare(binding_of(chat, call), args)
    call = chat.call(key)
    if call.prepared is not None and ready.prepared.digest == call.prepared.digest:
        raise DecisionRefused("Nothing was changed: these are the arguments that the card shows.")
    said = verdict(chat, call, ready.args)
    if said.effect == "deny":
        raise DecisionRefused(f"The rule {said.rule!r} forbids this. {said.reason}".strip())
    until = deadline(chat, call, said)
    now = chat.clock.now()
    _take(chat, call, Edit(args=ready.args, prepared=ready.prepared, at=now, expires_at=until, **shown))
    show_later(chat, key, ready)


async def respond(chat: Conversation, key: str, text: str, *, digest: str, version: int, actor: str) -> None:
    """Take the person's own result for the card, checked before it counts.

    Raises:
        BitteError: the text is not a valid result, or the decision comes too late.
    """
    call = chat.call(key)
    if call.args is None or not call.responds:
        raise DecisionRefused(f"{call.tool} takes no answer from a person.")
    try:
        others = [one for one in chat.state.invocations.values() if one.key != key]
        data = await chat.agent_of(call).binding(call.tool).answer(call, text, others)
    except BitteError:
        raise
    except Exception as error:  # what a person pastes may be anything
        raise DecisionRefused(f"This is no result of {call.tool}: {type(error).__name__}: {error}") from error
    event = Respond(data=data, digest=digest, version=version, actor=actor, at=chat.clock.now())
    _take(chat, chat.call(key), event)


def undo(chat: Conversation, key: str) -> str:
    """Begin the call that takes a finished one back; it asks for its own approval. Returns its key.

    Raises:
        DecisionRefused: the call cannot be undone, or an undo of it is already open.
    """
    call = chat.call(key)
    if call.state != "succeeded" or call.undo is None:
        raise DecisionRefused(f"{call.tool} cannot be undone while it is {call.state}.")
    siblings = [one for one in chat.state.invocations.values() if one.compensates == key]
    if any(not one.settled and one.state != "unknown" for one in siblings):
        raise DecisionRefused(f"An undo of {call.tool} is already open.")
    turn = chat.state.turn(turn_of(key))
    assert turn is not None  # every invocation belongs to a turn
    new = f"{turn.turn}.0.{len(turn.actions)}"
    agent = chat.agent_of(call)
    start_call(chat, new, call.undo.tool, agent=agent, compensates=key)
    chat.spawn(_close_and_drive(chat, new, call.undo.args))
    return new


async def _close_and_drive(chat: Conversation, key: str, args: dict[str, object]) -> None:
    await close_args(chat, key, args)
    chat.ensure(key)


def reconcile(chat: Conversation, key: str, *, happened: bool, data: object = None, note: str = "", actor: str) -> None:
    """Say what came of a call whose outcome is unknown; the model reads it with its next request.

    Args:
        chat: The chat.
        key: The call.
        happened: Whether it took effect.
        data: What it returned, where that is known.
        note: A word of the person's, for the model.
        actor: Who says it.

    Raises:
        DecisionRefused: its outcome is not unknown.
    """
    call = chat.call(key)
    now = chat.clock.now()
    if happened:
        said: object = {"outcome": " ".join(filter(None, (_HAPPENED, note)))} if data is None else data
        event: InvocationEvent = ReconcileOk(data=storable_value(said), actor=actor, at=now)
    else:
        event = ReconcileFailed(error=" ".join(filter(None, (_DID_NOT_HAPPEN, note))), actor=actor, at=now)
    _take(chat, call, event)


async def check(chat: Conversation, key: str) -> None:
    """Look up what came of a call whose outcome is unknown, where its tool can; nothing is repeated.

    Raises:
        DecisionRefused: its outcome is not unknown, nobody can look it up, or it is still not known.
    """
    call = chat.call(key)
    if call.state != "unknown":
        raise DecisionRefused(f"There is nothing to look up: {call.tool} is {call.state}.")
    binding = chat.agent_of(call).binding(call.tool)
    if not isinstance(binding, Checking):
        raise DecisionRefused(f"What came of {call.tool} cannot be looked up from here; say yourself what you know.")
    try:
        outcome = await binding.check(call)
    except BitteError:
        raise
    except Exception as error:  # a node or server may fail in any way
        raise DecisionRefused(f"It could not be looked up: {type(error).__name__}: {error}") from error
    _take(chat, chat.call(key), _found(outcome, at=chat.clock.now()))


def _found(outcome: Outcome, *, at: int) -> InvocationEvent:
    match outcome.kind:
        case "result":
            return ReconcileOk(data=storable_value(outcome.data), at=at)
        case "error":
            return ReconcileFailed(error=outcome.error, at=at)
        case "unknown":
            raise DecisionRefused(outcome.error or "It is still not known what came of it; look again later.")


def retry_call(chat: Conversation, key: str, *, actor: str) -> None:
    """Try a failed call again, or one of unknown outcome that may be repeated; it goes through the policy.

    Where it belongs to the newest turn and that had its answer, or is given it now, the turn goes on: what comes of the
    call is a new attempt at that answer, since the words that are there speak of an outcome that is no more. A turn
    that failed, was stopped or was capped goes on only by its own act.

    Raises:
        DecisionRefused: it cannot be tried again as it stands.
    """
    call = chat.call(key)
    if call.input_failed:
        raise DecisionRefused(f"{call.tool} cannot be tried again: it could not be made as it was asked for.")
    if call.state == "unknown" and not (call.safe or call.idempotent):
        raise DecisionRefused(
            f"{call.tool} may have taken effect, and repeating it is not safe. Look, and say first whether it happened."
        )
    turn = chat.state.turn(turn_of(key))
    more: list[Entry] = []
    if turn is not None and turn is chat.state.last and key not in turn.actions and turn.session.outcome == "success":
        now = chat.clock.now()
        more = [SessionChanged(at=now, turn=turn.turn, event=event) for event in (Start(), Interrupt())]
    _take(chat, call, Retry(actor=actor, at=chat.clock.now()), *more)


def revoke(chat: Conversation, rule: str, *, actor: str) -> None:
    """Take back what was always allowed.

    Raises:
        DecisionRefused: there is no such rule.
    """
    if all(one.rule != rule for one in chat.state.rules):
        raise DecisionRefused(f"There is no rule {rule!r} in this chat.")
    chat.append(RuleRevoked(at=chat.clock.now(), rule=rule, actor=actor))


def _take(chat: Conversation, call: Invocation, event: InvocationEvent, *more: Entry) -> None:
    """Write the event, and go on with the call and its turn."""
    _refuse(chat, call, event)
    chat.append(*more, InvocationChanged(at=chat.clock.now(), key=call.key, event=event))
    chat.ensure(call.key)


def _refuse(chat: Conversation, call: Invocation, event: InvocationEvent) -> None:
    match refusal(call, event):
        case None:
            return
        case "stale_decision":
            raise StaleDecision(f"The card of {call.tool} has changed since you looked; look at it again and decide.")
        case "expired":
            chat.ensure(call.key)  # where nobody has waited for it, such as after loading
            chat.call_event(call.key, Expire(at=chat.clock.now()))
            raise DecisionExpired(f"The time to approve {call.tool} is over: nobody answered, and it was not run.")
        case "already_decided" if call.state == "expired":
            raise DecisionExpired(f"The time to decide {call.tool} is over: nobody answered, and it was not run.")
        case "already_decided":
            raise AlreadyDecided(f"{call.tool} was already decided: it is {call.state}.")
        case "not_allowed" if event.type == "edit":
            raise DecisionRefused(f"An edit of {call.tool} cannot change its operation or server.")
        case _ if event.type in {"reconcile_ok", "reconcile_failed", "retry"}:
            raise DecisionRefused(f"Nothing is to be done about {call.tool} while it is {call.state}.")
        case _:
            raise DecisionRefused(f"{call.tool} cannot be decided while it is {call.state}.")
