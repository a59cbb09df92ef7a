"""The two questions, built from the state, with estimates of what models will cost."""

import math
from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from paper_search.errors import PersistenceError
from paper_search.exports.markdown import inert
from paper_search.exports.text import single_line
from paper_search.llm.usage_log import LoggedUsage
from paper_search.models import Paper, SearchStrategy
from paper_search.models.settings import Skill
from paper_search.models.source_report import losses, quantity
from paper_search.models.usage import Budget, SpendingEstimate, total
from paper_search.query import lint
from paper_search.skills import Deduplicator
from paper_search.skills.judging.question import criteria_of, message
from paper_search.skills.judging.run import MOST_JUDGED, cost_of_judging
from paper_search.skills.strategy.changes import changes
from paper_search.threads.decisions import client_forms
from paper_search.workflow.checkpoints import (
    Checkpoint,
    CheckpointKind,
    ResultPayload,
    SameWorkQuestion,
    StrategyPayload,
)
from paper_search.workflow.counts import aside
from paper_search.workflow.decisions import result_args, strategy_args
from paper_search.workflow.records import SearchRecords
from paper_search.workflow.rounds import hits_then_and_now, update_remarks, work_verdicts
from paper_search.workflow.skills import Skills
from paper_search.workflow.state import WorkflowState
from paper_search.workflow.strategy_facts import checkpoint_facts

PAGE = 20
"""Papers per page."""
_MOST_CHARS = 300
"""Length of a title or abstract in a list."""


def describe_strategy(payload: StrategyPayload) -> str:
    lines = [
        f"- {name}: {_code(fact) if name.startswith(('query', 'line')) else inert(fact)}"
        for name, fact in checkpoint_facts(payload)
    ]
    head = f"## Round {payload.iteration + 1}: is this the search strategy?"
    return "\n".join([head, "", *lines])


def describe_result(payload: ResultPayload) -> str:
    collection = payload.collection
    count = payload.total_papers or len(collection.papers)
    lines = [f"{quantity(count, 'paper')}, {payload.set_aside:,} {aside(payload.excluded)}"]
    if payload.counts:
        lines.append(payload.counts.summary)
    lines += filter(None, (payload.fit, payload.remark))
    failed = {report.source for report in payload.reports if report.is_failure}
    if failed:
        lines.append(f"Failed, {losses(payload.reports)}")
    if silent := [name for name in payload.silent_sources if name not in failed]:
        lines.append(f"No results from: {', '.join(silent)}")
    if payload.unfinished_sources:
        lines.append(f"Ran out of time: {', '.join(payload.unfinished_sources)}")
    if payload.changes:
        lines.append(payload.changes.summary)
    if payload.stopping_estimate:
        lines.append(payload.stopping_estimate)
    if payload.usage:
        lines.append(f"Spent: {total(payload.usage)}")
    head = f"## Round {payload.iteration + 1}: is this the result?"
    facts = [f"- {inert(line)}" for line in lines]
    return "\n".join([head, "", *facts, "", *paper_rows(collection.papers[:PAGE])])


def paper_rows(papers: Sequence[Paper], start: int = 1) -> Iterator[str]:
    for number, paper in enumerate(papers, start):
        author = paper.authors[0].name if paper.authors else ""
        facts = ", ".join(filter(None, [author, str(paper.year or ""), paper.venue or ""]))
        score = f" [{paper.relevance_score:.2f}]" if paper.is_judged else ""
        title = f"**{inert(_shortened_text(paper.title))}**"
        yield f"{number}.{score} {title} ({inert(facts)}), id: {_code(paper.id)}"
        if text := paper.relevance_reason or paper.abstract:
            yield f"   {inert(_shortened_text(text))}"


def _code(text: str) -> str:
    plain = single_line(text).replace("`", "'")
    return f"`{plain}`"


def _shortened_text(text: str) -> str:
    return text if len(text) <= _MOST_CHARS else f"{text[: _MOST_CHARS - 1]}…"


MAX_REMARKS = 20


async def strategy_question(
    state: WorkflowState, names: tuple[str, str], skills: Skills, budget: Budget | None
) -> Checkpoint:
    if state.intent is None or state.strategy is None:
        raise PersistenceError("the thread has no strategy to confirm")
    before = state.previous_strategies
    logged = await skills.metering.logged(names[0])
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
        estimate=estimate_of(state, skills, logged),
        usage=state.usage,
        budget=logged.budget or budget or skills.metering.budget,
    )
    kind, args = CheckpointKind.STRATEGY_CONFIRMATION, strategy_args(state.strategy)
    return Checkpoint(
        kind=kind,
        payload=payload,
        **client_forms(kind.value, names[1], args, describe_strategy(payload)),
        run_id=names[0],
        iteration=state.current_iteration,
        token=names[1],
    )


def remarks(strategy: SearchStrategy) -> list[str]:
    """Return the linter's findings on the queries, at most `MAX_REMARKS` lines."""
    lines = (
        f"query {number}{finding}"
        for number, query in enumerate(strategy.queries, start=1)
        for finding in (
            *(f", column {one.column}: {one.message}" for one in lint(query.boolean_query)),
            *[" contains years: change them there, too"] * ("year:" in query.boolean_query),
        )
    )
    return list(islice(lines, MAX_REMARKS))


async def result_question(
    state: WorkflowState, names: tuple[str, str], records: SearchRecords, *, preview: int | None
) -> Checkpoint:
    """Return checkpoint 2: is this the result?

    `names`: run id and token of the question. `preview`: papers to show in full; None for all.
    """
    if state.result is None:
        raise PersistenceError("the thread has no result to review")
    verdicts = await work_verdicts(state, records)
    works = await records.works_of(state.accumulated_ids)
    accumulated = list(dict.fromkeys(works.get(i, i) for i in state.accumulated_ids))
    payload = ResultPayload(
        collection=await records.collection(state.result, first=preview),
        accumulated_papers=await records.papers(accumulated[:preview]),
        iteration=state.current_iteration,
        reports=state.reports,
        silent_sources=state.silent_sources,
        unfinished_sources=state.unfinished_sources,
        known_papers=state.known_papers,
        fit=state.fit,
        remark=state.edit.remark(state.strategy) if state.edit and state.strategy else "",
        same_work=same_work_questions(state),
        total_papers=len(state.result.paper_ids),
        hidden=state.result.hidden,
        changes=state.result.changes,
        counts=state.result.counts,
        set_aside=len(state.result.set_aside_ids),
        excluded=[*map(verdicts.get, state.result.set_aside_ids)].count(False),
        earlier=len(state.result.earlier_ids),
        usage=state.usage,
        store_namespace=list(records.namespace("records")),
    )
    kind = CheckpointKind.RESULT_REVIEW
    return Checkpoint(
        kind=kind,
        payload=payload,
        **client_forms(kind.value, names[1], result_args(), describe_result(payload)),
        run_id=names[0],
        iteration=state.current_iteration,
        token=names[1],
        waits=state.waits,
    )


def same_work_questions(state: WorkflowState) -> list[SameWorkQuestion]:
    """Return the uncertain pairs whose papers are both in the result, and that nobody decided."""
    paper_of = _papers_of_records(state)
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
    """Return the ids that a merge decision may name: of the records of the result."""
    return frozenset(_papers_of_records(state))


def _papers_of_records(state: WorkflowState) -> dict[str, str]:
    """Return the paper of the result that each record was merged into."""
    if (result := state.result) is None:
        return {}
    return {i: paper for paper in result.paper_ids for i in result.members.get(paper, [paper])}


def markable_ids(state: WorkflowState) -> frozenset[str]:
    """Return the ids that an answer may mark: of the latest result and of earlier marks."""
    ids = state.result.all_ids if state.result else []
    return frozenset([*ids, *state.accumulated_ids])


def estimate_of(
    state: WorkflowState, skills: Skills, logged: LoggedUsage
) -> SpendingEstimate | None:
    """Estimate the cost of the search up to its result; None if no model is asked."""
    metering, intent, scope = skills.metering, state.intent, state.scope
    every = _papers(state, skills.ranking_sources)
    papers = min(every, MOST_JUDGED)
    if intent is None or not papers:
        return None
    criteria = criteria_of(intent)
    costs = {
        Skill.JUDGE: cost_of_judging(
            papers,
            metering.batch_size,
            len(criteria),
            question=message(intent.question or intent.topic, criteria, intent.seeds, []),
            paper_chars=scope.paper_chars if scope else 0,
        )
    }
    if isinstance(skills.deduplicator, Deduplicator):
        costs[Skill.DUPLICATES] = skills.deduplicator.cost(every)
    models = metering.models
    calls = [(models[skill], cost) for skill, cost in costs.items() if skill in models]
    if not any(cost.calls for _, cost in calls):
        return None
    count = papers if Skill.JUDGE in metering.models else 0
    is_by_rise = bool(count and _shares_of_news(state))
    changes = {"papers": count, "is_by_rise": is_by_rise}
    return metering.estimate(calls, logged).model_copy(update=changes)


def _papers(state: WorkflowState, ranking: Collection[str]) -> int:
    """Return how many papers the sources return at most: as they say, by hits, else by the limit.

    An update judges only new papers: of each source, the share by which its hits have risen.
    """
    strategy = state.strategy
    if strategy is None:
        return 0
    hits_of = {
        (entry.text, count.source): count.hits
        for entry in (state.scope.queries if state.scope else [])
        for count in entry.counts
    }
    counts = dict(state.scope.papers) if state.scope else {}
    limit = strategy.filters.max_results
    for source in strategy.sources:
        if source in counts:
            continue
        part = strategy.for_source(ranks_text=source in ranking)
        hits = [hits_of.get((query.boolean_query, source), limit) for query in part.queries]
        counts[source] = limit * len(part.ranked) + sum(min(limit, count) for count in hits)
    news = _shares_of_news(state)
    papers = sum(math.ceil(count * news.get(source, 1)) for source, count in counts.items())
    return max(papers, min(1, sum(counts.values())))  # a service may show old works late


def _shares_of_news(state: WorkflowState) -> dict[str, float]:
    """Return, by source, the share of its hits that is new since the search before an update."""
    if state.new_update is None:
        return {}
    rows = [row for row in state.counts if row.iteration == state.current_iteration]
    shares: dict[str, float] = {}
    for source, hits in hits_then_and_now(state, rows).items():
        if count := sum(now for _, now in hits):
            shares[source] = sum(max(0, now - then) for then, now in hits) / count
    return shares
