"""Saver and store for the server: the same SQLite file that the command line uses."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.store.base import BaseStore

from paper_search.config import load_config
from paper_search.persistence import open_persistence


@asynccontextmanager
async def checkpointer() -> AsyncIterator[BaseCheckpointSaver[str]]:
    """Open the checkpoints."""
    async with open_persistence(load_config().persistence_url) as persistence:
        yield persistence.checkpointer


@asynccontextmanager
async def store() -> AsyncIterator[BaseStore]:
    """Open the records."""
    async with open_persistence(load_config().persistence_url) as persistence:
        yield persistence.store
