"""What a person is shown at each of the three breakpoints, put together from the state."""

from __future__ import annotations

from typing import Any

from paper_search.errors import PersistenceError
from paper_search.report.models import ResearchDraft, ResearchPlan, now
from paper_search.report_workflow.breakpoints import HITL_BREAKPOINTS, HITLAction, Review
from paper_search.report_workflow.state import ReportParams, WorkflowState

_EFFECTS: dict[str, dict[HITLAction, str]] = {
    "plan_review": {
        HITLAction.APPROVE: "search by this plan",
        HITLAction.MODIFY: "with research_plan: search by what you changed it to; with feedback "
        "only: plan again",
        HITLAction.REJECT: "end the report",
        HITLAction.SKIP: "continue without a decision",
    },
    "pre_output_review": {
        HITLAction.APPROVE: "output the report as approved",
        HITLAction.MODIFY: "with draft: take your text, which is checked again; with feedback: "
        "write another version",
        HITLAction.REJECT: "end with the best draft, marked as rejected",
        HITLAction.SKIP: "output it, marked as not approved by a person",
    },
    "critical_issue_review": {
        HITLAction.APPROVE: "output the report with its critical issues listed",
        HITLAction.MODIFY: "with draft: take your text, which is checked again; with feedback: "
        "write another version",
        HITLAction.REJECT: "end with the best draft, marked as rejected",
        HITLAction.SKIP: "end with the best draft and its caveats",
    },
}


def review_of(state: WorkflowState, params: ReportParams, named: tuple[str, str]) -> Review:
    """Return the question that a person is asked now.

    Args:
        state: of the report.
        params: the settings of the run.
        named: the names of the run and of the question.

    Raises:
        PersistenceError: none is due.
    """
    if state.review is None:
        raise PersistenceError("the report has no question to ask")
    kind, number = state.review.breakpoint, state.review.number
    asked = HITL_BREAKPOINTS[kind]
    effects = dict(_EFFECTS[kind])
    if number >= params.max_human_reviews:
        del effects[HITLAction.MODIFY]
    return Review(
        kind=kind,
        name=asked.name,
        run_id=named[0],
        token=named[1],
        number=number,
        shows=_shown(state, params, kind),
        actions=list(effects),
        effects={action.value: effect for action, effect in effects.items()},
        asked_at=now(),
        timeout_seconds=getattr(params, asked.timeout_setting),
        auto_approve_on_timeout=kind in params.auto_approve_on_timeout,
    )


def _shown(state: WorkflowState, params: ReportParams, kind: str) -> dict[str, Any]:
    if kind == "plan_review":
        plan = state.research_plan
        return {
            "original_query": state.original_query,
            "research_plan": _plan(plan) if plan else None,
            "warnings": state.planner_warnings,
            "reasoning_trace": state.planner_reasoning,
            "estimate": state.estimate.model_dump(mode="json") if state.estimate else None,
            "budget": str(params.budget) if params.budget else None,
        }
    critique = state.critique.model_dump(mode="json") if state.critique else None
    return {
        "original_query": state.original_query,
        "draft": _draft(state.draft) if state.draft else None,
        "critique": critique,
        "revision_notes": state.revision_notes,
        "improvement_potential": state.improvement_potential,
        "iteration_count": state.iteration_count,
        "usage": [step.model_dump(mode="json") for step in state.usage],
    }


def _plan(plan: ResearchPlan) -> dict[str, Any]:
    shown: dict[str, Any] = plan.model_dump(
        mode="json",
        include={"decomposed_questions", "expected_sections", "methodology"},
    )
    shown["search_queries"] = [
        query.model_dump(mode="json", include={"query_text", "search_type", "priority"})
        for query in plan.search_queries
    ]
    return shown


def _draft(draft: ResearchDraft) -> dict[str, Any]:
    shown: dict[str, Any] = draft.model_dump(
        mode="json",
        include={"title", "abstract", "conclusion", "references", "version"},
    )
    shown["sections"] = [
        section.model_dump(mode="json", include={"title", "content", "word_count"})
        for section in draft.sections
    ]
    return shown
