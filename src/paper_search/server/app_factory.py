"""The app factory for LangGraph's server: what `langgraph.json` and `paper-search serve` load."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from paper_search.config import load_config
from paper_search.persistence import open_persistence

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.store.base import BaseStore

    from paper_search.server.leased import SharedPersistence


@functools.cache
def shared_persistence() -> SharedPersistence:
    """Return where threads are kept: one for the process, as the server loads each name alone."""
    from paper_search.server.leased import SharedPersistence  # noqa: PLC0415  # slow import

    return SharedPersistence(load_config().persistence_url)


@functools.cache
def graph() -> Any:
    """Return the paper-search graph, whose runs take leases; the server brings saver and store."""
    from paper_search.server.leased import leased  # noqa: PLC0415  # slow import
    from paper_search.steps.compiler import compile_workflow  # noqa: PLC0415  # slow import
    from paper_search.workflow.assembly import assemble_skills  # noqa: PLC0415  # slow import
    from paper_search.workflow.graph import WORKFLOW  # noqa: PLC0415  # slow import

    compiled = compile_workflow(WORKFLOW, services=assemble_skills(load_config()))
    return leased(compiled, shared_persistence())


@functools.cache
def report_graph() -> Any:
    """Return the research-report graph, whose runs take leases as those of searches do."""
    from paper_search.report_workflow.assembly import assemble_report  # noqa: PLC0415  # slow import
    from paper_search.report_workflow.graph import WORKFLOW  # noqa: PLC0415  # slow import
    from paper_search.report_workflow.session import ReportSession  # noqa: PLC0415  # slow import
    from paper_search.server.leased import leased  # noqa: PLC0415  # slow import
    from paper_search.steps.compiler import compile_workflow  # noqa: PLC0415  # slow import

    compiled = compile_workflow(WORKFLOW, services=assemble_report(load_config()))
    return leased(compiled, shared_persistence(), ReportSession)


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


def __getattr__(name: str) -> Any:
    """Make `app` and `auth` when the server asks for them; importing does no work."""
    if name == "app":
        from paper_search.server.app import create_app  # noqa: PLC0415  # slow import

        return create_app(load_config(), shared_persistence())
    if name == "auth":
        from paper_search.server.authentication import create_auth  # noqa: PLC0415  # slow import

        return create_auth(load_config())
    raise AttributeError(name)
