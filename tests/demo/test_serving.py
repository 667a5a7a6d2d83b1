"""Serving: in a thread, from the command line, its errors and its end."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time

import httpx
import pytest

from bitte_nb.cli import main
from bitte_nb.demo.agent import DemoAgent, serve
from bitte_nb.errors import BitteError


def test_it_listens_when_serve_returns_and_is_gone_when_it_is_closed():
    agent = serve()
    assert httpx.get(agent.document_url, timeout=60).json()["servers"][0]["url"] == agent.url
    agent.close()
    agent.close()
    with pytest.raises(httpx.ConnectError):
        httpx.get(agent.document_url)
    assert not any(thread.name == "bitte_nb demo agent" for thread in threading.enumerate())


def test_closing_does_not_wait_for_slow_work():
    answers: list[httpx.Response | httpx.HTTPError] = []
    with serve() as agent:

        def ask() -> None:
            try:
                answers.append(httpx.get(agent.url + "/api/slow-report?seconds=20", timeout=90))
            except httpx.HTTPError as error:
                answers.append(error)

        asking = threading.Thread(target=ask)
        asking.start()
        while httpx.get(agent.url + "/api/stats", timeout=60).json()["requests"]["make-slow-report"] == 0:
            time.sleep(0.01)
    asking.join(timeout=60)
    [answer] = answers
    assert isinstance(answer, httpx.TransportError), "it was hung up on, with no report"


def test_a_port_that_is_taken_is_a_sentence(agent: DemoAgent):
    port = httpx.URL(agent.url).port
    assert port
    with pytest.raises(BitteError, match=f"cannot listen on 127.0.0.1 port {port}.*another port"):
        serve(port=port)


def test_what_is_not_there_is_json_that_names_the_document(client: httpx.Client, agent: DemoAgent):
    for method, path, status in (("GET", "/nope", 404), ("PATCH", "/api/notes", 405), ("POST", "/api/coin", 405)):
        response = client.request(method, path)
        assert response.status_code == status
        assert agent.document_url in response.json()["error"]
    assert client.post("/api/coin").headers["Allow"] == "GET, OPTIONS"


def test_a_page_of_another_origin_may_ask(client: httpx.Client):
    preflight = client.options("/api/notes", headers={"Origin": "https://example.org"})
    assert preflight.status_code == 204
    for response in (preflight, client.get("/api/user"), client.get("/nope")):
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        allowed = response.headers["Access-Control-Allow-Headers"]
        assert {"Content-Type", "Authorization", "mb-metadata"} <= {name.strip() for name in allowed.split(",")}


def test_a_body_that_is_too_large_is_refused(client: httpx.Client):
    try:
        status = client.post("/api/notes", json={"text": "x" * 100_000}).status_code
    except httpx.TransportError:
        status = 400  # the server hung up while the body was still being sent
    assert status in {400, 413}
    assert client.get("/api/notes").json()["total"] == 0


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM], ids=lambda s: s.name)
def test_the_command_prints_the_documents_url_and_ends_cleanly(ending: signal.Signals):
    command = [sys.executable, "-m", "bitte_nb.cli", "agent", "--port", "0", "--seed", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        url = process.stdout.readline().strip()
        assert httpx.get(url, timeout=60).json()["x-mb"]["assistant"]["name"] == "Demo agent"
        process.send_signal(ending)
        rest, errors = process.communicate(timeout=60)
    assert (process.returncode, rest, errors) == (0, "", "")


def test_a_failure_of_the_command_is_one_line_and_status_1(agent: DemoAgent, capsys: pytest.CaptureFixture[str]):
    assert main(["agent", "--port", str(httpx.URL(agent.url).port)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("bitte-nb: The demo agent cannot listen")


def test_help_imports_nothing_heavy():
    code = (
        "import sys, json, bitte_nb.cli as cli\n"
        "try: cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        "print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "serve the demo agent" in done.stdout
    loaded = {name.partition(".")[0] for name in json.loads(done.stderr)}
    assert loaded.isdisjoint({"tornado", "yaml", "httpx", "pydantic", "eth_account", "anywidget", "traitlets"})
