"""`open_persistence`: from a URL to everything that a graph needs to be durable."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from paper_search.errors import UnknownNameError
from paper_search.persistence.leases import Leases, MemoryLeaseTable

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.store.base import BaseStore


@dataclass(frozen=True)
class Persistence:
    """An open place for threads."""

    checkpointer: BaseCheckpointSaver[str]
    store: BaseStore
    leases: Leases
    is_durable: bool
    """Whether threads outlive this process."""


@contextlib.asynccontextmanager
async def open_persistence(url: str = "memory:") -> AsyncIterator[Persistence]:
    """Open the place that a URL names, for the length of an `async with` block.

    Args:
        url: `memory:`, or `sqlite:///` followed by a path (four slashes: an absolute one).

    Raises:
        UnknownNameError: the scheme is not known.
        PersistenceError: the place cannot be used; an existing file is left as it is.
    """
    scheme, _, rest = url.partition(":")
    if scheme not in _OPENERS:
        raise UnknownNameError("persistence scheme", scheme, list(_OPENERS))
    async with _OPENERS[scheme](rest) as persistence:
        yield persistence


@contextlib.asynccontextmanager
async def _open_memory(_rest: str) -> AsyncIterator[Persistence]:
    from langgraph.checkpoint.memory import InMemorySaver  # noqa: PLC0415  # slow import
    from langgraph.store.memory import InMemoryStore  # noqa: PLC0415  # slow import

    from paper_search.persistence.sqlite import serializer  # noqa: PLC0415  # slow import

    yield Persistence(
        checkpointer=InMemorySaver(serde=serializer()),
        store=InMemoryStore(),
        leases=Leases(MemoryLeaseTable()),
        is_durable=False,
    )


@contextlib.asynccontextmanager
async def _open_sqlite(rest: str) -> AsyncIterator[Persistence]:
    from paper_search.persistence import sqlite  # noqa: PLC0415  # slow import

    path = sqlite_path(rest)
    async with sqlite.open_saver(path) as saver, sqlite.open_store(path) as store:
        yield Persistence(
            checkpointer=saver,
            store=store,
            leases=Leases(sqlite.SqliteLeaseTable(path)),
            is_durable=True,
        )


def sqlite_path(rest: str) -> Path:
    """Return the path in what follows `sqlite:`; `///x` is relative, `////x` absolute."""
    return Path(rest.removeprefix("//").removeprefix("/") or "threads.db")


_OPENERS: dict[str, Callable[[str], AbstractAsyncContextManager[Persistence]]] = {
    "memory": _open_memory,
    "sqlite": _open_sqlite,
}
