"""Cases from files: what is read, and which line is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

import bitte_nb as bn

SAME = [
    ("What does note 7 say?", "read-note(id=7)"),
    ("Thank you!", "no call"),
    ("Who are you?", "says /notes?/"),
]
FILES = {
    "cases.yaml": """
- prompt: What does note 7 say?
  calls: [{read-note: {id: 7}}]
- prompt: Thank you!
  calls: []
- {prompt: Who are you?, text: {$regex: "notes?"}}
""",
    "nested.yml": """
cases:
  - {prompt: What does note 7 say?, calls: [{read-note: {id: 7}}], exact: false, name: null}
  - {prompt: Thank you!, calls: []}
  - {prompt: Who are you?, text: {$regex: "notes?"}}
""",
    "cases.json": """[
  {"prompt": "What does note 7 say?", "calls": [["read-note", {"id": 7}]]},
  {"prompt": "Thank you!", "calls": []},
  {"prompt": "Who are you?", "text": {"$regex": "notes?"}}
]""",
    "cases.jsonl": """{"prompt": "What does note 7 say?", "calls": [{"read-note": {"id": 7}}]}

{"prompt": "Thank you!", "calls": []}
{"prompt": "Who are you?", "text": {"$regex": "notes?"}}
""",
}


@pytest.mark.parametrize("name", FILES)
def test_every_form_gives_the_same_cases(name: str, tmp_path: Path):
    (tmp_path / name).write_text(FILES[name])
    assert [(case.prompt, case.words) for case in bn.load_cases(tmp_path / name)] == SAME


def test_a_table_has_a_call_a_row_and_is_read_as_spreadsheets_write_it(tmp_path: Path):
    path = tmp_path / "cases.csv"
    path.write_bytes(
        b"\xef\xbb\xbfname,prompt,call,args,text\r\n"
        b'seven,"What does\nnote 7 say?",read-note,"{""id"": 7}",\r\n'
        b",Thank you!,,,welcome\r\n"
    )
    found = bn.load_cases(str(path))
    assert [(case.name, case.words) for case in found] == [
        ("seven", "read-note(id=7)"),
        ("Thank you!", "no call; says 'welcome'"),
    ]


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        (
            "a.yaml",
            "- prompt: hi\n  calls: []\n\n- promt: note\n",
            "a.yaml, line 4: 'promt' means nothing in a case. Did you mean 'prompt'?",
        ),
        (
            "a.yaml",
            "cases:\n- prompt: hi\n  calls: a\n",
            "a.yaml, line 2: calls is a list, [] where nothing may be called, not 'a'.",
        ),
        (
            "a.yaml",
            "- prompt: hi\n  calls: []\n  calls: [a]\n",
            "a.yaml: 'calls' is written twice in one place (line 3).",
        ),
        ("a.yaml", "- hi\n", "a.yaml, line 1: a case is written as `prompt: ...` and `calls: [...]`, not as 'hi'."),
        ("a.yaml", "- prompt: 7\n  calls: []\n", "a.yaml, line 1: prompt is a text, not 7."),
        (
            "a.yaml",
            "- prompt: x\n  calls: []\n  exact: ja\n",
            "a.yaml, line 1: exact is true or false, not 'ja'.",
        ),
        ("a.yaml", "- calls: []\n  text: x\n", "a.yaml, line 1: A case needs a prompt"),
        ("a.yaml", "prompt: hi\n", "a.yaml: this is no list of cases; write `- prompt: ...` for each."),
        ("a.yaml", "- prompt: [\n", "a.yaml: The document is neither JSON nor YAML"),
        ("a.yaml", "[]", "a.yaml holds no cases."),
        ("a.json", '[\n {"prompt": "x"}]', "a.json, line 2: The case 'x' expects nothing"),
        ("a.jsonl", '{"prompt": "x", "calls": []}\n{\n', "a.jsonl: line 2 is not valid JSON"),
        (
            "a.jsonl",
            '{"prompt": "x", "calls": []}\n\n{"prompt": "y", "calls": [{"a": {"b": {"$rgex": 1}}}]}',
            "a.jsonl, line 3: The case 'y': $rgex is no operator. Did you mean $regex?",
        ),
        ("a.csv", "prompt,cal\nx,\n", "a.csv: line 1: 'cal' means nothing in a case. Did you mean 'call'?"),
        ("a.csv", "prompt,args\nx,\n", "a.csv: line 1 names the columns: prompt, and call or text"),
        ("a.csv", "", "a.csv: line 1 names the columns"),
        ("a.csv", 'prompt,call,args\n"two\nlines",,\nx,read,{id\n', "a.csv: line 4 is not valid JSON"),
        ("a.csv", "prompt,call,args\nx,read,[7]\n", "a.csv: line 2: args is a JSON object, not [7]."),
        ("a.csv", "prompt,call\nx,read,{}\n", "a.csv: line 2 has more cells than columns"),
        ("a.txt", "", "a.txt is read as none of .yaml, .yml, .json, .jsonl, .csv; give it one of these endings."),
    ],
)
def test_what_is_wrong_names_its_line(name: str, text: str, sentence: str, tmp_path: Path):
    (tmp_path / name).write_text(text)
    with pytest.raises(bn.errors.MeasureError) as fault:
        bn.load_cases(tmp_path / name)
    assert str(fault.value).removeprefix(f"{tmp_path}/").startswith(sentence)


def test_a_file_that_is_not_there_or_no_text_is_a_sentence(tmp_path: Path):
    with pytest.raises(bn.errors.MeasureError, match="cannot be read"):
        bn.load_cases(tmp_path / "none.yaml")
    (tmp_path / "a.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(bn.errors.MeasureError, match="cannot be read"):
        bn.load_cases(tmp_path / "a.csv")
