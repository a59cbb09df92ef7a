"""The steps that plan, collect and analyse. Each returns an outcome and the changed fields."""

from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from paper_search.errors import InputError, PaperSearchError, SearchSourceError
from paper_search.models import PaperCollection, SourceReport
from paper_search.models.source_report import quantity
from paper_search.report.analyst import Analyst
from paper_search.report.evidence import result_of
from paper_search.report.models import (
    AnalystInput,
    PagesRead,
    PlannerInput,
    PlannerOutput,
    ResearchPlan,
    ResearchStatus,
    SearcherInput,
    SearchQuery,
    SearchResult,
)
from paper_search.report.planner import Planner, validate_research_plan
from paper_search.report.recovery import ErrorSeverity, WorkflowError, classified
from paper_search.report_workflow.context import BATCH, READ, Context, ReportStep
from paper_search.report_workflow.spending import estimate_of
from paper_search.report_workflow.state import ReportParams, StepState, WorkflowState
from paper_search.steps import Outcome, StepUpdate
from paper_search.steps.types import Fail, Iterate, Ok, Skip


async def planner(ctx: Context) -> tuple[Ok | Skip | Fail, StepUpdate]:
    """Plan the report, and clear the state of an earlier report on the thread."""
    step = ReportStep(ctx)
    earlier, params = step.state, step.params
    if not earlier.plan_note or earlier.research_plan is None:
        step.state = StepState(
            original_query=earlier.original_query,
            config=earlier.config,
            max_iterations=params.max_iterations,
        )
        await step.approvals.begin(is_asking=params.hitl_after_planning)
    state = step.state
    await step.records.index(state.original_query)
    output = await _plan(step)
    changes: dict[str, Any] = {"plan_note": "", "status": ResearchStatus.FAILED}
    if output is not None:
        plan = output.research_plan
        changes |= {
            "research_plan": plan,
            "estimate": estimate_of(plan, params, step.services),
            "planner_warnings": output.warnings,
            "planner_reasoning": output.reasoning_trace,
            "status": ResearchStatus.PLANNING,
        }
        step.say(
            f"Research plan created with {len(plan.decomposed_questions)} "
            f"sub-questions and {len(plan.search_queries)} search queries."
        )
    after = state.model_copy(update=changes)
    own = step.own_breakpoint(after)
    outcome = route_after_planner(after, params, is_asked=own is not None)
    if outcome is Outcome.OK and output is not None:
        changes |= step.asks("plan_review", own)
        await step.approvals.begin(is_asking=True)
        await step.approvals.propose(output.research_plan, changes["human_reviews"])
    return outcome, {**{k: v for k, v in state if k != "search_results"}, **step.update(**changes)}


async def _plan(step: ReportStep) -> PlannerOutput | None:
    state, params, query, papers = step.state, step.params, None, ""
    if params.from_thread is not None:  # first, because without papers a plan is useless
        collection = await step.services.collection(params.from_thread)
        query, papers = _query_of(collection), _papers_taken(collection, params)
    try:
        request = PlannerInput(
            original_query=state.original_query,
            context="\n".join(filter(None, [params.context, state.plan_note])) or None,
            domain_hints=params.domain_hints,
            depth=params.depth,
            search_types=["academic"]
            if params.from_thread
            else step.services.searcher(None, params.sources).search_types,
            papers=min(query.found, params.max_sources) if query else None,
            previous_plan=state.research_plan,
        )
    except (PaperSearchError, ValidationError) as error:
        step.errors.append(classified(error, "planner"))
        return None
    output = await step.work(Planner, Planner.plan, request)
    if output is None:
        return None
    output.warnings += map(str, step.errors)
    is_valid, issues = validate_research_plan(output.research_plan)
    step.errors += map(_fatal, issues)
    if query is not None:
        output.research_plan.search_queries = [query]
        output.warnings.append(f"the report rests on {papers}; nothing is searched")
    return output if is_valid else None


async def searcher(ctx: Context) -> tuple[Ok | Iterate | Fail, StepUpdate]:
    """Run the next queries of the plan, or take over the papers of a finished search."""
    step = ReportStep(ctx)
    state, params = step.state, step.params
    allowed_by = await step.approvals.require(step.plan, state.human_reviews)
    earlier = await step.results()
    changes: dict[str, Any] = {
        "search_iterations": state.search_iterations + 1,
        "status": ResearchStatus.SEARCHING,
    }
    if params.from_thread is not None:
        results, more = await _take_over(step, params.from_thread)
    else:
        results, more = await _search(step, earlier, allowed_by)
    room = max(0, params.max_sources - len(earlier))
    fresh = [result for result in results if result.result_id not in set(state.result_ids)][:room]
    pages = await _pages(step, fresh)
    ids = [*state.result_ids, *await step.records.store_results(pages.results)]
    fetches = [*state.fetches, *_with_permission(pages.rows, allowed_by)]
    changes |= {**more, "result_ids": ids, "fetches": fetches}
    after = state.model_copy(update=changes)
    step.say(
        f"Collected {quantity(len(fresh), 'new result')}; "
        f"{quantity(len(after.pending_searches), 'query is', 'queries are')} pending."
    )
    ctx.progress("found", {"sources": len(ids)})
    outcome = route_after_searcher(
        after.model_copy(update={"errors": [*state.errors, *step.errors]}), params
    )
    if outcome is Outcome.FAIL:
        step.errors.append(_fatal("no search results collected", "searcher"))
    return outcome, step.update(**changes)


def _with_permission(rows: Iterable[SourceReport], allowed_by: str) -> list[SourceReport]:
    return [row.model_copy(update={"allowed_by": allowed_by}) for row in rows]


async def _pages(step: ReportStep, results: list[SearchResult]) -> PagesRead:
    room = step.params.max_pages - len(step.state.fetches)
    if step.services.pages is None or room <= 0 or not results:
        return PagesRead(results=results)
    pages = await step.services.pages.add_texts(results, room)
    if pages.rows:
        count = sum(row.kept for row in pages.rows)
        step.note(f"Fetched {len(pages.rows)} pages and papers; {count} could be read")
    for text in pages.notes:
        step.note(text)
    return pages


async def _search(
    step: ReportStep, earlier: list[SearchResult], allowed_by: str
) -> tuple[list[SearchResult], StepUpdate]:
    state, params = step.state, step.params
    batch = state.pending_searches[:BATCH]
    if not batch:
        step.note("All searches already completed")
        return [], {}
    request = SearcherInput(
        search_queries=batch,
        max_results_per_query=params.max_results_per_query,
        timeout_seconds=params.timeout_seconds,
        original_query=state.original_query,
    )
    async with step.model() as llm:
        role = step.services.searcher(llm, params.sources)
        try:
            output = await role.collect(request, earlier)
        except (PaperSearchError, OSError) as error:
            step.errors.append(classified(error, "searcher"))
            failed = [query.model_copy(update={"status": "failed"}) for query in batch]
            return [], {"research_plan": _with_queries(step, failed)}
    for message in output.errors:
        failure = classified(SearchSourceError(message), "searcher")
        step.errors.append(failure.with_fallback("continued with the other searches"))
    for text in output.notes:
        step.note(text)
    queries = [
        query.model_copy(update={"runs": _with_permission(query.runs, allowed_by)})
        for query in output.queries
    ]
    return output.search_results, {"research_plan": _with_queries(step, queries)}


async def _take_over(step: ReportStep, thread_id: str) -> tuple[list[SearchResult], StepUpdate]:
    """Return the papers of a finished search, and its query instead of those of the plan."""
    collection = await step.services.collection(thread_id)
    query = _query_of(collection)
    results = [result_of(paper, query.query_id) for paper in collection.papers]
    ended_by = collection.ended_by.value if collection.ended_by else "unknown"
    papers = _papers_taken(collection, step.params)
    step.note(f"Used ({ended_by}): {papers}; nothing else was searched")
    plan = step.plan.model_copy(update={"search_queries": [query]})
    return results, {"collection_ended_by": ended_by, "research_plan": plan}


def _papers_taken(collection: PaperCollection, params: ReportParams) -> str:
    """Return how many papers of a search the report uses, and how many it leaves out."""
    found = len(collection.papers)
    is_cut = found > params.max_sources
    first = f"the first {params.max_sources:,} (max_sources) of " if is_cut else ""
    taken = f"{first}{quantity(found, 'paper')} of the search {params.from_thread}"
    left_out = [
        (len(collection.set_aside), "set aside"),
        (len(collection.earlier), "of earlier rounds that nobody decided on"),
    ]
    others = " and ".join(f"{quantity(n, 'paper')} {what}" for n, what in left_out if n)
    return f"{taken}, without {others}" if others else taken


def _query_of(collection: PaperCollection) -> SearchQuery:
    about = collection.metadata
    return SearchQuery(
        query_id="s1",
        query_text=about.query or "(no question)",
        search_type="academic",
        status="completed",
        found=len(collection.papers),
        runs=[row for row in collection.reports if row.is_asked],
    )


def _with_queries(step: ReportStep, changed: list[SearchQuery]) -> ResearchPlan:
    """Return the plan with the changed queries in place of the old ones; new ones come last."""
    by_id = {query.query_id: query for query in changed}
    queries = [by_id.pop(query.query_id, query) for query in step.plan.search_queries]
    return step.plan.model_copy(update={"search_queries": [*queries, *by_id.values()]})


async def analyst(ctx: Context) -> tuple[Ok | Iterate | Fail, StepUpdate]:
    """Analyse the sources; too many gaps lead back to the searcher, as often as allowed."""
    step = ReportStep(ctx)
    state = step.state
    request = AnalystInput(
        search_results=await step.results(),
        research_plan=step.plan,
        previous_analysis=state.analysis,
    )
    output = await step.work(Analyst, Analyst.analyse, request, READ)
    changes: dict[str, Any] = {"analysis": None, "status": ResearchStatus.ANALYZING}
    if output is None:
        return Outcome.FAIL, step.update(**changes)
    analysis = changes["analysis"] = output.analysis
    plan = {"research_plan": _with_queries(step, output.recommended_searches)}
    outcome = route_after_analyst(state.model_copy(update={**changes, **plan}), step.params)
    step.say(
        f"Analysis complete: {len(analysis.findings)} findings, {len(analysis.themes)} "
        f"themes, {len(analysis.gaps)} gaps identified ({output.data_sufficiency or 'not judged'})."
    )
    if outcome is Outcome.ITERATE:
        changes |= {**plan, "gap_searches": state.gap_searches + 1}
        step.note(f"Routing back to search for {len(analysis.gaps)} gaps")
    return outcome, step.update(**changes)


def _fatal(message: str, node: str = "planner") -> WorkflowError:
    error = classified(InputError(message), node)
    return error.with_fallback("ended with partial results", ErrorSeverity.FATAL)


GAPS_TO_SEARCH = 2
"""More gaps than these send a report back to search."""


def route_after_planner(
    state: WorkflowState, params: ReportParams, *, is_asked: bool = False
) -> Ok | Skip | Fail:
    """Return the outcome of a plan: ok, ask a person; skip, search without asking; fail."""
    plan = state.research_plan
    if state.status is ResearchStatus.FAILED or plan is None or not plan.search_queries:
        return Outcome.FAIL
    is_due = params.hitl_after_planning or is_asked
    may_ask = state.human_reviews < params.max_human_reviews
    return Outcome.OK if is_due and may_ask else Outcome.SKIP


def route_after_searcher(state: WorkflowState, params: ReportParams) -> Ok | Iterate | Fail:
    if should_continue_search(state, params):
        return Outcome.ITERATE
    return Outcome.OK if state.result_ids else Outcome.FAIL


def route_after_analyst(state: WorkflowState, params: ReportParams) -> Ok | Iterate | Fail:
    if state.analysis is None:
        return Outcome.FAIL
    may_search = (
        params.from_thread is None
        and state.gap_searches < params.max_gap_searches
        and should_continue_search(state, params)
    )
    if len(state.analysis.gaps) > GAPS_TO_SEARCH and may_search:
        return Outcome.ITERATE
    return Outcome.OK


def should_continue_search(state: WorkflowState, params: ReportParams) -> bool:
    """Whether queries are pending, and no limit of iterations, errors or sources is reached."""
    return (
        bool(state.pending_searches)
        and state.search_iterations < params.max_search_iterations
        and sum(error.node == "searcher" for error in state.errors) < params.max_search_errors
        and len(state.result_ids) < params.max_sources
    )
