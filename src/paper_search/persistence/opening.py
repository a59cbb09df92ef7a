"""`open_persistence`: opens everything that a durable graph needs, by its URL."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paper_search.config import encryption_keys
from paper_search.errors import ConfigError, InputError, UnknownNameError, how_to_install
from paper_search.persistence.backups import compact
from paper_search.persistence.encryption import Keyring
from paper_search.persistence.leases import Leases
from paper_search.persistence.ledger import DecisionLedger
from paper_search.persistence.tables import SqliteDatabase

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.store.base import BaseStore

    from paper_search.persistence.index import ThreadIndex

POSTGRES = ("postgresql", "postgres")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)


@dataclass(frozen=True)
class Persistence:
    checkpointer: BaseCheckpointSaver[Any]
    store: BaseStore
    index: ThreadIndex
    leases: Leases
    ledger: DecisionLedger
    url: str
    """Without a password."""
    compact: Callable[[], Awaitable[None]]
    """Returns the space of deleted rows to the disk."""

    @property
    def is_durable(self) -> bool:
        """Whether threads outlive this process."""
        return self.url != "memory:"


def open_persistence(
    url: str = "memory:", *, keys: Sequence[str] | None = None
) -> AbstractAsyncContextManager[Persistence]:
    """Open the persistence at a URL, during an `async with` block.

    Args:
        url: `memory:`, `sqlite:///` followed by a path (four slashes: an absolute one), or
            `postgresql://user:password@host/database`.
        keys: encryption keys, the current one first; empty for no encryption; None for those in
            `PAPER_SEARCH_ENCRYPTION_KEY`. Threads in memory are not encrypted.

    Raises:
        UnknownNameError: the scheme is not known.
        ConfigError: a key is invalid, or an extra is not installed.
        PersistenceError: the database cannot be used; an existing file is not changed.
    """
    return _OPENERS[_scheme(url)](url, keys)


def _scheme(url: str) -> str:
    """Return the scheme of a URL; an invalid URL may contain a password, and is not shown."""
    name = found[1] if (found := _SCHEME.match(url)) else "…"
    if name not in _OPENERS:
        raise UnknownNameError("scheme of DATABASE_URL", name, list(_OPENERS))
    return name


def _keyring(keys: Sequence[str] | None) -> Keyring | None:
    texts = encryption_keys() if keys is None else keys
    return Keyring(texts) if texts else None


@contextlib.asynccontextmanager
async def _open_memory(_url: str, _keys: Sequence[str] | None) -> AsyncIterator[Persistence]:
    do_nothing = functools.partial(asyncio.sleep, 0)  # memory needs no compacting
    yield await _persistence(SqliteDatabase(), None, "memory:", do_nothing)


@contextlib.asynccontextmanager
async def _open_sqlite(url: str, keys: Sequence[str] | None) -> AsyncIterator[Persistence]:
    from paper_search.persistence import sqlite_store  # noqa: PLC0415  # slow import

    path, keyring = sqlite_path(url.partition(":")[2]), _keyring(keys)
    async with sqlite_store.open_file(path) as database:
        compact_file = functools.partial(asyncio.to_thread, compact, path)
        yield await _persistence(database, keyring, url, compact_file)


async def _persistence(
    database: SqliteDatabase,
    keyring: Keyring | None,
    url: str,
    compact_database: Callable[[], Awaitable[None]],
) -> Persistence:
    from paper_search.persistence import index, sqlite_store  # noqa: PLC0415  # slow imports

    saver, store = await sqlite_store.stores_in(database, keyring)
    leases, ledger = Leases(database), DecisionLedger(database, keyring)
    threads = index.ThreadIndex(database, store.seal, leases)
    return Persistence(saver, store, threads, leases, ledger, url, compact_database)


@contextlib.asynccontextmanager
async def _open_postgres(url: str, keys: Sequence[str] | None) -> AsyncIterator[Persistence]:
    try:
        from paper_search.persistence import postgres  # noqa: PLC0415  # an extra
    except ImportError as error:
        raise ConfigError(
            f"PostgreSQL needs {error.name or 'a driver'}, which is not installed; install the "
            f"extra: {how_to_install('postgres')}"
        ) from None
    async with postgres.open_database(url, _keyring(keys)) as persistence:
        yield persistence


_OPENERS: dict[
    str, Callable[[str, Sequence[str] | None], AbstractAsyncContextManager[Persistence]]
] = {
    "memory": _open_memory,
    "sqlite": _open_sqlite,
    **dict.fromkeys(POSTGRES, _open_postgres),
}


def sqlite_path(rest: str) -> Path:
    """Return the path after `sqlite:`; `///x` is relative, `////x` absolute."""
    return Path(rest.removeprefix("//").removeprefix("/") or "threads.db")


def sqlite_file(url: str) -> Path:
    scheme, rest = _scheme(url), url.partition(":")[2]
    if scheme != "sqlite":
        raise InputError(
            f"the threads are in {scheme!r}, not in a file; for PostgreSQL, use pg_dump and "
            "pg_restore"
        )
    return sqlite_path(rest)
