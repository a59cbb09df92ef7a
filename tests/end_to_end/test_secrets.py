"""Keys are planted in every place that one can be in; afterwards they are nowhere else."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from pytest_httpserver import HTTPServer
from tests.end_to_end.served import bare_environment, command_line, serving
from werkzeug import Request, Response

from paper_search.testing.model_server import run_model_server

pytestmark = pytest.mark.slow

FORMATS = ("json", "bibtex", "ris", "csl-json", "csv", "markdown")
QUESTION = "graph neural networks"
TOKEN = "CANARY-token-of-ada-01"
KEYS = {
    "OPENAI_API_KEY": "CANARY-key-of-the-model",
    "SERPAPI_API_KEY": "CANARY-key-of-serpapi",
    "LANGSMITH_API_KEY": "CANARY-key-of-langsmith",
    "PAPER_SEARCH_TOKENS": f"ada={TOKEN}",
    "ZOTERO_API_KEY": "CANARY-key-of-zotero",
    "ANOTHER_API_KEY": "CANARY-key-of-nobody",
}


@dataclass
class Told:
    """What was said to people and to other machines."""

    texts: list[str]
    folder: Path

    def leaks(self) -> list[str]:
        """Return every place where a key is."""
        files = [path for path in self.folder.rglob("*") if path.is_file() and path.name != ".env"]
        assert any(file.suffix == ".db" for file in files)
        written = [str(file) for file in files if b"CANARY" in file.read_bytes()]
        around = re.compile(r".{0,160}CANARY.{0,40}", re.DOTALL)
        return [*written, *(match for text in self.texts for match in around.findall(text))]


@pytest.fixture
def traces(httpserver: HTTPServer) -> tuple[str, list[str]]:
    """A place that traces are sent to, and what came; its own key is in a header, as it must be."""
    bodies: list[str] = []

    def collect(request: Request) -> Response:
        bodies.append(request.get_data().decode("utf-8", errors="replace"))
        return Response("{}", content_type="application/json")

    httpserver.expect_request("/info").respond_with_json({"version": "0"})
    for path in ("/runs/multipart", "/runs/batch"):
        httpserver.expect_request(path).respond_with_handler(collect)
    return httpserver.url_for("").rstrip("/"), bodies


@pytest.fixture
def told(tmp_path: Path, traces: tuple[str, list[str]]) -> Told:
    """A search at the command line and one over the server, both traced, both with failures."""
    url, bodies = traces
    texts = bodies
    with run_model_server() as model:
        environment = bare_environment(
            tmp_path,
            **KEYS,
            LLM_MODEL="fake",
            LLM_BASE_URL=f"{model.url}?key=CANARY-key-in-a-url&api_key=CANARY-2",
            LANGSMITH_ENDPOINT=url,
            LANGSMITH_TRACING="true",
            LANGSMITH_DISABLE_RUN_COMPRESSION="true",
        )
        (tmp_path / ".env").write_text("LLM_MODEL=fake\nOPENAI_API_KEY=CANARY-key-in-a-file\n")
        good = {**environment, "LLM_BASE_URL": model.url}
        for given in (environment, good):
            done = command_line(given, "--debug", "find", QUESTION, "--yes")
            texts += [done.stdout, done.stderr]
        listed = command_line(good, "threads", "--json")
        threads = [load["thread_id"] for load in json.loads(listed.stdout)]
        for words in ["sources"], *(["show", thread] for thread in threads):
            done = command_line(good, *words)
            texts += [done.stdout, done.stderr]
        for form in FORMATS:
            texts.append(command_line(good, "export", threads[0], "--format", form).stdout)
        texts += _over_the_server(good, tmp_path)
    return Told(texts, tmp_path)


def _over_the_server(environment: dict[str, str], folder: Path) -> list[str]:
    texts = []
    headers = {"authorization": f"Bearer {TOKEN}", "x-api-key": "CANARY-key-in-a-header"}
    with serving(environment, folder, "--trace") as server:
        with httpx.Client(base_url=server.url, headers=headers, timeout=240) as client:
            for question in (QUESTION, " "):
                thread = client.post("/threads", json={}).json()["thread_id"]
                run = {"assistant_id": "paper_search", "input": {"question": question}}
                texts.append(client.post(f"/threads/{thread}/runs/wait", json=run).text)
                said = {"assistant_id": "paper_search", "command": {"resume": "approve"}}
                texts += [
                    client.post(f"/threads/{thread}/runs/wait", json=item).text
                    for item in (said, said, {**said, "command": {"resume": "no"}})
                ]
                for path in ("", "/state", "/history", "/runs"):
                    texts.append(client.get(f"/threads/{thread}{path}").text)
            texts.append(client.post("/threads/search", json={}).text)
            texts.append(client.get("/info").text)
        texts.append(server.log.read_text(encoding="utf-8"))
    return texts


def test_no_file_row_log_trace_or_export_holds_a_key__per_18__llm_14(told):
    assert told.leaks() == []
    assert any("parse_intent" in text for text in told.texts)
