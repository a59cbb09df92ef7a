"""The research-report graph: a table of steps, and the next step for each outcome."""

import functools

from paper_search.persistence.listing import columns
from paper_search.report_workflow import drafting, nodes, questions
from paper_search.report_workflow.context import settings_of
from paper_search.report_workflow.state import (
    MAX_ROUNDS,
    AskingParams,
    ReportOutput,
    ReportParams,
    ReportRequest,
    StepState,
)
from paper_search.steps import Outcome, StepDef, Workflow
from paper_search.threads import spending

OK, SKIP, FAIL, ITERATE = Outcome.OK, Outcome.SKIP, Outcome.FAIL, Outcome.ITERATE
APPROVE, EDIT, REJECT = Outcome.APPROVE, Outcome.EDIT, Outcome.REJECT

count_usage = functools.partial(
    spending.count_spending,
    iteration=lambda state: state.iteration_count,
    budget=lambda ctx: settings_of(ctx).budget,
)

# The settings of a run bound each loop; these numbers are only the upper limits.
# fmt: off
WORKFLOW = Workflow(
    "research_report",
    StepDef("planner", "Planning the report", handler=count_usage(nodes.planner),
            next={OK: "human_review", SKIP: "searcher", FAIL: "fallback"}, bound=MAX_ROUNDS + 1),
    StepDef("searcher", "Collecting sources", handler=count_usage(nodes.searcher),
            next={ITERATE: "searcher", OK: "analyst", FAIL: "fallback"}, bound=60),
    StepDef("analyst", "Reading the sources", handler=count_usage(nodes.analyst),
            next={ITERATE: "searcher", OK: "writer", FAIL: "fallback"}),
    StepDef("writer", "Writing the draft", handler=count_usage(drafting.writer),
            next={OK: "reviewer", FAIL: "fallback"}, bound=2 * MAX_ROUNDS + 1),
    StepDef("reviewer", "Checking the draft", handler=count_usage(drafting.reviewer),
            next={ITERATE: "writer", OK: "human_review", APPROVE: "output", FAIL: "fallback"}),
    StepDef("human_review", "Asking a person", handler=questions.human_review,
            next={OK: "searcher", ITERATE: "planner", EDIT: "writer", APPROVE: "output",
                  REJECT: "fallback"}, bound=MAX_ROUNDS),
    StepDef("output", "Finishing the report", handler=questions.output,
            next={OK: None}),
    StepDef("fallback", "Finishing with what there is", handler=questions.fallback,
            next={OK: None}),
    description="Plan, collect, analyse, write and review a report, with a person in the loop",
    state=StepState, params=ReportParams, request=ReportRequest, result=ReportOutput,
    services="paper_search.report_workflow.assembly:assemble_report",
    metadata=columns("original_query", "is_complete", "ended_by", "status", "draft", "usage"),
)
# fmt: on

ASKING = Workflow(
    WORKFLOW.name,
    *WORKFLOW.steps,
    params=AskingParams,
    **{
        name: getattr(WORKFLOW, name)
        for name in ("description", "state", "request", "result", "services", "metadata")
    },
)
"""The same for a server, which asks a person unless the run says otherwise."""
