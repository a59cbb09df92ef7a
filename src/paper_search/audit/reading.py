"""All data of a search, read from its thread for an audit."""

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from paper_search.errors import ThreadNotWaitingError
from paper_search.models import PaperCollection, RawPaper, SourceReport
from paper_search.persistence import AuditEntry, LedgerEntry, Persistence
from paper_search.review.open_texts import TEXT_ROWS
from paper_search.review.text_reviewers import TextReviewers
from paper_search.sources.base import title_of
from paper_search.workflow import ThreadCatalog, ThreadInfo
from paper_search.workflow.counts import SearchedRound
from paper_search.workflow.full_texts import FullText, full_texts
from paper_search.workflow.marks import ScreeningMark
from paper_search.workflow.records import work_of_members
from paper_search.workflow.reviewers import Agreement
from paper_search.workflow.state import WorkflowState


@dataclass(frozen=True)
class ReviewThread:
    info: ThreadInfo
    state: WorkflowState
    records: dict[str, RawPaper] = field(default_factory=dict)
    """Every record that any round found, as returned by its source, by id."""
    work_of: dict[str, str] = field(default_factory=dict)
    """The work that a record was last merged into, by id."""
    rounds: list[SearchedRound] = field(default_factory=list)
    """Rounds that count, without one that was reopened and not searched again."""
    collection: PaperCollection | None = None
    """The latest result."""
    marks: list[ScreeningMark] = field(default_factory=list)
    ledger: list[LedgerEntry] = field(default_factory=list)
    agreement: Agreement = field(default_factory=Agreement)
    """Of independent reviewers, if there were any."""
    independent: dict[str, list[ScreeningMark]] = field(default_factory=dict)
    """The marks of each of them; empty until all are done."""
    events: list[AuditEntry] = field(default_factory=list)
    full_texts: dict[str, FullText] = field(default_factory=dict)
    """Of works whose full text was sought, by work id."""
    text_agreement: Agreement = field(default_factory=Agreement)
    """Of independent reviewers of full texts."""
    withdrawn: list[Mapping[str, Any]] = field(default_factory=list)
    """Verdicts on full texts of reviewers who left; see `TextReviewers`."""
    text_rows: list[SourceReport] = field(default_factory=list)
    """Requests for full texts."""

    @property
    def reports(self) -> list[SourceReport]:
        return [*self.state.journal, *self.text_rows]

    @property
    def is_between_steps(self) -> bool:
        state = self.state
        return bool(state.found or state.works or state.scores)


def names_of_sources(sources: Iterable[str]) -> dict[str, str]:
    """Return display names of sources; a service and files of the same database share one."""
    groups: dict[str, list[str]] = {}
    for source in sorted({*sources}):
        groups.setdefault(title_of(source).casefold(), []).append(source)
    every = [(source, group) for group in groups.values() for source in group]
    return {source: title_of(group[0]) if group[1:] else source for source, group in every}


async def load_review(persistence: Persistence, thread_id: str) -> ReviewThread:
    """Read all data of a search; ThreadNotFoundError if there is no such search."""
    catalog = ThreadCatalog(persistence)
    info = await catalog.info(thread_id)
    session = catalog.session(thread_id)
    state = await session.state()
    parts = ("records", TEXT_ROWS, "members")
    rows, text_rows, members = [await session.records.rows(part) for part in parts]
    agreement, independent = Agreement(), dict[str, list[ScreeningMark]]()
    with contextlib.suppress(ThreadNotWaitingError):  # there is no result to decide on yet
        reviewers = await session.reviewers()
        agreement = await reviewers.agreement()
        if not agreement.is_blind:
            for reviewer in agreement.reviewers:
                independent[reviewer.name] = (await reviewers.screening(reviewer.name)).marks
    collection, texts = await session.result(), await full_texts(session.records)
    included = {p.id for p in collection.papers if p.decision == "included"} if collection else ()
    own_texts = {i: text for i, text in texts.items() if i in included}
    text_reviewers = await TextReviewers.load(session.records, own_texts)
    return ReviewThread(
        info=info,
        state=state,
        records={i: RawPaper.model_validate(row) for i, row in rows.items()},
        work_of=work_of_members(members),
        rounds=await session.records.rounds(state.searched),
        collection=collection,
        marks=await session.mark_store.marks(),
        ledger=await session.entries(),
        agreement=agreement,
        independent=independent,
        events=await persistence.ledger.audit(thread_id),
        full_texts=texts,
        text_rows=[SourceReport.model_validate(row) for row in text_rows.values()],
        text_agreement=text_reviewers.agreement,
        withdrawn=text_reviewers.withdrawn,
    )
