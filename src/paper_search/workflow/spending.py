"""What the steps of a search spend on models: counted while they run, estimated before."""

from __future__ import annotations

import functools
import math
from collections.abc import Collection

from paper_search.llm.metering import Metering
from paper_search.models.settings import Skill
from paper_search.models.usage import Budget, Spending, SpendingEstimate
from paper_search.skills.judging.confirmation import CONFIRMED
from paper_search.skills.judging.criteria import criteria_of
from paper_search.steps import StepContext
from paper_search.threads import spending as threads
from paper_search.workflow.skills import Skills
from paper_search.workflow.state import SearchParams, StepState, WorkflowState

_PROMPT_TOKENS = 1_500
"""Of the judge's instructions, with the criteria and the schema of the answer."""
_PAPER_TOKENS = 400
"""Of a title and an abstract, with their JSON."""
_NAMING_TOKENS, _GRADE_TOKENS = 40, 50
"""Of what an answer says of one paper besides, and of one grade with its snippet."""
_READ_AGAIN = 2
"""Papers of a batch that a second question is about."""
_DUPLICATES_TOKENS = (4_000, 500)
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
    spent = Spending()
    for skill, model in metering.models.items():
        tokens = _tokens(skill, papers, metering.batch_size, criteria)
        price = metering.prices.of(model)
        for calls, asked, answered in tokens:
            money = price.of(asked, answered) if price else None
            spent = spent.plus(
                Spending(calls=calls, input_tokens=asked, output_tokens=answered, money=money)
            )
    if not spent.calls:
        return None
    dated = "" if spent.money is None else metering.prices.date
    judged = papers if Skill.JUDGE in metering.models else 0
    return SpendingEstimate(**spent.model_dump(), papers=judged, priced_at=dated)


def _tokens(
    skill: Skill, papers: int, batch_size: int, criteria: int
) -> list[tuple[int, int, int]]:
    """Return the calls of a skill after the first question, with tokens asked and answered."""
    if skill is Skill.JUDGE and papers:
        batches = math.ceil(papers / batch_size)
        confirmed = min(papers, CONFIRMED)
        read = papers + batches * _READ_AGAIN + confirmed
        calls = 2 * batches + math.ceil(confirmed / batch_size)
        asked = calls * _PROMPT_TOKENS + read * _PAPER_TOKENS
        return [(calls, asked, read * (_NAMING_TOKENS + criteria * _GRADE_TOKENS))]
    return [(1, *_DUPLICATES_TOKENS)] if skill is Skill.DUPLICATES and papers else []


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
        asked = strategy.asked_of(source, ranks_text=source in ranking)
        hits = [counted_hits.get((each.boolean_query, source)) for each in asked.queries]
        is_open = bool(asked.ranked) or None in hits
        papers += limit if is_open else min(limit, sum(filter(None, hits)))
    return papers
