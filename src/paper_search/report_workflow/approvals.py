"""Which plan a person let pass: kept outside of the state, which a client can write."""

from __future__ import annotations

import hashlib

from pydantic_core import to_json

from paper_search.errors import UnapprovedStrategyError
from paper_search.report.models import ResearchPlan
from paper_search.report_workflow.records import ReportRecords

_TERMS = "terms"
_PASSED = "passed"
_PROPOSED = "proposed-"
_DECIDED_ON = {"original_query", "decomposed_questions", "expected_sections", "methodology"}
"""What of a plan stays as it was decided; its queries change while they are asked."""


class PlanApprovals:
    """The plan that one report may collect by.

    Args:
        records: of the report.
    """

    def __init__(self, records: ReportRecords) -> None:
        self._records = records

    async def propose(self, plan: ResearchPlan, number: int) -> None:
        """Note the plan that a person is about to be shown; none that passed before counts."""
        shown = {f"{_PROPOSED}{number}": {"plan": _digest(plan)}}
        await self._records.put_approvals({_TERMS: {"is_asking": True}, _PASSED: None, **shown})

    async def ask_nobody(self) -> None:
        """Note that the plan needs no person."""
        await self._records.put_approvals({_TERMS: {"is_asking": False}, _PASSED: None})

    async def approve(self, plan: ResearchPlan, number: int) -> None:
        """Note that a person let the plan of a question pass.

        It does not count if it is not the one that was shown: a client can change the state in the
        same breath in which it answers.
        """
        proposed = await self._records.approval(f"{_PROPOSED}{number}")
        if proposed is None or proposed["plan"] == _digest(plan):
            await self.write(plan)

    async def write(self, plan: ResearchPlan) -> None:
        """Note that a person wrote the plan."""
        await self._records.put_approvals({_PASSED: {"plan": _digest(plan)}})

    async def require(self, plan: ResearchPlan, thread_id: str) -> None:
        """Let sources be collected by a plan that passed, or that needs no person.

        Raises:
            UnapprovedStrategyError: a person has to be asked, and did not let this plan pass.
        """
        terms = await self._records.approval(_TERMS)
        if terms is None or not terms["is_asking"]:
            return  # None: a report that an older program began, which kept no approvals
        passed = await self._records.approval(_PASSED)
        if passed is None or passed["plan"] != _digest(plan):
            raise UnapprovedStrategyError(
                f"report {thread_id!r} would collect by a plan that no person let pass: answer the "
                "question about the plan; a step cannot be skipped by jumping over it. "
                "`paper-search fork` goes back to the question"
            )


def _digest(plan: ResearchPlan) -> str:
    return hashlib.sha256(to_json(plan.model_dump(include=_DECIDED_ON))).hexdigest()
