"""The two questions, put together from the state, and what they say of the cost of models."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice

from paper_search.errors import PersistenceError
from paper_search.llm.metering import Metering
from paper_search.models import SearchStrategy
from paper_search.models.settings import Skill
from paper_search.models.usage import Budget, SpendingEstimate, Tokens
from paper_search.query import lint
from paper_search.skills.judging.question import criteria_of
from paper_search.skills.judging.run import cost_of_judging
from paper_search.skills.strategy.changes import changes
from paper_search.steps import StepContext
from paper_search.threads.client_forms import client_forms
from paper_search.workflow.checkpoints import (
    Checkpoint,
    CheckpointKind,
    ResultPayload,
    SameWorkQuestion,
    StrategyPayload,
)
from paper_search.workflow.decisions import result_args, strategy_args
from paper_search.workflow.descriptions import describe_result, describe_strategy
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.skills import Skills
from paper_search.workflow.state import SearchParams, StepState, WorkflowState
from paper_search.workflow.updates import update_remarks

MAX_REMARKS = 20


async def strategy_question(
    state: WorkflowState, names: tuple[str, str], skills: Skills, budget: Budget | None = None
) -> Checkpoint:
    """Return checkpoint 1: is this the strategy?"""
    if state.intent is None or state.strategy is None:
        raise PersistenceError("the thread has no strategy to confirm")
    before = state.previous_strategies
    payload = StrategyPayload(
        intent=state.intent,
        strategy=state.strategy,
        iteration=state.current_iteration,
        available_sources=skills.source_names,
        ranking_sources=skills.ranking_sources,
        scope=state.scope,
        counts=[row for row in state.counts if row.iteration == state.current_iteration],
        remarks=[*update_remarks(state), *remarks(state.strategy)],
        changes=changes(before[-1], state.strategy) if before else "",
        estimate=estimate_of(state, skills),
        usage=state.usage,
        budget=await budget_of(names[0], budget, skills.metering),
    )
    kind, args = CheckpointKind.STRATEGY_CONFIRMATION, strategy_args(state.strategy)
    return Checkpoint(
        kind=kind,
        payload=payload,
        **client_forms(kind.value, args, describe_strategy(payload)),
        run_id=names[0],
        iteration=state.current_iteration,
        token=names[1],
    )


def remarks(strategy: SearchStrategy) -> list[str]:
    """Return what the linter says of the queries, at most `MAX_REMARKS` lines."""
    lines = (
        f"query {number}, column {finding.column}: {finding.message}"
        for number, query in enumerate(strategy.queries, start=1)
        for finding in lint(query.boolean_query)
    )
    return list(islice(lines, MAX_REMARKS))


async def result_question(
    state: WorkflowState, names: tuple[str, str], records: SearchRecords, *, preview: int | None
) -> Checkpoint:
    """Return checkpoint 2: is this the result?

    Args:
        state: of the search.
        names: the names of the run and of the question.
        records: where the papers are.
        preview: how many papers to show in full; None: all of them.
    """
    if state.result is None:
        raise PersistenceError("the thread has no result to review")
    payload = ResultPayload(
        collection=await records.collection(state.result, first=preview),
        accumulated_papers=await records.papers(state.accumulated_ids[:preview]),
        iteration=state.current_iteration,
        reports=state.reports,
        silent_sources=state.silent_sources,
        unfinished_sources=state.unfinished_sources,
        known_papers=state.known_papers,
        same_work=same_work_questions(state),
        total_papers=len(state.result.paper_ids),
        hidden=state.result.hidden,
        changes=state.result.changes,
        counts=state.result.counts,
        set_aside=len(state.result.set_aside_ids),
        earlier=len(state.result.earlier_ids),
        usage=state.usage,
        store_namespace=list(records.namespace("records")),
    )
    kind = CheckpointKind.RESULT_REVIEW
    return Checkpoint(
        kind=kind,
        payload=payload,
        **client_forms(kind.value, result_args(), describe_result(payload)),
        run_id=names[0],
        iteration=state.current_iteration,
        token=names[1],
        waits=state.waits,
    )


def same_work_questions(state: WorkflowState) -> list[SameWorkQuestion]:
    """Return the doubts about papers that are both in the result, and not yet decided."""
    if state.result is None:
        return []
    members = state.result.members
    paper_of = {
        record_id: paper_id
        for paper_id in state.result.paper_ids
        for record_id in members.get(paper_id, [paper_id])
    }
    decided = {frozenset((decision.one, decision.other)) for decision in state.merge_decisions}
    return [
        SameWorkQuestion(
            one=pair.one,
            other=pair.other,
            papers=[paper_of[pair.one], paper_of[pair.other]],
            confidence=pair.confidence,
            evidence=pair.summary,
        )
        for pair in state.uncertain
        if pair.one in paper_of
        and pair.other in paper_of
        and paper_of[pair.one] != paper_of[pair.other]
        and frozenset((pair.one, pair.other)) not in decided
    ]


def record_ids(state: WorkflowState) -> frozenset[str]:
    """Return the ids of the records that make up the result: what a merge decision may name."""
    if state.result is None:
        return frozenset()
    members = state.result.members
    return frozenset(
        i for paper_id in state.result.paper_ids for i in members.get(paper_id, [paper_id])
    )


def markable_ids(state: WorkflowState) -> frozenset[str]:
    """Return the ids that an answer may mark: of the latest result and of earlier marks."""
    ids = state.result.all_ids if state.result else []
    return frozenset([*ids, *state.accumulated_ids])


_DUPLICATES = Tokens(1, 4_000, 500)
"""Of the one question about records that may be one work, and of its answer."""

Context = StepContext[StepState, SearchParams, Skills]


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
    costs = {
        Skill.JUDGE: cost_of_judging(papers, metering.batch_size, criteria),
        Skill.DUPLICATES: _DUPLICATES,
    }
    calls = [(model, costs[skill]) for skill, model in metering.models.items() if skill in costs]
    if not calls or not papers:
        return None
    count = papers if Skill.JUDGE in metering.models else 0
    return metering.prices.estimate(calls).model_copy(update={"papers": count})


def _papers(state: WorkflowState, ranking: Collection[str]) -> int:
    """Return how many papers the sources give at most: by their hit counts, else by the limit."""
    strategy = state.strategy
    if strategy is None:
        return 0
    hits_of = {
        (entry.text, count.source): count.hits
        for entry in (state.scope.queries if state.scope else [])
        for count in entry.counts
    }
    limit, papers = strategy.filters.max_results, 0
    for source in strategy.sources:
        share = strategy.asked_of(ranks_text=source in ranking)
        hits = [hits_of.get((query.boolean_query, source), limit) for query in share.queries]
        papers += limit * len(share.ranked) + sum(min(limit, count) for count in hits)
    return papers
