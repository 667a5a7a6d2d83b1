"""Plain mistakes are one sentence, in a program and in a notebook."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, cast

import pytest

import bitte_nb as bn
from bitte_nb import errors
from bitte_nb.agent.chat import Chat
from tests.agent.test_left_out import SHED

ALL = [one for one in vars(errors).values() if inspect.isclass(one) and issubclass(one, Exception)]


@pytest.mark.parametrize("kind", ALL)
def test_a_notebook_shows_each_as_one_line(kind: type[errors.BitteError]) -> None:
    assert kind("It is so.")._render_traceback_() == [f"{kind.__name__}: It is so."]


def test_what_is_no_message_is_refused(tmp_path: Path) -> None:
    chat = Chat(SHED, store=tmp_path / "history.sqlite")
    for text, said in ((None, "a text, not NoneType"), (7, "a text, not int"), (" ", "the message is empty")):
        with pytest.raises(errors.ArgumentRefused, match=said):
            chat.ask(cast("Any", text))
        with pytest.raises(ValueError, match=said):
            chat.edit(1, cast("Any", text))
    turn = chat.ask("which bike?").wait()
    with pytest.raises(errors.ArgumentRefused, match="until is 'whatever'; write 'rest'"):
        turn.wait(until=cast("Any", "whatever"))
    chat.close()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"account": "alice.near"}, "A wallet has no account. Did you mean account_id?"),
        ({"zzz": 1}, "A wallet has no zzz. It has account_id, evm_address, chain_id."),
        ({"chain_id": "one"}, "chain_id cannot be used: Input should be a valid integer"),
    ],
)
def test_what_a_wallet_does_not_have_is_refused_with_the_nearest_name(given: dict[str, Any], said: str) -> None:
    with pytest.raises(errors.WalletError) as shown:
        bn.Wallet(**given)
    assert said in str(shown.value)
    assert "http" not in str(shown.value)


def test_what_is_no_list_of_cases_is_refused() -> None:
    agent = bn.Agent(SHED)
    for cases, said in (
        (["list bikes"], "'list bikes' is no case: write bn.Case"),
        (bn.Case("x", []), r"bn.measure\(agent, \[case\]\)"),
        (None, "The cases are a list"),
    ):
        with pytest.raises(errors.MeasureError, match=said):
            bn.measure(agent, cast("Any", cases))
