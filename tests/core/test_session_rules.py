"""What is always allowed: one tool of one agent by one method at exactly one origin, never a wallet, and it ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bitte_nb.core import invocation_events as ev
from bitte_nb.core import log
from bitte_nb.core.fold import ChatState, fold
from bitte_nb.core.invocation import Invocation
from bitte_nb.core.rehydrate import recovery
from bitte_nb.core.session_rules import BY_DEFAULT, SessionRule, offered_rule, rule_for
from tests.core.calls import CARD, drive, proposed
from tests.core.test_invocation import STATES, at

RULE = SessionRule(
    rule="always-1.1.0", agent="demo", tool="add-note", method="POST", origin="https://agent.example", actor="me", at=3
)


def asked(rule: str = BY_DEFAULT, **fields: Any) -> Invocation:
    return drive(replace(proposed(), **{"agent": "demo", **fields}), ev.PolicyAsk(rule=rule))


def test_the_offered_rule_says_exactly_its_scope():
    offered = offered_rule(asked())
    assert offered is not None
    assert offered.model_copy(update={"actor": "me", "at": 3}) == RULE
    assert offered.sentence == (
        "Always allow add-note (POST) at https://agent.example, with any arguments, in this chat, until you revoke it "
        "or the kernel ends."
    )


def test_a_function_of_python_is_allowed_by_its_name():
    call = asked(executor="local", kind="local", prepared=ev.Prepared(digest="d1", body="plot(x=1)"))
    offered = offered_rule(call)
    assert offered is not None
    assert (offered.method, offered.origin) == ("", "")
    assert "at " not in offered.sentence.split("with any")[0].replace("that ", "")
    assert rule_for([offered], call) == offered


@pytest.mark.parametrize("rule", ["money", "read-only", "review", "repeated-request", "restart", "edited-before"])
def test_nothing_is_offered_where_a_rule_asks(rule: str):
    assert offered_rule(asked(rule)) is None


@pytest.mark.parametrize("fields", [{"executor": "wallet"}, {"executor": "remote"}, {"kind": "primitive"}])
def test_a_wallet_or_what_runs_elsewhere_is_never_always_allowed(fields: dict[str, Any]):
    call = asked(**fields)
    assert offered_rule(call) is None
    assert rule_for([RULE], call) is None


@pytest.mark.parametrize("state", [state for state in STATES if state != "pending"])
def test_only_a_card_that_waits_offers_it(state: str):
    assert offered_rule(replace(at(state), rule=BY_DEFAULT, agent="demo")) is None


@pytest.mark.parametrize(
    "other",
    [
        {"agent": "other"},
        {"tool": "add-notes"},
        {"prepared": CARD.model_copy(update={"method": "PUT"})},
        {"prepared": CARD.model_copy(update={"url": "http://agent.example/notes"})},
        {"prepared": CARD.model_copy(update={"url": "https://agent.example:8443/notes"})},
        {"prepared": CARD.model_copy(update={"url": "https://agent.example.evil/notes"})},
        {"prepared": CARD.model_copy(update={"url": "https://www.agent.example/notes"})},
        {"prepared": CARD.model_copy(update={"url": "https://agent.example@evil.example/notes"})},
    ],
)
def test_it_covers_nothing_else(other: dict[str, Any]):
    call = replace(proposed(), agent="demo")
    assert rule_for([RULE], call) == RULE
    assert rule_for([RULE], replace(call, **other)) is None


def granted() -> list[log.Entry]:
    return [
        log.ChatOpened(at=1, chat="c1", agents=()),
        log.RuleGranted(at=3, rule=RULE),
        log.RuleGranted(at=4, rule=RULE),
        log.RuleGranted(at=5, rule=RULE.model_copy(update={"rule": "always-1.1.1"})),
    ]


def test_rules_are_listed_in_order_once_each_until_they_are_revoked():
    state = fold(granted())
    assert [rule.rule for rule in state.rules] == ["always-1.1.0", "always-1.1.1"]
    state = fold([log.RuleRevoked(at=6, rule="always-1.1.0"), log.RuleRevoked(at=6, rule="always-9.9.9")], state)
    assert [rule.rule for rule in state.rules] == ["always-1.1.1"]


def test_what_was_always_allowed_ends_with_the_program():
    state = fold(granted())
    after = fold(recovery(state, at=9), state)
    assert after.rules == ()
    assert recovery(after, at=10) == []
    assert recovery(ChatState(), at=9) == []
