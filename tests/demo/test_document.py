"""The document: true to the server, complete, and without a finding."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx
import jsonschema
import pytest

from bitte_nb.core.wallet import Wallet
from bitte_nb.demo.agent import DemoAgent
from bitte_nb.demo.chains import EVM_CHAINS
from bitte_nb.demo.document import document
from bitte_nb.demo.tools import OPERATIONS

DOCUMENT = document("http://127.0.0.1:1")
PRIMITIVES = ["generate-transaction", "generate-evm-tx", "sign-message", "render-chart"]
WALLET = Wallet(account_id="alice.near", evm_address="0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", chain_id=8453)


def described() -> dict[str, dict[str, Any]]:
    """Operation objects by operationId, with method and path beside them."""
    return {
        operation["operationId"]: {**operation, "method": method.upper(), "path": path}
        for path, item in DOCUMENT["paths"].items()
        for method, operation in item.items()
    }


def follow(node: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        found: Any = DOCUMENT
        for part in node["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        node = found
    return node


def check(value: Any, schema: dict[str, Any]) -> None:
    """Validate against a schema of the document (JSON Schema 2020-12, as OpenAPI 3.1 has it)."""
    jsonschema.Draft202012Validator({**schema, "components": DOCUMENT["components"]}).validate(value)


def test_the_document_and_the_server_name_the_same_operations_and_arguments():
    assert sorted(described()) == sorted(operation.id for operation in OPERATIONS)
    assert len(described()) == sum(len(item) for item in DOCUMENT["paths"].values())
    for operation in OPERATIONS:
        words = described()[operation.id]
        assert (words["method"], words["path"]) == (operation.method, operation.path)
        parameters = words.get("parameters", [])
        assert {one["name"] for one in parameters if one["in"] == "query"} == set(operation.query)
        assert [one["name"] for one in parameters if one["in"] == "path"] == re.findall(r"{(\w+)}", operation.path)
        body = words.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
        assert set(body.get("properties", {})) == set(operation.body)


def test_the_server_is_the_place_that_answers(client: httpx.Client, agent: DemoAgent):
    served = client.get("/.well-known/ai-plugin.json").json()
    assert served == document(agent.url)
    assert served["servers"] == [{"url": agent.url, "description": "This running agent"}]


def test_the_chains_of_the_assistant_are_those_served():
    assistant = DOCUMENT["x-mb"]["assistant"]
    assert assistant["chainIds"] == list(EVM_CHAINS)
    assert [tool["type"] for tool in assistant["tools"]] == PRIMITIVES


def test_the_instructions_name_every_primitive_after_the_operation_that_precedes_it():
    text = DOCUMENT["x-mb"]["assistant"]["instructions"]
    for first, then in (
        ("create-near-transaction", "generate-transaction"),
        ("create-evm-transaction", "generate-evm-tx"),
        ("create-evm-sign-request", "generate-evm-tx"),
        ("get-user", "sign-message"),
        ("create-chart", "render-chart"),
    ):
        assert 0 <= text.index(first) < text.index(then, text.index(first))
    named = set(re.findall(r"\b[a-z]+(?:-[a-z]+)+\b", text))
    assert named <= set(described()) | set(PRIMITIVES)


@pytest.mark.parametrize("operation_id", described())
def test_every_example_is_valid_against_its_schema(operation_id: str):
    operation = described()[operation_id]
    for parameter in operation.get("parameters", []):
        check(parameter["example"], parameter["schema"])
        if "default" in parameter["schema"]:
            check(parameter["schema"]["default"], parameter["schema"])
    contents = [follow(response)["content"] for response in operation["responses"].values()]
    if "requestBody" in operation:
        contents.append(operation["requestBody"]["content"])
    for content in contents:
        check(content["application/json"]["example"], content["application/json"]["schema"])


@pytest.mark.parametrize("operation_id", described())
def test_every_operation_says_what_it_does_and_when_and_how_it_fails(operation_id: str):
    operation = described()[operation_id]
    assert 30 <= len(operation["description"]) <= 300
    assert "Use it when" in operation["description"] or "use it when" in operation["description"].lower()
    assert {status[0] for status in operation["responses"]} == {"2", "4"}
    if operation["method"] != "GET":
        assert "Side effect:" in operation["description"]
        assert operation["x-openai-isConsequential"] is True


@pytest.mark.parametrize("operation_id", described())
def test_the_server_accepts_the_documents_own_examples_and_answers_as_it_says(client: httpx.Client, operation_id: str):
    operation = described()[operation_id]
    if operation_id == "remove-note":
        client.post("/api/notes", json={"text": "to be removed"})
    parameters = operation.get("parameters", [])
    path = operation["path"]
    for one in parameters:
        if one["in"] == "path":
            path = path.replace("{" + one["name"] + "}", one["example"])
    query = {one["name"]: one["example"] for one in parameters if one["in"] == "query"}
    if "seconds" in query:
        query["seconds"] = 1
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example")
    headers = {"mb-metadata": WALLET.metadata()}
    response = client.request(operation["method"], path, params=query, json=body, headers=headers)
    declared = operation["responses"][str(response.status_code)]
    assert response.status_code < 300, response.text
    check(response.json(), follow(declared)["content"]["application/json"]["schema"])


def test_every_refusal_is_declared_and_shaped_as_declared(client: httpx.Client):
    asked = {
        "get-user": client.get("/api/user"),
        "create-near-transaction": client.get("/api/payloads/near-transfer"),
        "reserve-username": client.post("/api/usernames", json={"username": "alice"}),
        "remove-note": client.delete("/api/notes/note-9"),
        "add-note": client.post("/api/notes", content="x"),
    }
    asked_again = {"reserve-username": client.post("/api/usernames", json={"username": "A"})}
    for operation_id, response in [*asked.items(), *asked_again.items()]:
        declared = described()[operation_id]["responses"]
        assert str(response.status_code) in declared, operation_id
        check(response.json(), follow(declared[str(response.status_code)])["content"]["application/json"]["schema"])


def test_the_undo_of_a_note_is_declared_as_a_link(client: httpx.Client):
    link = described()["add-note"]["responses"]["201"]["links"]["undo"]
    assert link["operationId"] == "remove-note"
    assert link["parameters"] == {"noteId": "$response.body#/noteId"}


def test_no_reference_of_the_document_is_broken():
    for reference in re.findall(r'"\$ref": "([^"]+)"', json.dumps(DOCUMENT)):
        assert follow({"$ref": reference})


def test_a_text_is_signed_plainly_unless_said_otherwise():
    operations = [path["get"] for path in document("http://127.0.0.1:8787")["paths"].values() if "get" in path]
    (operation,) = [one for one in operations if one["operationId"] == "create-evm-sign-request"]
    (method,) = [one for one in operation["parameters"] if one["name"] == "method"]
    assert method["schema"]["default"] == "personal_sign"
