"""What happens to a proposed call: the policy speaks, then what a person always allows, then what should be looked at.

Nothing here lowers what a policy says: an allowed call may still be asked about, a denied one stays denied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from bitte_nb.agent.bindings.binding import forbidden
from bitte_nb.agent.policy import Subject, Verdict
from bitte_nb.core import plan
from bitte_nb.core.branches import already_done
from bitte_nb.core.fold import turn_of
from bitte_nb.core.invocation import Invocation
from bitte_nb.core.invocation_events import Grant, PolicyAllow, PolicyAsk, PolicyDeny
from bitte_nb.core.session_rules import BY_DEFAULT, rule_for

if TYPE_CHECKING:
    from bitte_nb.agent.conversation import Conversation

__all__ = ["deadline", "judged", "revoked", "verdict"]

_REPEATS = 3
"""The same request for this many times in a turn asks a person, whatever the policy says."""
_DECLINED = "This very request was already declined in this turn."
_EDITED = "You changed this very call earlier in this turn; the model asks for its own arguments again."
_REPEATED = "The same request already ran in this turn; look whether it makes sense once more."


def verdict(chat: Conversation, call: Invocation, args: dict[str, Any] | None = None) -> Verdict:
    """What the policy of the call's agent says now, of the call's own arguments or of `args` in their place."""
    agent = chat.agent_of(call)
    binding = agent.binding(call.tool)
    subject = Subject(
        tool=call.tool,
        kind=binding.tool.kind,
        executor=binding.executor,
        method=binding.tool.method,
        origin=binding.origin,
        args=(call.args or {}) if args is None else args,
        safe=binding.safe,
    )
    return agent.policy.judge(subject)


def deadline(chat: Conversation, call: Invocation, said: Verdict) -> int | None:
    """Until when a person can answer what is asked now (milliseconds since the epoch), or None."""
    seconds = chat.agent_of(call).approval_timeout if said.expires_s is None else said.expires_s
    return None if seconds is None else chat.clock.now() + round(seconds * 1000)


def judged(chat: Conversation, call: Invocation) -> PolicyAllow | PolicyAsk | PolicyDeny:
    """The event that a proposed call, whose arguments are prepared, gets."""
    assert call.prepared is not None
    said = verdict(chat, call)
    if said.effect == "deny":
        return PolicyDeny(rule=said.rule, reason=said.reason)
    turn = chat.state.turn(turn_of(call.key))
    if turn is not None and plan.declined_before(chat.state, turn, call):
        return PolicyDeny(rule="declined-before", reason=_DECLINED)
    if call.kind == "handoff" and said.rule == BY_DEFAULT:  # it changes who speaks, and nothing else
        return PolicyAllow(grant=_grant(call, "rule", "hand-off", at=chat.clock.now()))
    until = deadline(chat, call, said)
    always = rule_for(chat.state.rules, call) if said.rule == BY_DEFAULT else None
    if said.effect == "ask" and always is None:
        reasons = (already_done(chat.state, call), said.reason)
        return PolicyAsk(rule=said.rule, reason=" ".join(filter(None, reasons)), expires_at=until)
    look = _look_at(chat, call)
    if look is not None:
        return PolicyAsk(rule=look[0], reason=look[1], expires_at=until)
    now = chat.clock.now()
    if always is not None:
        return PolicyAllow(grant=_grant(call, "session", always.rule, at=now))
    return PolicyAllow(grant=_grant(call, "rule", said.rule, at=now))


def _grant(call: Invocation, source: Literal["rule", "session"], rule: str, *, at: int) -> Grant:
    assert call.prepared is not None  # a judged call is prepared
    return Grant(source=source, rule=rule, digest=call.prepared.digest, version=call.version, at=at)


def _look_at(chat: Conversation, call: Invocation) -> tuple[str, str] | None:
    """Under which name, and why, a person should look at a call that may run without asking."""
    if why_not := forbidden(call.prepared):
        return "review", why_not
    if done := already_done(chat.state, call):
        return "another-version", done
    turn = chat.state.turn(turn_of(call.key))
    if turn is None:
        return None
    if plan.edited_before(chat.state, turn, call):
        return "edited-before", _EDITED
    if plan.same_requests(chat.state, turn, call) >= _REPEATS - 1:
        return "repeated-request", _REPEATED
    return None


def revoked(chat: Conversation, call: Invocation) -> bool:
    """Whether the session rule that allowed the call was taken back before it left."""
    grant = call.grant
    return grant is not None and grant.source == "session" and all(one.rule != grant.rule for one in chat.state.rules)
