"""Forks of reports: back to a review that was decided, to decide it anew, openly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from paper_search.persistence import Persistence
from paper_search.report_workflow.breakpoints import BreakpointName, ReviewRef
from paper_search.workflow.forks import ForkPoint, go_back

STEP = "human_review"
"""The step that asks."""


async def fork(  # noqa: PLR0913, PLR0917  # what a report is, and what to do with it
    graph: Any,
    persistence: Persistence,
    thread_id: str,
    kinds: tuple[BreakpointName, ...],
    number: int | None,
    by: str,
) -> None:
    """Ask a question of a report again; what came after it stays in the history and the audit.

    The caller holds the lease.

    Args:
        graph: with the services of its steps.
        persistence: where the report lives.
        thread_id: which report.
        kinds: which questions; empty: any.
        number: which question of the report, from 1; None: the latest one that was decided.
        by: who does it.

    Raises:
        StaleDecisionError: the report never asked it, or its history was pruned.
    """

    def named(snapshot: Any) -> ReviewRef:
        review = snapshot.values["review"]
        kind, asked = review["breakpoint"], review["number"]
        return ReviewRef(run_id=thread_id, kind=kind, number=asked)

    def is_asked(snapshot: Any) -> bool:
        if tuple(snapshot.next) != (STEP,):
            return False
        asked = named(snapshot)
        return (not kinds or asked.kind in kinds) and number in {None, asked.number}

    def is_undone(decision: Mapping[str, Any], target: BaseModel) -> bool:
        first = ReviewRef.model_validate(target.model_dump()).number
        return ReviewRef.model_validate(decision["review"]).number >= first

    words = " or ".join(kinds) or "review"
    point = ForkPoint(
        words=words + ("" if number is None else f" with the number {number}"),
        is_asked=is_asked,
        reference=named,
        is_undone=is_undone,
    )
    await go_back(graph, persistence, thread_id, point, by)
