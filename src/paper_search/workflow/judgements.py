"""What a model judges by in a thread, and what it said, kept for all threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langgraph.store.base import BaseStore
from typing_extensions import override

from paper_search.skills.judging.criteria import with_note
from paper_search.steps import StepUpdate
from paper_search.threads.records import ROOT, RecordStore, storable
from paper_search.workflow.decisions import StrategyEdit
from paper_search.workflow.state import WorkflowState


class _SharedRows(RecordStore):
    """Rows that belong to no thread."""

    @override
    def namespace(self, part: str) -> tuple[str, ...]:
        return (ROOT, part)


class StoredJudgements:
    """Keeps judgements in the store of the threads; see `JudgementCache`.

    Deleting a thread leaves them there: they say nothing of its question but what its hash does.
    """

    def __init__(self, store: BaseStore) -> None:
        self._rows = _SharedRows(store, "")

    async def get(self, keys: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        """Return those that are there, by key."""
        return await self._rows.get(_PART, keys)

    async def put(self, rows: Mapping[str, dict[str, Any]]) -> None:
        """Store them; they are on disk on return."""
        await self._rows.put(_PART, {key: storable(row) for key, row in rows.items()})


def judged_by(state: WorkflowState, edited: Any) -> StepUpdate:
    """Return the intent with the criteria of an edit; nothing: they stay as they are."""
    criteria = edited.criteria if isinstance(edited, StrategyEdit) else None
    if criteria is None or state.intent is None:
        return {}
    return {"intent": state.intent.judged_by(criteria)}


def judged_by_note(state: WorkflowState) -> StepUpdate:
    """Return the intent with criteria for what the person's latest note asks for.

    Nothing, where it asks for nothing that a paper can be judged by, or no model judges.
    """
    note = state.latest_feedback.free_text_feedback if state.latest_feedback else None
    if not note or state.intent is None or not state.intent.criteria:
        return {}
    return {"intent": state.intent.judged_by(with_note(state.intent.criteria, note))}


_PART = "judged"
