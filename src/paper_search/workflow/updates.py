"""Another round of a thread that is done: for files that join it, or to search for what is new."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from paper_search.errors import InputError
from paper_search.models import ScopeReport
from paper_search.models.source_report import minute
from paper_search.steps.types import PARAMS, VISITS
from paper_search.workflow.batches import SOURCE
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.state import (
    DEFAULT_MAX_ITERATIONS,
    MOST_ITERATIONS,
    ReviewUpdate,
    SearchParams,
    WorkflowState,
)


async def reopened(state: WorkflowState, params: Any, records: SearchRecords) -> dict[str, Any]:
    """Return the channels that begin another round of a thread that is done.

    What its last round found stays, unless it was rejected.
    """
    found, reports = state.found, [*state.earlier_reports, *state.reports]
    if not found and not state.history[-1].is_rejected:
        found = (await records.rounds())[-1].records
    settings = SearchParams.model_validate(params or {})
    most = min(MOST_ITERATIONS, state.current_iteration + DEFAULT_MAX_ITERATIONS)
    asks = {"enable_strategy_checkpoint": True, "enable_result_checkpoint": True}
    update = {"max_iterations": max(most, settings.max_iterations), **asks}
    return {
        PARAMS: settings.model_copy(update=update).model_dump(mode="json"),
        VISITS: {},
        "is_complete": False,
        "ended_by": None,
        "found": found,
        "pool": list(dict.fromkeys([*state.pool, *state.found])),
        "earlier_reports": [report.model_dump(mode="json") for report in reports],
        "reports": [],
        "waits": 0,
        "edit": None,
    }


async def updated(
    state: WorkflowState, params: Any, records: SearchRecords, by: str, *, is_quiet: bool
) -> dict[str, Any]:
    """Return the channels that have the strategy that was approved last searched again.

    Raises:
        InputError: there is none, or it is to take files.
    """
    approved = [ended.strategy for ended in state.history if not ended.is_rejected]
    if state.result is None or not approved or approved[-1].sources == [SOURCE]:
        raise InputError(
            f"thread {records.thread_id!r} has no approved strategy that sources could be asked "
            "again: add new exports of its databases with `paper-search add`"
        )
    review_update = ReviewUpdate(
        iteration=state.current_iteration,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        by=by,
        searched_at=(await records.rounds())[-1].searched_at,
        hits=hits_by_source(state.scope),
        ended_by=state.ended_by,
        is_quiet=is_quiet,
    )
    updates = [entry.model_dump(mode="json") for entry in [*state.updates, review_update]]
    strategy = approved[-1].model_dump(mode="json")
    again = await reopened(state, params, records)
    return {**again, "found": [], "strategy": strategy, "updates": updates}


def hits_by_source(scope: ScopeReport | None) -> dict[str, int]:
    """Return how many records each source has for all queries, as far as they were counted."""
    hits: dict[str, int] = {}
    for query in scope.queries if scope else []:
        for count in query.counts:
            hits[count.source] = hits.get(count.source, 0) + count.hits
    return hits


def is_without_news(review_update: ReviewUpdate, scope: ScopeReport) -> bool:
    """Whether nobody has to be asked: every source has as many hits as before."""
    hits = hits_by_source(scope)
    return review_update.is_quiet and bool(hits) and hits == review_update.hits


def update_remarks(state: WorkflowState) -> Iterator[str]:
    """Yield what a person has to know of an update before they approve its strategy."""
    if (review_update := state.new_update) is None:
        return
    yield (
        f"this is an update: the strategy was last searched {minute(review_update.searched_at)}; "
        "only works that were not found before are asked about"
    )
    now = hits_by_source(state.scope)
    for source, hits in review_update.hits.items():
        if source in now:
            yield f"{source}: {now[source]:,} hits of all queries together, {hits:,} then"
