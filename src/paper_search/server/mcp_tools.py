"""Searches and reports as tools of the Model Context Protocol, whose questions a person answers.

A tool asks the person with a form in the client. Only an answered form is a person's decision; a
decision by the client itself counts only if the settings allow it, and is recorded as such.
"""

import asyncio
import contextlib
import json
import uuid
from collections.abc import AsyncIterator, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError
from mcp.types import ElicitResult, InputRequiredResult
from pydantic import Field

from paper_search.config import AppConfig, current_person
from paper_search.errors import (
    InputError,
    InvalidDecisionError,
    PaperSearchError,
    ThreadBusyError,
    ThreadError,
    ThreadExistsError,
    ThreadFinishedError,
    ThreadNotFoundError,
    ThreadWaitingError,
)
from paper_search.exports.markdown import inert
from paper_search.models import PaperCollection
from paper_search.report_workflow.assembly import services_begun_with
from paper_search.report_workflow.engine import ReportWorkflow
from paper_search.report_workflow.listing import REPORT, SEARCH
from paper_search.server.access import Access, Run
from paper_search.server.guard import VISITOR
from paper_search.server.mcp_forms import Elicitation, QuestionForm
from paper_search.server.mcp_texts import (
    hits_text,
    how_to_decide,
    paper_text,
    part_of,
    result_page,
    truncate,
)
from paper_search.threads.catalog import Catalog, ThreadStatus
from paper_search.threads.engine import ThreadEngine
from paper_search.threads.session import ThreadSession
from paper_search.threads.sharing import Right
from paper_search.workflow import SearchWorkflow
from paper_search.workflow.assembly import sources_of_run
from paper_search.workflow.questions import PAGE
from paper_search.workflow.results import part_of as part_of_result

Question = Annotated[str, Field(description="What literature is needed, in the person's words.")]
Sources = Annotated[
    list[str] | None, Field(description="Search only these; null: those of the settings.")
]
IdempotencyKey = Annotated[
    str | None,
    Field(description="Any text, new for each search; the same to repeat a call that broke off."),
]
ThreadId = Annotated[str, Field(description="As `search` or `report` returned it.")]
Token = Annotated[str | None, Field(description="Of the question that the decision is for.")]
Decision = Annotated[
    dict[str, Any] | str | None,
    Field(description="Leave it out: the person decides. A client decides where settings let it."),
]
Page = Annotated[int, Field(description="From 1.", ge=1)]
Reply = str | InputRequiredResult
_PATIENCE_S = 5.0
"""How long a repeated call waits for the question of the first one."""
_LISTED = 200  # includes threads of other programs, which are not shown
SCHEME = "paper-search"


@dataclass(frozen=True)
class _Thread:
    graph: str
    session: ThreadSession[Any, Any, Any]
    catalog: Catalog[Any, Any]
    flow: ThreadEngine[Any, Any, Any]
    ctx: Context
    home: Path

    @property
    def thread_id(self) -> str:
        return self.session.thread_id


class McpTools:
    def __init__(self, config: AppConfig, access: Access) -> None:
        self._config, self._access = config, access
        self._running: set[asyncio.Task[Any]] = set()

    async def search(
        self,
        question: Question,
        ctx: Context,
        sources: Sources = None,
        idempotency_key: IdempotencyKey = None,
    ) -> Reply:
        """Begin a search of the literature.

        The person is asked about the search strategy, and then about the papers, by a form. If a
        call breaks off, its search goes on: the same call with the same idempotency_key goes on
        with it, and `threads` finds it. Without a key, a call begins another search.
        """
        return await self._begin(SEARCH, question, sources, idempotency_key, ctx)

    async def report(
        self,
        question: Question,
        ctx: Context,
        sources: Sources = None,
        idempotency_key: IdempotencyKey = None,
    ) -> Reply:
        """Begin a research report. The person is asked about its plan and its text by a form.

        If a call breaks off, its report goes on, as with `search`.
        """
        return await self._begin(REPORT, question, sources, idempotency_key, ctx)

    async def answer(
        self, thread_id: ThreadId, ctx: Context, decision: Decision = None, token: Token = None
    ) -> Reply:
        """Have the person answer the open question of a thread by a form, and go on with it.

        A thread that stopped in the middle goes on there.
        """
        async with self._thread(thread_id, ctx) as thread:
            if decision is not None and not Elicitation(ctx).state:
                if not self._config.server.mcp_may_decide:
                    raise InputError(
                        "a person decides, not the client: call `answer` without a decision. "
                        "PAPER_SEARCH_MCP_MAY_DECIDE=true lets clients decide"
                    )
                by = f"{Elicitation(ctx).client} over MCP, not by a person"
                await self._run(thread.flow.answer(thread_id, decision, by=by, token=token))
            return await self._ask(thread)

    async def threads(self, ctx: Context) -> str:
        """List the person's latest searches and reports, so that one whose call broke off is found.

        `answer` and `show` go on with them.
        """
        async with self._access.shared.use() as persistence:
            catalogs = self._access.catalogs(persistence)
            is_listed = self._access.visibility(_owner(ctx))
            infos = await catalogs.threads(limit=_LISTED, is_listed=is_listed)
        lines = [
            f"- `{info.thread_id}`: {info.status.value}; {inert(info.question)}"
            for info in infos
            if info.graph in catalogs.by_graph
        ]
        more = [f"\n(the latest {PAGE}; there are more)"] if len(lines) > PAGE else []
        return truncate("\n".join([*lines[:PAGE], *more]) or "no searches or reports of yours")

    async def show(
        self, thread_id: ThreadId, ctx: Context, page: Page = 1, *, set_aside: bool = False
    ) -> str:
        """Show the open question of a thread, or 20 papers of its result, or its report.

        With set_aside, the papers that were found and left out: below the score, beyond the limit
        of papers, or marked irrelevant.
        """
        async with self._thread(thread_id, ctx, Right.READ) as thread:
            question = await thread.session.open_question()
            if question is not None and page == 1 and not set_aside:
                return _waiting(thread, QuestionForm(question.question))
            return await _standing(thread, page, below=set_aside)

    async def paper(self, thread_id: ThreadId, paper_id: str, ctx: Context) -> str:
        """Return all that is known of one paper of a search, by its id."""
        async with self._thread(thread_id, ctx, Right.READ) as thread:
            collection = await _collection(thread)
        for paper in collection.every_paper:
            if paper.id == paper_id:
                return paper_text(paper)
        raise InputError(f"thread {thread_id!r} has no paper {paper_id[:200]!r} in its result")

    async def export(
        self,
        thread_id: ThreadId,
        ctx: Context,
        format: str = "bibtex",  # noqa: A002  # the word of the command line
        part: Page = 1,
    ) -> str:
        """Return the papers of a search in a format (bibtex, ris, csl-json, csv, markdown, json).

        Without papers set aside or undecided of earlier rounds, but in json. It may come in parts.
        `paper-search export THREAD` writes files, all formats, and with --all those papers, too.
        """
        from paper_search.exports import export  # noqa: PLC0415  # slow import

        async with self._thread(thread_id, ctx, Right.READ) as thread:
            content = export(part_of_result(await _collection(thread)), format)
        if not isinstance(content, str):
            raise InputError(
                f"{format} is binary; a command writes it to a file: "
                f"`paper-search export {thread_id} --format {format} --output FILE`"
            )
        return part_of(content, part, "the tool `export`, with `part`")

    async def library_search(
        self,
        query: Annotated[str, Field(description="Words, or a boolean query: a AND (b OR c).")],
        limit: Annotated[int, Field(ge=1, le=100)] = 20,
    ) -> str:
        """Search the person's own library of papers on disk, best first."""
        from paper_search.library.source import open_searched  # noqa: PLC0415  # slow import
        from paper_search.llm.embeddings import create_embedder  # noqa: PLC0415  # slow import

        if not query.strip():
            raise InputError("the query is empty; give words or a boolean query")

        def look() -> str:
            embedder = create_embedder(self._config.embeddings)
            library, remark, _ = open_searched(self._config.home, embedder)
            with library:
                hits = library.search(query, limit=limit)
            note = "; ".join(filter(None, (remark, hits.note))) or None
            return hits_text(hits.papers, hits.total, note)

        return await asyncio.to_thread(look)

    async def page(self, thread_id: str, ctx: Context, page: int = 1) -> str:
        """Return 20 papers of the result of a search, or a part of a report in Markdown."""
        try:
            async with self._thread(thread_id, ctx, Right.READ) as thread:
                return await _standing(thread, page)
        except PaperSearchError as error:
            raise ResourceError(str(error)) from None

    # --- private ----------------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def _thread(
        self, thread_id: str, ctx: Context, right: Right = Right.DECIDE
    ) -> AsyncIterator[_Thread]:
        """Open a thread on which the caller has the right; raises as `Access.session`."""
        async with self._access.shared.use() as persistence:
            session = await self._access.session(persistence, thread_id, _owner(ctx), right)
            if session is None:
                raise ThreadNotFoundError(f"there is no thread {thread_id!r}")
            graph = session.workflow.name
            channels = await session.channels()  # an answer continues with the same sources
            options = services_begun_with(channels)
            if graph == SEARCH:
                options = {"sources": sources_of_run(self._config, channels)}
            flow = self._flow(graph, persistence, **options)
            catalog = self._access.catalogs(persistence).by_graph[graph]
            yield _Thread(graph, session, catalog, flow, ctx, self._config.home)

    async def _begin(
        self, graph: str, question: str, sources: list[str] | None, key: str | None, ctx: Context
    ) -> Reply:
        """Begin a thread, or continue that of the same call with the same key."""
        owner, thread_id = _owner(ctx), Elicitation(ctx).state.get("thread")
        if thread_id is None:  # otherwise this call continues the thread that it began
            call = json.dumps([owner, graph, question, sources, key])
            thread_id = str(uuid.uuid4() if key is None else uuid.uuid5(uuid.NAMESPACE_OID, call))
            await self._run(self._start(graph, question, sources, owner, thread_id))
        async with self._thread(thread_id, ctx) as thread:
            return await self._ask(thread)

    async def _start(
        self, graph: str, question: str, sources: list[str] | None, owner: str | None, thread: str
    ) -> None:
        """Run a new thread to its first question, even if the client disconnects.

        If the same call came before, here or to another process, wait for its question.
        """
        async with self._access.shared.use() as persistence:
            session = self._access.catalogs(persistence).by_graph[graph].session(thread)
            if not await self._access.may(Right.DECIDE, thread, owner):
                run = Run({session.begins_with: question}, {"sources": sources})
                await self._access.check_begin(persistence, type(session), run, owner)
                flow = self._flow(graph, persistence, sources=sources)
                await session.records.index(question, owner)
                try:
                    with contextlib.suppress(ThreadBusyError, ThreadExistsError):
                        await flow.start(question, thread_id=thread)
                except InputError:
                    await self._access.catalogs(persistence).delete(thread)
                    raise
            elif await session.open_question() is not None:
                return  # somebody who screens on the page may hold its lease
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_PATIENCE_S):
                    while await session.is_running():  # noqa: ASYNC110  # perhaps by another process
                        await asyncio.sleep(0.2)

    async def _ask(self, thread: _Thread) -> Reply:
        """Ask the person every question up to the end, as far as this client can.

        The token binds an answer to the question in its form: a repeated, late or misplaced answer
        changes nothing.
        """
        asking = Elicitation(thread.ctx)
        reply, token, problem = asking.answer(), asking.state.get("token"), ""
        while True:
            question = await thread.session.open_question()
            form = None if question is None else QuestionForm(question.question)
            if reply is not None:
                if reply.action != "accept":
                    return f"Nobody decided ({reply.action}). {_how_to_decide(thread)}"
                problem = "This form was for another question; its answer did not count."
                if form is not None and form.token == token:
                    problem = await self._decide(thread, form, reply, asking.client)
                reply = None
            elif form is None:
                info = await thread.catalog.info(thread.thread_id)
                if info.status is not ThreadStatus.FAILED:
                    return "\n\n".join(filter(None, (problem, await _standing(thread, 1))))
                with contextlib.suppress(ThreadBusyError, ThreadFinishedError, ThreadWaitingError):
                    await self._run(thread.flow.proceed(thread.thread_id))
            elif not asking.is_possible:
                return _waiting(thread, form)
            else:
                outcome = await asking.ask(thread.thread_id, form, problem)
                if isinstance(outcome, InputRequiredResult):
                    return outcome
                reply, token = outcome, form.token

    async def _decide(
        self, thread: _Thread, form: QuestionForm, reply: ElicitResult, client: str
    ) -> str:
        """Give an answered form to the thread; return what is wrong with it, or ""."""
        by = f"{_owner(thread.ctx) or current_person()}, by a form in {client}"
        try:
            decision = form.decision(reply.content or {})
            await self._run(thread.flow.answer(thread.thread_id, decision, by=by, token=form.token))
        except (InvalidDecisionError, ThreadError) as error:
            return str(error)  # another call may have answered
        return ""

    async def _run(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run a thread to its next question, even if the client stops waiting."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        await asyncio.shield(task)

    def _flow(self, graph: str, persistence: Any, **options: Any) -> Any:
        workflow: Any = SearchWorkflow if graph == SEARCH else ReportWorkflow
        return workflow.from_config(self._config, persistence=persistence, **options)


def _owner(ctx: Context) -> str | None:
    """Return the visitor over HTTP; None means the person at this machine, over stdio."""
    request: Any = ctx.request_context.request
    return None if request is None else str(request.scope.get(VISITOR) or "")


async def _collection(thread: _Thread) -> PaperCollection:
    """Return the papers of a search; InputError if it has none."""
    result = await thread.session.result() if thread.graph == SEARCH else None
    if result is None:
        raise InputError(
            f"thread {thread.thread_id!r} has no papers: it is not a search, or has none yet"
        )
    collection: PaperCollection = result
    return collection


async def _standing(thread: _Thread, page: int, *, below: bool = False) -> str:
    """Return a page of the result of a thread, or its status."""
    info = await thread.catalog.info(thread.thread_id)
    if info.status is ThreadStatus.RUNNING:
        return f"thread: {thread.thread_id}; it is running: call `show` later"
    if info.status is ThreadStatus.FAILED:
        return f"thread: {thread.thread_id}; it stopped: {info.error}; `answer` continues it"
    if thread.graph == SEARCH:
        collection = await _collection(thread)
        uri = f"{SCHEME}://{thread.thread_id}/result"
        return result_page(uri, collection, page, below=below)
    from paper_search.report.outputs.markdown import render_markdown  # noqa: PLC0415  # slow import

    session: Any = thread.session
    is_done = info.status is ThreadStatus.DONE
    report = await (session.result() if is_done else session.preview())
    return part_of(render_markdown(report), page, f"{SCHEME}://{thread.thread_id}/report?page=N")


def _waiting(thread: _Thread, form: QuestionForm) -> str:
    head = f"thread: {thread.thread_id}; token: {form.token}; it waits for a person's decision"
    return truncate(f"{head}. {_how_to_decide(thread)}\n\n{form.text}")


def _how_to_decide(thread: _Thread) -> str:
    request = thread.ctx.request_context.request
    return how_to_decide(thread.thread_id, request, thread.home, has_page=thread.graph == SEARCH)
