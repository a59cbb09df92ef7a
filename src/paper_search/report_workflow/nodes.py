"""The steps that plan, collect and analyse: each gives an outcome and what changes."""

from __future__ import annotations

from datetime import datetime

from pydantic import ValidationError

from paper_search.errors import PaperSearchError
from paper_search.models import PaperCollection
from paper_search.report.analyst import Analyst
from paper_search.report.evidence import result_of
from paper_search.report.exchange import (
    AnalystInput,
    AnalystOutput,
    PlannerInput,
    PlannerOutput,
    SearcherInput,
)
from paper_search.report.models import ResearchPlan, ResearchStatus, SearchQuery, SearchResult
from paper_search.report.planner import Planner, validate_research_plan
from paper_search.report.recovery import ErrorCategory, ErrorSeverity, WorkflowError, classified
from paper_search.report.searcher import runs_of
from paper_search.report_workflow.context import (
    BATCH,
    READ,
    Context,
    checked,
    counted,
    logged,
    model_for,
    plan_of,
    records_of,
    settings_of,
    worked,
    worked_or_none,
)
from paper_search.report_workflow.records import PlanApprovals
from paper_search.report_workflow.routing import (
    route_after_analyst,
    route_after_planner,
    route_after_searcher,
)
from paper_search.report_workflow.spending import estimate_of
from paper_search.report_workflow.state import OpenReview, ReportParams, WorkflowState
from paper_search.steps import Outcome, StepUpdate
from paper_search.steps.types import Fail, Iterate, Ok, Skip


async def planner(ctx: Context) -> tuple[Ok | Skip | Fail, StepUpdate]:
    """Take the question apart; everything of an earlier report on the thread is cleared."""
    state = checked(ctx)
    params = settings_of(ctx)
    is_again = bool(state.plan_note) and state.research_plan is not None
    if not is_again:
        state = WorkflowState(
            original_query=state.original_query,
            config=state.config,
            max_iterations=params.max_iterations,
        )
    approvals = PlanApprovals(records_of(ctx))
    if not is_again:
        await approvals.begin(is_asking=params.hitl_after_planning)
    await records_of(ctx).index(state.original_query)
    plan = await _plan(ctx, state, params)
    if plan is not None:
        state.research_plan = plan.research_plan
        state.estimate = estimate_of(plan.research_plan, params, ctx.services)
        state.planner_warnings = plan.warnings
        state.planner_reasoning = plan.reasoning_trace
        queries = plan.research_plan.search_queries
        state.say(
            f"Research plan created with {len(plan.research_plan.decomposed_questions)} "
            f"sub-questions and {len(queries)} search queries."
        )
    state.plan_note = ""
    state.status = ResearchStatus.PLANNING if plan is not None else ResearchStatus.FAILED
    outcome = route_after_planner(state, params)
    if outcome is Outcome.OK:
        state.review = OpenReview(breakpoint="plan_review", number=state.human_reviews + 1)
        state.human_reviews += 1
        await approvals.begin(is_asking=True)
        await approvals.propose(plan_of(state), state.review.number)
    return outcome, state.model_dump(exclude={"search_results"})


async def _plan(ctx: Context, state: WorkflowState, params: ReportParams) -> PlannerOutput | None:
    try:
        given = PlannerInput(
            original_query=state.original_query,
            context="\n".join(filter(None, [params.context, state.plan_note])) or None,
            domain_hints=params.domain_hints,
            depth=params.depth,
            search_types=["academic"]
            if params.from_thread
            else ctx.services.searcher(None, params.sources).search_types,
            previous_plan=state.research_plan,
        )
    except (PaperSearchError, ValidationError) as error:
        state.add_error(classified(error, "planner"))
        return None
    domain, name = ctx.services.domain, params.planner_model
    work = worked(ctx, state, "planner", name, lambda llm, _: Planner(llm, domain).plan(given))
    output = await worked_or_none(state, "planner", work)
    if output is None:
        return None
    is_valid, issues = validate_research_plan(output.research_plan)
    for issue in issues:
        state.add_error(_invalid(issue))
    return output if is_valid else None


async def searcher(ctx: Context) -> tuple[Ok | Iterate | Fail, StepUpdate]:
    """Ask the next queries of the plan, or take over the papers of an approved search."""
    state = checked(ctx)
    params = settings_of(ctx)
    plan = plan_of(state)
    records = records_of(ctx)
    await PlanApprovals(records).require(plan, state.human_reviews)
    known = await records.results(state.result_ids)
    state.search_iterations += 1
    if params.from_thread is not None:
        results = await _approved(ctx, state, params, plan)
    else:
        results = await _searched(ctx, state, params, known)
    room = max(0, params.max_sources - len(known))
    fresh = [result for result in results if result.result_id not in set(state.result_ids)][:room]
    if ctx.services.pages is not None and params.max_pages > state.pages_fetched and fresh:
        left = params.max_pages - state.pages_fetched
        fresh, fetched, failures = await ctx.services.pages.read(fresh, left)
        state.pages_fetched += fetched
        if fetched:
            done = fetched - len(failures)
            state.add_checkpoint(f"Fetched {fetched} pages and papers; {done} could be read")
        for failure in failures:
            state.add_checkpoint(failure)
    state.result_ids += await records.put_results(fresh)
    state.status = ResearchStatus.SEARCHING
    state.say(
        f"Collected {len(fresh)} new results; {len(state.pending_searches)} queries are pending."
    )
    ctx.progress("found", {"sources": len(state.result_ids)})
    outcome = route_after_searcher(state, params)
    if outcome is Outcome.FAIL:
        state.add_error(_invalid("no search results collected", "searcher"))
    return outcome, logged(
        state,
        research_plan=state.research_plan,
        result_ids=state.result_ids,
        search_iterations=state.search_iterations,
        pages_fetched=state.pages_fetched,
        collection_ended_by=state.collection_ended_by,
        status=state.status,
    )


async def _searched(
    ctx: Context, state: WorkflowState, params: ReportParams, known: list[SearchResult]
) -> list[SearchResult]:
    llm = await model_for(ctx, state, params.searcher_model)
    batch = state.pending_searches[:BATCH]
    if not batch:
        state.add_checkpoint("All searches already completed")
        return []
    role = ctx.services.searcher(llm, params.sources)
    given = SearcherInput(
        search_queries=batch,
        max_results_per_query=params.max_results_per_query,
        original_query=state.original_query,
    )
    try:
        output = await role.collect(given, known)
    except (PaperSearchError, OSError) as error:
        state.add_error(classified(error, "searcher"))
        failed = [query.model_copy(update={"status": "failed"}) for query in batch]
        state.research_plan = _with_queries(state, failed)
        return []
    finally:
        counted(state, llm)
    for text in output.errors:
        state.add_error(_source_error(text))
    for text in output.notes:
        state.add_checkpoint(text)
    state.research_plan = _with_queries(state, output.queries)
    return output.search_results


async def _approved(
    ctx: Context, state: WorkflowState, params: ReportParams, plan: ResearchPlan
) -> list[SearchResult]:
    collection: PaperCollection = await ctx.services.collection(params.from_thread or "")
    query = _searched_before(collection)
    results = [result_of(paper, query.query_id) for paper in collection.papers]
    ended_by = collection.ended_by.value if collection.ended_by else "unknown"
    state.collection_ended_by = ended_by
    state.research_plan = plan.model_copy(update={"search_queries": [query]})
    state.add_checkpoint(
        f"Used {len(results)} papers of thread {params.from_thread} ({ended_by}); "
        "nothing else was searched"
    )
    return results


def _searched_before(collection: PaperCollection) -> SearchQuery:
    """Return the search that a collection comes from: the plan's own queries are not asked."""
    about = collection.metadata
    at = datetime.fromisoformat(about.timestamp)
    return SearchQuery(
        query_id="s1",
        query_text=about.query or "(no question)",
        search_type="academic",
        status="completed",
        found=len(collection.papers),
        runs=runs_of(collection.reports, about.query, at),
    )


def _with_queries(state: WorkflowState, changed: list[SearchQuery]) -> ResearchPlan:
    """Return the plan with these queries as they are now; new ones come last."""
    plan = plan_of(state)
    by_id = {query.query_id: query for query in changed}
    queries = [by_id.pop(query.query_id, query) for query in plan.search_queries]
    return plan.model_copy(update={"search_queries": [*queries, *by_id.values()]})


async def analyst(ctx: Context) -> tuple[Ok | Iterate | Fail, StepUpdate]:
    """Say what the sources say; too many gaps lead back to search, so often as allowed."""
    state = checked(ctx)
    params = settings_of(ctx)
    output = await _analysis(ctx, state, params)
    state.analysis = output.analysis if output else None
    outcome: Ok | Iterate | Fail = Outcome.FAIL
    if output is not None:
        # Asked before the gaps' queries are pending: they are what the way back is for.
        waiting = _with_queries(state, output.recommended_searches)
        probe = state.model_copy(update={"research_plan": waiting})
        outcome = route_after_analyst(probe, params)
        analysis = output.analysis
        state.say(
            f"Analysis complete: {len(analysis.findings)} findings, {len(analysis.themes)} "
            f"themes, {len(analysis.gaps)} gaps identified ({output.data_sufficiency})."
        )
        if outcome is Outcome.ITERATE:
            state.research_plan = waiting
            state.gap_searches += 1
            state.add_checkpoint(f"Routing back to search for {len(analysis.gaps)} gaps")
    state.status = ResearchStatus.ANALYZING
    return outcome, logged(
        state,
        analysis=state.analysis,
        research_plan=state.research_plan,
        gap_searches=state.gap_searches,
        status=state.status,
    )


async def _analysis(
    ctx: Context, state: WorkflowState, params: ReportParams
) -> AnalystOutput | None:
    results = await records_of(ctx).results(state.result_ids)
    given = AnalystInput(
        search_results=results, research_plan=plan_of(state), previous_analysis=state.analysis
    )
    work = worked(
        ctx,
        state,
        "analyst",
        params.analyst_model,
        lambda llm, shown: Analyst(llm, ctx.services.domain).analyse(
            given.model_copy(update=shown)
        ),
        READ,
    )
    return await worked_or_none(state, "analyst", work)


def _invalid(message: str, node: str = "planner") -> WorkflowError:
    return WorkflowError(
        category=ErrorCategory.VALIDATION,
        severity=ErrorSeverity.FATAL,
        message=message,
        node=node,
        recoverable=False,
        fallback_action="ended with partial results",
    )


def _source_error(message: str) -> WorkflowError:
    return WorkflowError(
        category=ErrorCategory.API_ERROR,
        severity=ErrorSeverity.DEGRADED,
        message=message,
        node="searcher",
        recoverable=True,
        fallback_action="continued with the other searches",
    )
