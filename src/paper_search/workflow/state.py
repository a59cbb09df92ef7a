"""The state of one search, shared by all steps: decisions, ids and scores, never records."""

from collections import Counter
from typing import Annotated, Any

from pydantic import BaseModel, Field

from paper_search.models import (
    EndReason,
    Facets,
    KnownPapersReport,
    MergeDecision,
    PairEvidence,
    Paper,
    PaperCollection,
    ParsedIntent,
    Purpose,
    ScopeReport,
    SearchMetadata,
    SearchStrategy,
    SourceReport,
    UserFeedback,
)
from paper_search.models.query import MOST_RESULTS
from paper_search.models.usage import Budget, StepSpending
from paper_search.skills.strategy.changes import changes
from paper_search.steps.types import Untracked
from paper_search.workflow.counts import RoundChanges, RoundCounts

SCHEMA_VERSION = 1
"""Version of the channels; a thread of another version is refused."""

DEFAULT_MAX_ITERATIONS = 5
MOST_ITERATIONS = 100
MAX_WAITS = 20
"""Waits for slow sources in one search, over all rounds."""
MOST_SEARCHES = MOST_ITERATIONS + MAX_WAITS
"""Sources are queried at most once a round, and once for each wait."""


class SearchRequest(BaseModel):
    """The input of the graph."""

    question: str
    workflow_params: dict[str, Any] | None = None
    """Settings of this run, as `SearchParams`; the run's context does as well."""


class SearchParams(BaseModel, frozen=True):
    """The settings of a run; they are fixed when it starts."""

    max_iterations: int = Field(default=DEFAULT_MAX_ITERATIONS, ge=0, le=MOST_ITERATIONS)
    """After so many answers the search ends without an approval; 0: at once, with no result."""
    enable_strategy_checkpoint: bool = True
    enable_result_checkpoint: bool = True
    sources: list[str] | None = None
    """Search only these; None for the strategy's choice."""
    max_results: int | None = Field(default=None, ge=1, le=MOST_RESULTS)
    """Show at most this many papers; None for the number that the strategy has, if any."""
    must_find: list[str] = Field(default_factory=list, max_length=1000)
    """Papers that a good search finds: DOIs, arXiv ids, PMIDs (`pmid:1`) or titles."""
    enrich: bool = False
    """Look up what merged works lack: abstract, DOI, open text."""
    preview_papers: int = Field(default=20, ge=0, le=200)
    """How many papers a question shows in full."""
    budget: Budget | None = None
    """What the thread may spend on models at most; None for no limit."""


class EditRecord(BaseModel):
    """A person's edit of a strategy, before it was searched."""

    proposed: SearchStrategy
    by: str | None = None
    at: str | None = None
    """UTC, ISO 8601."""
    criteria_gone: list[str] = Field(default_factory=list, exclude_if=lambda texts: not texts)
    """Criteria that were removed together with a limit."""

    def summary(self, strategy: SearchStrategy) -> str:
        changed = changes(self.proposed, strategy) or "the same terms in another form"
        remark = self.remark(strategy)
        return f"edited by {self.by or 'a person'}: {changed}{'; ' * bool(remark)}{remark}"

    def remark(self, strategy: SearchStrategy) -> str:
        """Return what a person should know about an edit besides its changes, if anything."""
        texts = ", ".join(f"“{text}”" for text in self.criteria_gone)
        notes = [note for note in strategy.notes if note not in self.proposed.notes]
        gone = [f"no longer a criterion, because its limit was removed: {texts}"] if texts else []
        return "; ".join([*gone, *notes])


class IterationRecord(BaseModel):
    """One iteration, ended by an answer."""

    iteration: int
    strategy: SearchStrategy
    result_count: int
    edit: EditRecord | None = Field(default=None, exclude_if=lambda edit: edit is None)
    """The edit of the proposed strategy; None if nobody edited it."""
    feedback: UserFeedback | None = None
    decided_by: str | None = None
    decided_at: str | None = None
    """UTC, ISO 8601."""
    waits: int = Field(default=0, exclude_if=lambda waits: not waits)
    """Waits for slow sources before that answer."""
    is_rejected: bool = Field(default=False, exclude_if=lambda is_rejected: not is_rejected)
    """Whether the answer was a rejection, of the strategy or the result."""


class ReviewUpdate(BaseModel):
    """An update of a finished search: its strategy is searched again for new works."""

    iteration: int
    """Its first round."""
    at: str
    """UTC, ISO 8601."""
    by: str
    searched_at: str
    """When the round before was searched (UTC, ISO 8601)."""
    ended_by: EndReason | None = None
    """How the search had ended."""
    is_quiet: bool = False
    """Whether nobody is asked if every source has as many hits as before."""
    paper_ids: list[str] = Field(default_factory=list)
    """Papers of the result before the update; empty if an older version began it."""
    set_aside_ids: list[str] = Field(default_factory=list)
    """Papers that this result had set aside."""


class CollectionRef(BaseModel):
    """A collection whose papers are in the store."""

    metadata: SearchMetadata
    facets: Facets
    paper_ids: list[str]
    set_aside_ids: list[str] = Field(default_factory=list)
    """Found, but not shown first: below the line, beyond `max_papers` or marked irrelevant."""
    earlier_ids: list[str] = Field(default_factory=list)
    """Undecided papers that only earlier rounds found."""
    hidden: int = 0
    """Relevant papers beyond the strategy's `max_papers`; they are set aside."""
    members: dict[str, list[str]] = Field(default_factory=dict)
    """Ids of the records of each paper, unless it has only the one of its own id."""
    counts: RoundCounts | None = None
    """The counts of its round; None if they are not known."""
    changes: RoundChanges | None = None
    """The changes since the previous result; None if this is the first."""
    compared_ids: list[str] = Field(default_factory=list, exclude_if=lambda ids: not ids)
    """The papers of the previous result, in order; waits in this round do not change them."""
    part: str = "papers"
    """The part of the store with the papers that are more than work and verdict."""

    @property
    def all_ids(self) -> list[str]:
        return [*self.paper_ids, *self.set_aside_ids, *self.earlier_ids]


class WorkflowState(BaseModel):
    """The state of one search."""

    current_iteration: int = 0
    history: list[IterationRecord] = Field(default_factory=list)
    accumulated_papers: Annotated[list[Paper], Untracked] = Field(default_factory=list)
    """Papers marked relevant so far; a checkpoint holds only the marks."""
    is_complete: bool = False

    schema_version: int = SCHEMA_VERSION
    question: str = ""
    intent: ParsedIntent | None = None
    strategy: SearchStrategy | None = None
    edit: EditRecord | None = None
    """The edit of this round's strategy; None if it is as proposed."""
    scope: ScopeReport | None = None
    """Hit counts of the strategy; None if an older version of the program wrote it."""
    found: list[str] = Field(default_factory=list)
    """Ids of the records that this round's search returned."""
    pool: list[str] = Field(default_factory=list)
    """Ids of the records of earlier rounds; of a rejected round, those decided on."""
    works: list[str] = Field(default_factory=list)
    """Ids of the merged records, until they are judged."""
    earlier: list[str] = Field(default_factory=list)
    """Ids of works that only earlier rounds found."""
    scores: dict[str, float] = Field(default_factory=dict)
    """Relevance by id, until they are organised; in the order of the result if `is_ordered`."""
    is_ordered: bool = False
    awaited: list[str] = Field(default_factory=list)
    """Sources that this round's search queries once more; empty: it queries all."""
    waits: int = 0
    """How often the result of this round was made again: for slow sources, or for files."""
    updates: list[ReviewUpdate] = Field(default_factory=list)
    """All updates; the rounds since the last one began are part of it."""
    batches: int = 0
    """Batches of files that were added after the thread began."""
    arriving: int = 0
    """The number of the batch to add instead of a search; 0: the sources are searched."""
    counts: list[SourceReport] = Field(default_factory=list)
    """Requests before an approval, in all rounds: papers that the question names, hit counts."""
    reports: list[SourceReport] = Field(default_factory=list)
    """What each source did in this round."""
    earlier_reports: list[SourceReport] = Field(default_factory=list)
    """What each source did in the rounds before."""
    known_papers: KnownPapersReport | None = None
    """Which of the papers that the run must find were found, in all rounds."""
    fit: str = ""
    """How many papers of this round have all, some or no concepts of the question."""
    uncertain: list[PairEvidence] = Field(default_factory=list)
    """Pairs of records of this round that may be one work; a person decides."""
    result: CollectionRef | None = None
    ended_by: EndReason | None = None
    usage: list[StepSpending] = Field(default_factory=list)
    """What each step spent on models, in the order of the first visits."""
    collection: Annotated[PaperCollection | None, Untracked] = None
    """The final collection in full: output of the run, never in a checkpoint."""

    @property
    def new_update(self) -> ReviewUpdate | None:
        """Return the update that begins with this round, if any."""
        begins = bool(self.updates) and self.updates[-1].iteration == self.current_iteration
        return self.updates[-1] if begins else None

    @property
    def cache_mark(self) -> str:
        """Return the mark by which an update uses no answer that was cached before it."""
        return self.updates[-1].at if self.updates else ""

    @property
    def previous_strategies(self) -> list[SearchStrategy]:
        return [record.strategy for record in self.history]

    @property
    def latest_feedback(self) -> UserFeedback | None:
        return self.history[-1].feedback if self.history else None

    @property
    def earlier_feedback(self) -> list[str]:
        """Return the notes of earlier rounds, oldest first."""
        notes = (r.feedback.free_text_feedback for r in self.history[:-1] if r.feedback)
        return [note for note in notes if note]

    @property
    def unfinished_sources(self) -> list[str]:
        count = self.waits + sum(record.waits for record in self.history) - self.batches
        names = [r.source for r in self.reports if r.is_unfinished and not r.is_asked_again]
        return list(dict.fromkeys(names)) if count < MAX_WAITS else []

    @property
    def journal(self) -> list[SourceReport]:
        """Return a row for each query to each source, in the order of rounds."""
        rows = [*self.counts, *self.earlier_reports, *self.reports]
        return sorted(rows, key=lambda row: row.iteration)

    @property
    def searched(self) -> set[int]:
        """Return the rounds in which sources were searched, or files added.

        The store may hold later ones, which a fork left. It holds none of version 0.1.0a1, which
        did not record who allowed a search.
        """
        rows = (*self.earlier_reports, *self.reports)
        return {row.iteration for row in rows if row.allowed_by is not None}

    @property
    def asked_sources(self) -> set[int]:
        """Return the rounds in which sources were searched, not only files added."""
        rows = (row for row in (*self.earlier_reports, *self.reports) if not row.is_file)
        asked = {row.iteration for row in rows if row.purpose is Purpose.SEARCH}
        return self.searched & asked or self.searched

    @property
    def is_without_hits(self) -> bool:
        """Return whether sources were asked, and all answered that they have nothing."""
        is_answered = any(row.is_asked for row in self.reports)
        is_failed = any(row.is_failure for row in self.reports)
        return is_answered and not (is_failed or self.found or self.pool)

    def count_of(self, record: IterationRecord) -> int | None:
        """Return the number of papers that an ended round showed; None if it searched nothing."""
        is_searched = record.result_count or record.iteration in self.searched
        return record.result_count if is_searched else None

    @property
    def ranking_pairs(self) -> set[tuple[str, str]]:
        """Return the pairs of source and query of this round whose ranks count.

        If a source ranked the question, only that order counts: papers that only its boolean
        queries found come after.
        """
        pairs = {(report.source, report.query) for report in self.reports if report.query}
        if self.strategy is None or not self.strategy.ranked:
            return pairs
        works = self.strategy.works
        others = {query.boolean_query for query in self.strategy.queries}
        others |= {*works, " ".join(works)}
        ranking = {source for source, query in pairs if query not in others}
        return {pair for pair in pairs if pair[0] not in ranking or pair[1] not in others}

    @property
    def ranked_question(self) -> str:
        """Return the question as sent to sources that rank; else its topic."""
        text = " ".join(query.text for query in self.strategy.ranked) if self.strategy else ""
        return text or (self.intent.topic if self.intent else "")

    @property
    def marks(self) -> dict[str, bool]:
        """Return all marks by paper id, in their order: is it relevant? The latest counts."""
        return {i: is_relevant for i, (is_relevant, _) in self.marks_with_rounds.items()}

    @property
    def marks_with_rounds(self) -> dict[str, tuple[bool, IterationRecord]]:
        """Return the marks with the round of the answer that made each."""
        marks: dict[str, tuple[bool, IterationRecord]] = {}
        for record in self.history:
            feedback = record.feedback or UserFeedback()
            yes, no = feedback.marked_relevant, feedback.marked_irrelevant
            for paper_id in (*feedback.unmarked, *yes, *no):
                marks.pop(paper_id, None)
            marks |= dict.fromkeys(yes, (True, record)) | dict.fromkeys(no, (False, record))
        return marks

    @property
    def accumulated_ids(self) -> list[str]:
        return [i for i, is_relevant in self.marks.items() if is_relevant]

    @property
    def merge_decisions(self) -> list[MergeDecision]:
        """Return the decisions on pairs of records in any round; the latest counts."""
        decisions: dict[frozenset[str], MergeDecision] = {}
        for record in self.history:
            for decision in record.feedback.merge_decisions if record.feedback else []:
                decisions[frozenset((decision.one, decision.other))] = decision
        return list(decisions.values())

    @property
    def silent_sources(self) -> list[str]:
        counts: Counter[str] = Counter()
        for row in (*self.earlier_reports, *self.reports):
            if row.purpose is not Purpose.FILL and row.query != "":
                counts[row.source] += row.kept
        return [name for name, count in counts.items() if count == 0]

    def record_iteration(
        self, strategy: SearchStrategy, result_count: int, feedback: UserFeedback | None = None
    ) -> None:
        self.history.append(
            IterationRecord(
                iteration=self.current_iteration,
                strategy=strategy,
                result_count=result_count,
                feedback=feedback,
            )
        )
        self.current_iteration += 1

    def add_accumulated(self, papers: list[Paper]) -> None:
        existing = {paper.id for paper in self.accumulated_papers}
        for paper in papers:
            if paper.id not in existing:
                self.accumulated_papers.append(paper)
                existing.add(paper.id)


class StepState(WorkflowState, frozen=True):
    """The state as a step receives it; only what the step returns changes it."""


class SearchOutput(BaseModel):
    """The output of the graph."""

    question: str
    is_complete: bool
    current_iteration: int
    ended_by: EndReason | None
    reports: list[SourceReport]
    result: CollectionRef | None
    collection: PaperCollection | None
