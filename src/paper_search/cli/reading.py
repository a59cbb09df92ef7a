"""One thread, read and left as it is."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from paper_search.persistence import open_persistence
from paper_search.workflow import ThreadCatalog
from paper_search.workflow.session import ThreadSession, search_graph

if TYPE_CHECKING:
    from paper_search.workflow import ThreadDetail


async def thread_detail(url: str, thread_id: str) -> ThreadDetail:
    """Return all that there is to know of a thread.

    Raises:
        ThreadNotFoundError: there is no such thread.
    """
    async with open_persistence(url) as persistence:
        return await ThreadCatalog(persistence).show(thread_id)


@contextlib.asynccontextmanager
async def reading_session(url: str, thread_id: str) -> AsyncIterator[ThreadSession]:
    """Open one thread to look at it, for the length of an `async with` block."""
    async with open_persistence(url) as persistence:
        yield ThreadSession(search_graph(persistence), persistence, thread_id)
