"""A report of an earlier process, with a workflow that can go on with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paper_search.persistence import open_persistence
from paper_search.report_workflow import ReportWorkflow
from paper_search.report_workflow.session import ReportSession
from paper_search.steps.compiler import PARAMS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paper_search.config import AppConfig
    from paper_search.threads.progress import ProgressReporter


def report_workflow(
    config: AppConfig, progress: ProgressReporter, settings: Mapping[str, Any]
) -> ReportWorkflow:
    """Return the workflow that the settings describe, on the person's own place for threads."""
    return ReportWorkflow.from_config(
        config, progress_reporter=progress, persistence=config.persistence_url, **settings
    )


async def restored_report(
    config: AppConfig, thread_id: str, progress: ProgressReporter
) -> ReportWorkflow:
    """Return a workflow with the services that the report began with; the rest is in its thread.

    Raises:
        ThreadNotFoundError: there is no such report.
        UnknownNameError: one of its sources is not installed any more.
    """
    async with open_persistence(config.persistence_url) as persistence:
        session = ReportSession.on(persistence, thread_id)
        params = (await session.snapshot()).values.get(PARAMS) or {}
    begun = {name: params[name] for name in ("sources", "max_pages") if name in params}
    return report_workflow(config, progress, begun)
