"""Runs started from the page, which continue after the request that started them."""

import asyncio
import functools
import logging
import uuid
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from paper_search.config import AppConfig, expand_sources
from paper_search.errors import PaperSearchError
from paper_search.persistence import Persistence
from paper_search.report_workflow.listing import ThreadCatalogs
from paper_search.review.arrivals import add_files, begin_import
from paper_search.review.files import DatabaseSearch, FileReport
from paper_search.workflow import SearchWorkflow
from paper_search.workflow.assembly import sources_of_run
from paper_search.workflow.session import SearchSession

ACCEPTED_S = 20.0
"""How long a request waits for a run to begin its first step."""

logger = logging.getLogger(__name__)


@dataclass
class _Run:
    """The owner of a run, and whether its first step has begun."""

    owner: str
    has_begun: asyncio.Event = field(default_factory=asyncio.Event)

    def report(self, _phase: str, _details: Mapping[str, Any]) -> None:
        self.has_begun.set()


class Runs:
    def __init__(self, config: AppConfig) -> None:
        self._config = config
        self._runs: dict[str, _Run] = {}

    def is_active(self, thread_id: str) -> bool:
        return thread_id in self._runs

    def owner_of(self, thread_id: str) -> str | None:
        run = self._runs.get(thread_id)
        return run.owner if run else None

    async def begin(
        self, persistence: Persistence, question: str, owner: str, options: Mapping[str, Any]
    ) -> str:
        """Start a search in the background and return its thread."""
        run = _Run(owner)
        workflow = self._workflow(persistence, run, **options)
        start = functools.partial(workflow.start, question)
        return await self._begin(persistence, question, run, start)

    async def begin_import(
        self,
        persistence: Persistence,
        question: str,
        person: tuple[str, str],
        files: Sequence[FileReport],
    ) -> str:
        """Merge the records of files in the background, on a new thread; return the thread."""
        owner, by = person
        run = _Run(owner)
        where: dict[str, Any] = {"persistence": persistence, "progress_reporter": run.report}
        start = functools.partial(begin_import, self._config, question, files=files, by=by, **where)
        return await self._begin(persistence, question, run, start)

    async def add(
        self,
        persistence: Persistence,
        thread_id: str,
        by: str,
        arrival: tuple[Sequence[tuple[str, bytes]], Sequence[str], DatabaseSearch],
    ) -> None:
        """Add the records of files to a thread in the background."""
        files, databases, search = arrival
        workflow, run = await self._restore(persistence, thread_id, by)
        work = add_files(workflow, thread_id, files, databases, search=search, by=by)
        await self._follow(thread_id, run, work)

    async def answer(
        self, persistence: Persistence, thread_id: str, decision: Mapping[str, Any], by: str
    ) -> None:
        """Give a decision and return as soon as it counts; the run continues in the background."""
        workflow, run = await self._restore(persistence, thread_id, by)
        await self._follow(thread_id, run, workflow.answer(thread_id, decision, by=by))

    async def proceed(self, persistence: Persistence, thread_id: str, by: str) -> None:
        workflow, run = await self._restore(persistence, thread_id, by)
        await self._follow(thread_id, run, workflow.proceed(thread_id))

    async def _begin(
        self,
        persistence: Persistence,
        question: str,
        run: _Run,
        start: Callable[..., Coroutine[Any, Any, Any]],
    ) -> str:
        """Start a new thread and wait for its first step; delete a thread that fails before it."""
        SearchSession.check_input(question)
        thread_id = str(uuid.uuid4())
        session = SearchSession.on(persistence, thread_id)
        await session.check_key()
        await session.records.index(question, run.owner)
        try:
            await self._accept(thread_id, run, asyncio.create_task(start(thread_id=thread_id)))
        except PaperSearchError:
            if not await session.exists():
                await ThreadCatalogs(persistence).delete(thread_id)
            raise
        return thread_id

    async def _restore(
        self, persistence: Persistence, thread_id: str, owner: str
    ) -> tuple[SearchWorkflow, _Run]:
        values = await SearchSession.on(persistence, thread_id).channels()
        sources, run = sources_of_run(self._config, values), _Run(owner)
        return self._workflow(persistence, run, sources=sources), run

    def _workflow(self, persistence: Persistence, run: _Run, **options: Any) -> SearchWorkflow:
        return SearchWorkflow.from_config(
            self._config, progress_reporter=run.report, persistence=persistence, **options
        )

    async def _follow(self, thread_id: str, run: _Run, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.create_task(work)
        if self.is_active(thread_id):  # the thread's lease lets one of the two through
            await task
            return
        await self._accept(thread_id, run, task)

    async def _accept(self, thread_id: str, run: _Run, work: asyncio.Task[Any]) -> None:
        """Wait until a run has begun its first step, or has ended; raise what it raised."""
        self._runs[thread_id] = run
        work.add_done_callback(lambda _work: self._runs.pop(thread_id, None))
        first_step = asyncio.create_task(run.has_begun.wait())
        await asyncio.wait(
            {work, first_step}, timeout=ACCEPTED_S, return_when=asyncio.FIRST_COMPLETED
        )
        first_step.cancel()
        if work.done():
            work.result()
        else:
            work.add_done_callback(_log)


def source_choice(config: AppConfig, names: list[str]) -> list[str] | None:
    """Return the sources that were ticked, or None for none and for those of the settings."""
    enabled = {name for name, source in config.sources.items() if source.enabled}
    if not names or set(names) == enabled:
        return None
    return expand_sources(names, config.keyed_sources)


def _log(work: asyncio.Task[Any]) -> None:
    """Log why a run failed; its thread has the reason as well."""
    if work.cancelled() or (error := work.exception()) is None:
        return
    if isinstance(error, PaperSearchError):
        logger.warning("a run that was started from the page failed: %s", error)
    else:
        logger.error("a run that was started from the page failed", exc_info=error)
