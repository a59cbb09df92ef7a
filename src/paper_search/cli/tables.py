"""Papers, threads and sources as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from paper_search.cli.console import text, visible
from paper_search.models.usage import money_in_words, total

if TYPE_CHECKING:
    from paper_search.models import BibliographicRecord, Paper, SourceReport
    from paper_search.report_workflow.catalog import ReportInfo
    from paper_search.workflow import ThreadInfo
    from paper_search.workflow.counts import SourceSummary

AUTHORS_SHOWN = 3
SNIPPET = "bold yellow"
"""The style of the words that a grade rests on."""


def paper_table(
    papers: Sequence[Paper],
    *,
    first: int = 1,
    marks: Mapping[str, bool] | None = None,
    new_ids: Sequence[str] = (),
) -> Table:
    """Return papers with their verdicts.

    The reason of a verdict is below the title: tables of eight columns are hard to read.

    Args:
        papers: in order.
        first: number of the first one.
        marks: by id: is it relevant? None: as the papers say; no column if none was decided.
        new_ids: papers that no earlier round found; their titles say so.
    """
    if marks is None:
        decided = {paper.id: paper.decision for paper in papers if paper.decision != "undecided"}
        marks = {i: decision == "included" for i, decision in decided.items()} or None
    table = Table(show_edge=False, pad_edge=False, expand=True)
    table.add_column("#", justify="right", no_wrap=True)
    if marks is not None:
        table.add_column("", no_wrap=True)
    table.add_column("Title", ratio=5, overflow="fold")
    table.add_column("Authors", ratio=2, overflow="fold")
    table.add_column("Year", no_wrap=True)
    table.add_column("Venue", ratio=2, overflow="fold")
    table.add_column("Score", justify="right", no_wrap=True)
    for number, paper in enumerate(papers, start=first):
        mark = [] if marks is None else [text(_sign(marks.get(paper.id)))]
        table.add_row(
            text(number),
            *mark,
            _title_and_reason(paper, is_new=paper.id in new_ids),
            text(short_authors(paper)),
            text(paper.year or "-"),
            text(paper.venue or "-"),
            text(score(paper)),
        )
    return table


def record_table(records: Sequence[BibliographicRecord]) -> Table:
    """Return records without verdicts, numbered."""
    table = Table(show_edge=False, pad_edge=False, expand=True)
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("Title", ratio=5, overflow="fold")
    table.add_column("Authors", ratio=2, overflow="fold")
    table.add_column("Year", no_wrap=True)
    table.add_column("Venue", ratio=2, overflow="fold")
    for number, record in enumerate(records, start=1):
        table.add_row(
            text(number),
            text(record.title),
            text(short_authors(record)),
            text(record.year or "-"),
            text(record.venue or "-"),
        )
    return table


def thread_table(threads: Iterable[ThreadInfo | ReportInfo], now: datetime) -> Table:
    """Return threads with their age at the time `now`."""
    table = Table(show_edge=False, pad_edge=False, expand=True)
    listed = list(threads)
    costs = [_cost(thread) for thread in listed]
    for name in ("Thread", "Kind", "Status", "Question of"):
        table.add_column(name, no_wrap=name in {"Thread", "Kind"})
    table.add_column("Round", justify="right")
    if any(costs):
        table.add_column("Cost", justify="right", no_wrap=True)
    table.add_column("Changed", no_wrap=True)
    table.add_column("Question", ratio=1, overflow="fold")
    for thread, cost in zip(listed, costs, strict=True):
        kind, asked, number = _kind(thread)
        table.add_row(
            text(thread.thread_id),
            text(kind),
            text(thread.status.value),
            text(asked.replace("_", " ")),
            text(number),
            *([text(cost or "-")] if any(costs) else []),
            text(age(thread.updated_at, now)),
            text(thread.question[:200]),
        )
    return table


def _cost(info: ThreadInfo | ReportInfo) -> str:
    """Return what a thread spent on models; empty: it asked none."""
    usage = getattr(info, "usage", [])
    return money_in_words(total(usage).money) if usage else ""


def _kind(info: ThreadInfo | ReportInfo) -> tuple[str, str, int | str]:
    """Return what a thread is, which question it waits with, and its round or version."""
    if info.graph == "research_report":
        asked, version = getattr(info, "waits_for", None), getattr(info, "version", None)
        return "report", asked or "-", version or "-"
    if info.graph != "paper_search":
        return info.graph, "-", "-"
    checkpoint = getattr(info, "checkpoint", None)
    number = getattr(info, "iteration", 0) + (info.status.value != "done")
    return "search", checkpoint.value if checkpoint else "-", number


def source_table(sources: Iterable[SourceSummary]) -> Table:
    """Return what each source did in one line, cut to the width; failures in red."""
    table = Table(show_edge=False, pad_edge=False, expand=True)
    table.add_column("Source", no_wrap=True)
    table.add_column("Answer", no_wrap=True)
    table.add_column("Hits", justify="right", no_wrap=True)
    table.add_column("Kept", justify="right", no_wrap=True)
    table.add_column("Note", ratio=1, no_wrap=True, overflow="ellipsis")
    for source in sources:
        is_failed = source.status.is_failure
        table.add_row(
            text(source.source),
            text(source.status.value, style="bold red" if is_failed else ""),
            text(source.hits if source.hits is not None else "?"),
            text(source.kept),
            text(source.note, style="red" if is_failed else ""),
        )
    return table


def report_table(reports: Iterable[SourceReport]) -> Table:
    """Return what each source did with each query, in full; failures in red."""
    table = Table(show_edge=False, pad_edge=False)
    for name in ("Source", "Answer"):
        table.add_column(name, no_wrap=True)
    for name in ("Hits", "Came", "Kept", "Requests"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("When", overflow="fold")
    table.add_column("Query", overflow="fold")
    table.add_column("Note", overflow="fold")
    for report in reports:
        notes = "; ".join(filter(None, [report.error, report.note, report.removals]))
        table.add_row(
            text(report.source),
            text(report.status.value, style="bold red" if report.is_failure else ""),
            text(report.hits if report.hits is not None else "?"),
            text(report.received),
            text(report.kept),
            text(report.attempts or "-"),
            text(report.day or "-"),
            text(report.query or "-"),
            text(notes, style="red" if report.error else ""),
        )
    return table


def short_authors(record: BibliographicRecord) -> str:
    """Return up to three authors, more as "First et al."; "-" for none."""
    names = [author.name for author in record.authors]
    if not names:
        return "-"
    return ", ".join(names) if len(names) <= AUTHORS_SHOWN else f"{names[0]} et al."


def score(paper: Paper) -> str:
    """Return the score with two decimals; an unjudged paper has none."""
    return f"{paper.relevance_score:.2f}" if paper.is_judged else "unjudged"


def highlighted(shown: Text, paper: Paper) -> Text:
    """Return a text with the words highlighted on which the judge based its grades."""
    if snippets := [visible(grade.snippet) for grade in paper.grades if grade.snippet]:
        shown.highlight_words(snippets, SNIPPET)
    return shown


def age(moment: str | None, now: datetime) -> str:
    """Return how long ago an ISO 8601 moment is, in the largest fitting unit; "-" if unknown."""
    if moment is None:
        return "-"
    then = datetime.fromisoformat(moment)
    seconds = (now - (then if then.tzinfo else then.replace(tzinfo=UTC))).total_seconds()
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= size:
            return f"{int(seconds // size)} {unit} ago"
    return "just now"


def _title_and_reason(paper: Paper, *, is_new: bool) -> Text:
    flag = " [retracted]" if paper.is_retracted else ""
    title = text(f"{'[new] ' if is_new else ''}{paper.title}{flag}")
    if not paper.relevance_reason:
        return title
    reason = text(paper.relevance_reason, style="dim")
    return Text.assemble(title, "\n", highlighted(reason, paper))


def _sign(mark: bool | None) -> str:
    return {True: "+", False: "-", None: ""}[mark]
