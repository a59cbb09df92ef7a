# ruff: noqa: INP001  # an example, loaded by path
"""Confidence-driven iteration: a step comes back to itself until it is sure, or out of turns."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel

from paper_search.steps import Arg, Outcome, StepContext, StepDef, StepUpdate, Workflow

Confidence = Literal["exploring", "high", "capped"]
Rounds = Annotated[int, Arg("How often to look at most", min=1, max=5)]
Wanted = Annotated[int, Arg("How many papers make sure", min=1, max=3)]


class State(BaseModel):
    """What is known so far."""

    shelf: list[str] = []
    found: list[str] = []
    iteration: int = 0
    confidence: Confidence = "exploring"
    answer: str = ""


def investigate(
    ctx: StepContext[State, BaseModel, None], max_iterations: Rounds = 3, wanted: Wanted = 2
) -> tuple[Literal[Outcome.OK, Outcome.ITERATE], StepUpdate]:
    """Take one more paper from the shelf; go on until there are enough of them."""
    state = ctx.step_state
    iteration = state.iteration + 1
    found = state.shelf[:iteration]
    update = {"iteration": iteration, "found": found}
    if len(found) >= wanted:
        return Outcome.OK, {**update, "confidence": "high"}
    if iteration >= max_iterations:
        return Outcome.OK, {**update, "confidence": "capped"}
    return Outcome.ITERATE, update


def formulate(ctx: StepContext[State, BaseModel, None]) -> tuple[Literal[Outcome.OK], StepUpdate]:
    """Say what was found, and how sure that is."""
    state = ctx.step_state
    return Outcome.OK, {"answer": f"{len(state.found)} papers ({state.confidence})"}


WORKFLOW = Workflow(
    "confidence_loop",
    StepDef(
        "investigate",
        "Look at one more paper",
        handler=investigate,
        next={Outcome.OK: "formulate", Outcome.ITERATE: "investigate"},
        bound="max_iterations",
    ),
    StepDef("formulate", "Say what was found", handler=formulate, next={Outcome.OK: None}),
    description="Look until there is enough, or the turns are used up",
    state=State,
)
