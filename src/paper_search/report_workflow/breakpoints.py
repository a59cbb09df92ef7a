"""The three breakpoints where a person is asked, and what they may answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from types import MappingProxyType
from typing import Any, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, Field

from paper_search.report.models import now

BreakpointName = Literal["plan_review", "pre_output_review", "critical_issue_review"]
TimedBreakpoint = Literal["plan_review", "pre_output_review"]
"""Those that may be approved by silence, where configured; critical issues never are."""


class HITLAction(str, Enum):
    """What a person can do."""

    APPROVE = "approve"
    REJECT = "reject"
    MODIFY = "modify"
    SKIP = "skip"


@dataclass(frozen=True)
class HITLBreakpoint:
    """One point where a person is asked."""

    name: str
    location: str
    """The step after which it is."""
    trigger: str
    timeout_seconds: int
    timeout_setting: str
    """The setting of a run that says otherwise."""
    required_fields: tuple[str, ...]
    auto_approve_on_timeout: bool = False
    question: str = ""


HITL_BREAKPOINTS: Mapping[str, HITLBreakpoint] = MappingProxyType(
    {
        "plan_review": HITLBreakpoint(
            name="Research Plan Review",
            location="planner",
            trigger="after",
            timeout_seconds=1800,
            timeout_setting="plan_review_timeout",
            required_fields=(
                "research_plan.decomposed_questions",
                "research_plan.search_queries",
                "research_plan.expected_sections",
            ),
            question="is this the plan of the report?",
        ),
        "pre_output_review": HITLBreakpoint(
            name="Final Output Review",
            location="reviewer",
            trigger="after",
            timeout_seconds=3600,
            timeout_setting="output_review_timeout",
            required_fields=(
                "draft.title",
                "draft.abstract",
                "draft.sections",
                "critique.overall_score",
            ),
            question="is this the report?",
        ),
        "critical_issue_review": HITLBreakpoint(
            name="Critical Issue Escalation",
            location="reviewer",
            trigger="after",
            timeout_seconds=7200,
            timeout_setting="critical_review_timeout",
            required_fields=("critique.items", "draft.title"),
            question="critical issues remain; what should be done?",
        ),
    }
)


class Review(BaseModel):
    """A question to a person about a report."""

    kind: BreakpointName
    name: str
    run_id: str
    number: int
    """Which question of this report it is, from 1."""
    shows: dict[str, Any]
    """What is needed to decide, by the names of the state."""
    actions: list[HITLAction]
    """Those that are taken; what each does is in `effects`."""
    effects: dict[str, str] = Field(default_factory=dict)
    asked_at: datetime
    timeout_seconds: int
    auto_approve_on_timeout: bool = False
    token: str = ""
    """The short name of the question; an answer that carries it counts for no other one."""

    @property
    def expires_at(self) -> datetime:
        """Return when the time to answer is over."""
        return self.asked_at + timedelta(seconds=self.timeout_seconds)

    def is_overdue(self) -> bool:
        """Whether the time to answer is over."""
        return now() >= self.expires_at

    @property
    def reference(self) -> ReviewRef:
        """Return what names the question."""
        return ReviewRef(run_id=self.run_id, kind=self.kind, number=self.number)


class ReviewRef(BaseModel):
    """Names one question."""

    run_id: str
    kind: BreakpointName
    number: int

    @property
    def position(self) -> int:
        """Return what orders the questions of a report by when they are asked."""
        return self.number

    def __str__(self) -> str:
        """Return the reference in words."""
        return f"{self.kind} number {self.number} of report {self.run_id!r}"


class ReviewDecision(BaseModel):
    """An answer to a review."""

    action: HITLAction
    feedback: str | None = None
    modifications: dict[str, Any] | None = None
    """`research_plan` or `draft` with the fields that change; only for modify."""
    review: ReviewRef | None = None
    """The question that is meant; an answer that names another one is refused."""
    token: str | None = None
    """The same by the question's token."""
    decided_by: Literal["person", "timeout"] = "person"


@runtime_checkable
class ReviewHandler(Protocol):
    """Whoever answers: a terminal, a page, a test."""

    async def handle(self, review: Review) -> ReviewDecision:
        """Return the person's decision."""
        ...
