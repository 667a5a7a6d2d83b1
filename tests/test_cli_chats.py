"""The subcommand `chats`: what it prints, keeps and removes, and how it fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bitte_nb.agent.agent import Agent
from bitte_nb.agent.chat import Chat
from bitte_nb.cli import main
from bitte_nb.core.log import AgentRecord, ChatOpened, Entry, StepStarted, TextAdded, TurnStarted
from bitte_nb.demo.document import document
from bitte_nb.history.store import Store, open_store

STEERING = "\x1b]0;pwned\x07 \x1b[2J \x9b31m \u202e \u2066 end"
STEERS = set("\x1b\x07\x9b\u202e\u2066")
ROOT = Path(__file__).parents[1]
NOW = int(time.time() * 1000)


def keep(store: Store, chat: str, text: str, *, at: int = NOW, title: str = "") -> None:
    agent = AgentRecord(agent="a", name=text)
    entries: list[Entry] = [
        ChatOpened(at=at, chat=chat, title=title, agents=(agent,)),
        TurnStarted(at=at, turn=1, text=text, agent="a"),
        StepStarted(at=at, turn=1, step=1, attempt=1, model="m"),
        TextAdded(at=at, turn=1, step=1, text=text),
    ]
    store.create(chat, title, at)
    store.append(chat, entries, expected=0, durable=True)


@pytest.fixture
def history(tmp_path: Path) -> str:
    return str(tmp_path / "history.db")


@pytest.fixture
def store(history: str):
    with_chats = open_store(history)
    yield with_chats
    with_chats.close()


@pytest.mark.parametrize("act", [["show", "c1"], ["list"], ["search", "end"], ["prune", "--older-than", "0"]])
def test_what_was_said_cannot_steer_the_terminal(
    act: list[str], history: str, store: Store, capsys: pytest.CaptureFixture[str]
):
    keep(store, "c1", STEERING, title=STEERING, at=1)
    assert main(["chats", "--history", history, *act]) == 0
    out = capsys.readouterr().out
    assert "pwned" in out
    assert STEERS.isdisjoint(out)


@pytest.mark.usefixtures("store")
def test_an_error_cannot_steer_the_terminal(history: str, capsys: pytest.CaptureFixture[str]):
    assert main(["chats", "--history", history, "show", STEERING + "\n"]) == 1
    err = capsys.readouterr().err
    assert "No chat has the id" in err
    assert STEERS.isdisjoint(err)
    assert err.count("\n") == 1


def test_words_keep_their_joiners_lines_and_tabs(history: str, store: Store, capsys: pytest.CaptureFixture[str]):
    text = "می\u200cخواهم\n\t👨\u200d👩\u200d👧"
    keep(store, "c1", text)
    main(["chats", "--history", history, "show", "c1"])
    assert text.replace("\n", "\n> ") in capsys.readouterr().out


@pytest.mark.parametrize(
    ("act", "missing"), [(["export", "c1", "no/such/folder/x.md"], "x.md"), (["import", "no-such.jsonl"], "no-such")]
)
def test_a_missing_file_or_folder_is_one_sentence(
    act: list[str], missing: str, history: str, store: Store, capsys: pytest.CaptureFixture[str]
):
    keep(store, "c1", "hi")
    assert main(["chats", "--history", history, *act]) == 1
    err = capsys.readouterr().err
    assert err.startswith("bitte-nb: ")
    assert missing in err
    assert err.count("\n") == 1


def test_a_reader_that_has_seen_enough_ends_it_silently(history: str, store: Store):
    keep(store, "c1", "a line of words\n" * 100_000)
    command = [sys.executable, "-m", "bitte_nb.cli", "chats", "--history", history, "show", "c1"]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, env=buffered) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.read(20)
        child.stdout.close()
        assert child.stderr.read() == b""
        assert child.wait(timeout=60) == 141


def test_a_terminal_without_a_letter_shows_a_question_mark(history: str, store: Store):
    keep(store, "c1", "Grüße 👋")
    command = [sys.executable, "-m", "bitte_nb.cli", "chats", "--history", history, "show", "c1"]
    done = subprocess.run(
        command, capture_output=True, cwd=ROOT, env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}, check=True
    )
    assert b"> Gr??e ?" in done.stdout


def test_an_import_is_answered_by_the_agent_of_the_document(
    tmp_path: Path, history: str, store: Store, capsys: pytest.CaptureFixture[str]
):
    paper = tmp_path / "agent.json"
    paper.write_text(json.dumps(document("http://127.0.0.1:8787")), "utf-8")
    messages = tmp_path / "messages.json"
    messages.write_text(json.dumps([{"role": "user", "content": "Hello there"}, {"role": "tool", "content": []}]))
    act = ["import", str(messages), "--document", str(paper), "--title", "Taken in"]
    assert main(["chats", "--history", history, *act]) == 0
    chat_id, _, rest = capsys.readouterr().out.partition("  ")
    assert rest.startswith("Taken in (")
    chat = Chat.load(chat_id, store=store)
    assert [turn.text for turn in chat.state.turns] == ["Hello there"]
    assert chat.agent.document.digest == Agent(str(paper)).document.digest
    chat.close()


def test_an_import_without_a_document_is_kept_and_loaded_with_an_agent(
    tmp_path: Path, history: str, store: Store, capsys: pytest.CaptureFixture[str]
):
    keep(store, "c1", "How are you?", title="Old")
    file = tmp_path / "c1.json"
    main(["chats", "--history", history, "export", "c1", str(file)])
    assert capsys.readouterr().out == f"Written to {file}.\n"
    assert main(["chats", "--history", history, "import", str(file)]) == 0
    chat_id = capsys.readouterr().out.split()[0]
    assert [chat.title for chat in store.chats()] == ["Old", "Old"]
    chat = Chat.load(chat_id, agent=Agent(document("http://127.0.0.1:8787")), store=store)
    assert [turn.text for turn in chat.state.turns] == ["How are you?"]
    chat.close()


def test_what_is_no_history_is_not_imported(
    tmp_path: Path, history: str, store: Store, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "x.json").write_text("{}")
    assert main(["chats", "--history", history, "import", str(tmp_path / "x.json")]) == 1
    assert capsys.readouterr().err.startswith("bitte-nb: ")
    assert store.chats() == []


def test_old_chats_are_pruned_by_days(history: str, store: Store, capsys: pytest.CaptureFixture[str]):
    day = 86_400_000
    for days in (1, 9, 11):
        keep(store, f"c{days}", "hi", at=NOW - days * day)
    assert main(["chats", "--history", history, "prune", "--older-than", "10"]) == 0
    assert capsys.readouterr().out.endswith("1 chat removed.\n")
    assert [chat.chat for chat in store.chats()] == ["c1", "c9"]
    assert main(["chats", "--history", history, "prune", "--older-than", "0.5"]) == 0
    assert store.chats() == []


@pytest.mark.parametrize("days", ["-1", "nan", "inf", "ten", ""])
def test_a_wrong_number_of_days_removes_nothing(
    days: str, history: str, store: Store, capsys: pytest.CaptureFixture[str]
):
    keep(store, "c1", "hi", at=1)
    with pytest.raises(SystemExit):
        main(["chats", "--history", history, "prune", f"--older-than={days}"])
    assert "--older-than" in capsys.readouterr().err
    assert len(store.chats()) == 1


@pytest.mark.parametrize("name", ["typo.sqlite", "typo.jsonl", "no/folder/typo.sqlite"])
@pytest.mark.parametrize("act", [["list"], ["show", "c1"], ["search", "x"], ["delete", "c1"]])
def test_to_look_into_a_history_that_is_not_there_makes_none(
    name: str, act: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    place = tmp_path / name
    assert main(["chats", "--history", str(place), *act]) == 1
    assert capsys.readouterr().err.startswith(f"bitte-nb: There is no history at {place}; ")
    assert list(tmp_path.iterdir()) == []
