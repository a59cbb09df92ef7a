"""Threads of earlier processes, with a workflow that can go on with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paper_search.cli.reading import reading
from paper_search.sources import known_sources
from paper_search.steps.compiler import PARAMS
from paper_search.workflow import SearchWorkflow
from paper_search.workflow.session import SearchSession

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paper_search.cli.answer import Answer
    from paper_search.config import AppConfig
    from paper_search.models import PaperCollection
    from paper_search.report_workflow import ReportWorkflow
    from paper_search.threads.progress import ProgressReporter
    from paper_search.workflow import Checkpoint


async def restored(config: AppConfig, thread_id: str, progress: ProgressReporter) -> SearchWorkflow:
    """Return a workflow with the sources that the thread was started with.

    Raises:
        ThreadNotFoundError: there is no such thread.
        UnknownNameError: one of its sources is not installed any more.
    """
    async with reading(SearchSession, config.persistence_url, thread_id) as session:
        values = (await session.snapshot()).values
    return SearchWorkflow.from_config(
        config,
        progress_reporter=progress,
        persistence=config.persistence_url,
        sources=_sources(config, values),
    )


async def taken_up(
    config: AppConfig, workflow: SearchWorkflow, thread_id: str, answer: Answer | None
) -> Checkpoint | PaperCollection:
    """Bring the thread to its next open question or its end, with the answer if there is one.

    Raises:
        ThreadFinishedError: it is done.
        ThreadNotWaitingError: there is an answer and no question.
        ThreadBusyError: another process drives it.
        InvalidDecisionError: the answer cannot be used; the question stays open.
    """
    if answer is None:
        return await workflow.pending(thread_id) or await workflow.proceed(thread_id)
    async with reading(SearchSession, config.persistence_url, thread_id) as session:
        question = await session.require_question()
    return await workflow.answer(thread_id, answer.decision(question.question))


def _sources(config: AppConfig, values: dict[str, Any]) -> list[str] | None:
    """Return the sources that the run was limited to; else all enabled and those it names."""
    limited: list[str] | None = (values.get(PARAMS) or {}).get("sources")
    if limited is not None:
        return limited
    enabled = [name for name, each in config.sources.items() if each.enabled]
    named = (values.get("strategy") or {}).get("sources") or []
    if named:  # what the home remembers is for new threads
        enabled = [name for name in enabled if name not in config.remembered_sources]
    return [*enabled, *(each for each in named if each in known_sources() and each not in enabled)]


def report_workflow(
    config: AppConfig, progress: ProgressReporter, settings: Mapping[str, Any]
) -> ReportWorkflow:
    """Return the workflow that the settings describe, on the persistence that they name."""
    from paper_search.report_workflow import ReportWorkflow

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
    from paper_search.report_workflow.session import ReportSession

    async with reading(ReportSession, config.persistence_url, thread_id) as session:
        params = (await session.snapshot()).values.get(PARAMS) or {}
    begun = {name: params[name] for name in ("sources", "max_pages") if name in params}
    return report_workflow(config, progress, begun)
