"""A disk on a network is known by its mount, and one that never answers ends in a sentence."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from bitte_nb.errors import HistoryError
from bitte_nb.history import sqlite_file
from bitte_nb.history.place import disk_of, within
from bitte_nb.history.sqlite import SqliteStore

from . import chats

MOUNTS = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:31 / /home rw,nosuid - nfs4 server:/export/home rw,vers=4.2
31 30 0:32 / /home/me/local\\040disk rw - xfs /dev/vdb rw
40 22 0:40 / /mnt rw - tmpfs tmpfs rw
41 40 0:41 / /mnt rw - cifs //nas/share rw
torn line
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/x", "ext4"),
        ("/", "ext4"),
        ("/home/me/history.db", "nfs4"),
        ("/homeless/x", "ext4"),
        ("/home/me/local disk/history.db", "xfs"),
        ("/mnt/x", "cifs"),
    ],
)
def test_the_disk_is_that_of_the_longest_and_last_mount(path: str, kind: str):
    assert disk_of(Path(path), mounts=MOUNTS) == kind


def test_this_machines_own_disk_is_known_where_it_tells(tmp_path: Path):
    assert bool(disk_of(tmp_path)) == Path("/proc/self/mountinfo").exists()


def test_a_disk_that_never_answers_ends_in_a_sentence():
    never = threading.Event()
    with pytest.raises(HistoryError, match="did not answer"):
        within(0.05, never.wait, late="It did not answer.")
    never.set()


def test_an_answer_and_an_error_come_through():
    assert within(5, lambda: 0, late="") == 0
    with pytest.raises(ZeroDivisionError):
        within(5, lambda: 1 // 0, late="")


@pytest.mark.parametrize(("disk", "journal"), [("ext4", "wal"), ("nfs4", "delete")])
def test_only_a_disk_of_this_machine_gets_a_shared_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, disk: str, journal: str
):
    monkeypatch.setattr(sqlite_file, "disk_of", lambda path: disk)
    store = SqliteStore(tmp_path / "history.db")
    store.create("c1", "t", 1)
    assert store.append("c1", chats.small_chat(), expected=0, durable=True) == 8
    assert [one.chat for one in store.search("lisbon")] == ["c1"]
    db = sqlite3.connect(store.path)
    assert db.execute("PRAGMA journal_mode").fetchone() == (journal,)
    store.close()
