"""From what a person writes as `model=` to a model."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bitte_nb.errors import ModelError
from bitte_nb.model.offline import OfflineModel
from bitte_nb.model.registry import connect, resolve_model
from bitte_nb.testing import ScriptedModel


def test_offline_is_the_offline_model():
    model = resolve_model("offline")
    assert isinstance(model, OfflineModel)
    assert model.name == "offline model"


def test_a_model_object_is_itself():
    model = ScriptedModel([])
    assert resolve_model(model) is model


def test_a_url_with_a_name_is_an_endpoint_and_shows_no_key_or_password():
    with pytest.raises(ModelError, match="no name or password") as refused:
        connect("http://user:hidden@127.0.0.1:9/v1#tiny")
    assert "hidden" not in str(refused.value)
    model = connect("http://127.0.0.1:9/v1#tiny", api_key="sk-secret")
    assert model.name == "tiny"
    assert repr(model) == "PydanticAIModel('tiny' at 127.0.0.1:9)"
    assert not any(word in str(vars(model)) for word in ("secret",))


def test_provider_and_name_is_a_model_that_asks_nothing_yet():
    assert resolve_model("openai:gpt-x").name == "gpt-x"
    assert resolve_model("anthropic:claude-x").name == "claude-x"


@pytest.mark.parametrize("wrong", ["http://127.0.0.1:9/v1", "nobody:x", "openai:", "", "gpt-4"])
def test_anything_else_is_an_error_sentence_that_says_what_to_write(wrong: str):
    with pytest.raises(ModelError, match=r"#model-name|after a #"):
        resolve_model(wrong)


def test_an_object_that_is_no_model_is_named():
    with pytest.raises(ModelError, match="A int is no model"):
        resolve_model(3)


def test_resolving_imports_no_provider_library():
    code = (
        "import sys; from bitte_nb.model.registry import resolve_model; "
        "resolve_model('http://127.0.0.1:9/v1#x'); resolve_model('offline'); "
        "print([name for name in sys.modules if name.split('.')[0] in ('pydantic_ai', 'openai')])"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )
