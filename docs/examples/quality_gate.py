# ruff: noqa: INP001  # an example, loaded by path
"""Quality gate: another workflow reviews, and its findings stop the work less and less."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from paper_search.steps import (
    AgentRole,
    Dispatch,
    Finding,
    Outcome,
    QualityGate,
    Severity,
    StepContext,
    StepDef,
    StepUpdate,
    Workflow,
)

Ok = Literal[Outcome.OK]
MAX_ROUNDS = 6


class Draft(BaseModel):
    """A text, and what its reviews found."""

    text: str = ""
    findings: list[Finding] = []
    review_round: int = 0
    is_released: bool = False


def review(ctx: StepContext[Draft, Any, None]) -> tuple[Ok, StepUpdate]:
    """Look for what is missing from an abstract."""
    text = ctx.step_state.text.lower()
    wanted = {"method": Severity.MUST, "result": Severity.SHOULD, "limitation": Severity.COULD}
    findings = [
        Finding(severity=severity, text=word)
        for word, severity in wanted.items()
        if word not in text
    ]
    return Outcome.OK, {"findings": findings}


REVIEW = Workflow(
    "abstract_review",
    StepDef("review", "Look for what is missing", handler=review, next={Outcome.OK: None}),
    state=Draft,
)


def revise(ctx: StepContext[Draft, Any, None]) -> tuple[Ok, StepUpdate]:
    """Mend the first finding that stopped the work."""
    first = ctx.step_state.findings[0]
    return Outcome.OK, {"text": f"{ctx.step_state.text} The {first.text} is given."}


def release(ctx: StepContext[Draft, Any, None]) -> tuple[Ok, StepUpdate]:
    """Let the text go, unless something still stops it."""
    return Outcome.OK, {"is_released": not ctx.step_state.findings}


WORKFLOW = Workflow(
    "quality_gate",
    StepDef(
        "review",
        "Have it reviewed",
        handler=Dispatch(
            AgentRole.QUALITY_REVIEWER, workflow=REVIEW, take=QualityGate(max_rounds=MAX_ROUNDS)
        ),
        next={Outcome.OK: "release", Outcome.FAIL: "revise", Outcome.SKIP: "release"},
        bound=MAX_ROUNDS,
    ),
    StepDef("revise", "Mend one finding", handler=revise, next={Outcome.OK: "review"}),
    StepDef("release", "Let it go", handler=release, next={Outcome.OK: None}),
    description="An abstract that is reviewed until nothing stops it",
    state=Draft,
)
