"""The threads of all graphs: of those with a catalog of their own, and of all others."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Mapping
from typing import Any

from paper_search.errors import PersistenceError, ThreadNotFoundError
from paper_search.persistence import Persistence
from paper_search.threads.catalog import ALL, Catalog, delete_thread
from paper_search.threads.plain import PlainThreads

_Entry = tuple[str, str, Catalog[Any, Any] | PlainThreads, Any]
"""When a thread changed, its id, what lists it, and its entry there."""


class AllThreads:
    """Lists the threads of all graphs, and says which graph one belongs to.

    Args:
        persistence: where they live.
        by_graph: the catalog of each graph by the name of the graph.
    """

    def __init__(self, persistence: Persistence, by_graph: Mapping[str, Catalog[Any, Any]]) -> None:
        self.by_graph = dict(by_graph)
        self.others = PlainThreads(persistence)
        self._saver: Any = persistence.checkpointer

    async def graph_of(self, thread_id: str) -> str | None:
        """Return the name of the graph that began a thread; None: no graph of this program did."""
        for name, catalog in self.by_graph.items():
            if await catalog.has(thread_id):
                return name
        for name, catalog in self.by_graph.items():  # it died before its first step
            with contextlib.suppress(ThreadNotFoundError):
                await catalog.session(thread_id).snapshot()
                return name
        return None

    async def delete(self, thread_id: str) -> None:
        """Delete a thread of whatever graph, with all its rows, unread: it may be damaged.

        Raises:
            ThreadNotFoundError: there is no such thread.
            ThreadBusyError: a process drives it.
        """
        catalogs = list(self.by_graph.values())
        with contextlib.suppress(PersistenceError):  # what cannot be read is there
            if not await self.others.has(thread_id) and not [
                catalog for catalog in catalogs if await catalog.has(thread_id)
            ]:
                raise _unknown(thread_id)
        indexes = [catalog.listed_in for catalog in catalogs]
        await delete_thread(self.others.persistence, thread_id, indexes)

    async def finish_deletions(self) -> list[str]:
        """Delete what is left of threads whose deletion was cut short; return their ids."""
        catalogs = self.by_graph.values()
        return [name for catalog in catalogs for name in await catalog.finish_deletions()]

    async def catalog_of(self, thread_id: str) -> Catalog[Any, Any] | PlainThreads:
        """Return the catalog that knows a thread.

        Raises:
            ThreadNotFoundError: none does.
        """
        name = await self.graph_of(thread_id)
        if name is not None:
            return self.by_graph[name]
        if await self.others.has(thread_id):
            return self.others
        raise _unknown(thread_id)

    async def threads(self, *, limit: int = 100, offset: int = 0) -> list[Any]:
        """Return threads of all graphs, the one that changed last first."""
        page = await self._page(limit, offset)
        infos: dict[str, Any] = {}
        for catalog in {id(catalog): catalog for _, _, catalog, _ in page}.values():
            entries = [(name, entry) for _, name, where, entry in page if where is catalog]
            listed = await catalog.listed([entry for _name, entry in entries])
            infos |= {name: info for (name, _entry), info in zip(entries, listed, strict=True)}
        return [infos[name] for _, name, _, _ in page]

    async def names(self, *, limit: int = 100, offset: int = 0) -> list[str]:
        """Return the ids of threads of all graphs, the one that changed last first."""
        return [name for _, name, _, _ in await self._page(limit, offset)]

    async def _page(self, limit: int, offset: int) -> list[_Entry]:
        entries: list[_Entry] = []
        indexed: set[str] = set()
        for catalog in self.by_graph.values():
            indexed |= await catalog.keys()
            for item in await catalog.entries(limit=limit + offset):
                changed = str(item.value.get("updated_at", ""))
                entries.append((changed, item.key, catalog, item))
        for latest in await self._saver.alatest(ALL):
            if latest.thread_id not in indexed:
                changed = latest.changed_at.isoformat() if latest.changed_at else ""
                entries.append((changed, latest.thread_id, self.others, latest))
        entries.sort(key=operator.itemgetter(0), reverse=True)
        return entries[offset : offset + limit]


def _unknown(thread_id: str) -> ThreadNotFoundError:
    return ThreadNotFoundError(
        f"there is no thread {thread_id!r}; `paper-search threads` lists all"
    )
