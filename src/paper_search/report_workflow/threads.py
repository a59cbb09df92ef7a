"""Threads of every kind in one place: searches and reports, each by the catalog that knows it."""

from __future__ import annotations

from typing import Any

from paper_search.errors import ThreadNotFoundError
from paper_search.persistence import Persistence
from paper_search.report_workflow.catalog import ReportCatalog, ReportInfo
from paper_search.workflow.catalog import Catalog
from paper_search.workflow.threads import ThreadCatalog, ThreadInfo

SEARCH = "paper_search"
REPORT = "research_report"


class EveryThread:
    """Lists the threads of all graphs, and says which graph one belongs to.

    Args:
        persistence: where they live.
    """

    def __init__(self, persistence: Persistence) -> None:
        self._persistence = persistence
        self.searches = ThreadCatalog(persistence)
        self.reports = ReportCatalog(persistence)
        self.by_graph: dict[str, Catalog[Any]] = {SEARCH: self.searches, REPORT: self.reports}

    async def graph_of(self, thread_id: str) -> str | None:
        """Return the name of the graph that began a thread; None: no graph of this program did.

        A thread whose deletion was cut short still belongs to its graph.
        """
        for name, catalog in self.by_graph.items():
            try:
                await catalog.session(thread_id).snapshot()
            except ThreadNotFoundError:
                if await catalog.has(thread_id):
                    return name
            else:
                return name
        return None

    async def catalog_of(self, thread_id: str) -> Catalog[Any]:
        """Return the catalog that knows a thread.

        Raises:
            ThreadNotFoundError: none does.
        """
        name = await self.graph_of(thread_id)
        if name is None:
            raise ThreadNotFoundError(
                f"there is no thread {thread_id!r}; `paper-search threads` lists all"
            )
        return self.by_graph[name]

    async def threads(self, *, limit: int = 100, offset: int = 0) -> list[ThreadInfo | ReportInfo]:
        """Return threads of all kinds, the one that changed last first."""
        page = await self._page(limit, offset)
        return [each for name, item in page for each in await self.by_graph[name].listed([item])]

    async def names(self, *, limit: int = 100, offset: int = 0) -> list[str]:
        """Return the ids of threads of all kinds, the one that changed last first."""
        return [item.key for _, item in await self._page(limit, offset)]

    async def _page(self, limit: int, offset: int) -> list[tuple[str, Any]]:
        entries = [
            (name, item)
            for name, catalog in self.by_graph.items()
            for item in await catalog.entries(limit=limit + offset)
        ]
        entries.sort(key=lambda each: str(each[1].value["updated_at"]), reverse=True)
        return entries[offset : offset + limit]
