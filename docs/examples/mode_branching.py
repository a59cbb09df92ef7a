# ruff: noqa: INP001  # an example, loaded by path
"""Mode branching: a setting of the run decides which way it takes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from paper_search.steps import Arg, Outcome, StepContext, StepDef, StepUpdate, Workflow

Mode = Annotated[str, Arg("How much work to put in", choices=("quick", "full"))]
Ok = Literal[Outcome.OK]


def plan(
    ctx: StepContext[dict[str, Any], Any, None], mode: Mode = "full"
) -> tuple[Literal[Outcome.OK, Outcome.SKIP], StepUpdate]:
    """Plan the work; the quick way leaves the design out."""
    steps = [f"read about {ctx.step_state.get('topic', 'everything')}"]
    return (Outcome.SKIP if mode == "quick" else Outcome.OK), {"plan": steps}


def design(ctx: StepContext[dict[str, Any], Any, None]) -> tuple[Ok, StepUpdate]:
    """Add what a thorough review has beside the reading."""
    return Outcome.OK, {"plan": [*ctx.step_state["plan"], "write a protocol", "screen twice"]}


def synthesize(ctx: StepContext[dict[str, Any], Any, None]) -> tuple[Ok, StepUpdate]:
    """Number the plan."""
    numbered = [f"{n}. {key}" for n, key in enumerate(ctx.step_state["plan"], start=1)]
    return Outcome.OK, {"plan": numbered}


WORKFLOW = Workflow(
    "mode_branching",
    StepDef(
        "plan",
        "Plan the work",
        handler=plan,
        next={Outcome.OK: "design", Outcome.SKIP: "synthesize"},
    ),
    StepDef(
        "design",
        "Make it thorough",
        handler=design,
        next={Outcome.OK: "synthesize"},
        when={"mode": ("full",)},
    ),
    StepDef("synthesize", "Write it down", handler=synthesize, next={Outcome.OK: None}),
    description="A review plan, quick or in full",
)
