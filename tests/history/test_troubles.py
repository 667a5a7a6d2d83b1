"""Full disks, places that cannot be written, damage: a sentence with the way out, and everything readable shown."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from bitte_nb.errors import HistoryError
from bitte_nb.history import record
from bitte_nb.history.jsonl_store import JsonlStore
from bitte_nb.history.sqlite import SqliteStore
from bitte_nb.history.sqlite_file import APPLICATION, SCHEMA_STEPS
from bitte_nb.history.sqlite_index import SHIFT
from bitte_nb.history.store import Store, default_path, open_store, passage

from . import chats

ROOT = Path(__file__).parents[2]


def filled(store: Store, chat: str = "c1") -> int:
    store.create(chat, "Weather", 1)
    return store.append(chat, chats.small_chat(chat), expected=0, durable=True)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_the_owner_can_read_the_files(tmp_path: Path):
    old = os.umask(0)
    try:
        store = SqliteStore(tmp_path / "a" / "history.db")
        filled(store)
        folder = JsonlStore(tmp_path / "b.jsonl")
        filled(folder)
        folder.put_document("d", "{}", "")
    finally:
        os.umask(old)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 5  # the database, its log and index, a chat, a document
    assert {oct(mode(path)) for path in files} == {"0o600"}
    assert {mode(path) for path in (tmp_path / "a", tmp_path / "b.jsonl", tmp_path / "b.jsonl" / "chats")} == {0o700}


def test_a_file_that_others_could_read_is_closed_to_them(tmp_path: Path):
    path = tmp_path / "history.db"
    SqliteStore(path).close()
    path.chmod(0o644)
    SqliteStore(path).close()
    assert mode(path) == 0o600


def test_a_full_sqlite_disk_is_a_sentence_and_loses_nothing(tmp_path: Path):
    store = SqliteStore(tmp_path / "history.db")
    head = filled(store)
    pages = sqlite3.connect(store.path).execute("PRAGMA page_count").fetchone()[0]
    store._writer.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(
        HistoryError, match=r"The disk that holds .*history\.db is full\. Nothing was lost; make room"
    ) as caught:
        store.append("c1", [chats.says(1, 1, "x" * 100_000)], expected=head, durable=True)
    assert caught.value.transient
    store._writer.execute("PRAGMA max_page_count = 1000000")
    assert store.load("c1").head == head
    assert store.append("c1", [chats.says(1, 1, "y")], expected=head, durable=True) == head + 1


@pytest.mark.parametrize("name", ["history.db", "history.jsonl"])
def test_a_disk_that_takes_no_more_bytes_loses_nothing(tmp_path: Path, name: str):
    target = tmp_path / name
    store = open_store(target)
    head = filled(store)
    store.close()
    program = f"""
import resource
from bitte_nb.core.log import TextAdded
from bitte_nb.history.store import open_store
store = open_store({str(target)!r})
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
head, text = {head}, "z" * 30_000
for number in range(100):
    try:
        head = store.append("c1", [TextAdded(at=1, turn=1, step=1, text=text)], expected=head, durable=True)
    except Exception as error:
        print(head, type(error).__name__, error)
        break
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)
    acknowledged, kind, *sentence = done.stdout.split(" ")
    assert kind == {"history.db": "HistoryBusy", "history.jsonl": "HistoryError"}[name]
    assert str(target) in " ".join(sentence)
    store = open_store(target)
    loaded = store.load("c1")
    assert loaded.gaps == []
    assert loaded.head == int(acknowledged) > head
    assert store.append("c1", [chats.says(1, 1, "more")], expected=loaded.head, durable=True) == loaded.head + 1
    store.close()


def as_nobody(action: Callable[[], str]) -> str:
    """What `action` returns in a process that has no rights of an administrator."""

    def without_rights() -> str:
        if os.geteuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        return action()

    return in_a_child(without_rights)


def in_a_child(action: Callable[[], str]) -> str:
    """What `action` returns in a forked process."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            said = action()
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


@pytest.fixture
def shared_folder():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)


def test_a_folder_that_cannot_be_written_says_so(shared_folder: Path):
    shared_folder.chmod(0o555)
    for name in ("history.db", "history.jsonl", "deeper/history.db"):
        said = as_nobody(lambda name=name: str(open_store(shared_folder / name)))
        assert said.startswith("HistoryError: "), said
        assert "ermission denied" in said
        assert "BITTE_NB_HISTORY" in said


def test_a_history_that_can_only_be_read_is_shown(shared_folder: Path):
    path = shared_folder / "history.db"
    store = SqliteStore(path)
    filled(store)
    store.close()
    path.chmod(0o444)
    shared_folder.chmod(0o555)

    def read_and_append() -> str:
        store = open_store(path)
        shown = [store.load("c1").head, len(store.chats()), len(store.search("lisbon"))]
        try:
            store.append("c1", [chats.ended(1, 1)], expected=7, durable=True)
        except HistoryError as error:
            return f"{shown} {error}"
        return "appended"

    said = as_nobody(read_and_append)
    assert said.startswith("[8, 1, 1] The history ")
    assert "can be read but not written. Make it writable for you, or set BITTE_NB_HISTORY" in said


def test_a_history_that_another_person_is_writing_is_read_up_to_its_last_entry(shared_folder: Path):
    path = shared_folder / "history.db"
    store = SqliteStore(path)
    head = filled(store)
    for file in shared_folder.iterdir():
        file.chmod(0o644)  # its owner let others read it after opening
    shared_folder.chmod(0o555)
    store.append("c1", [chats.ended(1, 1)], expected=head, durable=True)
    assert as_nobody(lambda: str(open_store(path).load("c1").head)) == str(head + 1)


@pytest.mark.parametrize("content", [b"not a database, " * 100, b"\0" * 4096])
def test_a_file_that_is_no_history_is_left_as_it_is(tmp_path: Path, content: bytes):
    path = tmp_path / "history.db"
    path.write_bytes(content)
    with pytest.raises(HistoryError, match=r"history\.db is damaged or is not a history"):
        SqliteStore(path)
    assert path.read_bytes() == content


def test_a_database_of_another_program_is_left_as_it_is(tmp_path: Path):
    path = tmp_path / "other.db"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE theirs (x)")
    db.close()
    with pytest.raises(HistoryError, match="is a database of another program"):
        SqliteStore(path)


def test_an_unreadable_record_is_a_gap_and_the_rest_is_shown(tmp_path: Path):
    store = SqliteStore(tmp_path / "history.db")
    head = filled(store)
    db = sqlite3.connect(store.path)
    ids = [row[0] for row in db.execute("SELECT id FROM entry ORDER BY id")]
    db.execute("UPDATE entry SET payload = substr(payload, 1, 20) WHERE id = ?", (ids[1],))
    db.execute("UPDATE entry SET payload = x'ff00fe' WHERE id = ?", (ids[2],))
    db.execute("DELETE FROM entry WHERE id = ?", (ids[3],))
    db.execute("""UPDATE entry SET payload = '{"kind":"from the future","at":1}' WHERE id = ?""", (ids[-1],))
    db.commit()
    loaded = store.load("c1")
    assert [(one.seq, one.kind) for one in loaded.gaps] == [
        (2, "turn_started"),
        (3, "step_started"),
        (4, ""),
        (8, "step_finished"),
    ]
    assert loaded.gaps[0].reason.startswith("unreadable record: ")
    assert loaded.gaps[2].reason == "The record is missing."
    kept = chats.small_chat()
    assert loaded.entries == [kept[0], *kept[4:7]]
    assert loaded.head == head
    store.search("lisbon")
    assert store.append("c1", [chats.turn(2, "go on")], expected=head, durable=True) == head + 1
    store.delete("c1")
    assert store.chats() == []


def test_a_damaged_page_of_the_file_leaves_the_other_chats_readable(tmp_path: Path):
    path = tmp_path / "history.db"
    store = SqliteStore(path)
    for number in range(40):
        filled(store, f"c{number}")
        more = [chats.says(1, 1, f"{number} " + "filler " * 400)]
        store.append(f"c{number}", more, expected=8, durable=False)
    store.close()
    db = sqlite3.connect(path)
    root = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'entry'").fetchone()[0]
    leaves = db.execute("SELECT pageno FROM dbstat WHERE name = 'entry' AND pagetype = 'leaf'").fetchall()
    size = db.execute("PRAGMA page_size").fetchone()[0]
    db.close()
    damaged = next(page for (page,) in leaves[len(leaves) // 2 :] if page != root)
    with path.open("r+b") as file:
        file.seek((damaged - 1) * size)
        file.write(os.urandom(size))
    store = SqliteStore(path)
    loaded = [store.load(one.chat) for one in store.chats(limit=100)]
    assert len(loaded) == 40
    torn = [one for one in loaded if one.gaps]
    assert 0 < len(torn) < 5
    assert all(one.head == 9 for one in loaded)
    assert sum(len(one.entries) for one in loaded) > 300


def test_a_torn_line_is_a_gap_and_the_chat_goes_on(tmp_path: Path):
    store = JsonlStore(tmp_path / "h.jsonl")
    filled(store)
    path = tmp_path / "h.jsonl" / "chats" / "c1.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"at":9,"kind":"text_added","turn":1,"st')
    loaded = store.load("c1")
    assert [(one.seq, one.kind) for one in loaded.gaps] == [(9, "text_added")]
    assert len(loaded.entries) == 8
    assert store.append("c1", [chats.turn(2, "go on")], expected=loaded.head, durable=True) == 10
    assert [one.kind for one in store.load("c1").entries[-2:]] == ["step_finished", "turn_started"]


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"hello\n", b"[1]\n", b'{"bitte_nb": 99, "chat": "c1"}\n', b"\xff\xfe\n"]
)
def test_a_file_that_is_no_chat_is_passed_over_in_lists(tmp_path: Path, content: bytes):
    store = JsonlStore(tmp_path / "h.jsonl")
    filled(store)
    (tmp_path / "h.jsonl" / "chats" / "odd.jsonl").write_bytes(content)
    assert [one.chat for one in store.chats()] == ["c1"]
    assert len(store.search("lisbon")) == 1
    with pytest.raises(HistoryError):
        store.load("odd")


@pytest.mark.parametrize("name", ["history.db", "history.jsonl"])
def test_a_lock_that_is_never_given_back_ends_in_a_sentence(tmp_path: Path, name: str):
    target = tmp_path / name
    store = open_store(target, timeout=0.3)
    head = filled(store)
    holder = hold(target)
    with pytest.raises(HistoryError, match=r"Another program kept .* locked for more than 0\.3 s\.") as caught:
        store.append("c1", [chats.ended(1, 1)], expected=head, durable=True)
    assert caught.value.transient
    holder()
    assert store.append("c1", [chats.ended(1, 1)], expected=head, durable=True) == head + 1


def hold(target: Path) -> Callable[[], None]:
    """Lock the store as another program would; returns the way to let go."""
    if target.suffix == ".db":
        db = sqlite3.connect(target, isolation_level=None)
        db.execute("BEGIN IMMEDIATE")
        return db.close
    import fcntl

    file = (target / "chats" / "c1.jsonl").open("rb")
    fcntl.flock(file, fcntl.LOCK_EX)
    return file.close


def test_a_newer_file_says_to_update(tmp_path: Path):
    path = tmp_path / "history.db"
    SqliteStore(path).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(HistoryError, match=r"was written by a newer bitte_nb \(schema 99; this one knows \d+\)"):
        SqliteStore(path)


def test_an_older_file_is_brought_up_to_date_with_its_chats(tmp_path: Path):
    path = tmp_path / "history.db"
    store = SqliteStore(path)
    filled(store)
    store.close()
    steps = (*SCHEMA_STEPS, lambda db: db.execute("ALTER TABLE chat ADD COLUMN stars INTEGER DEFAULT 5") and None)
    newer = SqliteStore(path, steps=steps)
    assert newer.load("c1").head == 8
    newer.close()
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT stars FROM chat").fetchall() == [(5,)]
        assert db.execute("PRAGMA user_version").fetchone() == (len(steps),)


@pytest.mark.parametrize("version", range(1, len(SCHEMA_STEPS)))
def test_a_file_of_every_older_version_is_read_searched_held_and_gone_on_with(tmp_path: Path, version: int):
    path = tmp_path / "history.db"
    with sqlite3.connect(path, isolation_level=None) as db:
        db.execute("PRAGMA journal_mode = WAL")
        for step in SCHEMA_STEPS[:version]:
            step(db)
        db.execute(f"PRAGMA user_version = {version}")
        db.execute(f"PRAGMA application_id = {APPLICATION}")
        db.execute(
            "INSERT INTO chat (number, chat, title, created, updated, head) VALUES (1, 'c1', 'Weather', 1, 9, 8)"
        )
        db.execute("INSERT INTO titled (rowid, title) VALUES (1, 'Weather')")
        for seq, one in enumerate(chats.small_chat(), 1):
            row = ((1 << SHIFT) + seq, one.kind, record.dump(one))
            db.execute("INSERT INTO entry (id, kind, payload) VALUES (?, ?, ?)", row)
            if words := passage(one):
                db.execute("INSERT INTO said (rowid, words) VALUES (?, ?)", (row[0], words))
    db.close()
    store = SqliteStore(path)
    assert store.load("c1").entries == chats.small_chat()
    assert [one.title for one in store.chats()] == ["Weather"]
    assert [one.chat for one in store.chats(query="weather")] == ["c1"]
    if version < 3:  # from then on each append notes its words
        assert [store.search(words)[0].seq for words in ("lisbon sky", "Lisbon sk", "sky Lisb")] == [4, 4, 4]
    assert store.hold("c1") == ""
    assert store.append("c1", [chats.turn(2, "go on")], expected=8, durable=True) == 9
    store.close()
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (len(SCHEMA_STEPS),)
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_step_that_fails_leaves_the_older_file_whole(tmp_path: Path):
    path = tmp_path / "history.db"
    store = SqliteStore(path)
    filled(store)
    store.close()

    def broken(db: sqlite3.Connection) -> None:
        db.execute("DELETE FROM entry")
        db.execute("not SQL")

    with pytest.raises(HistoryError, match="gave an error"):
        SqliteStore(path, steps=(*SCHEMA_STEPS, broken))
    assert SqliteStore(path).load("c1").head == 8


def test_a_forked_program_gets_its_own_connections(tmp_path: Path):
    store = SqliteStore(tmp_path / "history.db")
    head = filled(store)
    said = in_a_child(lambda: str(store.append("c1", [chats.ended(1, 1)], expected=head, durable=True)))
    assert said == str(head + 1)
    assert store.append("c1", [chats.ended(1, 1)], expected=head + 1, durable=True) == head + 2


def test_the_default_place_is_the_platforms_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    home = Path.home()
    assert default_path("linux", {}) == home / ".local/share/bitte_nb/history.db"
    assert default_path("linux", {"XDG_DATA_HOME": "/data"}) == Path("/data/bitte_nb/history.db")
    assert default_path("darwin", {}) == home / "Library/Application Support/bitte_nb/history.db"
    assert default_path("win32", {"LOCALAPPDATA": "/local"}) == Path("/local/bitte_nb/history.db")
    monkeypatch.setenv("BITTE_NB_HISTORY", str(tmp_path / "mine.db"))
    assert open_store().where == str(tmp_path / "mine.db")
    with pytest.raises(HistoryError, match="No store speaks 'mysql'"):
        open_store("mysql://x/y")
    with pytest.raises(HistoryError, match="kept on a disk"):
        open_store(":memory:")
