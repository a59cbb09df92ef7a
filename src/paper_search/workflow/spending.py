"""What the steps of a search spend on models: counted while they run, estimated before."""

from __future__ import annotations

import functools
from collections.abc import Collection

from paper_search.llm.metering import Metering
from paper_search.models.settings import Skill
from paper_search.models.usage import Budget, SpendingEstimate, Tokens
from paper_search.skills.judging.cost import cost_of_judging
from paper_search.skills.judging.criteria import criteria_of
from paper_search.steps import StepContext
from paper_search.threads import spending as threads
from paper_search.workflow.skills import Skills
from paper_search.workflow.state import SearchParams, StepState, WorkflowState

_DUPLICATES = Tokens(1, 4_000, 500)
"""Of the one question about records that may be one work, and of its answer."""

Context = StepContext[StepState, SearchParams, Skills]


counted = functools.partial(
    threads.counted,
    iteration=lambda state: state.current_iteration,
    budget=lambda ctx: ctx.workflow_params.budget,
)
"""Returns a step of a search that is counted; see `paper_search.threads.spending.counted`."""


async def budget_of(thread_id: str, begun_with: Budget | None, metering: Metering) -> Budget | None:
    """Return what the thread may spend at most: as it was last said; None: no limit."""
    return (await metering.logged(thread_id)).budget or begun_with or metering.budget


def estimate_of(state: WorkflowState, skills: Skills) -> SpendingEstimate | None:
    """Return what a search with the state's strategy costs up to its result, about.

    None: no model is asked.
    """
    metering = skills.metering
    papers = _papers(state, skills.ranking_sources)
    criteria = len(criteria_of(state.intent)) if state.intent else 0
    made = {
        Skill.JUDGE: cost_of_judging(papers, metering.batch_size, criteria),
        Skill.DUPLICATES: _DUPLICATES,
    }
    calls = [(model, made[skill]) for skill, model in metering.models.items() if skill in made]
    if not calls or not papers:
        return None
    judged = papers if Skill.JUDGE in metering.models else 0
    return metering.prices.estimate(calls).model_copy(update={"papers": judged})


def _papers(state: WorkflowState, ranking: Collection[str]) -> int:
    """Return how many papers the sources give at most: by their hit counts, else by the limit."""
    strategy = state.strategy
    if strategy is None:
        return 0
    counted_hits = {
        (entry.text, count.source): count.hits
        for entry in (state.scope.queries if state.scope else [])
        for count in entry.counts
    }
    limit, papers = strategy.filters.max_results, 0
    for source in strategy.sources:
        asked = strategy.asked_of(ranks_text=source in ranking)
        hits = [counted_hits.get((query.boolean_query, source), limit) for query in asked.queries]
        papers += limit * len(asked.ranked) + sum(min(limit, count) for count in hits)
    return papers
