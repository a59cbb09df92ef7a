"""One thread, read and left as it is."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, TypeVar

from paper_search.persistence import open_persistence
from paper_search.threads.session import ThreadSession

if TYPE_CHECKING:
    from paper_search.report_workflow.catalog import ReportDetail
    from paper_search.workflow import ThreadDetail


SessionT = TypeVar("SessionT", bound=ThreadSession[Any, Any, Any])


async def thread_detail(url: str, thread_id: str) -> ThreadDetail | ReportDetail:
    """Return all that there is to know of a thread, of whatever kind it is.

    Raises:
        ThreadNotFoundError: there is no such thread.
    """
    from paper_search.report_workflow.catalog import EveryThread

    async with open_persistence(url) as persistence:
        every = EveryThread(persistence)
        if await every.catalog_of(thread_id) is every.reports:
            return await every.reports.show(thread_id)
        return await every.searches.show(thread_id)


async def is_report(url: str, thread_id: str) -> bool:
    """Whether a thread is a report; one that is not there is none."""
    from paper_search.report_workflow.catalog import REPORT, EveryThread

    async with open_persistence(url) as persistence:
        return await EveryThread(persistence).graph_of(thread_id) == REPORT


@contextlib.asynccontextmanager
async def reading(
    session_type: type[SessionT], url: str, thread_id: str
) -> AsyncIterator[SessionT]:
    """Open one thread to look at it, for the length of an `async with` block."""
    async with open_persistence(url) as persistence:
        yield session_type.on(persistence, thread_id)
