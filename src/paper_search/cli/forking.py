"""A question that was decided, asked again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paper_search.cli.failures import UsageMistakeError
from paper_search.cli.progress import ProgressLine

if TYPE_CHECKING:
    from rich.console import Console

    from paper_search.config import AppConfig
    from paper_search.report_workflow.breakpoints import BreakpointName


@dataclass(frozen=True)
class Asked:
    """A question that is open again."""

    document: dict[str, Any]
    """For machines."""
    lines: list[str]
    """Who waits, and how to answer."""
    show: Callable[[Console], None]


def forked_search(
    config: AppConfig, home: Path | None, thread: str, to: str | None, number: int | None
) -> Asked | None:
    """Go back in a search; None: it asks nobody.

    Raises:
        UsageMistakeError: a search has no such question.
        StaleDecisionError: it was never decided, or the history was pruned.
    """
    from paper_search.cli.continuation import SearchContinuation
    from paper_search.cli.restoration import restored
    from paper_search.cli.views import show_checkpoint
    from paper_search.workflow import Checkpoint, CheckpointKind

    kinds = {
        "strategy": CheckpointKind.STRATEGY_CONFIRMATION,
        "result": CheckpointKind.RESULT_REVIEW,
    }
    kind = kinds.get(to or "result")
    if kind is None:
        raise UsageMistakeError(f"a search has no {to}; --to takes {' and '.join(kinds)} here")
    iteration = None if number is None else number - 1

    async def forked() -> object:
        workflow = await restored(config, thread, ProgressLine())
        return await workflow.fork(thread, kind, iteration)

    question = asyncio.run(forked())
    if not isinstance(question, Checkpoint):
        return None
    continuation = SearchContinuation(thread, home)
    return Asked(
        continuation.document(question),
        continuation.lines(question),
        lambda console: show_checkpoint(console, question),
    )


def forked_report(
    config: AppConfig, home: Path | None, thread: str, to: str | None, number: int | None
) -> Asked | None:
    """Go back in a report; None: it asks nobody.

    Raises:
        UsageMistakeError: a report has no such question.
        StaleDecisionError: it was never decided, or the history was pruned.
    """
    from paper_search.cli.continuation import ReportContinuation
    from paper_search.cli.report_review import show_review
    from paper_search.cli.restoration import restored_report
    from paper_search.report_workflow import Review

    kinds: dict[str | None, tuple[BreakpointName, ...]] = {
        None: (),
        "plan": ("plan_review",),
        "draft": ("pre_output_review", "critical_issue_review"),
    }
    chosen = kinds.get(to)
    if chosen is None:
        raise UsageMistakeError(f"a report has no {to}; --to takes plan and draft here")

    async def forked() -> object:
        workflow = await restored_report(config, thread, ProgressLine())
        return await workflow.fork(thread, *chosen, number=number)

    question = asyncio.run(forked())
    if not isinstance(question, Review):
        return None
    continuation = ReportContinuation(thread, home)
    return Asked(
        continuation.document(question),
        continuation.lines(question),
        lambda console: show_review(console, question),
    )
