"""The threads of all graphs, with or without a catalog of their own."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from pydantic_core import to_json

from paper_search.errors import PaperSearchError, PersistenceError, ThreadNotFoundError
from paper_search.persistence import Persistence
from paper_search.persistence.encryption import DamagedError
from paper_search.persistence.listing import ASKED, NEXT, LatestCheckpoint, time_of
from paper_search.persistence.threads import INPUT
from paper_search.steps.types import MADE_BY, RESERVED
from paper_search.threads.catalog import (
    ALL,
    BriefInfo,
    Catalog,
    ThreadStatus,
    delete_thread,
    status_by,
    stopped_at,
)
from paper_search.threads.records import root_of
from paper_search.threads.sharing import Ownership

if TYPE_CHECKING:
    from langgraph.checkpoint.base import CheckpointTuple

UNKNOWN = "unknown"
"""The graph of a thread whose checkpoints do not name one."""
_SHOWN = 200
"""Characters of a state in a list."""


class PlainDetail(BriefInfo):
    state: dict[str, Any]
    open_question: Any = None


class PlainThreads:
    """Lists, shows and prunes threads of unknown graphs, by their checkpoints alone."""

    def __init__(self, persistence: Persistence) -> None:
        self.persistence = persistence
        self._saver: Any = persistence.checkpointer

    async def has(self, thread_id: str) -> bool:
        return await self._checkpoint(thread_id) is not None

    async def info_or_error(self, latest: LatestCheckpoint) -> BriefInfo:
        """Return the entry of a thread; if it cannot be read, with the reason."""
        try:
            return BriefInfo(**(await self.show(latest.thread_id)).model_dump())
        except PaperSearchError as error:
            facts: Any = {"thread_id": latest.thread_id, "error": str(error), "graph": UNKNOWN}
            return BriefInfo(status=status_by(error), **facts)

    async def show(self, thread_id: str) -> PlainDetail:
        saved = await self._checkpoint(thread_id)
        if saved is None:
            raise ThreadNotFoundError(f"there is no thread {thread_id!r}")
        channels = saved.checkpoint["channel_values"]
        writes = saved.pending_writes or []
        question = next((asked[0] for _, name, asked in writes if name == ASKED and asked), None)
        following = [name.removeprefix(NEXT) for name in channels if name.startswith(NEXT)]
        step = following[0] if following else None
        if question is not None:
            status = ThreadStatus.WAITING
        elif not following and INPUT not in channels:
            status = ThreadStatus.DONE
        elif await self.persistence.leases.is_held(thread_id):
            status = ThreadStatus.RUNNING
        else:
            status = ThreadStatus.FAILED
        state = {
            n: v
            for n, v in channels.items()
            if n not in RESERVED and not n.startswith((NEXT, "__"))
        }
        changed_at = time_of(saved.checkpoint["id"])
        metadata: Any = saved.metadata
        return PlainDetail(
            thread_id=thread_id,
            status=status,
            question=to_json(state).decode()[:_SHOWN],
            updated_at=changed_at.isoformat() if changed_at else None,
            next_step=step,
            error=stopped_at(step or "its first step") if status is ThreadStatus.FAILED else None,
            graph=metadata.get(MADE_BY) or UNKNOWN,
            state=state,
            open_question=question.value if question else None,
        )

    info = show

    async def prune(self, thread_id: str) -> None:
        async with self.persistence.leases.hold(thread_id):
            await self._saver.aprune([thread_id])

    async def _checkpoint(self, thread_id: str) -> CheckpointTuple | None:
        saved: CheckpointTuple | None = await self._saver.aget_tuple(
            {"configurable": {"thread_id": thread_id}}
        )
        if saved is None and thread_id in {
            *await self.persistence.index.orphans(),
            *(
                latest.thread_id for latest in await self.persistence.index.latest(ALL)
            ),  # it is no UTF-8
        }:
            why = "it has rows but no state; they may belong to another thread, under a changed key"
            raise DamagedError(f"thread {thread_id!r}", why)
        return saved


Visibility = Callable[[Ownership], bool]
"""Whether somebody may see a thread, by its ownership."""
_Entry = tuple[str, str, Catalog[Any, Any] | PlainThreads, Any]
"""When a thread changed, its id, its catalog, and its entry there."""


class Catalogs:
    """Lists the threads of all graphs, and finds the graph of a thread."""

    def __init__(self, persistence: Persistence, by_graph: Mapping[str, Catalog[Any, Any]]) -> None:
        self.by_graph = dict(by_graph)
        self.others = PlainThreads(persistence)

    async def graph_of(self, thread_id: str) -> str | None:
        """Return the name of the graph that began a thread, if it is one of this program."""
        for name, catalog in self.by_graph.items():
            if await catalog.has(thread_id):
                return name
        for name, catalog in self.by_graph.items():  # it died before its first step
            with contextlib.suppress(ThreadNotFoundError):
                await catalog.session(thread_id).snapshot()
                return name
        return None

    async def delete(self, thread_id: str) -> None:
        """Delete a thread of any graph with all its rows, even if it is damaged."""
        with contextlib.suppress(PersistenceError):  # an unreadable thread exists
            await self.catalog_of(thread_id)
        indexes = [catalog.listed_in for catalog in self.by_graph.values()]
        await delete_thread(self.others.persistence, thread_id, indexes)

    async def copy_records(self, source: str, target: str, by: str) -> None:
        """Copy all rows of a thread, but not its checkpoints, and record who did it.

        Decisions stay in the ledger of the thread that they were made on.
        """
        from langgraph.store.base import PutOp  # noqa: PLC0415  # slow import

        name, persistence = await self.graph_of(source), self.others.persistence
        if name is None:
            raise ThreadNotFoundError(f"there is no thread {source!r}")
        listed_in, store = self.by_graph[name].listed_in, persistence.store
        entry = await persistence.index.entry(listed_in, source)
        rows = await store.asearch(root_of(source), limit=ALL)
        async with persistence.leases.hold(target):
            if entry is not None:
                await store.abatch([PutOp(listed_in, target, entry.value, index=False)])
            for row in rows:
                place = (*root_of(target), *row.namespace[2:])
                await store.abatch([PutOp(place, row.key, row.value, index=False)])
            await persistence.ledger.note(target, "", "copied", by, {"from": source})

    async def finish_deletions(self) -> list[str]:
        catalogs = self.by_graph.values()
        return [name for catalog in catalogs for name in await catalog.finish_deletions()]

    async def catalog_of(self, thread_id: str) -> Catalog[Any, Any] | PlainThreads:
        name = await self.graph_of(thread_id)
        if name is not None:
            return self.by_graph[name]
        if await self.others.has(thread_id):
            return self.others
        raise ThreadNotFoundError(
            f"there is no thread {thread_id!r}; `paper-search threads` lists all"
        )

    async def threads(
        self, *, limit: int = 100, offset: int = 0, is_listed: Visibility | None = None
    ) -> list[Any]:
        """Return threads of all graphs, the latest change first; `is_listed`: only some of them."""
        page, resting = await self._page(limit, offset, is_listed), dict[str, Any]()
        for catalog in self.by_graph.values():
            entries = [entry for _, _, where, entry in page if where is catalog]
            resting |= await catalog.resting(entries)
        return [
            resting.get(name) or await where.info_or_error(entry) for _, name, where, entry in page
        ]

    async def names(self, *, limit: int = 100, offset: int = 0) -> list[str]:
        return [name for _, name, _, _ in await self._page(limit, offset)]

    async def _page(
        self, limit: int, offset: int, is_listed: Visibility | None = None
    ) -> list[_Entry]:
        entries: list[_Entry] = []
        indexed: set[str] = set()
        for catalog in self.by_graph.values():
            indexed |= await catalog.keys()
            for item in await catalog.entries(limit=ALL if is_listed else limit + offset):
                changed = str(item.value.get("updated_at", ""))
                entries.append((changed, item.key, catalog, item))
        index = self.others.persistence.index
        orphans = await index.orphans() - indexed
        # They come first: at the end of a long list, nobody would see the damage.
        entries += [("9999", i, self.others, LatestCheckpoint(i, "", "")) for i in sorted(orphans)]
        for latest in await index.latest(ALL):
            if latest.thread_id not in indexed:
                changed = latest.changed_at.isoformat() if latest.changed_at else ""
                entries.append((changed, latest.thread_id, self.others, latest))
        entries.sort(key=operator.itemgetter(0), reverse=True)
        if is_listed is not None:
            whose = (Ownership.model_validate(getattr(entry[3], "value", {})) for entry in entries)
            entries = [
                e for e, ownership in zip(entries, whose, strict=True) if is_listed(ownership)
            ]
        return entries[offset : offset + limit]
