"""Checkpoints: the questions to a person, and the answers."""

import uuid
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Protocol, runtime_checkable

from pydantic import BaseModel, Field, ValidationError
from pydantic.json_schema import SkipJsonSchema

from paper_search.errors import PersistenceError
from paper_search.models import (
    KnownPapersReport,
    MergeDecision,
    Paper,
    PaperCollection,
    ParsedIntent,
    ScopeReport,
    SearchStrategy,
    SourceReport,
)
from paper_search.models.usage import Budget, SpendingEstimate, StepSpending
from paper_search.threads.decisions import ClientForms
from paper_search.workflow.counts import RoundChanges, RoundCounts


class CheckpointKind(str, Enum):
    STRATEGY_CONFIRMATION = "strategy_confirmation"
    RESULT_REVIEW = "result_review"


class DecisionAction(str, Enum):
    APPROVE = "approve"
    EDIT = "edit"
    REJECT = "reject"


class StrategyPayload(BaseModel):
    intent: ParsedIntent
    strategy: SearchStrategy
    iteration: int = 0
    available_sources: list[str] = Field(default_factory=list)
    """Sources that an edit may name; empty if they are not known, so that any will do."""
    ranking_sources: list[str] = Field(default_factory=list)
    """Those of them that are also sent the ranked queries."""
    scope: ScopeReport | None = None
    """Hit counts, relaxed queries and suggested terms; None if hits were not counted."""
    counts: list[SourceReport] = Field(default_factory=list)
    """Requests to sources before this question: look-ups of papers, hit counts."""
    remarks: list[str] = Field(default_factory=list)
    """Probable mistakes in queries of the strategy, with the column."""
    changes: str = ""
    """Changes since the strategy of the previous round; empty if this is the first."""
    estimate: SpendingEstimate | None = None
    """Estimated cost of models up to the result; None if no model is asked."""
    usage: list[StepSpending] = Field(default_factory=list)
    budget: Budget | None = None


class SameWorkQuestion(BaseModel):
    """Two papers of the result that may be one work; undecided, they stay two."""

    one: str
    """Id of a record, for a `MergeDecision`."""
    other: str
    papers: list[str]
    """Ids of the two papers of the result that the records belong to."""
    confidence: float
    evidence: str


class ResultPayload(BaseModel):
    collection: PaperCollection
    accumulated_papers: list[Paper] = Field(default_factory=list)
    """Marked relevant in earlier rounds."""
    iteration: int = 0
    reports: list[SourceReport] = Field(default_factory=list)
    silent_sources: list[str] = Field(default_factory=list)
    """Sources without results in any round so far."""
    unfinished_sources: list[str] = Field(default_factory=list)
    """Sources that ran out of time; an edit with `wait_for_sources` gets the rest of them."""
    known_papers: KnownPapersReport | None = None
    """Which of the papers that the search must find were found; None if none were named."""
    fit: str = ""
    """How many papers of the round have all, some or no concepts of the question."""
    remark: str = ""
    """Side effects of the person's edit of the strategy, if any."""
    total_papers: int | None = None
    """The number of papers if the collection shows only the first; None if it has all."""
    hidden: int = 0
    """Relevant papers beyond the strategy's `max_papers`."""
    changes: RoundChanges | None = None
    """Papers that are new or moved since the previous result; None if this is the first."""
    counts: RoundCounts | None = None
    """How many records arrived in this round, and how many of them are new."""
    set_aside: int = 0
    """Papers that were found but are not in the collection; all can be marked."""
    excluded: int = 0
    """Papers set aside because they were marked irrelevant."""
    earlier: int = 0
    """Undecided papers that only earlier rounds found; all can be marked."""
    same_work: list[SameWorkQuestion] = Field(default_factory=list)
    """Pairs that only a person can decide, the likeliest first."""
    marks: dict[str, bool] = Field(default_factory=dict)
    """Marks from screening this round, by paper: is it relevant? They join any answer."""
    merge_decisions: list[MergeDecision] = Field(default_factory=list)
    """Decisions on pairs in this round so far; they join any answer."""
    earlier_marks: dict[str, bool] = Field(default_factory=dict)
    """Marks of earlier rounds that still hold."""
    stopping_estimate: str | None = None
    """How many papers of this round were screened, and a bound on what is left, if any were."""
    usage: list[StepSpending] = Field(default_factory=list)
    store_namespace: list[str] = Field(default_factory=list)
    """The namespace of the LangGraph store with the records of all papers, by id."""


class Checkpoint(ClientForms):
    kind: CheckpointKind
    payload: StrategyPayload | ResultPayload
    run_id: str = Field(default_factory=lambda: str(uuid.uuid4()))
    iteration: int = 0
    timestamp: str = Field(default_factory=lambda: datetime.now(UTC).isoformat())
    token: str = ""
    """A short name of the question; an answer with this token counts for no other question."""
    waits: int = Field(default=0, exclude_if=lambda waits: not waits)
    """Waits for slow sources in this iteration; after each, the question is asked again."""

    @property
    def reference(self) -> "CheckpointRef":
        return CheckpointRef(
            run_id=self.run_id, kind=self.kind, iteration=self.iteration, waits=self.waits
        )


class CheckpointRef(BaseModel):
    run_id: str
    kind: CheckpointKind
    iteration: int
    waits: int = Field(default=0, exclude_if=lambda waits: not waits)

    @property
    def position(self) -> tuple[int, bool, int]:
        """Return the sort key that orders the checkpoints of a thread as they are asked."""
        return self.iteration, self.kind is CheckpointKind.RESULT_REVIEW, self.waits

    @property
    def place(self) -> str:
        """Return what follows `--round` in a command `fork` that goes back to this checkpoint."""
        name = "result" if self.kind is CheckpointKind.RESULT_REVIEW else "strategy"
        return f"{self.iteration + 1} --to {name}"

    def __str__(self) -> str:
        again = f", asked again ({self.waits})" if self.waits else ""
        kind = self.kind.value.replace("_", " ")
        return f"{kind} of round {self.iteration + 1} of thread {self.run_id!r}{again}"


class Decision(BaseModel):
    action: DecisionAction
    revised_data: Any = None
    """A `SearchStrategy` at the strategy, a `UserFeedback` at the result, as JSON."""
    note: str | None = None
    checkpoint: CheckpointRef | None = None
    """The checkpoint that is answered; unless that one is open, the answer is refused."""
    token: str | None = None
    """The same, by the checkpoint's token."""
    decided_by: SkipJsonSchema[str | None] = None
    """Who decided; the ledger sets it, never an answer."""
    decided_at: SkipJsonSchema[str | None] = None
    """UTC, ISO 8601."""


@runtime_checkable
class CheckpointHandler(Protocol):
    """Answers checkpoints: a terminal, a page or a test."""

    async def handle(self, checkpoint: Checkpoint) -> Decision: ...


def parse_checkpoint(value: Any) -> Checkpoint:
    """Return the checkpoint in the value of an interrupt; raise PersistenceError if it has none."""
    try:
        return Checkpoint.model_validate(value)
    except ValidationError as error:
        fields = ", ".join(".".join(map(str, problem["loc"])) for problem in error.errors())
        raise PersistenceError(
            f"the open question cannot be read: this program did not ask it (fields: {fields}); "
            "continue with the program or the version that did"
        ) from None
