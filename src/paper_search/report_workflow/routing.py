"""How each step of a report ends: the specification's rules, as functions of the state.

The table in `graph` says where an outcome leads.
"""

from __future__ import annotations

from paper_search.report.models import ResearchStatus
from paper_search.report_workflow.reviews import BreakpointName
from paper_search.report_workflow.state import ReportParams, WorkflowState, should_continue_search
from paper_search.steps import Outcome
from paper_search.steps.types import Approve, Fail, Iterate, Ok, Skip

GAPS_TO_SEARCH = 2
"""More gaps than these send a report back to search."""


def route_after_planner(
    state: WorkflowState, params: ReportParams, *, is_asked: bool = False
) -> Ok | Skip | Fail:
    """Return what becomes of a plan: ok, a person sees it; skip, it is searched by; fail."""
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


def route_after_reviewer(
    state: WorkflowState, params: ReportParams, *, is_asked: bool = False
) -> Ok | Iterate | Approve | Fail:
    """Return what becomes of a reviewed draft: ok, a person sees it; approve, it is given out.

    =========  ==========  =====================  =======
    verdict    iterations  a person is asked      outcome
    =========  ==========  =====================  =======
    approve    any         before output          ok
    approve    any         no                     approve
    none       any         before output          ok
    none       any         no                     approve
    revise     < max       any                    iterate
    revise     >= max      on critical issues     ok
    revise     >= max      no                     fail
    reject     any         on critical issues     ok
    reject     any         no                     fail
    =========  ==========  =====================  =======

    None: nobody judged the draft. A person's own text goes back to the person, whatever the
    verdict, and so does every draft where `is_asked`: a breakpoint of one's own is due.
    """
    if state.critique is None:
        return Outcome.FAIL
    verdict = state.critique.recommendation
    asks = breakpoint_after_review(state, params, is_asked=is_asked) is not None
    if verdict in {"approve", None}:
        return Outcome.OK if asks else Outcome.APPROVE
    is_for_person = state.is_edited_by_person or (is_asked and asks)
    if verdict == "revise" and state.can_iterate and not is_for_person:
        return Outcome.ITERATE
    return Outcome.OK if asks else Outcome.FAIL


def breakpoint_after_review(
    state: WorkflowState, params: ReportParams, *, is_asked: bool = False
) -> BreakpointName | None:
    critique = state.critique
    if critique is None or state.human_reviews >= params.max_human_reviews:
        return None
    if critique.recommendation in {"approve", None}:
        is_due = params.hitl_before_output or state.is_edited_by_person or is_asked
        return "pre_output_review" if is_due else None
    is_critical = critique.critical_count > 0
    if state.is_edited_by_person:
        return "critical_issue_review" if is_critical else "pre_output_review"
    is_due = is_asked or (is_critical and params.hitl_on_critical_issues)
    return "critical_issue_review" if is_due else None
