# ruff: noqa: INP001  # an example, loaded by path
"""Linear: one step after the other."""

from __future__ import annotations

from typing import Any, Literal

from paper_search.steps import Outcome, StepContext, StepDef, StepUpdate, Workflow

Ok = Literal[Outcome.OK]
SMALL = {"a", "an", "and", "for", "in", "of", "on", "the", "to"}


def split(ctx: StepContext[dict[str, Any], Any, None]) -> tuple[Ok, StepUpdate]:
    """Take the words of the title."""
    return Outcome.OK, {"words": ctx.step_state["title"].lower().split()}


def shorten(ctx: StepContext[dict[str, Any], Any, None]) -> tuple[Ok, StepUpdate]:
    """Leave out the small words."""
    return Outcome.OK, {"words": [key for key in ctx.step_state["words"] if key not in SMALL]}


def name(ctx: StepContext[dict[str, Any], Any, None]) -> tuple[Ok, StepUpdate]:
    """Make a short name of the first words."""
    return Outcome.OK, {"name": "-".join(ctx.step_state["words"][:3])}


WORKFLOW = Workflow(
    "linear",
    StepDef("split", "Take the words", handler=split, next={Outcome.OK: "shorten"}),
    StepDef("shorten", "Leave out small words", handler=shorten, next={Outcome.OK: "name"}),
    StepDef("name", "Make a short name", handler=name, next={Outcome.OK: None}),
    description="A short name for the title of a paper",
)
