"""The demo agent's document passes the doctor without a finding."""

from __future__ import annotations

from bitte_nb.demo.document import document
from bitte_nb.spec.doctor import doctor
from bitte_nb.spec.load import load_document


def test_the_demo_document_has_no_finding():
    demo = document("http://127.0.0.1:8787")
    assert [str(finding) for finding in doctor(load_document(demo))] == []
    url = "http://127.0.0.1:8787/.well-known/ai-plugin.json"
    assert [str(finding) for finding in doctor(load_document(demo, url=url))] == []
