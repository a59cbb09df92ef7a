"""Traces: off unless asked for, and without keys when they are on."""

from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from tests.end_to_end.served import bare_environment, command_line
from werkzeug import Request, Response

from paper_search.llm.creation import redact_traces, without_secrets

KEY = "CANARY-key-of-the-model"
EXAMPLES = f"{Path(__file__).parents[2] / 'docs' / 'examples'}/"
QUESTION = f"graphs, with {KEY} in them"


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


def run(tmp_path, url: str, *command: str, **variables: str) -> str:
    """Return what a command says that asks a model."""
    environment = bare_environment(
        tmp_path,
        LLM_MODEL="fake",
        LLM_BASE_URL=url,
        OPENAI_API_KEY=KEY,
        LANGSMITH_ENDPOINT=url,
        LANGSMITH_API_KEY="CANARY-key-of-langsmith",
        LANGSMITH_DISABLE_RUN_COMPRESSION="true",
        **variables,
    )
    ended = command_line(environment, *command)
    return ended.stdout + ended.stderr


def test_nothing_is_sent_unless_it_is_asked_for__sec_20(tmp_path, collector):
    server, bodies = collector
    run(tmp_path, server.url_for("").rstrip("/"), "find", QUESTION, "--yes")
    assert bodies == []


@pytest.mark.parametrize(
    ("command", "step"),
    [
        (["find", QUESTION, "--yes"], b"parse_intent"),
        (["report", QUESTION, "--yes"], b"planner"),
        (
            ["graph", "run", "linear", "--in", EXAMPLES, "--input", f'{{"title": "{KEY}"}}'],
            b"split",
        ),
    ],
    ids=["search", "report", "workflow of others"],
)
def test_what_is_sent_holds_no_key__sec_20(tmp_path, collector, command, step):
    """Neither the one in the question nor the one that the model's server says back."""
    server, bodies = collector
    url = server.url_for("").rstrip("/")
    run(tmp_path, url, *command, LANGSMITH_TRACING="true")
    assert any(step in body for body in bodies)
    assert any(b"[redacted]" in body for body in bodies)
    assert [body for body in bodies if b"CANARY" in body] == []


def test_no_log_of_a_models_client_holds_the_key__sec_20(tmp_path, httpserver):
    """The servers of models are asked by packages of others, which log what they are sent to."""
    elsewhere = {"Location": f"/elsewhere?key={KEY}"}
    httpserver.expect_request("/chat/completions").respond_with_data(status=307, headers=elsewhere)
    httpserver.expect_request("/elsewhere").respond_with_data(status=500)
    said = run(tmp_path, httpserver.url_for("").rstrip("/"), "--debug", "find", "graphs", "--yes")
    assert "/elsewhere?key=[redacted]" in said
    assert KEY not in said


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
