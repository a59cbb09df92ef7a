"""The steps that ask a person and that end a report."""

from __future__ import annotations

from typing import Any

from paper_search.errors import PersistenceError
from paper_search.report.models import ResearchPlan, ResearchStatus, SearchQuery, now
from paper_search.report_workflow.breakpoints import HITLAction, ReviewDecision
from paper_search.report_workflow.context import (
    Approve,
    Context,
    Edit,
    Iterate,
    Ok,
    Reject,
    checked,
    logged,
    records_of,
    settings_of,
)
from paper_search.report_workflow.decisions import answer_model
from paper_search.report_workflow.products import fallback_output, final_output
from paper_search.report_workflow.questions import review_of
from paper_search.report_workflow.records import PlanApprovals
from paper_search.report_workflow.state import WorkflowState
from paper_search.steps import Outcome, StepUpdate
from paper_search.threads.state import asker


async def human_review(ctx: Context) -> tuple[Ok | Iterate | Approve | Edit | Reject, StepUpdate]:
    """Ask a person about the plan or the draft; nothing else."""
    state = checked(ctx)
    review = review_of(state, settings_of(ctx), (ctx.thread_id, ctx.token))
    decision: ReviewDecision = asker(ctx)(review, answer_model(review))
    state.add_checkpoint(_told(review.name, decision))
    if review.kind == "plan_review":
        return await _after_plan(state, decision, PlanApprovals(records_of(ctx)), review.number)
    return _after_draft(state, decision, is_critical=review.kind == "critical_issue_review")


async def _after_plan(
    state: WorkflowState, decision: ReviewDecision, approvals: PlanApprovals, number: int
) -> tuple[Ok | Iterate | Reject, StepUpdate]:
    if decision.action is HITLAction.REJECT:
        return Outcome.REJECT, logged(state, ended_by="rejected_by_person")
    if decision.action is HITLAction.MODIFY:
        changes = (decision.modifications or {}).get("research_plan")
        if changes is None:
            note = decision.feedback or ""
            return Outcome.ITERATE, logged(state, plan_note=note)
        changed = _changed(state.research_plan, changes)
        await approvals.write(changed, number)
        return Outcome.OK, logged(state, research_plan=changed)
    if state.research_plan is not None:
        await approvals.approve(state.research_plan, number)
    return Outcome.OK, logged(state)


def _after_draft(
    state: WorkflowState, decision: ReviewDecision, *, is_critical: bool
) -> tuple[Approve | Edit | Reject, StepUpdate]:
    if decision.action is HITLAction.MODIFY:
        changes = (decision.modifications or {}).get("draft")
        data = dict(state.collected_data)
        if changes is not None:
            data["edited_draft"] = changes
        return Outcome.EDIT, logged(state, collected_data=data, human_note=decision.feedback or "")
    if decision.action is HITLAction.APPROVE:
        by_person = decision.decided_by == "person"
        ended_by = "approved" if by_person else "approved_by_timeout"
        return Outcome.APPROVE, logged(state, human_approved=by_person, ended_by=ended_by)
    if decision.action is HITLAction.SKIP:
        if is_critical:
            return Outcome.REJECT, logged(state)
        return Outcome.APPROVE, logged(state, ended_by="not_reviewed")
    return Outcome.REJECT, logged(state, ended_by="rejected_by_person")


async def output(ctx: Context) -> tuple[Ok, StepUpdate]:
    """Give out the report, with what is known of how it came about."""
    state = checked(ctx)
    params = settings_of(ctx)
    records = records_of(ctx)
    results = await records.results(state.result_ids)
    state.ended_by = state.ended_by or "not_reviewed"
    product = final_output(state, params, results)
    title = state.draft.title if state.draft else ""
    state.say(f"Research complete: '{title}' ({product['metadata']['word_count']} words)")
    await records.index(state.original_query)
    await PlanApprovals(records).end()
    return Outcome.OK, logged(
        state,
        collected_data={"final_output": product},
        search_results=results,
        ended_by=state.ended_by,
        status=ResearchStatus.COMPLETED,
        is_complete=True,
    )


async def fallback(ctx: Context) -> tuple[Ok, StepUpdate]:
    """Give the best that there is, with the reason and what to beware of."""
    state = checked(ctx)
    params = settings_of(ctx)
    records = records_of(ctx)
    results = await records.results(state.result_ids)
    if state.best_version is not None:
        state.draft = await records.draft(state.best_version) or state.draft
        state.critique = await records.critique(state.best_version) or state.critique
    product = fallback_output(state, params, results)
    state.say(f"Workflow completed with fallback: {product['reason']}")
    await records.index(state.original_query)
    await PlanApprovals(records).end()
    return Outcome.OK, logged(
        state,
        draft=state.draft,
        critique=state.critique,
        collected_data={"fallback_output": product},
        search_results=results,
        ended_by=state.ended_by or "fallback",
        status=ResearchStatus.COMPLETED,
        is_complete=True,
    )


def _told(name: str, decision: ReviewDecision) -> str:
    what = decision.action.value.upper()
    if decision.decided_by == "timeout":
        return f"{name}: {what}: nobody answered in time, and the run is set to approve then"
    return f"{name}: {what}" + (f": {decision.feedback}" if decision.feedback else "")


def _changed(plan: ResearchPlan | None, changes: dict[str, Any]) -> ResearchPlan:
    """Return the plan with what a person changed; their queries replace all of it."""
    if plan is None:
        raise PersistenceError("the report has no plan that could be changed")
    update = {name: value for name, value in changes.items() if name != "search_queries"}
    if "search_queries" in changes:
        update["search_queries"] = [
            SearchQuery.model_validate({**query, "query_id": f"p{number}"})
            for number, query in enumerate(changes["search_queries"], 1)
        ]
    return plan.model_copy(update={**update, "revised_at": now()})
