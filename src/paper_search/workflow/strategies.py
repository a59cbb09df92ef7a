"""What a run, a person and their marks make of a strategy that was proposed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from paper_search.models import SNOWBALL, MarkedPaper, SearchStrategy, relevant_seeds
from paper_search.workflow.state import SearchParams


def edited(proposed: SearchStrategy, revised: Any) -> SearchStrategy:
    """Return the strategy as a person edited it; papers to follow are not theirs to write."""
    plain = revised.model_dump() if isinstance(revised, BaseModel) else revised
    strategy = SearchStrategy.model_validate(plain)
    return strategy.model_copy(update={"seeds": strategy.seeds or proposed.seeds})


def seeded(strategy: SearchStrategy, marked: Sequence[MarkedPaper]) -> SearchStrategy:
    """Return the strategy with the papers to follow, if it follows any and does not name them."""
    if SNOWBALL not in strategy.sources or strategy.seeds:
        return strategy
    return strategy.model_copy(update={"seeds": relevant_seeds(marked)})


def limited(strategy: SearchStrategy, params: SearchParams) -> SearchStrategy:
    """Return the strategy within the sources and the number of results that the run allows."""
    sources, filters = strategy.sources, strategy.filters
    if params.sources is not None:
        sources = [source for source in sources if source in params.sources] or params.sources
    if params.max_results is not None:
        # Few results are cut from a full search at its end: the judge ranks better than a source.
        asked = max(filters.max_results, params.max_results)
        filters = filters.model_copy(update={"max_results": asked})
    return strategy.model_copy(update={"sources": sources, "filters": filters})
