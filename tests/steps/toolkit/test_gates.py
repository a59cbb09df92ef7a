"""Quality gates: which findings stop the work in which round."""

from typing import Any

import pytest
from pydantic import BaseModel

from paper_search import steps
from paper_search.steps.parameters import parse_signature
from paper_search.steps.running import run_workflow

MUST, SHOULD, COULD = steps.Severity.MUST, steps.Severity.SHOULD, steps.Severity.COULD


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
    assert steps.blocking_severities(round_number) == expected


@pytest.mark.parametrize("round_number", [0, -1])
def test_there_is_no_round_before_the_first(round_number):
    with pytest.raises(ValueError, match="counted from 1"):
        steps.blocking_severities(round_number)


class State(BaseModel):
    findings: list[steps.Finding] = []
    review_round: int = 0
    severity: steps.Severity = COULD


def found(ctx: steps.StepContext[State, Any, Any]) -> tuple[steps.Outcome, dict[str, Any]]:
    ctx.services.append("review")
    return steps.Outcome.OK, {
        "findings": [steps.Finding(severity=ctx.step_state.severity, text="t")]
    }


def mend(ctx: steps.StepContext[State, Any, Any]) -> tuple[steps.Outcome, dict[str, Any]]:
    ctx.services.append("mend")
    return steps.Outcome.OK, {}


REVIEW = steps.Workflow(
    "r", steps.StepDef("find", handler=found, next={steps.Outcome.OK: None}), state=State
)
GATED = steps.Workflow(
    "gated",
    steps.StepDef(
        "gate",
        handler=steps.Dispatch(
            steps.AgentRole.QUALITY_REVIEWER, workflow=REVIEW, take=steps.QualityGate()
        ),
        next={steps.Outcome.OK: None, steps.Outcome.FAIL: "mend", steps.Outcome.SKIP: None},
        bound=6,
    ),
    steps.StepDef("mend", handler=mend, next={steps.Outcome.OK: "gate"}),
    state=State,
)


@pytest.mark.parametrize(
    ("severity", "rounds", "ended"),
    [(COULD, 3, steps.Outcome.OK), (SHOULD, 5, steps.Outcome.OK), (MUST, 6, steps.Outcome.SKIP)],
)
async def test_a_gate_lets_work_go_in_the_round_in_which_nothing_blocks_it(severity, rounds, ended):
    calls: list[str] = []
    run = await run_workflow(GATED, {"severity": severity}, services=calls)
    assert calls.count("review") == rounds
    assert calls.count("mend") == rounds - 1
    assert run.trace[-1] == ("gate", ended)
    assert run.result["review_round"] == rounds
    assert len(run.result["findings"]) == (ended is steps.Outcome.SKIP)


async def test_a_gate_counts_in_a_shared_dict_as_well():
    table = steps.Workflow(
        "gated", GATED["gate"], steps.StepDef("mend", next={steps.Outcome.OK: "gate"})
    )
    run = await run_workflow(table, {"severity": "should"}, services=[])
    assert run.result["review_round"] == 5


def test_a_gate_says_its_outcomes():
    assert parse_signature(GATED["gate"].handler).outcomes == {
        steps.Outcome.OK,
        steps.Outcome.FAIL,
        steps.Outcome.SKIP,
    }
