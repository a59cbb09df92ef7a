"""`/mcp`: searches and reports as tools of the Model Context Protocol, with their questions.

LangGraph's own `/mcp` runs a graph on a thread that nobody can answer: it is switched off. Here a
tool returns the open question with its thread and token, and `answer` goes on with it.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Awaitable, Callable, Mapping
from functools import partialmethod
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field, ValidationError

from paper_search.errors import InputError, PaperSearchError, RequestRefusedError
from paper_search.report_workflow.catalog import REPORT, SEARCH, EveryThread
from paper_search.report_workflow.engine import ReportWorkflow
from paper_search.server.guard import OWNER
from paper_search.threads.decisions import listed
from paper_search.workflow import SearchWorkflow

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from paper_search.config import AppConfig
    from paper_search.persistence import Persistence
    from paper_search.server.access import Access

VERSIONS = ("2025-06-18", "2025-03-26", "2024-11-05")
"""Of the protocol, the latest first."""
_INVALID_PARAMS, _UNKNOWN_METHOD, _INVALID_REQUEST = -32602, -32601, -32600


class Begin(BaseModel, extra="forbid"):
    """What a search or a report begins with."""

    question: str = Field(description="What literature is needed, in the person's words.")
    sources: list[str] | None = Field(None, description="Search only these; null: the settings'.")


class Answer(BaseModel, extra="forbid"):
    """An answer to the open question of a thread."""

    thread_id: str = Field(description="As `search` or `report` returned it.")
    token: str = Field(description="Of the question, as it was returned with it.")
    decision: dict[str, Any] | str = Field(
        description="What the question's `response_schema` or `actions` take, such as approve."
    )


class Show(BaseModel, extra="forbid"):
    """A thread to look at."""

    thread_id: str = Field(description="As `search` or `report` returned it.")


_TOOLS: dict[str, tuple[str, type[BaseModel]]] = {
    "search": ("Begin a search; returns the strategy that a person has to approve.", Begin),
    "report": ("Begin a research report; returns the plan that a person has to approve.", Begin),
    "answer": ("Answer the open question, for a person; returns the next, or the result.", Answer),
    "show": ("Return the open question of a thread, or its result.", Show),
}


class McpTools:
    """What the tools do.

    Args:
        config: of the workflows.
        access: says where threads are kept, and who may do what.
    """

    def __init__(self, config: AppConfig, access: Access) -> None:
        self._config, self._access, self._shared = config, access, access.shared

    async def serve(self, request: Request) -> Response:
        """Answer one message, as the Streamable HTTP transport has it; nothing is streamed."""
        from starlette.responses import JSONResponse, Response  # noqa: PLC0415  # of an extra

        if request.method != "POST":
            return Response(status_code=HTTPStatus.METHOD_NOT_ALLOWED, headers={"allow": "POST"})
        message = await request.json()
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            told = {"code": _INVALID_REQUEST, "message": "this is no message of JSON-RPC 2.0"}
            return JSONResponse({"jsonrpc": "2.0", "id": None, "error": told}, status_code=400)
        if "id" not in message or "method" not in message:  # a notification, or an answer to us
            return Response(status_code=HTTPStatus.ACCEPTED)
        params = message.get("params") or {}
        if isinstance(params, dict):
            reply = await self._reply(message["method"], params, str(request.scope.get(OWNER, "")))
        else:
            reply = {"error": {"code": _INVALID_PARAMS, "message": "params must be an object"}}
        return JSONResponse({"jsonrpc": "2.0", "id": message["id"], **reply})

    async def _reply(self, method: Any, params: Mapping[str, Any], owner: str) -> dict[str, Any]:
        match method:
            case "initialize":
                return {"result": _introduction(params.get("protocolVersion"))}
            case "ping":
                return {"result": {}}
            case "tools/list":
                return {"result": {"tools": _listed()}}
            case "tools/call" if str(params.get("name")) in _TOOLS:
                return {"result": await self._called(params, owner)}
            case "tools/call":
                told = f"unknown tool {params.get('name')!r}; known: {', '.join(_TOOLS)}"
                return {"error": {"code": _INVALID_PARAMS, "message": told}}
        told = f"unknown method {str(method)[:100]!r}"
        return {"error": {"code": _UNKNOWN_METHOD, "message": told}}

    async def _called(self, params: Mapping[str, Any], owner: str) -> dict[str, Any]:
        """Return the result of a tool; what the caller can mend is told as its error."""
        name, model = params["name"], _TOOLS[params["name"]][1]
        run: Callable[[Any, str], Awaitable[dict[str, Any]]] = getattr(self, f"_{name}")
        try:
            done = await run(model.model_validate(params.get("arguments") or {}), owner)
        except (ValidationError, PaperSearchError) as error:
            told = f"{name}: {listed(error)}" if isinstance(error, ValidationError) else str(error)
            return {"isError": True, "content": [_text(told)]}
        return {"content": [_text(json.dumps(done))], "structuredContent": done}

    async def _begun(self, graph: str, given: Begin, owner: str) -> dict[str, Any]:
        thread_id = str(uuid.uuid4())
        async with self._shared.use() as persistence:
            session = EveryThread(persistence).by_graph[graph].session(thread_id)
            begin, limits = {session.begins_with: given.question}, {"sources": given.sources}
            await self._access.check_begin(persistence, type(session), begin, limits, owner)
            flow = self._flow(graph, persistence, sources=given.sources)
            records = session.records_type(persistence.store, thread_id)
            await records.index(given.question, owner or None)
            try:
                await flow.start(given.question, thread_id=thread_id)
            except InputError:
                await EveryThread(persistence).delete(thread_id)
                raise
            return await _standing(persistence, graph, thread_id)

    _search = partialmethod(_begun, SEARCH)
    _report = partialmethod(_begun, REPORT)

    async def _answer(self, given: Answer, owner: str) -> dict[str, Any]:
        async with self._shared.use() as persistence:
            graph = await self._graph_of(persistence, given.thread_id, owner)
            session = EveryThread(persistence).by_graph[graph].session(given.thread_id)
            begun = await session.channels()
            flow = self._flow(graph, persistence, **self._options(graph, begun))
            await flow.answer(given.thread_id, given.decision, by=owner, token=given.token)
            return await _standing(persistence, graph, given.thread_id)

    async def _show(self, given: Show, owner: str) -> dict[str, Any]:
        async with self._shared.use() as persistence:
            graph = await self._graph_of(persistence, given.thread_id, owner)
            return await _standing(persistence, graph, given.thread_id)

    async def _graph_of(self, persistence: Persistence, thread_id: str, owner: str) -> str:
        session = await self._access.session(persistence, thread_id, owner)
        if session is None:
            raise RequestRefusedError(HTTPStatus.NOT_FOUND, f"no thread {thread_id!r}")
        return session.workflow.name

    def _options(self, graph: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a thread was begun with; an answer goes on with the same sources."""
        from paper_search.report_workflow.assembly import services_begun_with  # noqa: PLC0415  # slow import
        from paper_search.workflow.assembly import sources_of_run  # noqa: PLC0415  # slow import

        if graph == SEARCH:
            return {"sources": sources_of_run(self._config, values)}
        return services_begun_with(values)

    def _flow(self, graph: str, persistence: Persistence, **options: Any) -> Any:
        made = SearchWorkflow if graph == SEARCH else ReportWorkflow
        return made.from_config(self._config, persistence=persistence, **options)


async def _standing(persistence: Persistence, graph: str, thread_id: str) -> dict[str, Any]:
    """Return the open question of a thread with its token, or its result."""
    catalog: Any = EveryThread(persistence).by_graph[graph]
    told: dict[str, Any] = {"thread_id": thread_id}
    question = await catalog.session(thread_id).open_question()
    if question is not None:
        shown = question.question.model_dump(mode="json")
        return {**told, "status": "waiting", "token": question.question.token, "question": shown}
    info = await catalog.info(thread_id)
    if info.status.value != "done":
        return {**told, "status": info.status.value, "error": info.error}
    result = await catalog.session(thread_id).result()
    return {**told, "status": "done", "result": result.model_dump(mode="json")}


def _introduction(version: Any) -> dict[str, Any]:
    return {
        "protocolVersion": version if version in VERSIONS else VERSIONS[0],
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": "paper-search", "version": "1"},
        "instructions": "A person decides: show them each question, and answer what they say.",
    }


def _listed() -> list[dict[str, Any]]:
    return [
        {"name": name, "description": told, "inputSchema": model.model_json_schema()}
        for name, (told, model) in _TOOLS.items()
    ]


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}
