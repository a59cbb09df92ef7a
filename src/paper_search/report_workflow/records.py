"""What one report collected and wrote, in the LangGraph store; the state holds ids and numbers."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel
from typing_extensions import override

from paper_search.errors import ModelCallLimitError
from paper_search.llm.provider import LLMProvider
from paper_search.report.models import Critique, ResearchDraft, ResearchPlan, SearchResult
from paper_search.threads.approvals import Approvals
from paper_search.threads.records import ROOT, RecordStore, storable

INDEX = (ROOT, "reports")
"""Every report by its thread."""
_IN_FLIGHT = "in flight"
_BOUNDARY = re.compile(r"\bdata-[0-9a-f]{16}\b")
_DECIDED_ON = {"original_query", "decomposed_questions", "expected_sections", "methodology"}
"""What of a plan stays as it was decided; its queries change while they are asked."""


class ReportRecords(RecordStore):
    """Reads and writes the records of one report. Writing twice changes nothing."""

    listed_in = INDEX

    async def store_results(self, results: Sequence[SearchResult]) -> list[str]:
        rows = [_row(result) for result in results]
        await self.put("report_results", {row["result_id"]: row for row in rows})
        return [row["result_id"] for row in rows]

    async def results(self, ids: Sequence[str]) -> list[SearchResult]:
        """Return what was collected, in the order of the ids."""
        values = await self.get("report_results", ids)
        return [SearchResult.model_validate(value) for value in self.in_order(values, ids)]

    async def store_draft(self, draft: ResearchDraft) -> None:
        await self.put("report_drafts", {str(draft.version): _row(draft)})

    async def draft(self, version: int) -> ResearchDraft | None:
        values = await self.get("report_drafts", [str(version)])
        value = values.get(str(version))
        return ResearchDraft.model_validate(value) if value else None

    async def store_critique(self, critique: Critique) -> None:
        await self.put("report_critiques", {str(critique.version): _row(critique)})

    async def critique(self, version: int) -> Critique | None:
        values = await self.get("report_critiques", [str(version)])
        value = values.get(str(version))
        return Critique.model_validate(value) if value else None


class StepModel(LLMProvider):
    """A model as one step asks it: a limited number of times, and the same only once.

    Each call is counted on the records before it is made, and each answer is kept there: a step
    that is repeated after a crash loses no count and pays for nothing again.
    """

    def __init__(self, llm: LLMProvider, records: ReportRecords, step: str, most: int) -> None:
        self._llm = llm
        self._records = records
        self._step = step
        self._most = most
        self._counting = asyncio.Lock()
        self.calls = 0

    async def begin(self) -> None:
        """Take over what the step's first try did, and delete the answers of the steps before."""
        row = (await self._records.get("report_calls", [_IN_FLIGHT])).get(_IN_FLIGHT, {})
        self.calls = int(row["calls"]) if row.get("step") == self._step else 0
        keys = await self._records.keys("report_answers")
        past = [key for key in keys if not key.startswith(f"{self._step}/")]
        await self._records.put("report_answers", dict.fromkeys(past))

    @override
    async def complete(self, system_prompt: str, user_message: str) -> str:
        await self._count()
        return await self._llm.complete(system_prompt, user_message)

    @override
    async def complete_json(
        self, system_prompt: str, user_message: str, schema: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        key = f"{self._step}/{_digest(system_prompt, user_message, schema)}"
        row = (await self._records.get("report_answers", [key])).get(key)
        if row is not None:
            return dict(row["answer"])
        await self._count()
        answer = await self._llm.complete_json(system_prompt, user_message, schema)
        await self._records.put("report_answers", {key: {"answer": storable(answer)}})
        return answer

    async def _count(self) -> None:
        async with self._counting:
            if self.calls >= self._most:
                raise ModelCallLimitError(
                    f"the report may ask a model {self._most} more times and has done so; "
                    "raise max_model_calls to allow more"
                )
            self.calls += 1
            row = {"step": self._step, "calls": self.calls}
            await self._records.put("report_calls", {_IN_FLIGHT: row})


def _digest(system_prompt: str, user_message: str, schema: dict[str, Any] | None) -> str:
    """Return the same for the same question, whose data blocks differ in their marks."""
    text = f"{system_prompt}\0{_BOUNDARY.sub('data', user_message)}\0{schema}"
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


class PlanApprovals(Approvals[ResearchPlan]):
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
