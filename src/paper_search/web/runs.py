"""Runs that were started from the page, and go on after the request that started them."""

import asyncio
import functools
import logging
import uuid
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from paper_search.config import AppConfig, expand_sources
from paper_search.errors import PaperSearchError
from paper_search.persistence import Persistence
from paper_search.report_workflow.listing import ThreadCatalogs
from paper_search.review.arrivals import ImportedRecords, add_files, begin_import, import_workflow
from paper_search.review.files import DatabaseSearch
from paper_search.workflow import SearchWorkflow
from paper_search.workflow.assembly import sources_of_run
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.session import SearchSession

ACCEPTED_S = 20.0
"""How long a request waits at most for a run to begin its first step."""

logger = logging.getLogger(__name__)


@dataclass
class _Run:
    owner: str
    work: asyncio.Task[Any]
    has_begun: asyncio.Event


class Runs:
    """Starts searches and gives answers to them."""

    def __init__(self, config: AppConfig) -> None:
        self._config = config
        self._runs: dict[str, _Run] = {}

    def is_active(self, thread_id: str) -> bool:
        return thread_id in self._runs

    def owner_of(self, thread_id: str) -> str | None:
        """Return who started what runs on a thread; None means nothing runs on it."""
        run = self._runs.get(thread_id)
        return run.owner if run else None

    async def begin(
        self, persistence: Persistence, question: str, owner: str, options: Mapping[str, Any]
    ) -> str:
        """Start a search and return its thread; it goes on by itself."""
        SearchSession.check_input(question)
        has_begun = asyncio.Event()
        workflow = self._workflow(persistence, has_begun, **options)
        start = functools.partial(workflow.start, question)
        return await self._begin(persistence, question, (owner, has_begun), start)

    async def begin_import(
        self,
        persistence: Persistence,
        question: str,
        person: tuple[str, str],
        source: ImportedRecords,
    ) -> str:
        """Merge the records of files on a new thread and return it; it goes on by itself."""
        SearchSession.check_input(question)
        (owner, by), has_begun = person, asyncio.Event()
        workflow = import_workflow(
            self._config,
            source,
            persistence=persistence,
            progress_reporter=lambda _phase, _details: has_begun.set(),
        )
        start = functools.partial(begin_import, workflow, question, source=source, by=by)
        return await self._begin(persistence, question, (owner, has_begun), start)

    async def add(
        self,
        persistence: Persistence,
        thread_id: str,
        by: str,
        arrival: tuple[Sequence[tuple[str, bytes]], Sequence[str], DatabaseSearch],
    ) -> None:
        """Have the records of files join a thread; it goes on by itself."""
        files, databases, search = arrival
        workflow, has_begun = await self._restore(persistence, thread_id)
        work = add_files(workflow, thread_id, files, databases, search=search, by=by)
        await self._follow(thread_id, by, work, has_begun)

    async def answer(
        self, persistence: Persistence, thread_id: str, decision: Mapping[str, Any], by: str
    ) -> None:
        """Give a decision and return as soon as it counts; what follows goes on by itself."""
        workflow, has_begun = await self._restore(persistence, thread_id)
        work = workflow.answer(thread_id, decision, by=by)
        await self._follow(thread_id, by, work, has_begun)

    async def proceed(self, persistence: Persistence, thread_id: str, by: str) -> None:
        workflow, has_begun = await self._restore(persistence, thread_id)
        await self._follow(thread_id, by, workflow.proceed(thread_id), has_begun)

    async def _begin(
        self,
        persistence: Persistence,
        question: str,
        begun: tuple[str, asyncio.Event],
        start: Callable[..., Coroutine[Any, Any, Any]],
    ) -> str:
        """Start a new thread and wait for its first step; one that has none is not listed."""
        (owner, has_begun), thread_id = begun, str(uuid.uuid4())
        session = SearchSession.on(persistence, thread_id)
        await session.check_key()
        await SearchRecords(persistence.store, thread_id).index(question, owner)
        work = asyncio.create_task(start(thread_id=thread_id))
        try:
            await self._go(thread_id, _Run(owner, work, has_begun))
        except PaperSearchError:
            if not await session.exists():
                await ThreadCatalogs(persistence).delete(thread_id)
            raise
        return thread_id

    async def _restore(
        self, persistence: Persistence, thread_id: str
    ) -> tuple[SearchWorkflow, asyncio.Event]:
        values = await SearchSession.on(persistence, thread_id).channels()
        has_begun = asyncio.Event()
        sources = sources_of_run(self._config, values)
        return self._workflow(persistence, has_begun, sources=sources), has_begun

    def _workflow(
        self, persistence: Persistence, has_begun: asyncio.Event, **options: Any
    ) -> SearchWorkflow:
        return SearchWorkflow.from_config(
            self._config,
            progress_reporter=lambda _phase, _details: has_begun.set(),
            persistence=persistence,
            **options,
        )

    async def _follow(
        self, thread_id: str, owner: str, work: Coroutine[Any, Any, Any], has_begun: asyncio.Event
    ) -> None:
        task = asyncio.create_task(work)
        if self.is_active(thread_id):  # the thread's lease lets one of the two through
            await task
            return
        await self._go(thread_id, _Run(owner, task, has_begun))

    async def _go(self, thread_id: str, run: _Run) -> None:
        """Wait until a run has begun its first step, or has ended; raise what it raised."""
        self._runs[thread_id] = run
        run.work.add_done_callback(lambda _work: self._runs.pop(thread_id, None))
        first_step = asyncio.create_task(run.has_begun.wait())
        await asyncio.wait(
            {run.work, first_step}, timeout=ACCEPTED_S, return_when=asyncio.FIRST_COMPLETED
        )
        first_step.cancel()
        if run.work.done():
            run.work.result()
        else:
            run.work.add_done_callback(_log)


def source_choice(config: AppConfig, names: list[str]) -> list[str] | None:
    """Return the sources that were ticked; None means those of the settings, or none was."""
    enabled = {name for name, source in config.sources.items() if source.enabled}
    if not names or set(names) == enabled:
        return None
    return expand_sources(names, config.keyed_sources)


def _log(work: asyncio.Task[Any]) -> None:
    """Log why a run ended; its thread says it, too."""
    if work.cancelled() or (error := work.exception()) is None:
        return
    if isinstance(error, PaperSearchError):
        logger.warning("a run that was started from the page failed: %s", error)
    else:
        logger.error("a run that was started from the page failed", exc_info=error)
