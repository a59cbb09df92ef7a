"""Checkpoints: what a person is asked, and what they may answer."""

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
    """A question to a person."""

    STRATEGY_CONFIRMATION = "strategy_confirmation"
    RESULT_REVIEW = "result_review"


class DecisionAction(str, Enum):
    """What a person can do with a checkpoint."""

    APPROVE = "approve"
    EDIT = "edit"
    REJECT = "reject"


class StrategyPayload(BaseModel):
    """What is needed to decide on a strategy."""

    intent: ParsedIntent
    strategy: SearchStrategy
    iteration: int = 0
    available_sources: list[str] = Field(default_factory=list)
    """What an edit may name; empty: not known, anything goes."""
    ranking_sources: list[str] = Field(default_factory=list)
    """Which of them are asked the ranked queries, besides the boolean ones."""
    scope: ScopeReport | None = None
    """Hit counts, relaxed queries and suggested terms; None means nobody looked."""
    counts: list[SourceReport] = Field(default_factory=list)
    """What was sent to sources before this question, to read it and to count hits."""
    remarks: list[str] = Field(default_factory=list)
    """What a query of the strategy probably does not mean, with the column."""
    changes: str = ""
    """How it differs from the strategy of the round before; empty: this is the first."""
    estimate: SpendingEstimate | None = None
    """What the models will cost up to the result, about; None if none is asked."""
    usage: list[StepSpending] = Field(default_factory=list)
    """What each step spent on models so far."""
    budget: Budget | None = None
    """What the thread may spend at most; None for no limit."""


class SameWorkQuestion(BaseModel):
    """Two papers of the result that may be one work; what is left open stays two."""

    one: str
    """Id of a record, for a `MergeDecision`."""
    other: str
    papers: list[str]
    """Ids of the two papers of the result that the records belong to."""
    confidence: float
    evidence: str
    """What agrees and what does not, in words."""


class ResultPayload(BaseModel):
    """What is needed to decide on a result."""

    collection: PaperCollection
    accumulated_papers: list[Paper] = Field(default_factory=list)
    """Marked relevant in earlier rounds."""
    iteration: int = 0
    reports: list[SourceReport] = Field(default_factory=list)
    """What each source did in this round."""
    silent_sources: list[str] = Field(default_factory=list)
    """Sources that gave nothing in any round so far."""
    unfinished_sources: list[str] = Field(default_factory=list)
    """Sources that ran out of time: an edit with `wait_for_sources` takes the rest of them."""
    known_papers: KnownPapersReport | None = None
    """What became of the papers that the search must find; None if none were named."""
    fit: str = ""
    """How many papers of the round have all concepts of the question, some and none."""
    remark: str = ""
    """What the person's edit of the strategy changed that they did not; empty: nothing."""
    total_papers: int | None = None
    """How many papers there are, where the collection shows only the first; None if it has all."""
    hidden: int = 0
    """Relevant papers beyond the strategy's `max_papers`."""
    changes: RoundChanges | None = None
    """What is new and what moved since the result before; None if this is the first."""
    counts: RoundCounts | None = None
    """How many records arrived in this round, and what of them is new."""
    set_aside: int = 0
    """Papers that were found but are not among those of the collection; all can be marked."""
    excluded: int = 0
    """Of those set aside, the papers that were marked irrelevant."""
    earlier: int = 0
    """Papers that only earlier rounds found, and nobody decided on; all can be marked."""
    same_work: list[SameWorkQuestion] = Field(default_factory=list)
    """Pairs that only a person can tell, the likeliest first."""
    marks: dict[str, bool] = Field(default_factory=dict)
    """What was marked while screening this round: is it relevant? It joins any answer to this."""
    merge_decisions: list[MergeDecision] = Field(default_factory=list)
    """What was said of pairs in this round so far; it joins any answer to this."""
    earlier_marks: dict[str, bool] = Field(default_factory=dict)
    """What was marked in earlier rounds and still holds."""
    stopping_estimate: str | None = None
    """How many papers of this round were screened, if any, and a bound on what is left."""
    usage: list[StepSpending] = Field(default_factory=list)
    """What each step spent on models so far."""
    store_namespace: list[str] = Field(default_factory=list)
    """Where the records of all papers are, in the LangGraph store, by id."""


class Checkpoint(ClientForms):
    kind: CheckpointKind
    payload: StrategyPayload | ResultPayload
    run_id: str = Field(default_factory=lambda: str(uuid.uuid4()))
    iteration: int = 0
    timestamp: str = Field(default_factory=lambda: datetime.now(UTC).isoformat())
    token: str = ""
    """The short name of the question; an answer that carries it counts for no other one."""
    waits: int = Field(default=0, exclude_if=lambda waits: not waits)
    """How often slow sources were waited for in this iteration: each time it is asked again."""

    @property
    def reference(self) -> "CheckpointRef":
        return CheckpointRef(
            run_id=self.run_id, kind=self.kind, iteration=self.iteration, waits=self.waits
        )


class CheckpointRef(BaseModel):
    """Names one checkpoint."""

    run_id: str
    kind: CheckpointKind
    iteration: int
    waits: int = Field(default=0, exclude_if=lambda waits: not waits)
    """Of the checkpoint."""

    @property
    def position(self) -> tuple[int, bool, int]:
        """Return what orders the checkpoints of a thread by when they are asked."""
        return self.iteration, self.kind is CheckpointKind.RESULT_REVIEW, self.waits

    @property
    def place(self) -> str:
        """Return what follows `--round` where the command `fork` goes back to it."""
        name = "result" if self.kind is CheckpointKind.RESULT_REVIEW else "strategy"
        return f"{self.iteration + 1} --to {name}"

    def __str__(self) -> str:
        again = f", asked anew ({self.waits})" if self.waits else ""
        kind = self.kind.value.replace("_", " ")
        return f"{kind} of round {self.iteration + 1} of thread {self.run_id!r}{again}"


class Decision(BaseModel):
    action: DecisionAction
    revised_data: Any = None
    """A `SearchStrategy` at the strategy, a `UserFeedback` at the result, as JSON."""
    note: str | None = None
    checkpoint: CheckpointRef | None = None
    """The checkpoint that is meant; an answer that names another one is refused."""
    token: str | None = None
    """The same by the checkpoint's token."""
    decided_by: SkipJsonSchema[str | None] = None
    """Who gave it; the ledger says, no answer."""
    decided_at: SkipJsonSchema[str | None] = None
    """UTC, ISO 8601."""


@runtime_checkable
class CheckpointHandler(Protocol):
    """Whoever answers: a terminal, a page, a test."""

    async def handle(self, checkpoint: Checkpoint) -> Decision: ...


def parse_checkpoint(value: Any) -> Checkpoint:
    """Return the checkpoint in what an interrupt shows.

    Raises:
        PersistenceError: another version of the program, or another graph, wrote it.
    """
    try:
        return Checkpoint.model_validate(value)
    except ValidationError as error:
        fields = ", ".join(".".join(map(str, problem["loc"])) for problem in error.errors())
        raise PersistenceError(
            f"the open question cannot be read: this program did not ask it (fields: {fields}); "
            "go on with the program or the version that did"
        ) from None
