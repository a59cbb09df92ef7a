"""The routing matrix of the specification, cell by cell."""

import pytest

from paper_search.report import models
from paper_search.report.recovery import ErrorCategory, ErrorSeverity, WorkflowError
from paper_search.report_workflow import nodes
from paper_search.report_workflow.drafting import route_after_reviewer
from paper_search.report_workflow.graph import WORKFLOW
from paper_search.report_workflow.state import ReportParams, WorkflowState
from paper_search.steps import Outcome


def leads_to(step: str, outcome: Outcome) -> str | None:
    """Return the step that the table has after an outcome."""
    return WORKFLOW[step].target(outcome)


def planned(*statuses: str) -> models.ResearchPlan:
    queries = [
        models.SearchQuery(query_text=str(n), search_type="academic", status=status)
        for n, status in enumerate(statuses)
    ]
    return models.ResearchPlan(original_query="q", search_queries=queries)


def failed(node: str = "searcher") -> WorkflowError:
    return WorkflowError(
        category=ErrorCategory.API_ERROR,
        severity=ErrorSeverity.DEGRADED,
        message="down",
        node=node,
        recoverable=True,
    )


@pytest.mark.parametrize(
    ("asks", "plan", "status", "target"),
    [
        (False, planned("pending"), models.ResearchStatus.PLANNING, "searcher"),
        (True, planned("pending"), models.ResearchStatus.PLANNING, "human_review"),
        (True, None, models.ResearchStatus.PLANNING, "fallback"),
        (False, planned("pending"), models.ResearchStatus.FAILED, "fallback"),
        (False, planned(), models.ResearchStatus.PLANNING, "fallback"),
    ],
)
def test_after_the_planner(asks, plan, status, target):
    state = WorkflowState(research_plan=plan, status=status)
    params = ReportParams(hitl_after_planning=asks)
    assert leads_to("planner", nodes.route_after_planner(state, params)) == target


@pytest.mark.parametrize(
    ("plan", "ids", "iterations", "target"),
    [
        (planned("pending"), [], 1, "searcher"),
        (planned("completed", "pending"), ["a"], 1, "searcher"),
        (planned("completed"), ["a"], 1, "analyst"),
        (planned("pending"), ["a"], 5, "analyst"),
        (planned("failed"), [], 1, "fallback"),
        (planned("pending"), [], 5, "fallback"),
    ],
)
def test_after_the_searcher(plan, ids, iterations, target):
    state = WorkflowState(research_plan=plan, result_ids=ids, search_iterations=iterations)
    assert leads_to("searcher", nodes.route_after_searcher(state, ReportParams())) == target


@pytest.mark.parametrize(
    ("gaps", "rounds", "search", "target"),
    [
        (0, 0, None, "writer"),
        (2, 0, None, "writer"),
        (3, 0, None, "searcher"),
        (3, 2, None, "writer"),
        (5, 0, "t", "writer"),  # from an approved search
        (None, 0, None, "fallback"),  # without an analysis
    ],
)
def test_after_the_analyst(gaps, rounds, search, target):
    analysis = None if gaps is None else models.AnalysisResult(gaps=["gap"] * gaps)
    state = WorkflowState(
        analysis=analysis, research_plan=planned("pending"), gap_searches=rounds, result_ids=["a"]
    )
    params = ReportParams(from_thread=search)
    assert leads_to("analyst", nodes.route_after_analyst(state, params)) == target


@pytest.mark.parametrize("is_at_limit", [False, True])
@pytest.mark.parametrize(
    ("verdict", "asks", "critical", "targets"),
    [
        ("approve", True, 0, ("human_review", "human_review")),
        ("approve", False, 0, ("output", "output")),
        ("revise", True, 0, ("writer", "fallback")),
        ("revise", False, 0, ("writer", "fallback")),
        ("revise", False, 1, ("writer", "human_review")),
        ("reject", True, 0, ("fallback", "fallback")),
        ("reject", False, 1, ("human_review", "human_review")),
    ],
)
def test_after_the_reviewer(verdict, asks, critical, targets, is_at_limit):
    item = models.CritiqueItem(
        category="accuracy", severity="critical", location="x", description="y"
    )
    state = WorkflowState(
        critique=models.Critique(recommendation=verdict, items=[item] * critical),
        iteration_count=3 if is_at_limit else 1,
        max_iterations=3,
    )
    outcome = route_after_reviewer(state, ReportParams(hitl_before_output=asks))
    assert leads_to("reviewer", outcome) == targets[is_at_limit]


@pytest.mark.parametrize(
    ("critique", "target"),
    [(None, "fallback"), (models.Critique(recommendation="revise"), "human_review")],
)
def test_a_persons_own_text_is_not_revised_unasked(critique, target):
    state = WorkflowState(critique=critique, is_edited_by_person=True)
    assert leads_to("reviewer", route_after_reviewer(state, ReportParams())) == target


@pytest.mark.parametrize(
    ("changes", "goes_on"),
    [
        ({}, True),
        ({"research_plan": planned("completed")}, False),
        ({"search_iterations": 5}, False),
        ({"errors": [failed()] * 3}, False),
        ({"errors": [failed("writer")] * 3}, True),
        ({"result_ids": [str(n) for n in range(40)]}, False),
    ],
)
def test_searching_goes_on_until_a_limit(changes, goes_on):
    state = WorkflowState(research_plan=planned("pending")).model_copy(update=changes)
    assert nodes.should_continue_search(state, ReportParams()) is goes_on
