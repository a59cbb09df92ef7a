"""The saver, store and tables that all runs of a server share."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from paper_search.persistence import Persistence, open_persistence


class SharedPersistence:
    """Opened once for the life of a server; a run outside of one opens them for itself.

    Args:
        url: where threads are kept.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._persistence: Persistence | None = None

    @contextlib.asynccontextmanager
    async def opened(self) -> AsyncIterator[Persistence]:
        """Keep them open for the length of a `with` block."""
        async with open_persistence(self._url) as persistence:
            self._persistence = persistence
            try:
                yield persistence
            finally:
                self._persistence = None

    @contextlib.asynccontextmanager
    async def use(self) -> AsyncIterator[Persistence]:
        """Use them: only leases and ledger, which belong to no event loop."""
        if self._persistence is not None:
            yield self._persistence
            return
        async with open_persistence(self._url) as persistence:
            yield persistence
