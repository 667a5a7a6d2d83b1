"""A policy in a file: what a person writes is what holds, and what is misspelt starts nothing and says where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bitte_nb as bn
from bitte_nb.agent.policy import OURS, Policy, Rule
from bitte_nb.cli import main
from bitte_nb.errors import PolicyError
from bitte_nb.spec.load import Document

GOOD = """\
# What may run here.
person: true
rules:
  - name: read-only
    effect: allow
    methods: [GET, HEAD]
    kinds: [operation]
  - name: notes
    effect: ask
    tools: ["*note*"]
    expires_s: 90
    reason: Look at the text.
"""

RULES = (
    Rule(name="read-only", effect="allow", methods=("GET", "HEAD"), kinds=("operation",)),
    Rule(name="notes", effect="ask", tools=("*note*",), expires_s=90, reason="Look at the text."),
)


def written(folder: Path, text: str, name: str = "policy.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_means_what_the_rules_mean(tmp_path: Path) -> None:
    assert Policy.load(written(tmp_path, GOOD)).rules == RULES
    as_json = json.dumps({"rules": [rule.model_dump(mode="json") for rule in RULES], "person": False})
    policy = Policy.load(str(written(tmp_path, as_json, "policy.json")))
    assert (policy.rules, policy.person) == (RULES, False)


@pytest.mark.parametrize(
    ("wrong", "right", "line", "words"),
    [
        ("efect: ask", "effect: ask", 9, "'efect' means nothing in a rule. Did you mean 'effect'?"),
        ("tool: [x]", 'tools: ["*note*"]', 10, "Did you mean 'tools'?"),
        ("method: [GET]", "methods: [GET, HEAD]", 6, "Did you mean 'methods'?"),
        ("expires: 90", "expires_s: 90", 11, "Did you mean 'expires_s'?"),
        ("rule:", "rules:", 3, "'rule' means nothing in a policy. Did you mean 'rules'?"),
        ("persons: true", "person: true", 2, "Did you mean 'person'?"),
        ("effect: permit", "effect: ask", 9, "'permit' is not one of allow, ask, deny."),
        ("effect: alow", "effect: ask", 9, "Did you mean 'allow'?"),
        ("kinds: [operations]", "kinds: [operation]", 7, "Did you mean 'operation'?"),
        ("tools: sign-message", 'tools: ["*note*"]', 10, "write [sign-message]"),
        ("expires_s: -1", "expires_s: 90", 11, "greater than 0"),
        ("expires_s: soon", "expires_s: 90", 11, "number"),
        ("person: yes", "person: true", 2, "boolean"),
        ("- effect: allow", "- name: read-only\n    effect: allow", 4, "'name' is missing"),
    ],
)
def test_what_is_misspelt_starts_nothing_and_says_its_line_and_what_was_meant(
    tmp_path: Path, wrong: str, right: str, line: int, words: str
) -> None:
    assert GOOD.count(right) == 1
    with pytest.raises(PolicyError) as error:
        Policy.load(written(tmp_path, GOOD.replace(right, wrong)))
    assert f"policy.yaml, line {line}: " in str(error.value)
    assert words in str(error.value)
    assert "Nothing starts" in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "- name: x\n  effect: deny\n",
        "deny everything",
        "rules: [",
        "rules: {}",
        "rules: [1]",
        "rules:\n",
        '{"a": 1}',
    ],
)
def test_what_is_no_policy_starts_nothing(tmp_path: Path, text: str) -> None:
    with pytest.raises(PolicyError):
        Policy.load(written(tmp_path, text))


def test_a_key_that_is_written_twice_starts_nothing(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="twice"):
        Policy.load(written(tmp_path, GOOD.replace("    effect: ask\n", "    effect: ask\n    effect: allow\n")))


def test_a_file_that_is_not_there_starts_nothing(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="cannot be read"):
        Policy.load(tmp_path / "nowhere.yaml")


@pytest.mark.parametrize("name", sorted(OURS))
def test_no_rule_passes_for_one_of_the_runtime(name: str) -> None:
    with pytest.raises(PolicyError, match=name):
        Policy([{"name": name, "effect": "allow"}])


KEYS = st.sampled_from(sorted(Rule.model_fields))


@given(key=KEYS, data=st.data())
def test_no_misspelt_key_ever_removes_a_gate(
    key: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = data.draw(st.integers(0, len(key) - 1))
    other = key[:place] + data.draw(st.sampled_from(["", "x", key[place] * 2, key[place].upper()])) + key[place + 1 :]
    if other in Rule.model_fields:
        return
    full = {"name": "n", "effect": "deny", "tools": ["a"], "methods": ["GET"], "origins": ["*"], "kinds": ["operation"],
            "safe": True, "reason": "r", "expires_s": 3}  # fmt: skip
    assert full.keys() == Rule.model_fields.keys()
    text = json.dumps({"rules": [{other if name == key else name: value for name, value in full.items()}]}, indent=1)
    with pytest.raises(PolicyError):
        Policy.load(written(tmp_path_factory.mktemp("policy"), text))


def test_a_policy_is_explained_as_a_table_of_what_it_means_for_a_document(document: Document) -> None:
    policy = Policy([*RULES, Rule(name="gone", effect="deny", tools=("remove-note",), reason="Keep <them>.")])
    table = policy.explain(document)
    rows = {row.tool: row for row in table}
    assert {*document.operations, *document.assistant.primitives} == set(rows)
    assert (rows["get-user"].effect, rows["get-user"].rule) == ("allow", "read-only")
    assert (rows["add-note"].effect, rows["add-note"].why) == ("ask", "Look at the text.")
    assert (rows["remove-note"].effect, rows["remove-note"].rule) == ("deny", "gone")
    assert (rows["reserve-username"].effect, rows["reserve-username"].why) == ("ask", "no rule speaks about it")
    assert rows["sign-message"].effect == "ask"
    assert "only a rule that names it" in rows["sign-message"].why
    text = str(table).splitlines()
    assert text[0].split() == ["tool", "method", "server", "effect", "rule", "why"]
    assert len(text) == 1 + len(rows) + 1
    assert "The default rules (only-reads-here) are not part of this policy" in text[-1]
    assert "Keep &lt;them&gt;." in table._repr_html_()


def test_a_table_says_that_rules_in_code_saw_no_arguments(document: Document) -> None:
    def small(_subject: object) -> None:
        return None

    assert "empty arguments" in str(Policy(checks=(small,)).explain(document))


def test_a_policy_of_a_file_is_kept_with_the_chat(document: Document, tmp_path: Path) -> None:
    agent = bn.Agent(document, policy=bn.Policy.load(written(tmp_path, GOOD)))
    record = agent.record().policy
    assert record is not None
    assert Policy.from_record(record).rules == RULES


def test_a_primitive_that_only_shows_something_is_allowed_as_it_is_in_a_chat() -> None:
    tools = [{"type": "render-chart"}, {"type": "sign-message"}]
    document = bn.load_document(
        {
            "openapi": "3.1.0",
            "info": {"title": "Drawing", "version": "1"},
            "servers": [{"url": "http://127.0.0.1:1"}],
            "paths": {},
            "x-mb": {"assistant": {"tools": tools}},
        }
    )
    assert [(row.tool, row.effect) for row in bn.Policy.default().explain(document)] == [
        ("render-chart", "allow"),
        ("sign-message", "ask"),
    ]


LIBRARY = {
    "openapi": "3.1.0",
    "info": {"title": "Little Library", "version": "1"},
    "servers": [{"url": "http://127.0.0.1:1"}],
    "paths": {
        "/books": {"get": {"operationId": "list-books", "responses": {"200": {"description": "ok"}}}},
        "/loans": {"post": {"operationId": "lend-book", "responses": {"200": {"description": "ok"}}}},
    },
}


def no_lending(tool: str, *more: str) -> str:
    return "\n".join(["rules:", "  - name: no-lending", "    effect: deny", f"    tools: [{tool}]", *more]) + "\n"


@pytest.mark.parametrize("word", ["operations", "operation", "operationId", "tool"])
def test_another_word_for_tools_is_answered_with_tools(tmp_path: Path, word: str) -> None:
    with pytest.raises(PolicyError, match="Did you mean 'tools'"):
        Policy.load(written(tmp_path, no_lending("lend-book").replace("tools", word)))
    with pytest.raises(PolicyError, match="Did you mean 'tools'"):
        Policy([{"name": "no-lending", "effect": "deny", word: ["lend-book"]}])


@pytest.mark.parametrize(
    "origin",
    ["library.example", "https://library.example/", "https://library.example/v1", "https://Library.example", "",
     "https://library.example:443", "library", "https//library.example", "https://"],
)  # fmt: skip
def test_what_is_no_origin_starts_nothing(origin: str, tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="is no origin"):
        Policy([{"name": "n", "effect": "deny", "origins": [origin]}])
    with pytest.raises(PolicyError, match=r"line 5: .* is no origin"):
        Policy.load(written(tmp_path, no_lending("lend-book", f"    origins: [{json.dumps(origin)}]")))


@pytest.mark.parametrize(
    "origin",
    ["*", "https://library.example", "https://*.example", "*.example", "http://127.0.0.1:*", "http://[::1]:8000"],
)
def test_an_origin_or_a_pattern_of_one_is_taken(origin: str) -> None:
    assert Policy([{"name": "n", "effect": "deny", "origins": [origin]}]).rules[0].origins == (origin,)


def test_a_method_that_does_not_exist_starts_nothing() -> None:
    with pytest.raises(PolicyError, match=r"'DELET' is no method\. Did you mean 'DELETE'"):
        Policy([{"name": "n", "effect": "deny", "methods": ["DELET"]}])


def test_a_rule_that_names_no_tool_of_the_document_starts_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, no_lending("lend-bok"))
    says = "The rule no-lending names 'lend-bok', which is no tool of Little Library. Did you mean 'lend-book'?"
    with pytest.raises(PolicyError) as by_agent:
        bn.Agent(LIBRARY, policy=path)
    with pytest.raises(PolicyError) as by_table:
        Policy.load(path).explain(bn.load_document(LIBRARY))
    assert str(by_agent.value) == str(by_table.value) == says
    document = tmp_path / "library.json"
    document.write_text(json.dumps(LIBRARY), encoding="utf-8")
    assert main(["policy", str(path), str(document)]) == 1
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("tool", ["lend-book", "'lend-*'", "hand-off", "count"])
def test_a_rule_may_name_an_operation_a_pattern_the_hand_off_or_a_function(tmp_path: Path, tool: str) -> None:
    def count(words: str) -> int:
        """Count."""
        return len(words)

    bn.Agent(LIBRARY, policy=str(written(tmp_path, no_lending(tool))), tools=[count])


def test_a_rule_of_functions_only_is_not_looked_for_in_a_document(tmp_path: Path) -> None:
    policy = Policy.load(written(tmp_path, no_lending("count", "    kinds: [local]")))
    assert len(policy.explain(bn.load_document(LIBRARY))) == 2


def test_a_file_takes_in_the_default_rules_or_the_table_says_that_it_does_not(tmp_path: Path) -> None:
    document = bn.load_document(LIBRARY)
    alone = Policy.load(written(tmp_path, no_lending("lend-book"))).explain(document)
    assert [row.effect for row in alone] == ["ask", "deny"]
    assert "extends: default" in alone.note
    both = Policy.load(written(tmp_path, "extends: default\n" + no_lending("lend-book"))).explain(document)
    assert [row.effect for row in both] == ["allow", "deny"]
    assert both.note == ""
    with pytest.raises(PolicyError, match=r"'defaults' is not one of default\. Did you mean 'default'"):
        Policy.load(written(tmp_path, "extends: defaults\n" + no_lending("lend-book")))


def test_a_word_that_is_not_one_of_the_known_is_told_once(tmp_path: Path) -> None:
    with pytest.raises(PolicyError) as error:
        Policy.load(written(tmp_path, GOOD.replace("effect: ask", "effect: forbid")))
    assert str(error.value).count("allow, ask, deny") == 1


def test_a_stored_chat_whose_policy_names_a_tool_that_is_gone_loads_and_asks_everything(tmp_path: Path) -> None:
    agent = bn.Agent(LIBRARY, policy=written(tmp_path, "extends: default\n" + no_lending("lend-book")))
    record = agent.record()
    assert record.policy is not None
    rules = [*record.policy["rules"], {"name": "old", "effect": "deny", "tools": ["gone"], "origins": ["nowhere"]}]
    old = record.model_copy(update={"policy": {**record.policy, "rules": rules}})
    loaded = bn.Agent.from_record(old, agent.document.text)
    assert [(row.tool, row.effect) for row in loaded.policy.explain(agent.document)] == [
        ("list-books", "ask"),
        ("lend-book", "deny"),
    ]
    assert "everything that is not forbidden asks" in loaded.notice
    assert bn.Agent.from_record(record, agent.document.text).notice == ""
