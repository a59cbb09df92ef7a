"""The steps of a search. Each takes the state, and returns an outcome and the changed fields."""

from collections.abc import Sequence
from typing import Any, TypeVar

from paper_search.errors import PersistenceError
from paper_search.models import (
    SNOWBALL,
    EndReason,
    ParsedIntent,
    QueryBuilderInput,
    SearchStrategy,
    SourceReport,
    UserFeedback,
)
from paper_search.skills.result_organizer import concept_counts
from paper_search.sources import fresh_answers
from paper_search.steps import Outcome, StepContext, StepUpdate
from paper_search.steps.types import Approve, Edit, Fail, Iterate, Ok, Reject, Skip
from paper_search.threads.questions import state_of_step
from paper_search.threads.records import NOBODY
from paper_search.workflow.checkpoints import Decision, DecisionAction
from paper_search.workflow.counts import arrivals_of, replays, searched_round
from paper_search.workflow.decisions import (
    answer_model,
    apply_edit,
    feedback_of,
)
from paper_search.workflow.judging import StoredJudgements, criteria_update, intent_after_note
from paper_search.workflow.marks import MarkStore
from paper_search.workflow.proposals import with_seeds, within_limits
from paper_search.workflow.questions import (
    markable_ids,
    record_ids,
    result_question,
    strategy_question,
)
from paper_search.workflow.records import SearchRecords, StrategyApprovals
from paper_search.workflow.results import final_collection, known_papers_of_round
from paper_search.workflow.rounds import (
    SOURCE,
    ask_again,
    divide_works,
    is_without_news,
    join_reports,
    pool_after,
    take_batch,
    with_counts,
    with_earlier,
    with_files,
    with_places,
    without_earlier,
)
from paper_search.workflow.skills import Skills
from paper_search.workflow.state import (
    EditRecord,
    IterationRecord,
    SearchParams,
    StepState,
    WorkflowState,
)

BEFORE_APPROVAL = "nobody yet: hits are counted before the strategy is approved"
BEFORE_READING = "nobody yet: the paper that the question names is looked up to read it"
BY_SETTING = "the setting `enrich` of the run"
MAX_DOUBTS = 50
"""Pairs that a person may be asked about in one round."""

Context = StepContext[StepState, SearchParams, Skills]
OutcomeT = TypeVar("OutcomeT", bound=Outcome)


async def parse_intent(ctx: Context) -> tuple[Ok | Fail, StepUpdate]:
    """Read the question, and clear the state of an earlier search on the thread."""
    question, cleared = ctx.step_state.question, {"accumulated_papers", "collection"}
    ctx.progress("begun", {"step": ctx.step_id, "iteration": 0})
    if ctx.workflow_params.max_iterations == 0:
        ended = WorkflowState(question=question, ended_by=EndReason.LIMIT_REACHED)
        return Outcome.FAIL, ended.model_dump(exclude=cleared)
    ctx.services.require_sources(ctx.workflow_params.sources or [])
    asks = ctx.workflow_params.enable_strategy_checkpoint
    await _approvals(ctx).begin(is_asking=asks)
    await _records(ctx).index(question)
    intent = await ctx.services.parse(question)
    fresh = WorkflowState(question=question, intent=intent.model_copy(update={"lookups": []}))
    fresh.counts = _of_round(intent.lookups, fresh, BEFORE_READING if asks else NOBODY)
    return Outcome.OK, fresh.model_dump(exclude=cleared)


async def build_strategy(ctx: Context) -> tuple[Ok, StepUpdate]:
    state = _begin_step(ctx)
    intent = intent_after_note(state, _intent(state))
    marked_papers = [*intent.seeds, *await _records(ctx).marked_papers(state.marks)]
    is_rejected = bool(state.history) and state.history[-1].is_rejected
    strategy = await ctx.services.build(
        QueryBuilderInput(
            intent=intent,
            previous_strategies=state.previous_strategies,
            user_feedback=state.latest_feedback,
            earlier_feedback=state.earlier_feedback,
            marked_papers=marked_papers,
            graded=await _records(ctx).best_graded(None if is_rejected else state.result),
        )
    )
    strategy = with_seeds(strategy, marked_papers)
    await _records(ctx).index(state.question)
    strategy = ctx.services.within_ceiling(within_limits(strategy, ctx.workflow_params, state))
    return Outcome.OK, {"strategy": strategy, "intent": intent}


async def scope_strategy(ctx: Context) -> tuple[Ok | Skip | Fail, StepUpdate]:
    """Count hits and relax queries without any; a step of its own, so that resuming skips it.

    An update keeps the approved strategy unchanged.
    """
    state = _begin_step(ctx)
    strategy = _strategy(state)
    asks = ctx.workflow_params.enable_strategy_checkpoint
    with fresh_answers(state.cache_mark):
        report = await ctx.services.scope(strategy, _intent(state), is_asking=asks)
    if (review_update := state.new_update) is not None:
        report = report.model_copy(update={"relaxed": []})
    strategy = report.revised(strategy)
    await _approvals(ctx).propose(strategy, state.current_iteration)
    rows = _of_round(report.asked, state, BEFORE_APPROVAL if asks else NOBODY)
    counts = [*state.counts, *rows]
    if review_update is not None and is_without_news(state, rows):
        ended_by = review_update.ended_by
        return Outcome.FAIL, {"counts": counts, "updates": state.updates[:-1], "ended_by": ended_by}
    update = {"strategy": strategy, "edit": None, "scope": report, "counts": counts}
    return Outcome.OK if asks else Outcome.SKIP, update


async def confirm_strategy(ctx: Context) -> tuple[Approve | Edit | Reject | Fail, StepUpdate]:
    state = _begin_step(ctx)
    names, budget = (ctx.thread_id, ctx.token), ctx.workflow_params.budget
    question = await strategy_question(state, names, _services(ctx), budget)
    decision: Decision = ctx.ask(question, answer_model(question, markable_ids(state)))
    by = state.current_iteration, decision.decided_by
    match decision.action:
        case DecisionAction.APPROVE:
            await _approvals(ctx).approve(_strategy(state), *by)
            return Outcome.APPROVE, {}
        case DecisionAction.EDIT:
            before, at = _strategy(state), decision.decided_at
            strategy = ctx.services.within_ceiling(apply_edit(before, decision.revised_data))
            await _approvals(ctx).write(strategy, *by)
            update, gone = criteria_update(state, decision.revised_data)
            edit = EditRecord(proposed=before, by=by[1], at=at, criteria_gone=gone)
            return Outcome.EDIT, {"strategy": strategy, "edit": edit, **update}
        case DecisionAction.REJECT:
            await MarkStore(_records(ctx)).carry(by[0], by[0] + 1)  # no result has them
            answer = decision, feedback_of(decision)
            return await _next_round(ctx, state, Outcome.REJECT, answer, result_count=0)


async def search(ctx: Context) -> tuple[Ok, StepUpdate]:
    """Query all sources, or only those awaited; a source that fails is a row of the report.

    The approval is checked again, because a client of the server can jump to this step.
    """
    state = _begin_step(ctx)
    strategy = _strategy(state)
    records = _records(ctx)
    if state.arriving or strategy.sources == [SOURCE]:
        return Outcome.OK, await take_batch(state, records, ctx.services.models)
    allowed_by = await _approvals(ctx).require(strategy, state.current_iteration)
    if SNOWBALL in strategy.sources:  # a person may have added it
        marked_papers = [*_intent(state).seeds, *await records.marked_papers(state.marks)]
        strategy = with_seeds(strategy, marked_papers)
    services = _services(ctx)
    if ctx.workflow_params.sources and not services.has_any_of(strategy.sources):
        services.require_sources(strategy.sources)  # another process may have fewer sources
    update: dict[str, Any] = {"awaited": []}
    with fresh_answers(state.cache_mark):
        if state.awaited:
            answer = await ask_again(services, strategy, state.awaited)
        else:
            answer = await services.search(strategy)
    if not state.awaited:
        update["earlier_reports"] = [*state.earlier_reports, *state.reports]
    ids = await records.save_records(answer.papers)
    before = await records.arrivals(state.current_iteration, state.waits)
    rows = arrivals_of(answer, ids, state.waits)
    reports = _of_round(answer.sources, state, allowed_by)
    if state.awaited:
        known = replays(state.reports, reports)
        reports = join_reports(state.reports, reports, (before, rows), known)
        rows = [row for row in rows if (row.source, row.query) not in known]
    searched = searched_round(state.current_iteration, [*before, *rows], ctx.services.models)
    await records.save_round(searched)
    ctx.progress("found", {"records": len(searched.records)})
    return Outcome.OK, {"found": searched.records, "reports": reports, **update}


async def deduplicate(ctx: Context) -> tuple[Ok, StepUpdate]:
    """Merge the records of each work, and look up missing fields if the run enriches works."""
    state = _begin_step(ctx)
    records = _records(ctx)
    rows = await records.records(list(dict.fromkeys([*state.found, *state.pool])))
    report = await ctx.services.deduplicate(rows, state.merge_decisions)
    works, update = report.works, dict[str, Any]()
    if ctx.workflow_params.enrich:
        filled = await ctx.services.enrich(works)
        works = filled.works
        update["reports"] = [*state.reports, *_of_round(filled.sources, state, BY_SETTING)]
    ids = await records.save_works(works, rows)
    ctx.progress("merged", {"records": len(rows), "works": len(ids)})
    update |= await divide_works(
        state, records, works, ids, judges_again=ctx.services.has_own_judge
    )
    return Outcome.OK, {"uncertain": report.uncertain[:MAX_DOUBTS], **update}


async def score(ctx: Context) -> tuple[Ok, StepUpdate]:
    state = _begin_step(ctx)
    records = _records(ctx)
    marked_papers = [*_intent(state).seeds, *await records.marked_papers(state.marks)]
    works = await records.works(state.works)
    order = (state.ranking_pairs, state.ranked_question)
    judgements = StoredJudgements(ctx.store)
    intent = _intent(state).model_copy(update={"constraints": _strategy(state).filters})
    verdicts = await ctx.services.judge(works, intent, marked_papers, judgements, order)
    scores = await records.save_judgements(verdicts, works, state.current_iteration)
    is_ordered = ctx.services.has_own_judge  # another process may have another judge
    return Outcome.OK, {"scores": scores, "is_ordered": is_ordered, "works": []}


async def organize(ctx: Context) -> tuple[Ok | Skip, StepUpdate]:
    state = _begin_step(ctx)
    records = _records(ctx)
    scored = await without_earlier(state, records, await records.scored(list(state.scores)))
    if state.is_ordered:
        scored = with_places(scored, await records.marked_papers(state.marks))
    strategy = _strategy(state)
    collection = await ctx.services.organize(scored, strategy, state.question)
    limit = strategy.filters.max_papers
    collection, limit = await with_files(state, collection, records, limit)
    stored_ref = await records.save_collection(collection, limit, scored=scored)
    stored_ref = await with_earlier(state, records, stored_ref)
    await records.index(state.question)
    reference = await with_counts(state, records, stored_ref, ctx.services)
    known_report = known_papers_of_round(state, ctx.workflow_params, scored, reference)
    update = {"result": reference, "scores": {}, "earlier": [], "known_papers": known_report}
    concepts = len(state.intent.concepts) if state.intent else 0
    limits = strategy.filters.model_copy(update={"max_papers": None}).in_words
    update["fit"] = concept_counts(scored, concepts, limits if state.is_without_hits else [])
    if ctx.workflow_params.enable_result_checkpoint:
        return Outcome.OK, update
    ending = _end_round(state, len(reference.paper_ids))
    return Outcome.SKIP, {**update, **ending, "ended_by": EndReason.NOT_REVIEWED}


async def review_results(
    ctx: Context,
) -> tuple[Approve | Edit | Reject | Iterate | Fail, StepUpdate]:
    """Ask about the result, again in the same iteration if the person waits for slow sources."""
    state = _begin_step(ctx)
    preview = ctx.workflow_params.preview_papers
    names = ctx.thread_id, ctx.token
    question = await result_question(state, names, _records(ctx), preview=preview)
    answers = answer_model(question, markable_ids(state), record_ids(state))
    decision: Decision = ctx.ask(question, answers)
    count = len(state.result.paper_ids) if state.result else 0
    store, iteration = MarkStore(_records(ctx)), state.current_iteration
    if decision.action is DecisionAction.APPROVE:
        marks = await store.with_saved_marks(decision.revised_data, iteration, markable_ids(state))
        ending = _end_round(state, count, marks, decision)
        return Outcome.APPROVE, {**ending, "ended_by": EndReason.APPROVED}
    answer = feedback_of(decision)
    if answer.wait_for_sources:
        await store.save(answer, iteration, by=decision.decided_by)
        return Outcome.ITERATE, {"awaited": state.unfinished_sources, "waits": state.waits + 1}
    feedback = await store.with_saved_marks(answer, iteration, markable_ids(state))
    outcome: Edit | Reject = (
        Outcome.EDIT if decision.action is DecisionAction.EDIT else Outcome.REJECT
    )
    whole = decision, feedback or UserFeedback()
    return await _next_round(ctx, state, outcome, whole, result_count=count)


async def finish(ctx: Context) -> tuple[Ok, StepUpdate]:
    """Merge the papers marked relevant in any round into the last collection; end the search."""
    state = _begin_step(ctx)
    records = _records(ctx)
    collection = await final_collection(state, records, ctx.services.deduplicate)
    reference = await records.save_collection(collection, part="final")
    if (before := state.result) is not None:
        hidden = {*before.set_aside_ids[: before.hidden]} & {*reference.set_aside_ids}
        reference = reference.model_copy(update={"hidden": len(hidden)})
    await records.regroup(reference)
    await records.index(state.question)
    await _approvals(ctx).end()
    return Outcome.OK, {"is_complete": True, "result": reference, "collection": collection}


def _services(ctx: Context) -> Skills:
    return ctx.services.of_run(ctx.workflow_params.sources or [])


def _records(ctx: Context) -> SearchRecords:
    return SearchRecords(ctx.store, ctx.thread_id, ctx.run)


def _approvals(ctx: Context) -> StrategyApprovals:
    return StrategyApprovals(_records(ctx))


def _begin_step(ctx: Context) -> WorkflowState:
    """Return the state, and report which step begins, in which iteration, on how many items."""
    state = state_of_step(ctx, "search")
    strategy = state.strategy
    counts = {
        "search": {
            "queries": len([*strategy.queries, *strategy.plain()]) if strategy else 0,
            "sources": len(state.awaited or strategy.sources) if strategy else 0,
        },
        "deduplicate": {"records": len({*state.found, *state.pool})},
        "score": {"works": len(state.works)},
        "organize": {"works": len(state.scores)},
    }.get(ctx.step_id, {})
    ctx.progress("begun", {"step": ctx.step_id, "iteration": state.current_iteration, **counts})
    return state


def _intent(state: WorkflowState) -> ParsedIntent:
    if state.intent is None:
        raise PersistenceError("the thread has no intent: its first step did not run")
    return state.intent


def _strategy(state: WorkflowState) -> SearchStrategy:
    if state.strategy is None:
        raise PersistenceError("the thread has no strategy: build_strategy did not run")
    return state.strategy


async def _next_round(
    ctx: Context,
    state: WorkflowState,
    outcome: OutcomeT,
    answer: tuple[Decision, UserFeedback],
    *,
    result_count: int,
) -> tuple[OutcomeT | Fail, StepUpdate]:
    """End the iteration; return the outcome that starts another one, or FAIL at the limit."""
    decision, feedback = answer
    ending = _end_round(state, result_count, feedback, decision)
    is_rejected = decision.action is DecisionAction.REJECT
    after = state.model_copy(update=ending)
    ending |= await pool_after(after, _records(ctx), is_rejected=is_rejected)
    following = ending["current_iteration"]
    if following < ctx.workflow_params.max_iterations:
        ctx.progress("iterating", {"iteration": following})
        return outcome, ending
    return Outcome.FAIL, {**ending, "ended_by": EndReason.LIMIT_REACHED}


def _end_round(
    state: WorkflowState,
    result_count: int,
    feedback: UserFeedback | None = None,
    decision: Decision | None = None,
) -> dict[str, Any]:
    """Return the changes at the end of an iteration: its record, and the number of the next."""
    record = IterationRecord(
        iteration=state.current_iteration,
        strategy=_strategy(state),
        result_count=result_count,
        edit=state.edit,
        feedback=feedback,
        decided_by=decision.decided_by if decision else None,
        decided_at=decision.decided_at if decision else None,
        waits=state.waits,
        is_rejected=decision is not None and decision.action is DecisionAction.REJECT,
    )
    return {
        "history": [*state.history, record],
        "waits": 0,
        "current_iteration": state.current_iteration + 1,
    }


def _of_round(
    reports: Sequence[SourceReport], state: WorkflowState, allowed_by: str
) -> list[SourceReport]:
    update = {"iteration": state.current_iteration, "allowed_by": allowed_by}
    return [report.model_copy(update=update) for report in reports]
