"""Traces: off unless asked for, and without keys when they are on."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from paper_search.llm.tracing import redact_traces, without_secrets

KEY = "CANARY-key-of-the-model"


@pytest.fixture
def collector(httpserver: HTTPServer) -> tuple[HTTPServer, list[bytes]]:
    """A place that traces are sent to, and what came."""
    bodies: list[bytes] = []

    def collect(request: Request) -> Response:
        bodies.append(request.get_data())
        return Response("{}", content_type="application/json")

    httpserver.expect_request("/info").respond_with_json({"version": "0"})
    httpserver.expect_request("/chat/completions").respond_with_json(
        {"error": {"message": f"Incorrect API key provided: {KEY}"}}, status=401
    )
    for path in ("/runs/multipart", "/runs/batch", "/runs"):
        httpserver.expect_request(path).respond_with_handler(collect)
    return httpserver, bodies


def find(tmp_path, url: str, **variables: str) -> None:
    system = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    subprocess.run(  # noqa: S603  # our own command
        [sys.executable, "-m", "paper_search", "find", f"graphs, with {KEY} in them", "--yes"],
        env={
            **system,
            "HOME": str(tmp_path),
            "PAPER_SEARCH_HOME": str(tmp_path / "home"),
            "LLM_MODEL": "fake",
            "LLM_BASE_URL": url,
            "OPENAI_API_KEY": KEY,
            "LANGSMITH_ENDPOINT": url,
            "LANGSMITH_API_KEY": "CANARY-key-of-langsmith",
            "LANGSMITH_DISABLE_RUN_COMPRESSION": "true",
            **variables,
        },
        cwd=tmp_path,
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def test_nothing_is_sent_unless_it_is_asked_for__sec_20(tmp_path, collector):
    server, bodies = collector
    find(tmp_path, server.url_for("").rstrip("/"))
    assert bodies == []


def test_what_is_sent_holds_no_key__sec_20(tmp_path, collector):
    """Neither the one in the question nor the one that the model's server says back."""
    server, bodies = collector
    find(tmp_path, server.url_for("").rstrip("/"), LANGSMITH_TRACING="true")
    assert any(b"parse_intent" in body for body in bodies)
    assert any(b"[redacted]" in body for body in bodies)
    assert [body for body in bodies if b"CANARY" in body] == []


def test_without_tracing_no_client_is_made(monkeypatch):
    for name in ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING_V2"):
        monkeypatch.delenv(name, raising=False)
    assert redact_traces((KEY,)) is False


def test_every_text_is_redacted():
    data = {KEY: [{"a": f"x {KEY}"}, (KEY, 1, None)], "url": "https://a?api_key=abc"}
    assert without_secrets(data, (KEY,)) == {
        "[redacted]": [{"a": "x [redacted]"}, ["[redacted]", 1, None]],
        "url": "https://a?api_key=[redacted]",
    }
