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
"""Of the channels; a thread of another version is refused, never misread."""

DEFAULT_MAX_ITERATIONS = 5
MOST_ITERATIONS = 100
MAX_WAITS = 20
"""How often one search waits for slow sources, in all rounds together."""
MOST_SEARCHES = MOST_ITERATIONS + MAX_WAITS
"""How often the sources are asked at most: once a round, and once for each time of waiting."""


class SearchRequest(BaseModel):
    """The input of the graph."""

    question: str
    """What literature is needed, in the person's words."""
    workflow_params: dict[str, Any] | None = None
    """Settings of this run, as `SearchParams`; the run's context does as well."""


class SearchParams(BaseModel, frozen=True):
    """The settings of a run; they are fixed when it starts."""

    max_iterations: int = Field(default=DEFAULT_MAX_ITERATIONS, ge=0, le=MOST_ITERATIONS)
    """How many answers of a person it takes to end the search without an approval; 0: the search
    ends at once, with nothing."""
    enable_strategy_checkpoint: bool = True
    """Ask before searching."""
    enable_result_checkpoint: bool = True
    """Ask before ending."""
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
    """The criteria that went with limits that were taken off."""

    def summary(self, strategy: SearchStrategy) -> str:
        changed = changes(self.proposed, strategy) or "the same terms in another form"
        remark = self.remark(strategy)
        return f"edited by {self.by or 'a person'}: {changed}{'; ' * bool(remark)}{remark}"

    def remark(self, strategy: SearchStrategy) -> str:
        """Return what a person should know of an edit beside its changes; empty: nothing.

        `strategy`: what the edit has become, with a note where it asked for more than it may.
        """
        texts = ", ".join(f"“{text}”" for text in self.criteria_gone)
        notes = [note for note in strategy.notes if note not in self.proposed.notes]
        gone = [f"no longer a criterion, since its limit was taken off: {texts}"] if texts else []
        return "; ".join([*gone, *notes])


class IterationRecord(BaseModel):
    """One iteration, ended by an answer."""

    iteration: int
    strategy: SearchStrategy
    result_count: int
    edit: EditRecord | None = Field(default=None, exclude_if=lambda edit: edit is None)
    """What was proposed in place of the strategy, and who edited it; None if nobody did."""
    feedback: UserFeedback | None = None
    decided_by: str | None = None
    decided_at: str | None = None
    """UTC, ISO 8601."""
    waits: int = Field(default=0, exclude_if=lambda waits: not waits)
    """How often slow sources were waited for before that answer."""
    is_rejected: bool = Field(default=False, exclude_if=lambda is_rejected: not is_rejected)
    """Whether the answer was a rejection, of the strategy or the result."""


class ReviewUpdate(BaseModel):
    """An update of a search that was done: its strategy is searched again for what is new."""

    iteration: int
    """The round that it begins with."""
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
    """Of the result that the search had ended with; empty if an older version began the update."""
    set_aside_ids: list[str] = Field(default_factory=list)
    """The same, of what it had set aside."""


class CollectionRef(BaseModel):
    """A collection whose papers are in the store."""

    metadata: SearchMetadata
    facets: Facets
    paper_ids: list[str]
    set_aside_ids: list[str] = Field(default_factory=list)
    """Found, but not shown first: below the line, beyond `max_papers` or marked irrelevant."""
    earlier_ids: list[str] = Field(default_factory=list)
    """What only earlier rounds found, and nobody decided on."""
    hidden: int = 0
    """Relevant papers beyond the strategy's `max_papers`; they are set aside."""
    members: dict[str, list[str]] = Field(default_factory=dict)
    """Ids of the records that a paper stands for, where that is not the one of its own id."""
    counts: RoundCounts | None = None
    """What its round brought; None if it is not known."""
    changes: RoundChanges | None = None
    """What differs from the result that was shown before; None if this is the first."""
    compared_ids: list[str] = Field(default_factory=list, exclude_if=lambda ids: not ids)
    """The papers of that result, in its order; a wait in this round does not change them."""
    part: str = "papers"
    """Where in the store the papers are that are more than record and verdict."""

    @property
    def all_ids(self) -> list[str]:
        return [*self.paper_ids, *self.set_aside_ids, *self.earlier_ids]


class WorkflowState(BaseModel):
    """The state of one search."""

    current_iteration: int = 0
    history: list[IterationRecord] = Field(default_factory=list)
    accumulated_papers: Annotated[list[Paper], Untracked] = Field(default_factory=list)
    """Papers marked relevant so far; a checkpoint keeps the marks only."""
    is_complete: bool = False

    schema_version: int = SCHEMA_VERSION
    question: str = ""
    intent: ParsedIntent | None = None
    strategy: SearchStrategy | None = None
    edit: EditRecord | None = None
    """Of the strategy of this round; None if it is as proposed."""
    scope: ScopeReport | None = None
    """What the sources have for the strategy; None means an older program wrote the strategy."""
    found: list[str] = Field(default_factory=list)
    """Ids of the records that this round's search gave."""
    pool: list[str] = Field(default_factory=list)
    """Ids of the records of the rounds before it; of one that was rejected, those decided on."""
    works: list[str] = Field(default_factory=list)
    """Ids of the merged records, until they are judged."""
    earlier: list[str] = Field(default_factory=list)
    """Ids of those that only rounds before this one found, and nobody marked relevant."""
    scores: dict[str, float] = Field(default_factory=dict)
    """Relevance by id, until they are organised; in the order of the result if `is_ordered`."""
    is_ordered: bool = False
    awaited: list[str] = Field(default_factory=list)
    """Sources that this round's search asks once more, alone; empty: it asks all."""
    waits: int = 0
    """How often the result of this round was made again: for slow sources, or for files."""
    updates: list[ReviewUpdate] = Field(default_factory=list)
    """Every round from that of the last one on is part of it."""
    batches: int = 0
    """How many batches of files joined the thread after it was begun."""
    arriving: int = 0
    """The number of the batch that joins in place of a search; 0: the sources are asked."""
    counts: list[SourceReport] = Field(default_factory=list)
    """What sources were asked in all rounds before the strategy was approved: to find a paper that
    the question names, and to count hits."""
    reports: list[SourceReport] = Field(default_factory=list)
    """What each source did in this round."""
    earlier_reports: list[SourceReport] = Field(default_factory=list)
    """What each source did in the rounds before."""
    known_papers: KnownPapersReport | None = None
    """What became of the papers that the run must find, in all rounds."""
    fit: str = ""
    """How many papers of this round have all concepts of the question, some and none."""
    uncertain: list[PairEvidence] = Field(default_factory=list)
    """Pairs of records of this round that may be one work: questions for a person."""
    result: CollectionRef | None = None
    """The latest collection."""
    ended_by: EndReason | None = None
    usage: list[StepSpending] = Field(default_factory=list)
    """What each step spent on models, in the order of the first visits."""
    collection: Annotated[PaperCollection | None, Untracked] = None
    """The final collection in full: output of the run, never in a checkpoint."""

    @property
    def new_update(self) -> ReviewUpdate | None:
        """Return the update that begins with this round; None if none does."""
        begins = bool(self.updates) and self.updates[-1].iteration == self.current_iteration
        return self.updates[-1] if begins else None

    @property
    def mark_of_answers(self) -> str:
        """Return what keeps the answers of an update apart from those that were stored before."""
        return self.updates[-1].at if self.updates else ""

    @property
    def previous_strategies(self) -> list[SearchStrategy]:
        return [record.strategy for record in self.history]

    @property
    def latest_feedback(self) -> UserFeedback | None:
        return self.history[-1].feedback if self.history else None

    @property
    def earlier_feedback(self) -> list[str]:
        """Return what the person wrote before that, oldest first."""
        said = (record.feedback for record in self.history[:-1])
        return [each.free_text_feedback for each in said if each and each.free_text_feedback]

    @property
    def unfinished_sources(self) -> list[str]:
        count = self.waits + sum(record.waits for record in self.history) - self.batches
        names = [r.source for r in self.reports if r.is_unfinished and not r.is_asked_again]
        return list(dict.fromkeys(names)) if count < MAX_WAITS else []

    @property
    def journal(self) -> list[SourceReport]:
        """Return a row for every query to every source, in the order of rounds."""
        rows = [*self.counts, *self.earlier_reports, *self.reports]
        return sorted(rows, key=lambda row: row.iteration)

    @property
    def searched(self) -> set[int]:
        """Return the rounds in which sources were searched, or files taken.

        A store may hold a later one: the thread went back to a question before it. Of rounds of
        version 0.1.0a1, which did not say who allowed a search, either, it holds none.
        """
        rows = (*self.earlier_reports, *self.reports)
        return {row.iteration for row in rows if row.allowed_by is not None}

    @property
    def asked_sources(self) -> set[int]:
        """Return the rounds whose strategy was searched; one that took files alone is none."""
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
        """Return how many papers an ended round showed; None if nothing was searched in it."""
        is_searched = record.result_count or record.iteration in self.searched
        return record.result_count if is_searched else None

    @property
    def ranking_pairs(self) -> set[tuple[str, str]]:
        """Return the sources of this round with the queries whose ranks count.

        Where a source ranked the question, its order is that of the question: what only its
        boolean queries found comes after.
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
        """Return the question as sources that rank were asked it; else its topic."""
        text = " ".join(query.text for query in self.strategy.ranked) if self.strategy else ""
        return text or (self.intent.topic if self.intent else "")

    @property
    def marks(self) -> dict[str, bool]:
        """Return every mark of every round by paper id: is it relevant? The latest mark counts.

        In the order in which they were made.
        """
        return {i: is_relevant for i, (is_relevant, _) in self.marks_with_rounds.items()}

    @property
    def marks_with_rounds(self) -> dict[str, tuple[bool, IterationRecord]]:
        """Return the marks with the round whose answer made each."""
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
        """Return what was said on pairs of records in any round; the latest word counts."""
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
        """End the iteration: remember it and count it."""
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
    """The state as a step gets it: only what the step returns changes it."""


class SearchOutput(BaseModel):
    """The output of the graph."""

    question: str
    is_complete: bool
    current_iteration: int
    ended_by: EndReason | None
    reports: list[SourceReport]
    result: CollectionRef | None
    collection: PaperCollection | None
