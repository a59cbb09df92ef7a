"""Every door refuses the same runs, with the value that is wrong, before a thread begins."""

import asyncio
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from starlette.testclient import TestClient
from tests.server.conftest import Door
from tests.web.conftest import HERE, Visitor
from typer.testing import CliRunner

from paper_search.cli.app import app as command_line
from paper_search.config import AppConfig, load_config
from paper_search.errors import PaperSearchError
from paper_search.persistence import open_persistence
from paper_search.report_workflow.listing import ThreadCatalogs
from paper_search.server.access import Access, SharedPersistence
from paper_search.server.app_factory import create_app
from paper_search.server.mcp import PaperSearchServer
from paper_search.web.routes import page_routes
from paper_search.web.site import Site
from paper_search.workflow import SearchWorkflow

Run = dict[str, Any]
"""The question, and the settings by name."""


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppConfig:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PAPER_SEARCH_HOME", str(tmp_path))
    monkeypatch.setenv("PAPER_SEARCH_SOURCES", "library")
    return load_config()


def by_command(_config: AppConfig, run: Run) -> str:
    words = [run["question"], "--yes"]
    for source in run.get("sources", ()):
        words += ["--source", source]
    names = {"max_results": "--max", "max_iterations": "--max-iterations", "budget": "--budget"}
    for name in set(run) - {"question", "sources"}:
        words += [names.get(name, f"--{name}"), str(run[name])]
    ended = CliRunner().invoke(command_line, ["find", *words])
    assert ended.exit_code == 2
    return " ".join(ended.output.replace("│", " ").split())


def by_python(config: AppConfig, run: Run) -> str:
    settings = {name: value for name, value in run.items() if name != "question"}

    async def start() -> None:
        url = config.persistence_url
        workflow = SearchWorkflow.from_config(config, persistence=url, **settings)
        await workflow.start(run["question"])

    with pytest.raises((PaperSearchError, TypeError)) as refusal:
        asyncio.run(start())
    return str(refusal.value)


def by_page(config: AppConfig, run: Run) -> str:
    access = Access(SharedPersistence(config.persistence_url), config)
    app = create_app(config, access, page_routes(Site(config, access)))
    origin = {"base_url": HERE, "client": ("127.0.0.1", 4711), "headers": {"origin": HERE}}
    with TestClient(app, **origin) as client:
        page = Visitor(client)
        page.open("")
        fields = {**run, "source": run.get("sources", ())}
        assert page.send("/threads", **fields) == 422
    return page.text.replace("&#39;", "'").replace("&#34;", '"')


def by_api(config: AppConfig, run: Run) -> str:
    context = {name: value for name, value in run.items() if name != "question"}
    payload = {"assistant_id": "paper_search", "input": {"question": run["question"]}}

    async def start() -> tuple[int, str]:
        door = Door(Access(SharedPersistence(config.persistence_url), config))
        thread_id = str(uuid.uuid4())
        return await door.refused(thread_id, {**payload, "context": context}, "an unnamed person")

    status, text = asyncio.run(start())
    assert status == 422
    return text


def by_mcp(config: AppConfig, run: Run) -> str:
    access = Access(SharedPersistence(config.persistence_url), config)

    async def start() -> str:
        async with Client(PaperSearchServer(config, access)) as client:
            result = await client.call_tool("search", run)
        assert result.is_error
        return result.content[0].text

    return asyncio.run(start())


DOORS: dict[str, Callable[[AppConfig, Run], str]] = {
    "command": by_command,
    "python": by_python,
    "page": by_page,
    "api": by_api,
    "mcp": by_mcp,
}
OF_OTHERS = ("page", "api", "mcp")
"""Doors of somebody who may not be the person that runs the program, who may name any source."""
CASES: list[tuple[Run, tuple[str, ...], str]] = [
    ({"question": " "}, tuple(DOORS), "empty"),
    ({"question": "?!"}, tuple(DOORS), "has no words"),
    ({"question": 'moss AND "wall'}, tuple(DOORS), "this quote is never closed"),
    ({"question": "q" * 10_001}, tuple(DOORS), "10,001 characters; 1 to 10,000"),
    ({"question": "q", "sources": ["no-such"]}, tuple(DOORS), "no-such"),
    ({"question": "q", "sources": []}, ("api", "mcp"), "sources: none is named"),
    ({"question": "q", "sources": ["arxiv"]}, OF_OTHERS, "arxiv: not enabled here"),
    ({"question": "q", "max_results": 0}, ("command", "python", "page", "api"), "equal to 1"),
    ({"question": "q", "max_iterations": 101}, ("command", "python", "api"), "equal to 100"),
    ({"question": "q", "budget": "lots"}, ("command", "api"), "budget"),
    ({"question": "q", "max_result": 5}, ("command", "python", "api", "mcp"), "max_result"),
]


@pytest.mark.parametrize(
    ("run", "door", "words"),
    [
        pytest.param(run, door, words, id=f"{door}-{words}")
        for run, doors, words in CASES
        for door in doors
    ],
)
def test_a_run_that_cannot_be_is_refused_at_every_door(config, run, door, words):
    assert words in DOORS[door](config, run)

    async def threads() -> list[Any]:
        async with open_persistence(config.persistence_url) as persistence:
            return await ThreadCatalogs(persistence).threads()

    assert asyncio.run(threads()) == []
