"""What one report collected and wrote, in the LangGraph store; the state holds ids and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from paper_search.report.models import Critique, ResearchDraft, ResearchPlan, SearchResult
from paper_search.threads.approvals import Approvals
from paper_search.threads.records import ROOT, RecordStore, storable

INDEX = (ROOT, "reports")
"""Every report by its thread."""
_DECIDED_ON = {"original_query", "decomposed_questions", "expected_sections", "methodology"}
"""What of a plan stays as it was decided; its queries change while they are asked."""


class ReportRecords(RecordStore):
    """Reads and writes the records of one report. Writing twice changes nothing."""

    listed_in = INDEX

    async def put_results(self, results: Sequence[SearchResult]) -> list[str]:
        """Store what was collected and return the ids, in order."""
        rows = [_row(result) for result in results]
        await self.put("report_results", {row["result_id"]: row for row in rows})
        return [row["result_id"] for row in rows]

    async def results(self, ids: Sequence[str]) -> list[SearchResult]:
        """Return what was collected, in the order of the ids."""
        values = await self.get("report_results", ids)
        return [SearchResult.model_validate(value) for value in self.in_order(values, ids)]

    async def put_draft(self, draft: ResearchDraft) -> None:
        """Store a version of the text."""
        await self.put("report_drafts", {str(draft.version): _row(draft)})

    async def draft(self, version: int) -> ResearchDraft | None:
        """Return a version of the text, or None."""
        values = await self.get("report_drafts", [str(version)])
        value = values.get(str(version))
        return ResearchDraft.model_validate(value) if value else None

    async def put_critique(self, critique: Critique) -> None:
        """Store the review of a version."""
        await self.put("report_critiques", {str(critique.version): _row(critique)})

    async def critique(self, version: int) -> Critique | None:
        """Return the review of a version, or None."""
        values = await self.get("report_critiques", [str(version)])
        value = values.get(str(version))
        return Critique.model_validate(value) if value else None

    async def put_calls(self, step: str, calls: int) -> None:
        """Store how often the step in flight asked a model so far."""
        await self.put("report_calls", {"in flight": {"step": step, "calls": calls}})

    async def calls(self, step: str) -> int:
        """Return how often a step asked a model that ended without an outcome; 0: it did not."""
        value = (await self.get("report_calls", ["in flight"])).get("in flight", {})
        return int(value["calls"]) if value.get("step") == step else 0


class StepAnswers:
    """What a model answered in the step in flight: repeated after a crash, it asks for less."""

    def __init__(self, records: ReportRecords, step: str) -> None:
        self._records = records
        self._step = step

    async def clear(self) -> None:
        """Delete the answers of the steps before: they are in the state."""
        keys = await self._records.keys("report_answers")
        past = [key for key in keys if not key.startswith(f"{self._step}/")]
        await self._records.put("report_answers", dict.fromkeys(past))

    async def kept(self, name: str) -> Any:
        """Return an answer, or None."""
        key = f"{self._step}/{name}"
        return (await self._records.get("report_answers", [key])).get(key, {}).get("answer")

    async def keep(self, name: str, answer: Any) -> None:
        """Keep an answer."""
        row = {f"{self._step}/{name}": {"answer": storable(answer)}}
        await self._records.put("report_answers", row)


class PlanApprovals(Approvals[ResearchPlan]):
    """The plan of one report that a person let pass."""

    part = "report_approvals"
    field = "plan"
    noun = "report"

    def _key(self, number: int) -> str:
        del number  # one plan at a time
        return "passed"

    def _decided_on(self, proposal: ResearchPlan) -> dict[str, Any]:
        return proposal.model_dump(include=_DECIDED_ON)


def _row(model: BaseModel) -> dict[str, Any]:
    row: dict[str, Any] = storable(model.model_dump(mode="json"))
    return row
