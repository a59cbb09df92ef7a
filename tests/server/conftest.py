"""Threads in a file: searches that wait, ended or failed."""

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from tests.answers import reply_to
from tests.workflow.doubles import workflow

from paper_search.config import AppConfig, SearchSourceConfig, ServerConfig
from paper_search.persistence import Persistence, open_persistence
from paper_search.report_workflow.engine import ReportSession
from paper_search.report_workflow.graph import ASKING
from paper_search.server.access import Access, SharedPersistence, http_refusals
from paper_search.server.leased import leased
from paper_search.steps.compiler import compile_workflow
from paper_search.testing.reports import report_services
from paper_search.workflow.session import SearchSession

Begin = Callable[..., Awaitable[str]]
_ASSISTANTS = uuid.UUID("6ba7b821-9dad-11d1-80b4-00c04fd430c8")
CONFIG = AppConfig(
    sources={name: SearchSourceConfig(name=name) for name in ("library", "arxiv")},
    web={"tavily": SearchSourceConfig(name="tavily")},
    server=ServerConfig(tokens={"ada": "token-of-ada-000001", "bob": "token-of-bob-000002"}),
)


class Door:
    """Asks for access as LangGraph's server does, and notes with which status it is refused."""

    def __init__(self, access: Access) -> None:
        self.access = access

    async def run(self, thread_id: str, payload: Mapping[str, Any], owner: str) -> dict[str, Any]:
        """Return what the run is started with."""
        config = dict(payload.get("config") or {})
        context = payload.get("context") or config.get("configurable") or {}
        settings = {**context, **config.get("configurable", {})}
        if name := payload.get("checkpoint_id"):
            settings["checkpoint_id"] = name
        settings |= payload.get("checkpoint") or {}
        kwargs = {
            "input": payload.get("input"),
            "command": payload.get("command"),
            "context": dict(context),
            "config": {**config, "configurable": settings},
        }
        assistant = payload["assistant_id"]
        known = assistant if len(assistant) == 36 else uuid.uuid5(_ASSISTANTS, assistant)
        value = {"thread_id": uuid.UUID(thread_id), "assistant_id": known, "kwargs": kwargs}
        with http_refusals():
            await self.access.admit(value, owner)
        return kwargs

    async def refused(
        self, thread_id: str, payload: Mapping[str, Any], owner: str = "ada"
    ) -> tuple[int, str]:
        """Return the status and the text of a refusal."""
        with pytest.raises(HTTPException) as refusal:
            await self.run(thread_id, payload, owner)
        return refusal.value.status_code, refusal.value.detail


@pytest.fixture
def door(persistence: Persistence, url: str) -> Door:
    return Door(Access(Opened(url, persistence), CONFIG))


class Opened(SharedPersistence):
    """The persistence of a test, which is open."""

    def __init__(self, url: str, persistence: Persistence) -> None:
        super().__init__(url)
        self._persistence = persistence


@pytest.fixture
def url(tmp_path) -> str:
    return f"sqlite:///{tmp_path / 'threads.db'}"


@pytest.fixture
async def persistence(url: str) -> AsyncIterator[Persistence]:
    async with open_persistence(url) as persistence:
        yield persistence


@pytest.fixture
def begin(persistence: Persistence) -> Begin:
    async def begin(*answers: str, question: str = "what is known of glass") -> str:
        """Begin a search, give it answers, and return its id."""
        thread_id = str(uuid.uuid4())
        flow = workflow(persistence=persistence)
        await flow.start(question, thread_id=thread_id)
        for answer in answers:
            await reply_to(flow, thread_id, answer)
        return thread_id

    return begin


def served_graph(
    persistence: Persistence,
    door: Door,
    workflow: Any,
    services: Any,
    session_type: type[Any] = SearchSession,
) -> Any:
    """Return a graph as the server runs it: a copy with its saver and store for each run."""
    graph = leased(compile_workflow(workflow, services=services), door.access, session_type)
    return graph.copy({"checkpointer": persistence.checkpointer, "store": persistence.store})


@pytest.fixture
def report_graph(persistence: Persistence, door: Door) -> Any:
    return served_graph(persistence, door, ASKING, report_services(), ReportSession)
