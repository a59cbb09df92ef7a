"""Threads of earlier processes, with a workflow that can go on with them."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from paper_search.cli.console import ProgressLine, UsageMistakeError, with_persistence
from paper_search.persistence import open_persistence
from paper_search.threads.session import ThreadSession
from paper_search.workflow import SearchWorkflow
from paper_search.workflow.assembly import sources_of_run
from paper_search.workflow.session import SearchSession

if TYPE_CHECKING:
    from paper_search.config import AppConfig
    from paper_search.models.usage import Budget
    from paper_search.report.document import Report
    from paper_search.report_workflow import ReportWorkflow
    from paper_search.report_workflow.reviews import BreakpointName
    from paper_search.report_workflow.session import ReportDetail
    from paper_search.threads.engine import ProgressReporter
    from paper_search.threads.every import PlainDetail
    from paper_search.workflow import ThreadDetail


SessionT = TypeVar("SessionT", bound=ThreadSession[Any, Any, Any])
AnyDetail: TypeAlias = "ThreadDetail | ReportDetail | PlainDetail"


async def thread_detail(url: str, thread_id: str) -> AnyDetail:
    """Return all that there is to know of a thread, of whatever kind it is.

    Raises:
        ThreadNotFoundError: there is no such thread.
    """
    from paper_search.report_workflow.listing import EveryThread

    async with open_persistence(url) as persistence:
        catalog: Any = await EveryThread(persistence).catalog_of(thread_id)
        detail: AnyDetail = await catalog.show(thread_id)
        return detail


def with_translations(config: AppConfig, detail: AnyDetail) -> AnyDetail:
    """Return a thread with what each source will be sent, if a strategy waits for a decision."""
    from paper_search.workflow import ThreadDetail
    from paper_search.workflow.assembly import translations
    from paper_search.workflow.checkpoints import StrategyPayload

    waiting = detail.open_checkpoint if isinstance(detail, ThreadDetail) else None
    if waiting is None or not isinstance(waiting.payload, StrategyPayload):
        return detail
    strings = translations(config, waiting.payload.strategy)
    return detail.model_copy(update={"translations": strings})


async def is_report(url: str, thread_id: str) -> bool:
    """Whether a thread is a report; one that is not there is none."""
    from paper_search.report_workflow.listing import REPORT, EveryThread

    return await with_persistence(url, lambda p: EveryThread(p).graph_of(thread_id)) == REPORT


async def preview(url: str, thread_id: str) -> Report:
    """Return a report before it is given out.

    Raises:
        ThreadNotFoundError: there is no such report.
        ExportError: nothing is written yet.
    """
    from paper_search.report_workflow.session import ReportSession

    return await with_persistence(url, lambda p: ReportSession.on(p, thread_id).preview())


@contextlib.asynccontextmanager
async def reading(
    session_type: type[SessionT], url: str, thread_id: str
) -> AsyncIterator[SessionT]:
    async with open_persistence(url) as persistence:
        yield session_type.on(persistence, thread_id)


async def load_search(
    config: AppConfig, thread_id: str, progress: ProgressReporter
) -> SearchWorkflow:
    """Return a workflow with the sources that the thread was started with.

    Raises:
        ThreadNotFoundError: there is no such thread.
        UnknownNameError: one of its sources is not installed any more.
    """
    url = config.persistence_url
    values = await with_persistence(url, lambda p: SearchSession.on(p, thread_id).channels())
    return SearchWorkflow.from_config(
        config, progress_reporter=progress, persistence=url, sources=sources_of_run(config, values)
    )


async def load_report(
    config: AppConfig, thread_id: str, progress: ProgressReporter
) -> ReportWorkflow:
    """Return a workflow with the services that the report began with; Raises as `load_search`."""
    from paper_search.report_workflow import ReportWorkflow
    from paper_search.report_workflow.assembly import services_begun_with
    from paper_search.report_workflow.session import ReportSession

    url = config.persistence_url
    values = await with_persistence(url, lambda p: ReportSession.on(p, thread_id).channels())
    return ReportWorkflow.from_config(
        config, progress_reporter=progress, persistence=url, **services_begun_with(values)
    )


def allow(config: AppConfig, thread_id: str, budget: Budget | None) -> None:
    """Have a thread spend at most so much in all, from now on; None: as before.

    Raises:
        PersistenceError: the log of its usage cannot be written.
    """
    from paper_search.llm.usage_log import BudgetSet, UsageLog

    if budget is not None:
        UsageLog(config.usage_path, thread_id).append(BudgetSet(budget=budget))


async def reopened(config: AppConfig, thread_id: str, to: str | None, number: int | None) -> object:
    """Go back to a question of a search or a report that was decided, and ask it again.

    `number`: of the round, or of the question in a report; None: the latest one.

    Raises:
        ThreadNotFoundError: there is no such thread.
        UsageMistakeError: such a thread has no such question.
        StaleDecisionError: it was never decided, or the history was pruned.
    """
    from paper_search.workflow import CheckpointKind

    if await is_report(config.persistence_url, thread_id):
        if to in {"strategy", "result"}:
            raise UsageMistakeError(f"a report has no {to}; --to takes plan or draft here")
        draft: tuple[BreakpointName, ...] = ("pre_output_review", "critical_issue_review")
        names = ("plan_review",) if to == "plan" else draft if to == "draft" else ()
        report = await load_report(config, thread_id, ProgressLine())
        return await report.fork(thread_id, *names, number=number)
    if to in {"plan", "draft"}:
        raise UsageMistakeError(f"a search has no {to}; --to takes strategy or result here")
    strategy, result = CheckpointKind.STRATEGY_CONFIRMATION, CheckpointKind.RESULT_REVIEW
    kind = strategy if to == "strategy" else result
    search = await load_search(config, thread_id, ProgressLine())
    return await search.fork(thread_id, kind, None if number is None else number - 1)
