"""The logs of an audit: searches (PRISMA-S), decisions, and the strategy of each round."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from paper_search.audit.flow import RecordRow
from paper_search.audit.reading import ReviewThread
from paper_search.models import (
    Purpose,
    SearchConstraints,
    SearchStrategy,
    SourceReport,
    SourceStatus,
)
from paper_search.models.source_report import REASONS, quantity
from paper_search.persistence import LedgerEntry
from paper_search.skills.strategy.changes import changes
from paper_search.workflow.full_texts import FullText, TextStatus
from paper_search.workflow.marks import ScreeningMark
from paper_search.workflow.state import IterationRecord, WorkflowState

_MARKS = {"marked_relevant": "include", "marked_irrelevant": "exclude", "unmarked": "taken back"}

Row = dict[str, str | int | float]
_LIMITED = {Purpose.SEARCH, Purpose.COUNT, Purpose.CITATION}
"""Purposes to which the limits of a strategy apply."""
_INDEPENDENT = "independent full text"
"""The question of a reviewer's verdict on a text; it is a decision if all verdicts agree."""
_GONE = {"status": "not counted: no longer in the result"}
_LEFT = "not counted: left before all reviewers were done"
_OUTCOMES = ("kept", *REASONS)
SEARCH_COLUMNS = (
    *("update", "round", "purpose", "allowed_by", "asked_at", "requests", "source", "query"),
    *("filters", "status", "hits", "received", *_OUTCOMES, "new_records", "new_works", "note"),
    *("error", "strategy"),
)
DECISION_COLUMNS = (
    *("at", "by", "event", "question", "round", "paper", "reason", "note", "labels", "status"),
)


def strategies(thread: ReviewThread) -> list[SearchStrategy]:
    past_strategies = [round_.strategy for round_ in thread.state.history]
    current = thread.state.strategy
    is_open = not thread.state.is_complete and current is not None
    return [*past_strategies, current] if is_open and current is not None else past_strategies


def search_log(thread: ReviewThread, records: Sequence[RecordRow]) -> list[Row]:
    """Return every request to a source: the journal, row by row.

    `hits` is the number that the source reports; `received` the records that came, each counted in
    one of the columns up to `unused`; `new_records` those kept that no earlier round had, and
    `new_works` works of which no record had arrived before.
    """
    starts = [entry.iteration for entry in thread.state.updates]
    waiting: dict[tuple[int, str, str | None], list[RecordRow]] = {}
    for record in records:
        if record.round is not None:
            key = (record.round.iteration, record.arrival.source, record.arrival.query)
            waiting.setdefault(key, []).append(record)
    log = [_search_row(report, _filters(thread, report), waiting) for report in thread.reports]
    for (round_, source, query), own in waiting.items():  # from a searcher without a report
        if own:
            kept_count = len({record.arrival.record for record in own})
            counts = {"iteration": round_, "kept": kept_count, "repeated": len(own) - kept_count}
            report = SourceReport(source=source, query=query, status=SourceStatus.OK, **counts)
            log.append(_search_row(report, _filters(thread, report), {**waiting}))
    return [{**row, "update": sum(start < int(row["round"]) for start in starts)} for row in log]


def _search_row(
    report: SourceReport, filters: str, waiting: dict[tuple[int, str, str | None], list[RecordRow]]
) -> Row:
    """Return the row of a report, and remove its records from `waiting`."""
    whose = (report.iteration, report.source)
    keys = [key for key in waiting if key[:2] == whose and report.query in {None, key[2]}]
    own: list[RecordRow] = []
    for key in keys if report.purpose.is_search else ():
        # Rows of a repeated request follow those of the first.
        count = len(waiting[key]) if report.query is None else report.received
        own += waiting[key][:count]
        waiting[key] = waiting[key][count:]
    own = [record for record in own if record.record is not None]
    return {
        "round": report.iteration + 1,
        "days": report.day,
        "removals": report.removals,
        "purpose": report.purpose.value,
        "allowed_by": report.allowed_by or "",
        "asked_at": report.asked_at or "",
        "requests": "; ".join(map(str, report.requests)),
        "source": report.source,
        "query": report.query or "",
        "filters": filters,
        "status": report.status.value,
        "hits": "" if report.hits is None else report.hits,
        "received": report.received,
        **{name: getattr(report, name) for name in _OUTCOMES},
        "new_records": sum(not record.is_again for record in own),
        "new_works": sum(record.row.is_first_of_work for record in own),
        "note": report.note or "",
        "error": report.error or "",
        "strategy": report.strategy or "",
    }


def decision_log(thread: ReviewThread) -> list[Row]:
    rows = [row for entry in thread.ledger for row in _answer_rows(entry)]
    rows += _mark_rows(thread.marks, "screening")
    counted_ids = {paper.id for paper in thread.collection.every_paper} if thread.collection else ()
    verdicts = _mark_rows(itertools.chain(*thread.independent.values()), "independent screening")
    rows += [row if row["paper"] in counted_ids else {**row, **_GONE} for row in verdicts]
    for text in thread.full_texts.values():
        rows += _full_text_rows(text)
    for row in thread.withdrawn:
        about = {"question": _INDEPENDENT, "paper": row["paper_id"], "reason": row["reason"]}
        rows.append(_row(row["at"], row["by"], row["decision"], note=_LEFT, **about))
    for event in thread.events:
        rows.append(_row(event.at, event.by, event.event, note=subject_of(event.detail)))
    return sorted(rows, key=lambda row: str(row["at"]))


def strategy_log(thread: ReviewThread) -> list[dict[str, Any]]:
    """Return the strategy of every round, its changes, and the feedback on its result.

    `changes` compares an edited strategy with the proposal, others with the previous round.
    """
    strategies_by_round = strategies(thread)
    edits = [*(round_.edit for round_ in thread.state.history), thread.state.edit]
    log = []
    for number, strategy in enumerate(strategies_by_round):
        past_round = thread.state.history[number] if number < len(thread.state.history) else None
        edit, feedback = edits[number], past_round.feedback if past_round else None
        before = edit.proposed if edit else strategies_by_round[number - 1] if number else None
        log.append(
            {
                "round": number + 1,
                "strategy": strategy.model_dump(mode="json"),
                "changes": changes(before, strategy) if before else "",
                "proposed": edit.proposed.model_dump(mode="json") if edit else None,
                "edited_by": edit.by if edit else None,
                "edited_at": edit.at if edit else None,
                "result": thread.state.count_of(past_round) if past_round else None,
                "feedback": feedback.model_dump(mode="json") if feedback else None,
            }
        )
    return log


def _filters(thread: ReviewThread, report: SourceReport) -> str:
    """Return the limits of a query on one line: those of its strategy and its number of records."""
    rounds: list[IterationRecord | WorkflowState] = [*thread.state.history, thread.state]
    strategy, edit = rounds[report.iteration].strategy, rounds[report.iteration].edit
    if edit is not None and report.purpose is Purpose.COUNT:
        strategy = edit.proposed  # hits are counted before a person edits it
    is_limited = not report.is_file and report.purpose in _LIMITED
    limits = strategy.filters if strategy and is_limited else SearchConstraints()
    most = [] if report.limit is None else [f"at most {quantity(report.limit, 'record')}"]
    return "; ".join([*limits.in_words, *most])


def _answer_rows(entry: LedgerEntry) -> Iterator[Row]:
    decision = entry.decision
    checkpoint = decision.get("checkpoint") or {}
    kind, round_ = str(checkpoint.get("kind", "")), int(checkpoint.get("iteration", 0)) + 1
    about: dict[str, Any] = {"question": kind, "round": round_, "status": entry.status.value}
    at, by = entry.decided_at, entry.decided_by
    revision = decision.get("revised_data")
    feedback = revision if isinstance(revision, Mapping) and kind == "result_review" else {}
    note = decision.get("note") or feedback.get("free_text_feedback") or ""
    event = "wait" if feedback.get("wait_for_sources") else str(decision.get("action", ""))
    yield _row(at, by, event, note=str(note), **about)
    reasons = feedback.get("reasons") or {}
    for name, verdict in _MARKS.items():
        for paper_id in feedback.get(name) or []:
            reason = str(reasons.get(paper_id, ""))
            yield _row(at, by, verdict, paper=str(paper_id), reason=reason, **about)
    for pair in feedback.get("merge_decisions") or []:
        words = "the same work as" if pair.get("is_same") else "another work than"
        yield _row(
            at, by, "same work?", paper=str(pair["one"]), note=f"{words} {pair['other']}", **about
        )


def _mark_rows(marks: Iterable[ScreeningMark], question: str) -> Iterator[Row]:
    verdicts = {True: "include", False: "exclude", None: ""}
    for mark in marks:
        yield _row(
            mark.said_at,
            mark.said_by,
            verdicts[mark.is_relevant] or _event_without_verdict(mark),
            question=question,
            round=mark.iteration + 1,
            paper=mark.paper_id,
            reason=mark.reason or "",
            note=mark.note or "",
            labels="; ".join(mark.labels),
        )


def _full_text_rows(text: FullText) -> Iterator[Row]:
    about = {"question": "full text", "paper": text.paper_id}
    event = TextStatus.RETRIEVED if text.digest else TextStatus.NOT_RETRIEVED
    note = f"{text.origin} ({text.source})" if text.source else text.origin or text.problem
    yield _row(text.retrieved_at, text.retrieved_by, event.value, note=note, **about)
    for name, verdict in text.verdicts.items():
        own = {**about, "question": _INDEPENDENT, "reason": verdict["reason"]}
        yield _row(verdict["at"], name, verdict["decision"], **own)
    if text.decision:
        yield _row(text.decided_at, text.decided_by, text.decision, reason=text.reason, **about)


def subject_of(detail: Mapping[str, Any]) -> str:
    """Return the subject of an event: files, another account or thread, or a reason."""
    words = " ".join(f"{name} {detail[name]}" for name in ("with", "as", "from") if name in detail)
    return words or "; ".join(detail.get("files") or [str(detail.get("reason", ""))])


def _event_without_verdict(mark: ScreeningMark) -> str:
    word = "note" if mark.note or not mark.labels else "label"
    word = "skip" if mark.is_skipped else word
    return "taken back" if mark.is_taken_back else word


def _row(at: str, by: str, event: str, **more: str | int) -> Row:
    cells = {"at": at, "by": by, "event": event, **more}
    return {name: cells.get(name, "") for name in DECISION_COLUMNS}
