"""The research report as a graph, and ReportWorkflow, which runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paper_search import names_on_first_use

if TYPE_CHECKING:
    from paper_search.report_workflow.context import ReportServices
    from paper_search.report_workflow.engine import ReportWorkflow
    from paper_search.report_workflow.reviews import (
        HITL_BREAKPOINTS,
        HITLAction,
        HITLBreakpoint,
        Review,
        ReviewDecision,
        ReviewHandler,
    )
    from paper_search.report_workflow.state import ReportParams, WorkflowState
else:  # a list of threads does without what drives them
    __getattr__ = names_on_first_use(
        __name__,
        {
            ".context": "ReportServices",
            ".engine": "ReportWorkflow",
            ".reviews": "HITL_BREAKPOINTS HITLAction HITLBreakpoint Review "
            "ReviewDecision ReviewHandler",
            ".state": "ReportParams WorkflowState",
        },
    )

__all__ = [
    "HITL_BREAKPOINTS",
    "HITLAction",
    "HITLBreakpoint",
    "ReportParams",
    "ReportServices",
    "ReportWorkflow",
    "Review",
    "ReviewDecision",
    "ReviewHandler",
    "WorkflowState",
]
