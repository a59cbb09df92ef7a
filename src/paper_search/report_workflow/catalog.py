"""Which reports there are, and how they stand."""

from __future__ import annotations

from pydantic import BaseModel

from paper_search.errors import PaperSearchError, ThreadBusyError
from paper_search.persistence import Persistence
from paper_search.report_workflow.session import ReportSession, report_graph
from paper_search.report_workflow.shelf import INDEX, ReportShelf
from paper_search.workflow.shelf import PAGE
from paper_search.workflow.threads import ThreadStatus


class ReportInfo(BaseModel):
    """One report in a list."""

    thread_id: str
    status: ThreadStatus
    question: str = ""
    waits_for: str | None = None
    """Which question it waits with."""
    phase: str = ""
    version: int | None = None
    ended_by: str | None = None
    created_at: str | None = None
    updated_at: str | None = None
    error: str | None = None
    graph: str = "research_report"


class ReportCatalog:
    """Lists and deletes reports.

    Args:
        persistence: where they live.
    """

    def __init__(self, persistence: Persistence) -> None:
        self._persistence = persistence
        self._graph = report_graph(persistence)

    async def reports(self, *, limit: int = 100) -> list[ReportInfo]:
        """Return reports, the one that changed last first."""
        store, items, start = self._persistence.store, [], 0
        while page := await store.asearch(INDEX, limit=PAGE, offset=start):
            items += page
            start += len(page)
        items.sort(key=lambda item: str(item.value["updated_at"]), reverse=True)
        return [await self._listed(item.key, item.value) for item in items[:limit]]

    async def has(self, thread_id: str) -> bool:
        """Whether a report has this thread."""
        return await self._persistence.store.aget(INDEX, thread_id) is not None

    async def delete(self, thread_id: str) -> None:
        """Delete a report with everything that it collected and wrote.

        Raises:
            ThreadBusyError: a process drives it.
        """
        session = ReportSession(self._graph, self._persistence, thread_id)
        if await session.is_driven():
            raise ThreadBusyError(f"report {thread_id!r} is running; it is not deleted")
        async with session.lease():
            await self._persistence.checkpointer.adelete_thread(thread_id)
            await ReportShelf(self._persistence.store, thread_id).delete()

    async def _listed(self, thread_id: str, entry: dict[str, str]) -> ReportInfo:
        about = {
            "thread_id": thread_id,
            "question": entry["question"],
            "created_at": entry["created_at"],
            "updated_at": entry["updated_at"],
        }
        session = ReportSession(self._graph, self._persistence, thread_id)
        try:
            state = await session.state()
            review = await session.open_question()
        except PaperSearchError as error:
            return ReportInfo(**about, status=ThreadStatus.FAILED, error=str(error))
        if state.is_complete:
            status = ThreadStatus.DONE
        elif review is not None:
            status = ThreadStatus.WAITING
        else:
            is_driven = await session.is_driven()
            status = ThreadStatus.RUNNING if is_driven else ThreadStatus.FAILED
        return ReportInfo(
            **about,
            status=status,
            waits_for=review.review.kind if review else None,
            phase=state.status.value,
            version=state.draft.version if state.draft else None,
            ended_by=state.ended_by,
        )
