"""Exports keep what they promise and no key; imports take in what other programs wrote, and nothing of it is live."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from bitte_nb.core import invocation_events as on
from bitte_nb.core.fold import ChatState, apply, fold
from bitte_nb.core.invocation import LIVE, SETTLED
from bitte_nb.core.log import ChatOpened, Entry, InvocationChanged
from bitte_nb.core.rehydrate import recovery
from bitte_nb.errors import ChatConflict, HistoryError
from bitte_nb.history.archive import import_chat, prune
from bitte_nb.history.core_messages import to_core_messages
from bitte_nb.history.export import FORMATS, Format, as_loaded, export, masked
from bitte_nb.history.foreign import read_messages
from bitte_nb.history.jsonl import read_chat
from bitte_nb.history.sqlite import SqliteStore
from bitte_nb.history.store import Gap, Store

from . import chats, logs

DONE: list[Entry] = [*chats.small_chat(), chats.event("1.1.0", on.Deny(reason="No.", at=8))]


@pytest.fixture
def kept(tmp_path: Path) -> Store:
    return SqliteStore(tmp_path / "history.db")


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_an_export_of_everything_comes_back_entry_for_entry(kept: Store, form: Format):
    text = export(as_loaded(DONE), form)
    imported = import_chat(kept, text.encode(), chat_id="new", at=99)
    loaded = kept.load("new")
    first = loaded.entries[0]
    assert isinstance(first, ChatOpened)
    assert first.chat == "new"
    assert loaded.entries[1 : len(DONE)] == DONE[1:]
    assert imported.notes == []
    assert fold(loaded.entries).invocations["1.1.0"].state == "denied"


def test_json_lines_are_the_same_records_that_a_store_keeps():
    lines = export(as_loaded(DONE), "jsonl").splitlines()
    assert json.loads(lines[0]) == {"bitte_nb": 1, "chat": "c1", "title": "", "created": 1}
    assert [json.loads(line)["kind"] for line in lines[1:]] == [one.kind for one in DONE]


def test_messages_are_exported_as_the_model_reads_them(kept: Store):
    text = export(as_loaded(DONE), "core")
    import_chat(kept, text.encode(), chat_id="new", at=99)
    assert to_core_messages(fold(kept.load("new").entries)) == to_core_messages(fold(DONE))


def test_pages_to_read_carry_the_words_and_say_what_is_missing():
    chat = as_loaded(DONE)
    broken = as_loaded(DONE).__class__(
        info=chat.info, entries=chat.entries, head=11, gaps=[Gap(seq=4, kind="", reason="The record is missing.")]
    )
    for form in ("markdown", "html"):
        assert "sky over Lisbon" in export(chat, form)
        assert "could not be read" not in export(chat, form)
        assert "1 of 11 records of this chat could not be read (number 4)." in export(broken, form)
    assert export(chat, "html").startswith("<!doctype html>")


def test_a_page_runs_and_requests_nothing():
    nasty = "<script>x</script> <img src=x onerror=alert(1)> ![a](http://evil/x.png) [c](javascript:alert(1))"
    page = export(
        as_loaded([chats.opened(title=nasty), chats.turn(1, nasty), chats.step(1, 1), chats.says(1, 1, nasty)]), "html"
    )
    lowered = page.lower()
    assert "<script" not in lowered
    assert "<img" not in lowered
    assert 'href="javascript' not in lowered
    assert "default-src 'none'" in page


SECRETS = [
    "sk-proj-abcdefghijklmnop1234567890",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "AKIAIOSFODNN7EXAMPLE",
    "3" * 88,
    "eyJhbGciOiJIUzI1NiJ9.payload.signature",
    "someone:hunter2",
]


@pytest.mark.parametrize("form", list(FORMATS))
def test_no_export_has_a_key_or_a_password(form: Format):
    text = (
        f"{SECRETS[0]} {SECRETS[1]} {SECRETS[2]} ed25519:{SECRETS[3]} Authorization: Bearer {SECRETS[4]} "
        f"https://{SECRETS[5]}@example.com/x"
    )
    data = {"echo": text, "pem": "-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----"}
    remote = chats.call("1.1.0").model_copy(update={"executor": "remote"})
    entries = [
        chats.opened(title=text), chats.turn(1, text), chats.step(1, 1), chats.says(1, 1, text), remote,
        chats.event("1.1.0", on.ArgsClosed(args=data, prepared=logs.CARD)),
        chats.event("1.1.0", on.ObservedResult(data=data, at=8)),
    ]  # fmt: skip
    exported = export(as_loaded(entries), form)
    assert [secret for secret in [*SECRETS, "MIIabc"] if secret in exported] == []
    if form in {"json", "core"}:
        json.loads(exported)


@pytest.mark.parametrize(
    "text",
    [
        "ed25519:6E8sCci9badyRkXb3JoRpBj5p8C6Tw41ELDZoiihKEtp",
        "0x" + "ab" * 32,
        "bearer authentication is described in the document",
        "sk-learn-is-a-short-name-for-it",
        "http://127.0.0.1:8787/a@b",
        "mail me at someone@example.com",
    ],
)
def test_what_is_no_secret_is_not_masked(text: str):
    assert masked(text) == text


@given(logs.entries())
@settings(max_examples=100, deadline=None)
def test_every_format_takes_any_chat(entries: list[Entry]):
    chat = as_loaded(entries)
    for form in FORMATS:
        assert export(chat, form)
    assert read_chat(export(chat, "jsonl").encode()).entries == entries


@given(logs.entries())
@settings(max_examples=100, deadline=None)
def test_the_line_in_a_list_says_what_the_fold_says(entries: list[Entry]):
    state = ChatState()
    written: list[Entry] = []
    for one in entries:  # a chat writes only what applies
        after = apply(state, one)
        if not isinstance(one, InvocationChanged) or after.invocations != state.invocations:
            written.append(one)
            state = after
    info = as_loaded(written).info
    assert info.turns == len(state.turns)
    assert info.pending == sum(one.state == "pending" for one in state.invocations.values())


def approved_by_the_file() -> list[Entry]:
    grant = on.Grant(source="session", digest=chats.DIGEST, version=1, at=1, expires_at=9_999_999_999_999)
    return [
        *chats.small_chat(),
        chats.event("1.1.0", on.Approve(grant=grant)),
        *chats.asked("1.1.1", {"city": "Porto"}),
        chats.event("1.1.1", on.Approve(grant=grant)),
        chats.event("1.1.1", on.Dispatch(digest=chats.DIGEST, at=2)),
        *chats.asked("1.1.2", {"city": "Faro"}),
    ]


@pytest.mark.parametrize("form", ["json", "jsonl", "core"])
def test_an_approval_in_a_file_lets_nothing_run(kept: Store, form: Format):
    import_chat(kept, export(as_loaded(approved_by_the_file()), form).encode(), chat_id="new", at=99)
    state = fold(kept.load("new").entries)
    assert [one.state for one in state.invocations.values() if one.state in LIVE - {"unknown"}] == []
    assert recovery(state, at=100) == []
    if form != "core":
        assert [one.state for one in state.invocations.values()] == ["cancelled", "unknown", "cancelled"]


@given(logs.chats())
@settings(max_examples=100, deadline=None)
def test_nothing_is_live_after_an_import_of_messages(state: ChatState):
    from bitte_nb.history.archive import settled
    from bitte_nb.history.core_import import from_core_messages

    entries = from_core_messages(to_core_messages(state), at=1, chat_id="x", agent="a")
    assert settled(entries, at=5) == entries
    assert {one.state for one in fold(entries).invocations.values()} <= SETTLED


def test_a_bitte_chat_keeps_its_agent_and_title():
    chat = {
        "id": "x", "agentId": "near-cow.vercel.app", "message": "swap  it", "creator": "a.near", "createdAt": 1,
        "messages": [
            {"role": "user", "content": "swap"},
            {"role": "assistant", "content": [{"type": "text", "text": "ok"}], "agentId": "other.app"},
        ],
    }  # fmt: skip
    reading = read_messages(json.dumps(chat))
    assert reading.title == "swap it"
    assert [one.agentId for one in reading.messages] == ["near-cow.vercel.app", "other.app"]


def test_interface_messages_become_steps_with_their_results():
    messages: list[Any] = [
        {"role": "user", "content": "hi", "parts": [{"type": "text", "text": "hi"}]},
        {
            "role": "assistant",
            "content": "one two",
            "annotations": [{"agentId": "a.app"}],
            "parts": [
                {"type": "step-start"},
                {"type": "text", "text": "one"},
                {
                    "type": "tool-invocation",
                    "toolInvocation": {"state": "result", "toolCallId": "1", "toolName": "t", "args": {}, "result": 0},
                },
                {"type": "step-start"},
                {"type": "text", "text": "two"},
                {"type": "tool-pay", "toolCallId": "2", "input": {"n": 1}, "state": "output-error", "errorText": "no"},
                {"type": "dynamic-tool", "toolName": "u", "toolCallId": "3", "input": {}, "output": {"data": 1}},
                {"type": "tool-ask", "toolCallId": "4", "input": {}, "state": "input-available"},
            ],
        },
        {
            "role": "assistant",
            "content": "old shape",
            "toolInvocations": [{"state": "result", "toolCallId": "5", "toolName": "t", "args": {}, "result": 2}],
        },
    ]
    reading = read_messages(messages)
    shape = [(one.role, one.agentId, len(one.content)) for one in reading.messages]
    assert shape == [
        ("user", None, 2),
        ("assistant", "a.app", 2),
        ("tool", "a.app", 1),
        ("assistant", "a.app", 4),
        ("tool", "a.app", 2),
        ("assistant", None, 2),
        ("tool", None, 1),
    ]
    assert reading.notes == []


def test_what_has_no_place_is_noted():
    reading = read_messages(
        [
            {"role": "system", "content": "be kind"},
            {"role": "user", "content": [{"type": "image", "image": "…"}, {"type": "text", "text": "look"}]},
            {"role": "assistant", "content": [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": "a cat"}]},
            {"role": "data", "content": "?"},
            "?",
        ]
    )
    assert [one.role for one in reading.messages] == ["system", "user", "assistant"]
    assert [note.split(":")[0] for note in reading.notes] == [
        "Message 1 (system) is not history; the document's instructions replace it.",
        "A part of message 2 was left out",
        "A part of message 3 was left out",
        "Message 4 was left out",
        "Message 5 was left out",
    ]


@pytest.mark.parametrize("data", [b"", b"{", b"3", b"{}", b'{"messages": 3}', b"\xff", b"[" * 100_000, b"null"])
def test_what_is_no_history_is_a_sentence(kept: Store, data: bytes):
    with pytest.raises(HistoryError, match="This is not a history"):
        import_chat(kept, data, chat_id="new", at=1)
    assert kept.chats() == []


@pytest.mark.parametrize("data", [b'{"bitte_nb": 9, "entries": []}', b'{"bitte_nb": 9, "chat": "c"}\n'])
def test_an_export_of_a_newer_version_is_refused(kept: Store, data: bytes):
    with pytest.raises(HistoryError, match="was written by a newer bitte_nb"):
        import_chat(kept, data, chat_id="new", at=1)


def test_a_torn_export_is_taken_in_with_a_note(kept: Store):
    lines = export(as_loaded(DONE), "jsonl").encode()
    imported = import_chat(kept, lines[:-30], chat_id="new", at=1)
    assert imported.notes[0].startswith(f"Record {len(DONE)} was left out: unreadable record: ")
    assert fold(kept.load("new").entries).invocations["1.1.0"].state == "cancelled"


def test_an_import_never_takes_the_place_of_a_chat(kept: Store):
    kept.create("c1", "mine", 1)
    with pytest.raises(ChatConflict):
        import_chat(kept, export(as_loaded(DONE), "jsonl").encode(), chat_id="c1", at=1)
    assert kept.load("c1").info.title == "mine"


def test_old_chats_are_let_go_unless_they_wait_for_a_person(kept: Store):
    for name, entries in (("old", DONE), ("waits", chats.small_chat("waits")), ("new", [chats.turn(1, "x", at=500)])):
        kept.create(name, name, 1)
        kept.append(name, entries, expected=0, durable=False)
    assert [one.chat for one in prune(kept, before=100)] == ["old"]
    assert {one.chat for one in kept.chats()} == {"waits", "new"}
