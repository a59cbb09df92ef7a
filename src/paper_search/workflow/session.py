"""The session of a search thread: its two questions, and papers to screen."""

import asyncio
from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from pydantic import BaseModel, Field

from paper_search.errors import StaleDecisionError, ThreadNotWaitingError
from paper_search.llm.metering import metered
from paper_search.models import MergeDecision, Paper, PaperCollection, SourceReport
from paper_search.models.scope import Translation
from paper_search.persistence import LedgerEntry
from paper_search.skills.intent.boolean_question import parse_boolean
from paper_search.skills.intent_parser import longest_question
from paper_search.steps.types import OUTCOME, PARAMS, VISITS, Outcome
from paper_search.threads.catalog import DecisionInfo
from paper_search.threads.questions import valid_question
from paper_search.threads.session import ThreadSession
from paper_search.threads.spending import meter_of
from paper_search.workflow.checkpoints import (
    Checkpoint,
    CheckpointKind,
    CheckpointRef,
    Decision,
    parse_checkpoint,
)
from paper_search.workflow.decisions import answer_model, past_decision
from paper_search.workflow.graph import WORKFLOW
from paper_search.workflow.judging import JudgingReport, judge_again
from paper_search.workflow.listing import ThreadCatalog, ThreadInfo
from paper_search.workflow.marks import MarkStore
from paper_search.workflow.questions import markable_ids, record_ids, result_question
from paper_search.workflow.records import SearchRecords, StrategyApprovals
from paper_search.workflow.results import collection_with_marks, final_collection
from paper_search.workflow.reviewers import Reviewers
from paper_search.workflow.rounds import (
    AddedFile,
    Batch,
    files_of_batches,
    reopen_values,
    save_batch,
    update_values,
    work_verdicts,
)
from paper_search.workflow.screening import Screening, open_screening, with_marks
from paper_search.workflow.skills import Skills
from paper_search.workflow.state import IterationRecord, SearchParams, WorkflowState

_AUDIT_FIELDS = ("decided_by", "decided_at")
"""Fields of the ledger that the graph gets with a decision."""


class SearchSession(ThreadSession[WorkflowState, Checkpoint, PaperCollection | None]):
    """Reads and drives one search; see `ThreadSession`."""

    workflow = WORKFLOW
    begins_with = ThreadCatalog.begins_with
    noun = "search"
    after_the_end = "Export its result, or start a new search"
    records_type = SearchRecords
    question_type = Checkpoint
    decision_type = Decision
    reference_type = CheckpointRef
    reference_field = "checkpoint"
    audit_fields = ("action", "note", "checkpoint")
    decided_fields = frozenset({"is_complete", "ended_by", "history"})
    edited_after: ClassVar[Mapping[str, str]] = {
        "confirm_strategy": "build_strategy",  # its hits are counted anew
        "review_results": "score",
    }

    records: SearchRecords

    @property
    def mark_store(self) -> MarkStore:
        return MarkStore(self.records)

    @classmethod
    def check_input(cls, asked_for: str) -> None:
        """See `ThreadSession.check_input`; a boolean query must also parse."""
        valid_question(asked_for, longest=longest_question(asked_for))
        parse_boolean(asked_for)

    async def result(self, state: WorkflowState | None = None) -> PaperCollection | None:
        """Return the latest collection; None for a thread without one that is not finished."""
        state = state or await self.state()
        if state.result is None and not state.is_complete:
            return None
        return await final_collection(state, self.records)

    async def mark(
        self, paper_ids: Sequence[str], *, is_relevant: bool | None, reason: str | None = None
    ) -> None:
        """Save marks of the current user for the next answer; None takes earlier marks back."""
        iteration = (await self.state()).current_iteration
        await self.mark_store.say(paper_ids, iteration, is_relevant=is_relevant, reason=reason)

    async def mark_pairs(self, decisions: Sequence[MergeDecision]) -> None:
        """Save decisions of the current user on pairs of records; see `mark`."""
        await self.mark_store.say_same(decisions, (await self.state()).current_iteration)

    async def screening(self) -> Screening:
        """Return the papers of the result to go through one by one.

        Raises:
            ThreadNotFoundError: there is no such thread.
            ThreadNotWaitingError: there is no result yet, or a run is making another one.
        """
        state = await self._at_result()
        collection = await collection_with_marks(state, self.records)
        return await self.screening_of(collection.papers, state)

    async def screening_of(self, papers: Sequence[Paper], state: WorkflowState) -> Screening:
        screening = await open_screening(papers, state, self.records)
        screening.check = partial(self.require_round, state.current_iteration)
        return screening

    async def require_round(self, iteration: int) -> None:
        """Raise StaleDecisionError if a mark of this round would join no answer."""
        snapshot = await self.snapshot()
        ids = [interrupt.id for interrupt in snapshot.interrupts]
        is_answered = bool(ids) and await self.ledger.entry(self.thread_id, ids[0]) is not None
        if is_answered or snapshot.values["current_iteration"] != iteration:
            raise StaleDecisionError(
                f"the question of thread {self.thread_id!r} has been answered, so your last "
                f"decision was not saved; `paper-search show {self.thread_id}` prints what is next"
            )

    async def reviewers(self) -> Reviewers:
        """Return the independent reviewers of the result. Raises the errors of `screening`."""
        state = await self._at_result()
        collection = await collection_with_marks(state, self.records)
        rows = await self.records.rows("reviews")
        work_of = await self.records.works_of([row["paper_id"] for row in rows.values()])
        ids = {work_of.get(row["paper_id"], row["paper_id"]) for row in rows.values()}
        rest = [p for p in (*collection.set_aside, *collection.earlier) if p.id in ids]
        papers = [*collection.papers, *rest]
        decided = [paper for paper in papers if paper.decision != "undecided"]
        decisions = {paper.id: paper.screening for paper in decided if paper.screening}
        iteration = state.current_iteration
        updates = await self._updates_by_work(state)
        now, verdicts = len(state.updates), await work_verdicts(state, self.records)
        earlier = {i: verdict for i, verdict in verdicts.items() if updates.get(i, now) < now}
        check = partial(self.require_round, iteration)
        return Reviewers(papers, self.records, iteration, decisions, updates, earlier, check)

    async def is_blind(self) -> bool:
        """Whether the decisions of other reviewers are still hidden."""
        if (await self.state()).result is None:
            return False
        try:
            return (await (await self.reviewers()).agreement()).is_blind
        except ThreadNotWaitingError:  # another result is being made
            return True

    async def _updates_by_work(self, state: WorkflowState) -> dict[str, int]:
        """Return, by work, the update that found it (0: the first search); empty without any."""
        starts = [update.iteration for update in state.updates]
        rounds = await self.records.rounds(state.searched) if starts else []
        work_of = await self.records.works_of([i for round_ in rounds for i in round_.records])
        updates = dict[str, int]()
        for round_ in reversed(rounds):
            number = bisect(starts, round_.iteration)
            updates |= {work_of.get(i, i): number for i in round_.records}
        return updates

    async def join(self, load: Callable[[list[AddedFile]], Batch]) -> None:
        """Add records of files to the result, and ask the question about it again.

        The caller holds the lease. `load` takes the files that were added before.
        """
        state = await self._at_result()
        number = state.batches + 1
        files = await files_of_batches(self.records, state.batches)
        batch = await asyncio.to_thread(load, files)
        await save_batch(self.records, batch, number)
        values: dict[str, Any] = {"waits": state.waits + 1, "batches": number, "arriving": number}
        if state.is_complete:
            params = (await self.channels()).get(PARAMS)
            values |= await reopen_values(state, params, self.records)
        detail = {"files": [file.name for file in batch.files]}
        await self._continue(Outcome.ITERATE, values, ("added", batch.by, detail))

    async def update(self, by: str, *, is_quiet: bool = False) -> None:
        """See `paper_search.review.update_review`. The caller holds the lease."""
        state = await self.state()
        if not state.is_complete:
            raise ThreadNotWaitingError(
                f"thread {self.thread_id!r} is not finished, so it cannot be updated: answer its "
                f"question first (`paper-search resume {self.thread_id}`)"
            )
        params, kind = (await self.channels()).get(PARAMS), {"is_quiet": is_quiet}
        values = await update_values(state, params, self.records, by, **kind)
        await StrategyApprovals(self.records).begin(is_asking=True)
        await self._continue(Outcome.OK, values, ("updated", by, kind), after="build_strategy")

    async def _continue(
        self,
        outcome: Outcome,
        values: Mapping[str, Any],
        event: tuple[str, str, dict[str, Any]],
        after: str = "review_results",
    ) -> None:
        interrupt, (name, by, detail) = await self.interrupt(), event
        update = {OUTCOME: outcome.value, VISITS: {}, **values}
        await self.compiled.aupdate_state(self.anywhere, update, as_node=after)
        open_id = interrupt.id if interrupt else ""
        await self.ledger.note(self.thread_id, open_id, name, by, detail)
        await self._run(None)

    async def _at_result(self) -> WorkflowState:
        """Return the state of a thread with a result to screen. Raises as `screening` does."""
        state = await self.state()
        waiting = None if state.is_complete else await self.open_question()
        at_result = waiting is not None and (waiting.question.kind is CheckpointKind.RESULT_REVIEW)
        if state.result is None or not (state.is_complete or at_result):
            raise ThreadNotWaitingError(
                f"thread {self.thread_id!r} has no result to screen or to add to: it is neither "
                "finished nor waiting for a decision on one. Resume it up to that question"
            )
        return state

    async def judge_again(self, skills: Skills, *, is_all: bool) -> JudgingReport:
        """Have the papers of the latest result judged; see `SearchWorkflow.judge`."""
        state, values = await self.state(), await self.channels()
        budget = SearchParams.model_validate(values.get(PARAMS) or {}).budget
        place = "judge", state.current_iteration
        metering = skills.metering
        meter = await meter_of(place, state.usage, self.thread_id, metering, budget)
        with metered(meter):
            return await judge_again(state, self.records, skills, is_all=is_all)

    @classmethod
    def audit_detail(cls, decision: Mapping[str, Any]) -> dict[str, Any]:
        """See `ThreadSession.audit_detail`; notes that an edit waits for sources."""
        revised = decision.get("revised_data")
        is_waiting = isinstance(revised, Mapping) and bool(revised.get("wait_for_sources"))
        waits = {"wait_for_sources": True} if is_waiting else {}
        return super().audit_detail(decision) | waits

    async def _question(self, interrupt_value: Any, state: WorkflowState) -> Checkpoint:
        checkpoint = parse_checkpoint(interrupt_value)
        if checkpoint.kind is CheckpointKind.STRATEGY_CONFIRMATION:
            return checkpoint
        names = checkpoint.run_id, checkpoint.token
        whole = await result_question(state, names, self.records, preview=None)
        payload = await with_marks(whole.payload, state, self.records)
        return whole.model_copy(update={"timestamp": checkpoint.timestamp, "payload": payload})

    def _answers(self, question: Checkpoint, state: WorkflowState) -> Any:
        return answer_model(question, markable_ids(state), record_ids(state))

    def past_decision(self, reference: CheckpointRef, decision: Any) -> Decision | None:
        return past_decision(reference.kind, decision)

    def decision_for_ledger(self, decision: BaseModel, reference: CheckpointRef) -> dict[str, Any]:
        """See `ThreadSession`; without who decided, which only the ledger says."""
        row = super().decision_for_ledger(decision, reference)
        return {name: value for name, value in row.items() if name not in _AUDIT_FIELDS}

    def _decision_for_graph(self, entry: LedgerEntry) -> dict[str, Any]:
        return entry.decision | {name: getattr(entry, name) for name in _AUDIT_FIELDS}

    async def undo_effects(self, reference: CheckpointRef) -> None:
        # The strategy of a result was approved before it; waiting searches it again.
        first = reference.iteration + (reference.kind is CheckpointKind.RESULT_REVIEW)
        await StrategyApprovals(self.records).revoke(first)
        await self.records.undo_judgements(first)

    async def restore_records(
        self, reference: CheckpointRef, before: WorkflowState
    ) -> dict[str, Any]:
        state, iteration = await self.state(), reference.iteration
        await self.mark_store.carry(iteration, iteration)
        if state.result is not None:
            await self.records.regroup(state.result)
        is_result = reference.kind is CheckpointKind.RESULT_REVIEW
        for round_ in await self.records.rounds([iteration]) if is_result else ():
            rows = await self.records.arrivals(iteration, state.waits + 1)
            await self.records.save_round(round_.model_copy(update={"arrivals": rows}))
        files = await files_of_batches(self.records, before.batches)
        stay = {file.digest for file in await files_of_batches(self.records, state.batches)}
        names = [file.name for file in files if file.digest not in stay]
        return {"files": names} if names else {}


class ThreadDetail(ThreadInfo):
    """One thread in full."""

    open_checkpoint: Checkpoint | None = None
    collection: PaperCollection | None = None
    """The latest result."""
    reports: list[SourceReport] = Field(default_factory=list)
    history: list[IterationRecord] = Field(default_factory=list)
    searched: list[int] = Field(default_factory=list)
    """See `WorkflowState.searched`."""
    decisions: list[DecisionInfo] = Field(default_factory=list)
    """Decisions and refused answers, with who gave them and when, the oldest first."""
    translations: list[Translation] = Field(default_factory=list)
    """What each source will be sent, if a strategy waits and the caller asked for it."""
