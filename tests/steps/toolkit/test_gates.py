"""Quality gates: which findings stop the work in which round."""

from typing import Any

import pytest
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
    Workflow,
    blocking_severities,
)
from paper_search.steps.parameters import parse_signature
from paper_search.steps.running import run_workflow

MUST, SHOULD, COULD = Severity.MUST, Severity.SHOULD, Severity.COULD


@pytest.mark.parametrize(
    ("round_number", "expected"),
    [
        (1, {MUST, SHOULD, COULD}),
        (2, {MUST, SHOULD, COULD}),
        (3, {MUST, SHOULD}),
        (4, {MUST, SHOULD}),
        (5, {MUST}),
        (6, {MUST}),
        (50, {MUST}),
    ],
)
def test_later_rounds_block_less(round_number, expected):
    """INVARIANT 5 of the specification."""
    assert blocking_severities(round_number) == expected


@pytest.mark.parametrize("round_number", [0, -1])
def test_there_is_no_round_before_the_first(round_number):
    with pytest.raises(ValueError, match="counted from 1"):
        blocking_severities(round_number)


class State(BaseModel):
    findings: list[Finding] = []
    review_round: int = 0
    severity: Severity = COULD


def found(ctx: StepContext[State, Any, Any]) -> tuple[Outcome, dict[str, Any]]:
    ctx.services.append("review")
    return Outcome.OK, {"findings": [Finding(severity=ctx.step_state.severity, text="t")]}


def mend(ctx: StepContext[State, Any, Any]) -> tuple[Outcome, dict[str, Any]]:
    ctx.services.append("mend")
    return Outcome.OK, {}


REVIEW = Workflow("r", StepDef("find", handler=found, next={Outcome.OK: None}), state=State)
GATED = Workflow(
    "gated",
    StepDef(
        "gate",
        handler=Dispatch(AgentRole.QUALITY_REVIEWER, workflow=REVIEW, take=QualityGate()),
        next={Outcome.OK: None, Outcome.FAIL: "mend", Outcome.SKIP: None},
        bound=6,
    ),
    StepDef("mend", handler=mend, next={Outcome.OK: "gate"}),
    state=State,
)


@pytest.mark.parametrize(
    ("severity", "rounds", "ended"),
    [(COULD, 3, Outcome.OK), (SHOULD, 5, Outcome.OK), (MUST, 6, Outcome.SKIP)],
)
async def test_a_gate_lets_work_go_in_the_round_in_which_nothing_blocks_it(severity, rounds, ended):
    calls: list[str] = []
    run = await run_workflow(GATED, {"severity": severity}, services=calls)
    assert calls.count("review") == rounds
    assert calls.count("mend") == rounds - 1
    assert run.trace[-1] == ("gate", ended)
    assert run.result["review_round"] == rounds
    assert len(run.result["findings"]) == (ended is Outcome.SKIP)


async def test_a_gate_counts_in_a_shared_dict_as_well():
    table = Workflow("gated", GATED["gate"], StepDef("mend", next={Outcome.OK: "gate"}))
    run = await run_workflow(table, {"severity": "should"}, services=[])
    assert run.result["review_round"] == 5


def test_a_gate_says_its_outcomes():
    assert parse_signature(GATED["gate"].handler).outcomes == {
        Outcome.OK,
        Outcome.FAIL,
        Outcome.SKIP,
    }
