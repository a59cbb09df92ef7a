"""What the threads of a search have of their own: two questions, and papers to screen."""

import asyncio
from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from pydantic import BaseModel, Field

from paper_search.errors import ThreadNotWaitingError
from paper_search.llm.metering import metered
from paper_search.models import MergeDecision, PaperCollection, SourceReport
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
    reopened,
    save_batch,
    updated,
    work_verdicts,
)
from paper_search.workflow.screening import Screening, open_screening, with_marks
from paper_search.workflow.skills import Skills
from paper_search.workflow.state import IterationRecord, SearchParams, WorkflowState

_AUDIT_FIELDS = ("decided_by", "decided_at")
"""What the graph is told of a decision besides the decision."""


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
    audited = ("action", "note", "checkpoint")
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
        """See `ThreadSession.check_input`; a boolean query has to be one that can be read."""
        valid_question(asked_for, longest=longest_question(asked_for))
        parse_boolean(asked_for)

    async def result(self, state: WorkflowState | None = None) -> PaperCollection | None:
        """Return the latest collection; None if nothing was searched and the thread is not done."""
        state = state or await self.state()
        if state.result is None and not state.is_complete:
            return None
        return await final_collection(state, self.records)

    async def mark(
        self, paper_ids: Sequence[str], *, is_relevant: bool | None, reason: str | None = None
    ) -> None:
        """Save what the person at hand says of papers; it joins the next answer.

        `is_relevant`: None: what was said of them before is taken back.
        """
        iteration = (await self.state()).current_iteration
        await self.mark_store.say(paper_ids, iteration, is_relevant=is_relevant, reason=reason)

    async def mark_pairs(self, decisions: Sequence[MergeDecision]) -> None:
        """Save what the person at hand says of pairs of records; see `mark`."""
        await self.mark_store.say_same(decisions, (await self.state()).current_iteration)

    async def screening(self) -> Screening:
        """Return the papers of the result to go through one by one.

        Raises:
            ThreadNotFoundError: there is no such thread.
            ThreadNotWaitingError: there is no result yet, or another one is being made.
        """
        state = await self._at_result()
        collection = await collection_with_marks(state, self.records)
        return await open_screening(collection.papers, state, self.records)

    async def reviewers(self) -> Reviewers:
        """Return who decides on the papers of the result independently; Raises as `screening`."""
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
        brought = await self._brought_by(state)
        now, verdicts = len(state.updates), await work_verdicts(state, self.records)
        earlier = {i: verdict for i, verdict in verdicts.items() if brought.get(i, now) < now}
        return Reviewers(papers, self.records, iteration, decisions, brought, earlier)

    async def is_blind(self) -> bool:
        """Whether reviewers are not shown yet what others decided on papers."""
        if (await self.state()).result is None:
            return False
        try:
            return (await (await self.reviewers()).agreement()).is_blind
        except ThreadNotWaitingError:  # another result is being made
            return True

    async def _brought_by(self, state: WorkflowState) -> dict[str, int]:
        """Return by work which update brought it; 0: the first search; empty: there was none."""
        starts = [update.iteration for update in state.updates]
        rounds = await self.records.rounds(state.searched) if starts else []
        work_of = await self.records.works_of([i for round_ in rounds for i in round_.records])
        brought = dict[str, int]()
        for round_ in reversed(rounds):
            number = bisect(starts, round_.iteration)
            brought |= {work_of.get(i, i): number for i in round_.records}
        return brought

    async def join(self, load: Callable[[list[AddedFile]], Batch]) -> None:
        """Have records of files join the result, up to the question about it, which is asked again.

        The caller holds the lease. `load` takes the files that joined before.
        """
        state = await self._at_result()
        number = state.batches + 1
        files = await files_of_batches(self.records, state.batches)
        batch = await asyncio.to_thread(load, files)
        await save_batch(self.records, batch, number)
        values: dict[str, Any] = {"waits": state.waits + 1, "batches": number, "arriving": number}
        if state.is_complete:
            params = (await self.channels()).get(PARAMS)
            values |= await reopened(state, params, self.records)
        detail = {"files": [file.name for file in batch.files]}
        await self._continue(Outcome.ITERATE, values, ("added", batch.by, detail))

    async def update(self, by: str, *, is_quiet: bool = False) -> None:
        """See `paper_search.review.update_review`. The caller holds the lease.

        With `is_quiet`, nobody is asked if every source has as many hits as before.
        """
        state = await self.state()
        if not state.is_complete:
            raise ThreadNotWaitingError(
                f"thread {self.thread_id!r} is not done, so it is not updated: answer its "
                f"question first (`paper-search resume {self.thread_id}`)"
            )
        params, kind = (await self.channels()).get(PARAMS), {"is_quiet": is_quiet}
        values = await updated(state, params, self.records, by, **kind)
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
        """Return the state of a thread that has a result to screen; Raises as `screening`."""
        state = await self.state()
        waiting = None if state.is_complete else await self.open_question()
        at_result = waiting is not None and (waiting.question.kind is CheckpointKind.RESULT_REVIEW)
        if state.result is None or not (state.is_complete or at_result):
            raise ThreadNotWaitingError(
                f"thread {self.thread_id!r} has no result to screen or to add to: it is neither "
                "done nor does it wait with one. Resume it up to the question about the result"
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
        """See `ThreadSession.audit_detail`; an edit that waits for sources says so."""
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

    def as_stored(self, decision: BaseModel, reference: CheckpointRef) -> dict[str, Any]:
        """See `ThreadSession`; who decided stands beside it, and nobody can pass for another."""
        row = super().as_stored(decision, reference)
        return {name: value for name, value in row.items() if name not in _AUDIT_FIELDS}

    def _decision_for_graph(self, entry: LedgerEntry) -> dict[str, Any]:
        return entry.decision | {name: getattr(entry, name) for name in _AUDIT_FIELDS}

    async def undo_effects(self, reference: CheckpointRef) -> None:
        # The strategy of a result was decided before it; who waits has it searched again.
        first = reference.iteration + (reference.kind is CheckpointKind.RESULT_REVIEW)
        await StrategyApprovals(self.records).revoke(first)
        await self.records.undo_judgements(first)

    async def settle(self, reference: CheckpointRef, before: WorkflowState) -> dict[str, Any]:
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
    """Who decided what when, and what was refused, in the order of time."""
    translations: list[Translation] = Field(default_factory=list)
    """What each source will be sent, where a strategy waits and the sources were looked at."""
