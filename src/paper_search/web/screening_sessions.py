"""Screening on the page: one set of papers in memory for all tabs, every mark saved at once."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from paper_search.errors import PaperSearchError, ThreadNotWaitingError, ThreadTakenOverError
from paper_search.persistence import Persistence
from paper_search.persistence.leases import WorkLock
from paper_search.web.readings import Reading
from paper_search.workflow.reviewers import ReviewerMarks, status_of
from paper_search.workflow.screening import Screening
from paper_search.workflow.session import SearchSession

IDLE_S = 20.0
"""How long after the last mark somebody at a terminal may screen the thread instead."""
_RESPONSE_S = 0.15


class ScreeningSession:
    """The papers of one thread, for all tabs of one server.

    The marks are those of `reviewer` alone, by default those of the thread.
    """

    def __init__(self, persistence: Persistence, thread_id: str, reviewer: str = "") -> None:
        self._search = SearchSession.on(persistence, thread_id)
        self._reviewer = reviewer
        self._store = self._search.mark_store
        if reviewer:
            self._store = ReviewerMarks(self._search.records, reviewer)
        self._lock = WorkLock(persistence.leases, thread_id, reviewer)
        self._turn = asyncio.Lock()
        self._leaving: asyncio.Task[None] | None = None
        self._learning: asyncio.Task[None] | None = None
        self._now: tuple[str, Screening] | None = None

    async def look(self, reading: Reading) -> Screening:
        async with self._turn:
            return await self._fresh(reading)

    @contextlib.asynccontextmanager
    async def turn(self, reading: Reading) -> AsyncIterator[Screening]:
        """Lock the papers to mark one of them."""
        async with self._turn:
            await self._hold()
            try:
                yield await self._fresh(reading)
            finally:
                self._leaving = asyncio.create_task(self._leave())

    async def forget(self) -> None:
        """Let others screen, and read the marks again next time."""
        async with self._turn:
            self._now = None
            if self._leaving is not None:
                self._leaving.cancel()
                self._leaving = None
                await self._lock.release()

    def learn(self) -> None:
        """Reorder the papers by the latest marks while the person reads the next paper."""
        if self._learning is None or self._learning.done():
            self._learning = asyncio.create_task(self._learn())

    async def _learn(self) -> None:
        await asyncio.sleep(_RESPONSE_S)  # the response goes first: both need the interpreter
        async with self._turn:
            if self._now is not None:
                await asyncio.to_thread(self._now[1].queue)

    async def _hold(self) -> None:
        if self._leaving is not None:
            self._leaving.cancel()
            with contextlib.suppress(ThreadTakenOverError):
                await self._lock.renew()
                return
            self._leaving, self._now = None, None
        await self._lock.acquire()
        try:
            # Who is in the middle keeps the others blind; to join anew would read the whole result.
            name, search = self._reviewer, self._search
            if name and await status_of(search.records, name) is not False:
                await (await search.reviewers()).join(name)
        except PaperSearchError:
            await self._lock.release()
            raise

    async def _fresh(self, reading: Reading) -> Screening:
        result = reading.result
        if result is None or not reading.can_be_screened:
            raise ThreadNotWaitingError(
                "there is no result to screen: a run is working on it, or must be resumed first"
            )
        if self._now is not None and self._now[0] == reading.version:
            screening = self._now[1]
            if self._leaving is not None or await self._store.of_works() == screening.marks:
                return screening
        if self._reviewer:
            screening = await (await self._search.reviewers()).screening(self._reviewer)
        else:
            papers = result.collection.papers
            screening = await self._search.screening_of(papers, reading.state)
        self._now = reading.version, screening
        return screening

    async def _leave(self) -> None:
        await asyncio.sleep(IDLE_S)
        async with self._turn:
            await self._lock.release()
            self._leaving = None
