"""Quality gates: which findings of a review block the work in which round."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

from pydantic import BaseModel, TypeAdapter

from paper_search.steps.types import Outcome, StepContext, StepUpdate

STRICT_ROUNDS = 2
"""Up to this round, every finding blocks."""
MILDER_ROUNDS = 4
"""Up to this round, MUST and SHOULD block; after it, only MUST."""


class Severity(str, Enum):
    MUST = "must"
    SHOULD = "should"
    COULD = "could"


class Finding(BaseModel, frozen=True):
    severity: Severity
    text: str
    location: str = ""


def blocking_severities(round_number: int) -> frozenset[Severity]:
    """Return the severities that block in a round, counted from 1."""
    if round_number < 1:
        raise ValueError(f"rounds are counted from 1, not {round_number!r}")
    if round_number <= STRICT_ROUNDS:
        return frozenset(Severity)
    if round_number <= MILDER_ROUNDS:
        return frozenset({Severity.MUST, Severity.SHOULD})
    return frozenset({Severity.MUST})


@dataclass(frozen=True)
class QualityGate:
    """Turns a review into an outcome: ok, fail (revise), or skip (after the last round).

    It is the `take` of a `Dispatch` to the reviewing workflow.

    Args:
        findings: field of the review's result, and of this state, with the findings.
        round_field: field of this state that counts the rounds.
        max_rounds: the last round, in which blocking findings lead to skip.
    """

    findings: str = "findings"
    round_field: str = "review_round"
    max_rounds: int = 6

    def __call__(
        self, ctx: StepContext[Any, Any, Any], result: Mapping[str, Any]
    ) -> tuple[Literal[Outcome.OK, Outcome.FAIL, Outcome.SKIP], StepUpdate]:
        """Return the outcome of the round, with the findings that block."""
        state = ctx.step_state
        past = state if isinstance(state, Mapping) else vars(state)
        round_number = past.get(self.round_field, 0) + 1
        findings = TypeAdapter(list[Finding]).validate_python(result.get(self.findings, []))
        severities = blocking_severities(round_number)
        blocking = [finding for finding in findings if finding.severity in severities]
        update = {self.round_field: round_number, self.findings: blocking}
        if not blocking:
            return Outcome.OK, update
        return (Outcome.FAIL if round_number < self.max_rounds else Outcome.SKIP), update
