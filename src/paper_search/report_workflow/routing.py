"""Where a report goes after each step: the specification's rules, as functions of the state."""

from __future__ import annotations

from typing import Literal

from paper_search.report.models import Recommendation, ResearchStatus
from paper_search.report_workflow.breakpoints import BreakpointName
from paper_search.report_workflow.state import ReportParams, WorkflowState, should_continue_search

GAPS_TO_SEARCH = 2
"""More gaps than these send a report back to search."""


def route_after_planner(
    state: WorkflowState, params: ReportParams
) -> Literal["searcher", "human_review", "fallback"]:
    """Return where to go with a plan: to whoever wants to see it, to search, or nowhere."""
    plan = state.research_plan
    if state.status is ResearchStatus.FAILED or plan is None or not plan.search_queries:
        return "fallback"
    asks = params.hitl_after_planning and state.human_reviews < params.max_human_reviews
    return "human_review" if asks else "searcher"


def route_after_searcher(
    state: WorkflowState, params: ReportParams
) -> Literal["searcher", "analyst", "fallback"]:
    """Return whether to search on, to analyse what there is, or to give up with nothing."""
    if should_continue_search(state, params):
        return "searcher"
    return "analyst" if state.result_ids else "fallback"


def route_after_analyst(
    state: WorkflowState, params: ReportParams
) -> Literal["searcher", "writer", "fallback"]:
    """Return whether gaps are searched for once more."""
    if state.analysis is None:
        return "fallback"
    may_search = (
        params.from_thread is None
        and state.gap_searches < params.max_gap_searches
        and should_continue_search(state, params)
    )
    if len(state.analysis.gaps) > GAPS_TO_SEARCH and may_search:
        return "searcher"
    return "writer"


def route_after_reviewer(
    state: WorkflowState, params: ReportParams
) -> Literal["writer", "human_review", "output", "fallback"]:
    """Return what becomes of a reviewed draft.

    =========  ==========  =====================  ============
    verdict    iterations  a person is asked      goes to
    =========  ==========  =====================  ============
    approve    any         before output          human_review
    approve    any         no                     output
    revise     < max       any                    writer
    revise     >= max      on critical issues     human_review
    revise     >= max      no                     fallback
    reject     any         on critical issues     human_review
    reject     any         no                     fallback
    =========  ==========  =====================  ============

    A person's own text goes back to the person, whatever the verdict.
    """
    if state.critique is None:
        return "fallback"
    verdict: Recommendation = state.critique.recommendation
    if verdict == "approve":
        return "human_review" if breakpoint_after_review(state, params) else "output"
    if verdict == "revise" and state.can_iterate and not state.is_edited_by_person:
        return "writer"
    return "human_review" if breakpoint_after_review(state, params) else "fallback"


def breakpoint_after_review(state: WorkflowState, params: ReportParams) -> BreakpointName | None:
    """Return which question a person is asked about a reviewed draft; None: none."""
    critique = state.critique
    if critique is None or state.human_reviews >= params.max_human_reviews:
        return None
    if critique.recommendation == "approve":
        is_due = params.hitl_before_output or state.is_edited_by_person
        return "pre_output_review" if is_due else None
    is_critical = critique.critical_count > 0
    if state.is_edited_by_person:
        return "critical_issue_review" if is_critical else "pre_output_review"
    return "critical_issue_review" if is_critical and params.hitl_on_critical_issues else None
