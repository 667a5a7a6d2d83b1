"""What every store guarantees."""

from __future__ import annotations

import math
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bitte_nb.core.fold import fold
from bitte_nb.core.invocation_events import Deny
from bitte_nb.core.log import Renamed, TextAdded
from bitte_nb.errors import ChatConflict, ChatNotFound, HistoryError
from bitte_nb.history.holder import me
from bitte_nb.history.jsonl_store import JsonlStore
from bitte_nb.history.record import storable_entry
from bitte_nb.history.store import Store, StoredDocument, open_store

from . import chats
from .conftest import Opener

ROOT = Path(__file__).parents[2]


def begun(store: Store, chat: str = "c1", *, title: str = "Weather", at: int = 1) -> int:
    store.create(chat, title, at)
    return store.append(chat, chats.small_chat(chat), expected=0, durable=True)


def test_what_was_appended_is_loaded_by_another_program(opener: Opener):
    head = begun(opener())
    loaded = opener().load("c1")
    assert loaded.entries == chats.small_chat()
    assert loaded.head == head == len(chats.small_chat())
    assert loaded.gaps == []


def test_an_append_on_an_old_head_is_refused_and_adds_nothing(opener: Opener):
    first, second = opener(), opener()
    head = begun(first)
    second.append("c1", [chats.ended(1, 1)], expected=head, durable=True)
    with pytest.raises(
        ChatConflict, match=rf"chat 'c1' moved on in another kernel: it has {head + 1} entries, this"
    ) as caught:
        first.append("c1", [chats.turn(2, "lost?"), chats.step(2, 1)], expected=head, durable=True)
    assert "`chat = Chat.load('c1')`" in str(caught.value)
    assert not caught.value.transient
    assert len(first.load("c1").entries) == head + 1


def test_an_unknown_chat_is_an_error_of_its_own(store: Store):
    for action in (
        lambda: store.load("nope"),
        lambda: store.append("nope", [], expected=0, durable=False),
        lambda: store.rename("nope", "x"),
        lambda: store.delete("nope"),
    ):
        with pytest.raises(ChatNotFound, match="No chat has the id 'nope' in "):
            action()


def test_a_chat_is_begun_once(store: Store):
    begun(store)
    with pytest.raises(ChatConflict, match="already is a chat with the id 'c1'"):
        store.create("c1", "again", 5)
    assert store.chats()[0].title == "Weather"


def test_a_chat_without_an_entry_is_not_listed(store: Store):
    store.create("empty", "never said anything", 1)
    assert store.chats() == store.chats(query="never") == []
    assert store.load("empty").head == 0


def test_the_list_shows_the_most_recently_used_first_with_turns_and_pending(store: Store):
    begun(store, "old", at=1)
    begun(store, "new", title="Second", at=2)
    head = store.load("old").head
    store.append("old", [chats.event("1.1.0", Deny(at=50), at=50)], expected=head, durable=False)
    listed = store.chats()
    assert [(one.chat, one.turns, one.pending, one.updated) for one in listed] == [("old", 1, 0, 50), ("new", 1, 1, 9)]
    assert [one.agent for one in listed] == [chats.AGENT.name] * 2
    assert [one.chat for one in store.chats(limit=1, offset=1)] == ["new"]
    waiting = fold(store.load("new").entries).invocations.values()
    assert sum(one.state == "pending" for one in waiting) == 1


def test_titles_are_found_by_all_their_words(store: Store):
    begun(store, "a", title="Weather in Lisbon")
    begun(store, "b", title="Tokens of Lisbon")
    assert {one.chat for one in store.chats(query="lisbon")} == {"a", "b"}
    assert [one.chat for one in store.chats(query="Lisbon weat")] == ["a"]  # a word that is still being typed
    assert store.chats(query="sky") == []


def test_what_a_list_shows_of_some_chats_is_what_the_list_shows(store: Store):
    for chat in ("a", "b", "c'\""):
        begun(store, chat)
    listed = {info.chat: info for info in store.chats()}
    assert store.infos(["c'\"", "nowhere", "a"]) == {"a": listed["a"], "c'\"": listed["c'\""]}
    assert store.infos([]) == {}


def test_a_search_finds_what_was_said_and_shows_it(store: Store):
    begun(store, "a")
    begun(store, "b")
    found = store.search("SKY lisbon")
    assert [one.chat for one in found] == ["b", "a"]
    assert found[0].seq == 4
    assert "sky over Lisbon" in found[0].snippet
    assert store.search("sky", limit=1) == found[:1]
    assert [one.chat for one in store.search("Lisbon sk")] == ["b", "a"]
    assert store.search("   ") == []
    assert store.search("sky rocket") == []


@pytest.mark.parametrize("words", ['"', "'", "sky OR", "NEAR(", "*", "title:x", "-", "a AND", "%", "\0", "\ud800"])
def test_a_search_reads_no_word_as_a_command(store: Store, words: str):
    begun(store)
    store.search(words)
    store.chats(query=words)


def test_renaming_leaves_the_head_alone_and_is_found(store: Store):
    head = begun(store)
    store.rename("c1", "Sunny days")
    assert store.load("c1").info.title == "Sunny days"
    assert store.append("c1", [chats.turn(2, "go on")], expected=head, durable=True) == head + 1
    assert [one.title for one in store.search("sunny")] == ["Sunny days"]
    assert store.chats(query="weather") == []


def test_a_title_that_the_chat_itself_took_is_listed(store: Store):
    head = begun(store)
    store.append("c1", [Renamed(at=20, title="Umbrella")], expected=head, durable=True)
    assert store.chats(query="umbrella")[0].title == "Umbrella"


def test_a_deleted_chat_is_gone_from_list_search_and_load(store: Store):
    begun(store, "gone")
    begun(store, "kept")
    store.delete("gone")
    assert [one.chat for one in store.chats()] == ["kept"]
    assert [one.chat for one in store.search("sky")] == ["kept"]
    with pytest.raises(ChatNotFound):
        store.load("gone")
    begun(store, "gone", title="New life")
    assert store.load("gone").info.title == "New life"


def test_a_document_is_kept_once_by_its_digest(opener: Opener):
    opener().put_document("abc", "{}", "http://a/")
    opener().put_document("abc", "other", "http://b/")
    kept = opener().document("abc")
    assert kept is not None
    assert (kept.text, kept.url) == ("{}", "http://a/")
    assert opener().document("nope") is None


def test_half_a_surrogate_and_a_nul_are_kept_as_far_as_a_file_can(store: Store):
    store.create("c1", "t", 1)
    odd = [chats.turn(1, "half \ud800 nul \0 end"), chats.turn(2, "\U0001f600")]
    store.append("c1", odd, expected=0, durable=True)
    texts = [one.text for one in store.load("c1").entries if one.kind == "turn_started"]
    assert texts == ["half \ufffd nul \0 end", "\U0001f600"]


def test_what_a_store_gives_back_is_the_storable_entry(store: Store):
    half, key = "half \ud800", "k\udfff"
    odd = [
        chats.opened(title=half),
        chats.turn(1, half),
        *chats.asked("1.1.0", {key: [math.inf, half, {"deep": -math.inf}]}),
        chats.event("1.1.0", chats.result({"a": (math.nan, 1e999, 10**40), 7: half})),
    ]
    store.create("c1", half, 1)
    head = store.append("c1", odd, expected=0, durable=True)
    kept = store.load("c1").entries
    assert kept == [storable_entry(one) for one in odd]
    assert store.append("c1", kept, expected=head, durable=True) == 2 * head
    assert store.load("c1").entries == [*kept, *kept]
    store.rename("c1", half)
    store.put_document("d", half, half)
    assert store.load("c1").info.title == "half \ufffd"
    assert store.document("d") == StoredDocument(digest="d", text="half \ufffd", url="half \ufffd")


def test_threads_may_list_and_search_while_one_appends(store: Store):
    head = begun(store)
    errors: list[BaseException] = []
    done = threading.Event()

    def look() -> None:
        try:
            while not done.is_set():
                assert store.chats()[0].chat == "c1"
                assert store.load("c1").gaps == []
                store.search("lisbon")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(60):
        head = store.append("c1", [TextAdded(at=1, turn=1, step=1, text=f"{number}")], expected=head, durable=False)
    done.set()
    for thread in threads:
        thread.join()
    assert errors == []
    assert store.load("c1").head == head


def test_case_and_accents_do_not_hide_a_word(store: Store):
    store.create("c1", "Crème Brûlée", 1)
    store.append("c1", [chats.turn(1, "Send it to BOB.near, über alles")], expected=0, durable=True)
    assert [one.seq for one in store.search("bob.NEAR")] == [1]
    assert [one.seq for one in store.search("near bob")] == [1]
    if not isinstance(store, JsonlStore):  # a folder is searched by its letters
        assert [one.seq for one in store.search("uber")] == [1]
        assert [one.chat for one in store.chats(query="creme")] == ["c1"]


def test_a_closed_store_says_so(store: Store):
    store.close()
    store.close()
    with pytest.raises(HistoryError, match="was closed"):
        store.load("c1")


OTHER = """
import sys
from bitte_nb.history.store import open_store
store = open_store(sys.argv[1])
print(repr(store.hold("c1", take="take" in sys.argv)), flush=True)
for line in sys.stdin:
    try:
        exec(line)
    except Exception as error:
        print(type(error).__name__, error, flush=True)
"""


@contextmanager
def another(target: str, *how: str) -> Iterator[subprocess.Popen[str]]:
    """Another program that tries to hold the chat `c1`, and does each line that it is told."""
    command = [sys.executable, "-c", OTHER, target, *how]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as program:
        yield program
        program.kill()


def told(program: subprocess.Popen[str], line: str = "") -> str:
    assert program.stdin is not None
    assert program.stdout is not None
    if line:
        program.stdin.write(line + "\n")
        program.stdin.flush()
    return program.stdout.readline().strip()


def test_a_chat_is_written_by_one_program_until_another_takes_it_over(opener: Opener, target: str):
    store = opener()
    head = begun(store)
    assert store.hold("c1") == store.hold("c1") == ""
    assert opener().hold("c1") == "", "another store of the same program is not another program"
    with another(target) as second:
        assert told(second) == repr(me())
        with another(target, "take") as third:
            assert told(third) == "''"
            with pytest.raises(ChatConflict, match=r"The chat 'c1' is written by another kernel now \(process \d+ on"):
                store.append("c1", [chats.turn(2, "lost?")], expected=head, durable=True)
            assert store.load("c1").head == head
            write = "from tests.history import chats; "
            write += f"print(store.append('c1', [chats.turn(2, 'go on')], expected={head}, durable=True), flush=True)"
            assert told(third, write) == str(head + 1)
            assert store.hold("c1") not in {"", me()}
            assert store.hold("c1", take=True) == ""
            assert told(third, write.replace(f"={head}", f"={head + 1}")).startswith("ChatConflict The chat 'c1' is")
    assert store.append("c1", [chats.turn(3, "mine")], expected=head + 1, durable=True) == head + 2


@pytest.mark.parametrize("end", ["kill", "release"])
def test_a_program_that_ended_holds_nothing(opener: Opener, target: str, end: str):
    store = opener()
    head = begun(store)
    with another(target) as first:
        assert told(first) == "''"
        assert store.hold("c1")
        if end == "kill":
            first.kill()
            first.wait()
        else:
            assert told(first, "print(store.release('c1'), flush=True)") == "None"
        until = time.monotonic() + 60
        while store.hold("c1"):
            assert time.monotonic() < until
            time.sleep(0.02)
    assert store.append("c1", [chats.turn(2, "mine")], expected=head, durable=True) == head + 1
    store.release("c1")
    store.release("c1")


def test_holding_an_unknown_chat_is_an_error(store: Store):
    with pytest.raises(ChatNotFound):
        store.hold("nope")


def test_a_file_is_kept_with_its_chat_and_goes_with_it(store: Store):
    begun(store, "a")
    begun(store, "b")
    data = bytes(range(256)) * 40
    store.put_file("a", "d1", data)
    store.put_file("a", "d1", data)
    store.put_file("b", "d1", b"")
    assert store.file("a", "d1") == data
    assert store.file("b", "d1") == b""
    assert store.file("a", "d2") is store.file("nowhere", "d1") is None
    store.delete("a")
    assert store.file("a", "d1") is None
    assert store.file("b", "d1") == b""
    with pytest.raises(ChatNotFound):
        store.put_file("a", "d1", data)


def test_the_beginning_of_a_word_is_found_in_every_place_and_after_whole_ones(store: Store):
    said = {"a": "weather", "b": "wea", "c": "Wéather station", "d": "bob.near", "e": "straße", "f": "under_score"}
    for chat, words in said.items():
        store.create(chat, f"title {chat}", 1)
        store.append(chat, [chats.turn(1, words)], expected=0, durable=True)

    def found(words: str) -> list[str]:
        return [one.chat for one in store.search(words)]

    assert found("weat")[:1] == ["c"] or isinstance(store, JsonlStore)
    assert "a" in found("weat")
    assert found("wea")[0] in {"b", "c"}
    assert found("stat") == found("weather stat") == found("wéather stati") or isinstance(store, JsonlStore)
    assert found("bob.ne") == ["d"]
    assert found("stra") == ["e"]
    assert found("under_sc") == found("sco") == ["f"]
    assert found("weat ") == [] or isinstance(store, JsonlStore)
    assert found("titl b") == [] or isinstance(store, JsonlStore)
    assert set(found("titl")) == set(said)


def test_signs_of_life_of_programs_that_ended_are_cleared_away(tmp_path: Path):
    path = tmp_path / "history.db"
    store = open_store(path)
    begun(store)
    store.close()
    for _ in range(2):
        with another(str(path)) as program:
            assert told(program) == "''"
            assert told(program, "print(store.release('c1'), flush=True)") == "None"
    with another(str(path)) as program:
        assert told(program) == "''"
        assert len(list((tmp_path / "history.db-kernels").iterdir())) == 1
