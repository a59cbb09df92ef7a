"""The research report as a graph, and the object that drives it."""

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
