"""Threads in one SQLite file: LangGraph's saver and store, and our own tables, side by side."""

from __future__ import annotations

import asyncio
import contextlib
import os
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

from langgraph.store.base.batch import AsyncBatchedBaseStore

from paper_search.persistence.encryption import Keyring
from paper_search.persistence.serialization import RecordSeal, serializer
from paper_search.persistence.sqlite_files import (
    connection_to,
    is_there,
    unusable,
)
from paper_search.persistence.sqlite_saver import SqliteSaver
from paper_search.persistence.sqlite_store import SqliteStore
from paper_search.persistence.tables import SqliteDatabase
from paper_search.private_files import private_file

Opened = tuple[SqliteSaver, SqliteStore]


@contextlib.asynccontextmanager
async def open_file(path: Path, keyring: Keyring | None = None) -> AsyncIterator[Opened]:
    """Open the checkpoints and the records in the file, which is made if it is not there.

    Raises:
        PersistenceError: the file is not ours, is damaged, or cannot be used.
    """
    if not await asyncio.to_thread(is_there, path):
        await _create(path)
    async with _setup(path, keyring) as opened:
        yield opened


@contextlib.asynccontextmanager
async def _setup(path: Path, keyring: Keyring | None = None) -> AsyncIterator[Opened]:
    async with (
        connection_to(path) as connection,
        connection_to(path, autocommit=True) as second,
    ):
        saver = SqliteSaver(connection, path, serde=serializer(keyring))
        await saver.prepare()
        with contextlib.closing(SqliteDatabase(path)) as own:
            await asyncio.to_thread(own.prepare)
        store = SqliteStore(second, path, RecordSeal(keyring))
        try:
            await store.setup()
            yield saver, store
        finally:
            await finish(store)


async def finish(store: AsyncBatchedBaseStore) -> None:
    """Stop the store's batching task, which its own context manager leaves running."""
    task = store._task  # noqa: SLF001  # langgraph offers no public way
    if task is not None:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _create(path: Path) -> None:
    """Put a complete file there; of many who do so at once, one succeeds.

    Tables made one by one, in place, would be torn by a crash in between, and LangGraph's
    migrations fail if two processes run them.
    """
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        private_file(draft)
        async with _setup(draft):
            pass
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    except OSError as error:
        raise unusable(path, error) from error
    finally:
        for suffix in ("", "-wal", "-shm", "-journal"):
            draft.with_name(draft.name + suffix).unlink(missing_ok=True)
