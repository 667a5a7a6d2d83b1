"""The page about policies holds; a call that a rule forbids is not told as one that a person declined."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import bitte_nb as bn
from bitte_nb.agent.chat import Chat
from bitte_nb.agent.policy import Policy, Rule
from bitte_nb.cli import main
from bitte_nb.core.answer import model_result
from bitte_nb.core.result import ToolError
from bitte_nb.errors import ChatNotFound
from bitte_nb.model.answer import answer_outcomes
from bitte_nb.model.said import Outcome
from bitte_nb.testing import Call, ScriptedModel

PAGE = (Path(__file__).parents[2] / "docs" / "policy.md").read_text("utf-8")


def _operation(name: str) -> dict[str, Any]:
    return {"operationId": name, "responses": {"200": {"description": "ok"}}}


LIBRARY: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Little Library", "version": "1"},
    "servers": [{"url": "https://api.library.example"}],
    "paths": {
        "/books": {"get": _operation("list-books"), "put": _operation("shelve-book")},
        "/loans": {"post": _operation("lend-book"), "put": _operation("reserve-book")},
    },
}


def test_the_file_of_the_page_means_what_the_page_says(tmp_path: Path) -> None:
    block = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert block is not None
    path = tmp_path / "policy.yaml"
    path.write_text(block[1], encoding="utf-8")
    agent = bn.Agent(LIBRARY, policy=path)
    rows = {row.tool: (row.effect, row.rule) for row in agent.policy.explain(agent.document)}
    assert rows == {
        "list-books": ("allow", "read-only"),
        "shelve-book": ("allow", "shelves"),
        "lend-book": ("deny", "no-lending"),
        "reserve-book": ("ask", "look-first"),
    }


@pytest.mark.parametrize("word", ["rules", "extends", "person", *Rule.model_fields])
def test_the_page_explains_every_word(word: str) -> None:
    assert re.search(rf"^\| `{word}\b", PAGE, re.MULTILINE)


def lending(tmp_path: Path, effect: str) -> tuple[Chat, str, str]:
    policy = Policy([{"name": "no-lending", "effect": effect, "tools": ["lend-book"], "reason": "Not from here"}])
    model = ScriptedModel([[Call("lend-book", {})], ["Done."]])
    chat = Chat(bn.Agent(LIBRARY, model=model, policy=policy), store=tmp_path / "history.sqlite")
    turn = chat.ask("lend it")
    for one in turn.pending:
        one.deny("No.")
    turn.wait()
    result = model_result(turn.invocations[0])
    assert isinstance(result, ToolError)
    said = answer_outcomes([Outcome(name="lend-book", args={}, error=result.error)])
    return chat, result.error, said[0]


def test_a_call_that_a_rule_forbids_says_which_and_why(tmp_path: Path) -> None:
    chat, model, person = lending(tmp_path, "deny")
    assert model.startswith("Forbidden by the rule “no-lending”: Not from here.")
    assert "unless the user asks" not in model
    assert "a rule of your policy forbids it" in person
    assert "declined" not in person
    chat.close()


def test_a_call_that_a_person_declined_says_so_though_a_rule_asked(tmp_path: Path) -> None:
    chat, model, person = lending(tmp_path, "ask")
    assert model.startswith("Denied")
    assert "it was declined" in person
    chat.close()


def test_a_chat_loaded_without_its_functions_names_them_and_the_remedy(tmp_path: Path) -> None:
    def count(words: str) -> int:
        """Count."""
        return len(words)

    store = tmp_path / "history.sqlite"
    chat = Chat(bn.Agent(LIBRARY, tools=[count]), store=store)
    assert chat.notice == ""
    chat.ask("hello").wait()
    assert chat.id in repr(chat)
    chat.close()
    for agent in (None, bn.Agent(LIBRARY)):
        loaded = Chat.load(chat.id, agent=agent, store=store)
        assert "count is not here" in loaded.notice
        assert f"Chat.load({chat.id!r}, agent=bn.Agent(..., tools=[count]))" in loaded.notice
        loaded.close()
    whole = Chat.load(chat.id, agent=bn.Agent(LIBRARY, tools=[count]), store=store)
    assert whole.notice == ""
    whole.close()


def test_a_chat_that_is_not_there_is_looked_for_in_the_same_history(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "my history.sqlite"
    with pytest.raises(ChatNotFound, match=r"bitte-nb chats --history '.*my history\.sqlite' list"):
        Chat.load("nosuch", store=store)
    assert main(["chats", "--history", str(store), "list"]) == 0
    capsys.readouterr()
