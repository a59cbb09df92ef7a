"""Applies the limits of a run, and of earlier answers, to a proposed strategy."""

from collections.abc import Sequence

from paper_search.models import (
    SNOWBALL,
    MarkedPaper,
    SearchConstraints,
    SearchStrategy,
    relevant_seeds,
)
from paper_search.workflow.state import SearchParams, WorkflowState

_RECORDS = SearchConstraints().max_results


def with_seeds(strategy: SearchStrategy, papers: Sequence[MarkedPaper]) -> SearchStrategy:
    if SNOWBALL not in strategy.sources or strategy.seeds:
        return strategy
    return strategy.model_copy(update={"seeds": relevant_seeds(papers)})


def within_limits(
    strategy: SearchStrategy, params: SearchParams, state: WorkflowState
) -> SearchStrategy:
    """Apply the limits of a run; after the first round, the numbers of a person stay."""
    sources, filters = strategy.sources, strategy.filters
    if params.sources is not None:
        sources = [source for source in sources if source in params.sources] or params.sources
    # A few papers are taken from a full search: the program ranks better than a source.
    records = filters.max_results if filters.max_papers is None else _RECORDS
    most = params.max_results or filters.max_papers
    if not state.previous_strategies and most is not None:
        limits = {"max_papers": most, "max_results": max(records, filters.max_results, most)}
        filters = filters.model_copy(update=limits)
    strategy = strategy.model_copy(update={"sources": sources, "filters": filters})
    return _without_refused(strategy, state)


def _without_refused(strategy: SearchStrategy, state: WorkflowState) -> SearchStrategy:
    """Remove the sources that a person removed before.

    Only an edit restores one: a note that names it ("no arXiv please") may mean either. If none
    is left, the sources of the last round stay.
    """
    refused: set[str] = set()
    for record in state.history:
        proposed = record.edit.proposed.sources if record.edit else []
        refused = (refused | {*proposed}) - {*record.strategy.sources}
    left_out = [name for name in strategy.sources if name in refused]
    if not left_out:
        return strategy
    sources = [name for name in strategy.sources if name not in left_out]
    remark = f"left out: {', '.join(left_out)}, which you removed; edit the sources to restore it"
    return strategy.model_copy(
        update={
            "sources": sources or state.previous_strategies[-1].sources,
            "notes": [*strategy.notes, remark],
        }
    )
