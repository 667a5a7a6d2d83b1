"""Projections of a chat's state for a page: what it draws, as views. Pure; `told` has what it hears of a change."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bitte_nb.core.agent_id import handle_of
from bitte_nb.core.answer import model_result
from bitte_nb.core.elapsed import elapsed
from bitte_nb.core.fold import ChatState, Step, Turn, turn_of
from bitte_nb.core.invocation import Invocation, refusal
from bitte_nb.core.invocation_events import Retry
from bitte_nb.core.log import AgentRecord, Choice
from bitte_nb.core.plan import ended
from bitte_nb.core.session import MAX_ATTEMPTS
from bitte_nb.core.session_rules import SessionRule, offered_rule
from bitte_nb.core.wallet import Wallet
from bitte_nb.widget import protocol as page

__all__ = ["cards", "chat_view", "invocation_view", "rule_view", "step_view", "turn_head", "turn_view"]


def chat_view(
    state: ChatState,
    *,
    notice: str = "",
    elsewhere: bool = False,
    attach: page.AttachView | None = None,
    part: page.PartView | None = None,
) -> page.ChatView:
    """Everything that a page draws."""
    return page.ChatView(
        chat=state.chat,
        title=state.title,
        agents=[_agent_view(record) for record in state.agents],
        turns=[turn_view(state, turn) for turn in state.turns],
        invocations=cards(state, state.turns),
        suggestions=list(state.agents[0].suggestions) if state.agents else [],
        rules=[rule_view(rule) for rule in state.rules],
        attach=attach,
        notice=notice,
        elsewhere=elsewhere,
        part=part,
    )


def rule_view(rule: SessionRule) -> page.RuleView:
    """What is always allowed."""
    return page.RuleView(
        rule=rule.rule, agent=rule.agent, tool=rule.tool, method=rule.method, origin=rule.origin, at=rule.at
    )


def cards(state: ChatState, turns: Sequence[Turn]) -> dict[str, page.InvocationView]:
    """The cards of these turns by key, those of dropped attempts included."""
    numbers = {turn.turn for turn in turns}
    return {key: invocation_view(call) for key, call in state.invocations.items() if turn_of(key) in numbers}


def _agent_view(record: AgentRecord) -> page.AgentView:
    return page.AgentView(
        agent=record.agent,
        name=record.name,
        description=record.description,
        model=record.model_name,
        document=record.url,
        account=_account(record.wallet),
        price=record.price,
        image=record.image if _PICTURE.match(record.image) and len(record.image) <= _LARGEST_PICTURE else "",
        handle=handle_of(record.name) or record.agent,
    )


_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+\Z")
_LARGEST_PICTURE = 100_000
"""Characters of a picture that travels with each snapshot."""


def _account(wallet: Wallet) -> str:
    address = wallet.evm_address
    short = f"{address[:6]}…{address[-4:]}" if address and len(address) > 12 else address
    return " · ".join(part for part in (wallet.account_id, short) if part)


_ROUGH = frozenset({"stalled", "retrying", "failed"})
"""Phases of a session that did not go smoothly."""


def turn_head(state: ChatState, turn: Turn) -> page.TurnHead:
    """A turn without its steps."""
    session, newest = turn.session, turn is state.last
    versions = state.versions(turn)
    return page.TurnHead(
        turn=turn.turn,
        text=turn.text,
        agent=turn.agent,
        at=turn.at,
        ran_ms=elapsed(state, turn) if ended(turn) else 0,
        phase=session.phase,
        attempt=session.attempt,
        max_attempts=MAX_ATTEMPTS,
        outcome=session.outcome,
        cause=session.cause,
        reason=session.reason,
        rough=any(one.phase in _ROUGH for one in turn.transitions),
        can_retry=newest and session.phase == "failed",
        can_continue=newest and session.phase == "done" and session.outcome == "capped",
        actions=list(turn.actions),
        files=[
            page.FileView(digest=file.digest, name=file.name, media=file.media, size=file.size) for file in turn.files
        ],
        rating=turn.rating,
        versions=list(versions) if len(versions) > 1 else [],
    )


def turn_view(state: ChatState, turn: Turn) -> page.TurnView:
    """A turn with its steps."""
    return page.TurnView(**turn_head(state, turn).model_dump(), steps=[step_view(step) for step in turn.steps])


def step_view(step: Step) -> page.StepView:
    """One model call."""
    return page.StepView(
        step=step.step,
        model=step.model,
        text=step.text,
        thinking=step.thinking,
        offers=[_choice_view(choice) for choice in step.offers],
        calls=list(step.calls),
        agent=step.agent,
        left_out=step.left_out,
        shortened=step.shortened,
        finished=bool(step.finish),
        input_tokens=step.input_tokens,
        output_tokens=step.output_tokens,
        thought_ms=step.thought_ms,
    )


def _choice_view(choice: Choice) -> page.ChoiceView:
    return page.ChoiceView(
        tool=choice.tool, label=choice.label, args=choice.args, missing=list(choice.missing), fields=choice.fields
    )


def invocation_view(call: Invocation) -> page.InvocationView:
    """A card."""
    prepared, grant, result, always = call.prepared, call.grant, model_result(call), offered_rule(call)
    return page.InvocationView(
        key=call.key,
        tool=call.tool,
        kind=call.kind,
        executor=call.executor,
        agent=call.agent,
        state=call.state,
        method=call.method,
        path=call.path,
        url=prepared.url if prepared else "",
        headers=call.headers,
        body=prepared.body if prepared else "",
        args_text=call.args_text if call.args is None else "",
        args=call.args,
        original_args=call.original_args if call.original_args != call.args else None,
        digest=prepared.digest if prepared else "",
        version=call.version,
        review=prepared.review if prepared else None,
        responds=call.responds,
        rule=call.rule,
        reason=call.reason,
        decider=call.decider,
        grant=page.GrantView(source=grant.source, rule=grant.rule, actor=grant.actor, at=grant.at) if grant else None,
        expires_at=call.expires_at,
        attempt=call.attempt,
        cancel_requested=call.cancel_requested,
        progress=call.progress,
        result=result.model_dump() if result is not None else None,
        always=rule_view(always) if always is not None else None,
        checks=call.checks,
        can_retry=refusal(call, Retry(at=0)) is None,
        doubt=call.doubt,
        can_undo=call.state == "succeeded" and call.undo is not None,
        undone_by=call.undone_by,
        compensates=call.compensates,
        sent_at=grant.used_at if grant else None,
        ran_ms=call.ran_ms if call.executor != "wallet" else 0,
        status=call.status,
    )
