"""What is read of a chat says who decided about each call, and what was changed."""

from __future__ import annotations

import pytest

from bitte_nb.core import invocation_events as on
from bitte_nb.core.fold import fold
from bitte_nb.core.log import SessionChanged
from bitte_nb.core.session_events import Connected, Interrupt, Start
from bitte_nb.history.reading import to_html, to_markdown
from bitte_nb.widget.transcript import Pages

from . import chats

KEY = "1.1.0"


def grant(source: str, *, rule: str = "", actor: str = "", version: int = 1) -> on.Grant:
    shape = {"source": source, "rule": rule, "actor": actor, "digest": chats.DIGEST, "version": version, "at": 7}
    return on.Grant.model_validate(shape)


def prepared() -> on.Prepared:
    return on.Prepared(digest=chats.DIGEST, method="GET", url="http://x/")


def readings(*events: on.InvocationEvent, pending: bool = True) -> list[str]:
    """The Markdown, the HTML and the saved notebook's output of a chat with one call."""
    entries = chats.small_chat()
    if not pending:
        entries = [one for one in entries if not isinstance(getattr(one, "event", None), on.PolicyAsk)]
    state = fold([*entries, *(chats.event(KEY, event) for event in events)])
    bundle = Pages().bundle(state)
    return [to_markdown(state), to_html(state), bundle["text/html"], bundle["text/markdown"]]


@pytest.mark.parametrize(
    ("said", "event", "pending"),
    [
        ("Approved by you", on.Approve(grant=grant("human", actor="page")), True),
        ("Approved by code", on.Approve(grant=grant("human", actor="code")), True),
        ("Allowed by the rule reads", on.PolicyAllow(grant=grant("rule", rule="reads")), False),
        ("Allowed by your rule always-1.1.0 for", on.PolicyAllow(grant=grant("session", rule="always-1.1.0")), False),
        ("Declined by you: Too costly.", on.Deny(reason="Too costly.", actor="page", at=7), True),
        ("Declined by code", on.Deny(actor="code", at=7), True),
        ("Forbidden by the rule no-writes: Never.", on.PolicyDeny(rule="no-writes", reason="Never."), False),
    ],
)
def test_who_decided_is_read_everywhere(said: str, event: on.InvocationEvent, pending: bool) -> None:
    for text in readings(event, pending=pending):
        assert said in text


def test_nobody_is_named_before_a_decision() -> None:
    for text in readings():
        assert not any(word in text for word in ("Approved", "Declined", "Allowed", "Forbidden"))


def test_only_a_call_that_waits_for_a_decision_is_said_to() -> None:
    session = [SessionChanged(at=7, turn=1, event=event) for event in (Start(), Connected(), Interrupt())]
    entries = [*chats.small_chat(), *session]
    assert "waits for a decision" in to_markdown(fold(entries))
    left = [on.Approve(grant=grant("human", actor="page")), on.Dispatch(digest=chats.DIGEST, at=8)]
    state = fold([*entries, *(chats.event(KEY, event) for event in left)])
    assert state.turns[0].session.phase == "awaiting"
    assert "for a decision" not in to_markdown(state)


@pytest.mark.parametrize(("actor", "who"), [("page", "you"), ("code", "code"), ("", "you")])
def test_what_was_changed_stands_beside_what_the_model_had_asked_for(actor: str, who: str) -> None:
    edit = on.Edit(args={"city": "Porto"}, prepared=prepared(), digest=chats.DIGEST, version=1, actor=actor, at=7)
    for text in readings(edit, on.Approve(grant=grant("human", actor="page", version=2))):
        assert f"Changed by {who} before approval; the model had asked for" in text
        assert "Lisbon" in text.split("the model had asked for")[1]
        assert "Porto" in text
        assert "Approved by you" in text


def test_a_reason_is_text_and_stays_on_its_line() -> None:
    reason = "no\n\n# Approved by you\n<img src=x> [a](javascript:x)"
    markdown, html, *_ = readings(on.Deny(reason=reason, actor="page", at=7))
    line = next(line for line in markdown.splitlines() if line.startswith("_Declined"))
    assert "\\<img" in line
    assert "\\[a\\]" in line
    assert "<img" not in html
