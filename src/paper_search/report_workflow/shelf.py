"""What one report collected and wrote, in the LangGraph store; the state holds ids and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from langgraph.store.base import BaseStore, GetOp, Item, Op, PutOp

from paper_search.report.models import Critique, ResearchDraft, SearchResult
from paper_search.workflow.records import PAGE, ROOT

INDEX = (ROOT, "reports")
"""Every report by its thread."""
PARTS = ("report_results", "report_drafts", "report_critiques", "report_calls")


class ReportShelf:
    """Reads and writes the records of one report. Writing twice changes nothing.

    Args:
        store: where they are.
        thread_id: whose they are.
    """

    def __init__(self, store: BaseStore, thread_id: str) -> None:
        self._store = store
        self._thread_id = thread_id

    def namespace(self, part: str) -> tuple[str, ...]:
        """Return where a part of the records is; dots are not allowed in a namespace."""
        return (ROOT, self._thread_id.replace(".", "%2E"), part)

    async def put_results(self, results: Sequence[SearchResult]) -> list[str]:
        """Store what was collected and return the ids, in order."""
        await self._put("report_results", {r.result_id: r.model_dump(mode="json") for r in results})
        return [each.result_id for each in results]

    async def results(self, ids: Sequence[str]) -> list[SearchResult]:
        """Return what was collected, in the order of the ids."""
        values = await self._get("report_results", ids)
        return [SearchResult.model_validate(values[each]) for each in ids]

    async def put_draft(self, draft: ResearchDraft) -> None:
        """Store a version of the text."""
        await self._put("report_drafts", {str(draft.version): draft.model_dump(mode="json")})

    async def draft(self, version: int) -> ResearchDraft | None:
        """Return a version of the text; None: there is none."""
        values = await self._get("report_drafts", [str(version)])
        value = values.get(str(version))
        return ResearchDraft.model_validate(value) if value else None

    async def put_critique(self, critique: Critique) -> None:
        """Store the review of a version."""
        values = {str(critique.version): critique.model_dump(mode="json")}
        await self._put("report_critiques", values)

    async def critique(self, version: int) -> Critique | None:
        """Return the review of a version; None: there is none."""
        values = await self._get("report_critiques", [str(version)])
        value = values.get(str(version))
        return Critique.model_validate(value) if value else None

    async def put_calls(self, step: str, calls: int) -> None:
        """Store how often the step in flight asked a model so far."""
        await self._put("report_calls", {"in flight": {"step": step, "calls": calls}})

    async def calls(self, step: str) -> int:
        """Return how often a step asked a model that ended without an outcome; 0: it did not."""
        value = (await self._get("report_calls", ["in flight"])).get("in flight", {})
        return int(value["calls"]) if value.get("step") == step else 0

    async def index(self, question: str) -> None:
        """Enter the report in the index of all reports, or bring its time up to date."""
        entry = await self._store.aget(INDEX, self._thread_id)
        at = datetime.now(UTC).isoformat()
        created_at = entry.value["created_at"] if entry else at
        value = {"question": question, "created_at": created_at, "updated_at": at}
        await self._store.aput(INDEX, self._thread_id, value, index=False)

    async def delete(self) -> None:
        """Delete every record of the report."""
        for part in PARTS:
            namespace = self.namespace(part)
            while items := await self._store.asearch(namespace, limit=PAGE):
                await self._store.abatch([PutOp(namespace, each.key, None) for each in items])
        await self._store.adelete(INDEX, self._thread_id)

    async def _put(self, part: str, values: dict[str, dict[str, Any]]) -> None:
        namespace = self.namespace(part)
        operations: list[Op] = [PutOp(namespace, k, v, index=False) for k, v in values.items()]
        for start in range(0, len(operations), PAGE):
            await self._store.abatch(operations[start : start + PAGE])

    async def _get(self, part: str, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        namespace = self.namespace(part)
        operations: list[Op] = [GetOp(namespace, key) for key in dict.fromkeys(ids)]
        values: dict[str, dict[str, Any]] = {}
        for start in range(0, len(operations), PAGE):
            for item in await self._store.abatch(operations[start : start + PAGE]):
                if isinstance(item, Item):
                    values[item.key] = item.value
        return values
