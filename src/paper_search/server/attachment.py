"""Attachment: threads of the file, put into the list that a server keeps in memory."""

from __future__ import annotations

import asyncio
import logging

from paper_search.errors import PaperSearchError
from paper_search.persistence import Persistence
from paper_search.server.thread_list import ServerThreads, server_id
from paper_search.workflow.session import ThreadSession, search_graph
from paper_search.workflow.threads import ThreadCatalog, ThreadInfo, ThreadStatus

POLL_S = 2.0
PAGE = 500

logger = logging.getLogger(__name__)


class ThreadAttachment:
    """Keeps the server's list of threads as the file says it is.

    Args:
        persistence: where threads live.
        keeper: whose the threads are that nobody began over the server.
        threads: the server's list.
    """

    def __init__(self, persistence: Persistence, keeper: str, threads: ServerThreads) -> None:
        self._persistence = persistence
        self._keeper = keeper
        self._threads = threads
        self._catalog = ThreadCatalog(persistence)
        self._graph = search_graph(persistence)
        self._seen: dict[str, tuple[str | None, ThreadStatus]] = {}
        self._unfit: set[str] = set()

    async def follow(self) -> None:
        """Attach what is there, then what comes, for as long as the server runs."""
        while True:
            try:
                await self.refresh()
            except PaperSearchError:
                logger.exception("the list of threads could not be read; it is tried again")
            await asyncio.sleep(POLL_S)

    async def refresh(self) -> None:
        """Attach every thread that changed since the last time, and drop those that are gone."""
        present: set[str] = set()
        offset = 0
        while page := await self._catalog.threads(limit=PAGE, offset=offset):
            for info in page:
                present.add(info.thread_id)
                await self._bring_up_to_date(info)
            offset += PAGE
        for thread_id in set(self._seen) - present:
            del self._seen[thread_id]
            known = server_id(thread_id)
            if known is not None:
                self._threads.drop(known)

    async def _bring_up_to_date(self, info: ThreadInfo) -> None:
        known = server_id(info.thread_id)
        if known is None:
            self._tell_unfit(info.thread_id)
            return
        if self._threads.is_running(known):
            return
        stands = (info.updated_at, info.status)
        if self._seen.get(info.thread_id) == stands and self._threads.is_current(known, info):
            return
        session = ThreadSession(self._graph, self._persistence, info.thread_id)
        snapshot = await session.snapshot()
        if self._threads.is_running(known):
            return
        owner = (snapshot.metadata or {}).get("owner", self._keeper)
        self._threads.put(known, info, snapshot, owner)
        self._seen[info.thread_id] = stands

    def _tell_unfit(self, thread_id: str) -> None:
        if thread_id not in self._unfit:
            self._unfit.add(thread_id)
            logger.warning(
                "thread %r is not in the server's list: it takes only UUIDs as ids", thread_id
            )
