"""The paper-search graph: a table of steps, and the next step for each outcome."""

from functools import partial

from paper_search.persistence.listing import columns
from paper_search.steps import Outcome, StepDef, Workflow
from paper_search.threads.spending import count_spending
from paper_search.workflow import nodes
from paper_search.workflow.state import (
    MOST_SEARCHES,
    SearchOutput,
    SearchParams,
    SearchRequest,
    StepState,
)

OK, SKIP, FAIL, ITERATE = Outcome.OK, Outcome.SKIP, Outcome.FAIL, Outcome.ITERATE
APPROVE, EDIT, REJECT = Outcome.APPROVE, Outcome.EDIT, Outcome.REJECT

metered = partial(
    count_spending,
    iteration=lambda state: state.current_iteration,
    budget=lambda ctx: ctx.workflow_params.budget,
)
"""Wraps a step so that its model calls are counted."""

# fmt: off
WORKFLOW = Workflow(
    "paper_search",
    StepDef("parse_intent", "Understanding the question", handler=metered(nodes.parse_intent),
            next={OK: "build_strategy", FAIL: "finish"}),
    StepDef("build_strategy", "Writing the search strategy", handler=metered(nodes.build_strategy),
            next={OK: "scope_strategy"}, bound="max_iterations"),
    StepDef("scope_strategy", "Counting hits", handler=nodes.scope_strategy,
            next={OK: "confirm_strategy", SKIP: "search", FAIL: "finish"}),
    StepDef("confirm_strategy", "Asking about the strategy", handler=nodes.confirm_strategy,
            next={APPROVE: "search", EDIT: "search", REJECT: "build_strategy", FAIL: "finish"}),
    StepDef("search", "Searching the sources", handler=nodes.search,
            next={OK: "deduplicate"}, bound=MOST_SEARCHES),
    StepDef("deduplicate", "Merging duplicates", handler=metered(nodes.deduplicate),
            next={OK: "score"}),
    StepDef("score", "Judging relevance", handler=metered(nodes.score),
            next={OK: "organize"}),
    StepDef("organize", "Organising the result", handler=nodes.organize,
            next={OK: "review_results", SKIP: "finish"}),
    StepDef("review_results", "Asking about the result", handler=nodes.review_results,
            next={APPROVE: "finish", EDIT: "build_strategy", REJECT: "build_strategy",
                  ITERATE: "search", FAIL: "finish"}),
    StepDef("finish", "Finishing", handler=nodes.finish,
            next={OK: None}),
    description="Find literature with a person in the loop",
    state=StepState, params=SearchParams, request=SearchRequest, result=SearchOutput,
    services="paper_search.workflow.assembly:assemble_skills",
    metadata=columns("question", "is_complete", "ended_by", "current_iteration", "result", "usage"),
)
# fmt: on
