"""The sections of an audit."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from paper_search.audit.flow import PrismaFlow, RecordRow, Status, Work, works_of
from paper_search.audit.logs import Row
from paper_search.audit.pictures import CAPTIONS
from paper_search.audit.reading import ReviewThread
from paper_search.exports.markdown import inert
from paper_search.models.source_report import quantity
from paper_search.workflow.counts import SearchedRound
from paper_search.workflow.reviewers import Agreement

_NAME = re.compile(r"[a-z]+(?:_[a-z]+)+")
_TIME = re.compile(r"^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?\+00:00$")
MAX_ROWS = 500
"""Most rows of a table; its file has all."""
_ON_SEARCHES = (
    "Every string as it was sent, including those before the approval, which find a paper that "
    "the question names and count hits, those that fill gaps in records, and those for full texts. "
    "A cached answer has the day on which it was received. Received: records that came; each is "
    "kept, or counted under Not kept with the reason. Kept: records that no earlier query of the "
    "same source and round gave. New records: those that had not arrived before. New works: works "
    "of which no record had arrived before."
)
_ON_ROUNDS = (
    "Arrived: records, counted each time a source gave them. Given again: the same record of the "
    "same source, by another query or in a later round. New works: works of which no record had "
    "arrived before."
)
_ON_UPDATES = (
    "The form of PRISMA 2020 for updated reviews: the review before its first update has a "
    "separate column. A work in an earlier column is a duplicate in a later one."
)
_ON_DECISIONS = (
    "Answers to questions, labels of papers, and what was refused or reopened. If a paper was "
    "labelled more than once while screening, the last label is kept."
)
_BLIND = "Their decisions are shown when all reviewers, at least two, are done."
_SEARCH_COLUMNS = {
    "round": "Round", "days": "When (UTC)", "purpose": "For", "allowed_by": "Allowed by",
    "source": "Source", "query": "Exact search string", "filters": "Limits", "hits": "Hits",
    "received": "Received", "kept": "Kept", "removals": "Not kept", "new_records": "New records",
    "new_works": "New works", "status": "Status", "remarks": "Why, and remarks",
}  # fmt: skip
_ROUND_COLUMNS = {
    "arrived": "Arrived", "removed": "Not kept", "again": "Given again",
    "first_found": "New records", "new_works": "New works",
}  # fmt: skip
_DECISION_COLUMNS = {
    "at": "Time (UTC)", "by": "Who", "event": "What", "question": "Question", "round": "Round",
    "paper": "Paper", "reason": "Reason", "note": "Note", "labels": "Labels", "status": "Status",
}  # fmt: skip

_OF_PAPERS = {
    "decided_by": "Decided by", "decided_at": "At (UTC)", "reason": "Reason",
    "full_text": "Full text",
}  # fmt: skip


@dataclass(frozen=True)
class Section:
    title: str
    paragraphs: Sequence[str] = ()
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str | int | float]] = ()
    pictures: Mapping[str, str] = field(default_factory=dict)
    """Captions by name of the picture."""


def as_markdown(title: str, sections: Iterable[Section], pictures: Mapping[str, str]) -> str:
    """Return the document; markup in texts of others is shown, not interpreted."""
    lines = [f"# {inert(title)}", ""]
    for section in sections:
        lines += [f"## {section.title}", ""]
        lines += [line for words in section.paragraphs for line in (inert(words), "")]
        if section.rows:
            lines += [_row(section.columns), _row(["---"] * len(section.columns))]
            lines += [_row(inert(str(cell)) for cell in row) for row in section.rows]
            lines.append("")
        for name, caption in section.pictures.items():
            if name in pictures:
                lines += [f"![{inert(caption)}]({pictures[name]})", "", f"{inert(caption)}.", ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def sections_of(
    thread: ReviewThread,
    flow: PrismaFlow,
    records: Sequence[RecordRow],
    logs: Mapping[str, Sequence[Row]],
    strategies: Sequence[Mapping[str, Any]],
) -> list[Section]:
    searches = [
        {**row, "remarks": "; ".join(filter(None, (str(row["note"]), str(row["error"]))))}
        for row in logs["search"]
    ]
    decisions = logs["decisions"][:MAX_ROWS]
    stage = " by title and abstract" if flow.full_texts is not None else ""
    return [
        _about(thread),
        _flow(flow),
        _rounds(flow),
        Section(
            "Search log (PRISMA-S)",
            [_ON_SEARCHES, *_truncation_note(searches, "search_log.csv")],
            list(_SEARCH_COLUMNS.values()),
            [[_plain(row[name]) for name in _SEARCH_COLUMNS] for row in searches[:MAX_ROWS]],
            _captions("source_contribution", "query_contribution", "source_overlap"),
        ),
        _strategies(strategies),
        Section(
            "Decisions",
            [_ON_DECISIONS, *_truncation_note(logs["decisions"], "decisions.csv")],
            list(_DECISION_COLUMNS.values()),
            [[_plain(row[name]) for name in _DECISION_COLUMNS] for row in decisions],
            _captions("recall", "scores"),
        ),
        *_reviewers(thread.agreement),
        *_text_reviewers(thread.text_agreement),
        _papers(f"Included{stage}", works_of(records), Status.INCLUDED),
        _papers(f"Excluded by a person{stage}", works_of(records), Status.EXCLUDED),
        _versions(thread.rounds),
    ]


def _plain(cell: str | float) -> str | float:
    if not isinstance(cell, str):
        return cell
    return cell.replace("_", " ") if _NAME.fullmatch(cell) else _TIME.sub(r"\1 \2", cell)


def _captions(*names: str) -> dict[str, str]:
    return {name: CAPTIONS[name] for name in names}


def _truncation_note(rows: Sequence[object], file: str) -> list[str]:
    return [f"The first {MAX_ROWS} of {len(rows)}; {file} has all."] if len(rows) > MAX_ROWS else []


def _about(thread: ReviewThread) -> Section:
    info, intent = thread.info, thread.state.intent
    criteria = [f"Criterion: {criterion}" for criterion in intent.criteria] if intent else []
    reason = f", {info.ended_by.replace('_', ' ')}" if info.ended_by else ""
    return Section(
        "Question",
        [
            info.question,
            *criteria,
            f"Thread {info.thread_id}: {info.status.value}{reason}.",
            f"Begun {_plain(info.created_at or '-')}, changed {_plain(info.updated_at or '')} UTC.",
        ],
    )


def _flow(flow: PrismaFlow) -> Section:
    """Return the flow, for an updated review with a column for each part."""
    parts = [dict(_flow_rows(part)) for part in flow.parts]
    rows: list[tuple[str | int, ...]] = [
        (text, *(part.get(text, 0) for part in parts), count) for text, count in _flow_rows(flow)
    ]
    heads = ["Previous studies", *(f"Update {n}" for n in range(1, len(parts)))] if parts else []
    return Section(
        "Flow (PRISMA 2020)",
        [_ON_UPDATES] if parts else [],
        ["", *heads, "All" if parts else "n"],
        rows,
        _captions("prisma_flow"),
    )


_GONE_BACK = "Not counted: of rounds undone by going back to an earlier question"


def _flow_rows(flow: PrismaFlow) -> list[tuple[str, int]]:
    return [
        ("Records identified", flow.identified),
        *((f"from {source}", count) for source, count in flow.by_source.items()),
        *([(_GONE_BACK, flow.outside_rounds)] * bool(flow.outside_rounds)),
        ("Removed before screening, not as duplicates", flow.removed_by_checks),
        *((f"removed because: {r}", count) for r, count in flow.removal_reasons.items()),
        ("Removed before screening as duplicates", flow.duplicates),
        *([("of these, the same record given again", flow.given_again)] * bool(flow.given_again)),
        ("Works", flow.works),
        ("Set aside by score or number", flow.set_aside),
        ("Of earlier rounds, which ended without a decision on them", flow.not_carried_over),
        ("Not processed yet", flow.pending),
        ("Works for screening", flow.for_screening),
        ("Not decided yet", flow.undecided),
        ("Not decided yet, and not judged for relevance", flow.not_judged),
        ("Screened", flow.screened),
        ("Excluded", flow.excluded),
        *((f"excluded because: {r}", count) for r, count in flow.exclusion_reasons.items()),
        *_full_text_rows(flow),
        ("Included", flow.included_last),
    ]


def _full_text_rows(flow: PrismaFlow) -> list[tuple[str, int]]:
    if (texts := flow.full_texts) is None:
        return []
    return [
        ("Full texts sought", texts.sought),
        ("Not looked for yet", texts.waiting),
        ("Full texts not retrieved", texts.not_retrieved),
        ("Retrieved, and not assessed yet", texts.unassessed),
        ("Full texts assessed", texts.assessed),
        ("Excluded by full text", texts.excluded),
        *((f"by full text because: {r}", count) for r, count in texts.exclusion_reasons.items()),
    ]


def _rounds(flow: PrismaFlow) -> Section:
    return Section(
        "Rounds",
        [_ON_ROUNDS],
        ["Round", "When (UTC)", *_ROUND_COLUMNS.values()],
        [
            (
                round_.round,
                _plain(round_.searched_at),
                *(getattr(round_, name) for name in _ROUND_COLUMNS),
            )
            for round_ in flow.rounds
        ],
        pictures=_captions("papers_by_year"),
    )


def _strategies(log: Sequence[Mapping[str, Any]]) -> Section:
    rows = []
    for entry in log:
        strategy = entry["strategy"]
        queries = [query["text"] for query in strategy.get("ranked", [])]
        queries += [query["boolean_query"] for query in strategy["queries"]]
        note = (entry["feedback"] or {}).get("free_text_feedback") or ""
        rows.append(
            (
                entry["round"],
                " ; ".join(queries),
                ", ".join(strategy["sources"]),
                entry["changes"],
                entry["edited_by"] or "",
                note,
                "" if entry["result"] is None else entry["result"],
            )
        )
    columns = ["Round", "Queries", "Sources", "Changes", "Edited by", "Feedback", "Papers"]
    return Section("Strategy of each round", columns=columns, rows=rows)


def _text_reviewers(agreement: Agreement) -> list[Section]:
    if not agreement.reviewers:
        return []
    names = ", ".join(reviewer.name for reviewer in agreement.reviewers)
    lines = [f"{names}; decisions.csv has what each decided.", *agreement.lines]
    lines = [f"{names}. {_BLIND}"] if agreement.is_blind else lines
    return [Section("Independent reviewers of full texts", lines)]


def _reviewers(agreement: Agreement) -> list[Section]:
    if not agreement.reviewers:
        return []
    lines = [
        f"{reviewer.name}: {reviewer.decided} of {quantity(reviewer.of, 'paper')} decided"
        f"{', done' * reviewer.is_done}."
        for reviewer in agreement.reviewers
    ]
    if agreement.is_blind:
        lines.append(_BLIND)
        return [Section("Independent reviewers", lines)]
    lines += agreement.lines
    rows = [
        (
            conflict.paper_id,
            conflict.title,
            ", ".join(conflict.included_by),
            ", ".join(conflict.excluded_by),
            conflict.settled or "open",
            conflict.settled_by or "",
        )
        for conflict in agreement.conflicts
    ]
    columns = ["Conflict", "Title", "Included by", "Excluded by", "Resolved", "By"]
    return [Section("Independent reviewers", lines, columns, rows)]


def _papers(title: str, works: Sequence[Work], status: Status) -> Section:
    papers = [work for work in works if work.status is status]
    cells = [work.paper.screening_columns for work in papers[:MAX_ROWS]]
    own = [name for name in _OF_PAPERS if name != "full_text" or any(row[name] for row in cells)]
    rows = [
        (work.own, work.paper.title, work.paper.year or "", *(_plain(row[name]) for name in own))
        for work, row in zip(papers, cells, strict=False)
    ]
    columns = ["Record", "Title", "Year", *(_OF_PAPERS[name] for name in own)]
    note = [] if papers else ["None."]
    return Section(title, [*note, *_truncation_note(papers, "records.csv")], columns, rows)


def _versions(rounds: Sequence[SearchedRound]) -> Section:
    rows = []
    for round_ in rounds:
        models = ", ".join(f"{skill}: {model}" for skill, model in round_.models.items())
        prompts = ", ".join(f"{name} {digest[:12]}" for name, digest in round_.prompts.items())
        rows.append((round_.iteration + 1, round_.program, models or "none", prompts or "none"))
    columns = ["Round", "paper-search", "Models", "Prompts (SHA-256)"]
    return Section("Versions", columns=columns, rows=rows)
