"""Papers, threads and sources as tables, and facts as lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from paper_search.cli.console import text, visible

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from paper_search.models import BibliographicRecord, Paper, SourceReport
    from paper_search.report_workflow.listing import ReportInfo
    from paper_search.workflow import ThreadInfo
    from paper_search.workflow.counts import SourceSummary

Fact = tuple[str, object]
"""A label and its value."""
AUTHORS_SHOWN = 3
SNIPPET = "bold yellow"
"""The style of words that support a grade."""


def grid(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> Table:
    """Return a table; values are shown without interpreting markup.

    A column is its title and its layout: `Year` is as wide as its content, `Score>` right-aligned
    as well, `Note~` wrapped, `Title*5` wrapped in five parts of the width, `Note…` truncated.
    """
    is_wide = any(mark in column for column in columns for mark in "*…")
    table = Table(show_edge=False, pad_edge=False, expand=is_wide)
    for column in columns:
        label = column.rstrip("0123456789")
        title, share = label.rstrip(">*~…"), column[len(label) :]
        mark = label[len(title) :]
        table.add_column(
            title,
            justify="right" if mark == ">" else "left",
            no_wrap=mark in {"", ">", "…"},
            overflow="ellipsis" if mark == "…" else "fold",
            ratio=int(share) if share else 1 if mark == "…" else None,
        )
    for row in rows:
        table.add_row(*(cell if isinstance(cell, Text) else text(cell) for cell in row))
    return table


def fact_line(name: str, value: object) -> Text:
    return Text.assemble((f"{name:>10}  ", "bold"), text(value))


def thread_facts(noun: str, info: ThreadInfo | ReportInfo) -> Iterator[Fact]:
    ending = f" ({info.ended_by.replace('_', ' ')})" if info.ended_by else ""
    yield noun, info.thread_id
    yield "status", f"{info.status.value}{ending}"
    yield "created", info.created_at
    yield "changed", info.updated_at


def print_lines(console: Console, lines: Iterable[Fact | RenderableType]) -> None:
    """Print facts that have a value, and the other lines between them."""
    for line in lines:
        if not isinstance(line, tuple):
            console.print(line)
        elif line[1] not in {None, ""}:
            console.print(fact_line(*line))


def paper_table(
    papers: Sequence[Paper],
    *,
    first: int = 1,
    marks: Mapping[str, bool] | None = None,
    new_ids: Sequence[str] = (),
) -> Table:
    """Return papers with their scores, and the reason for each score below the title.

    Criteria are listed once, below the table; reasons refer to their numbers.

    `marks`: whether a paper is relevant, by id. By default the papers' own decisions; without any,
    there is no column. `new_ids`: papers that no earlier round found; they are marked as new.
    """
    if marks is None:
        decided = {paper.id: paper.decision for paper in papers if paper.decision != "undecided"}
        marks = {i: decision == "included" for i, decision in decided.items()} or None
    signs = {True: "+", False: "-", None: ""}
    criteria = [*dict.fromkeys(str(grade.criterion) for paper in papers for grade in paper.grades)]
    table = grid(
        ["#>", *([""] if marks is not None else []), *_RECORD, "Score>"],
        (
            [
                number,
                *([signs[marks.get(paper.id)]] if marks is not None else []),
                _title_and_reason(paper, criteria, is_new=paper.id in new_ids),
                *_record_cells(paper),
                score(paper),
            ]
            for number, paper in enumerate(papers, start=first)
        ),
    )
    if criteria:
        lines = (text(f"({n}) {criterion}") for n, criterion in enumerate(criteria, start=1))
        table.caption = Text("\n").join(lines)
        table.caption_justify = "left"
    return table


def record_table(records: Sequence[BibliographicRecord]) -> Table:
    rows = ([n, record.title, *_record_cells(record)] for n, record in enumerate(records, start=1))
    return grid(["#>", *_RECORD], rows)


_RECORD = ("Title*5", "Authors*2", "Year", "Venue*2")


def _record_cells(record: BibliographicRecord) -> list[object]:
    return [short_authors(record), record.year or "-", record.venue or "-"]


def thread_table(threads: Iterable[ThreadInfo | ReportInfo], now: datetime) -> Table:
    entries = list(threads)
    costs = [_cost(thread) for thread in entries]
    has_costs = any(costs)
    rows: list[list[object]] = []
    for thread, cost in zip(entries, costs, strict=True):
        kind, waits_for, number = _kind(thread)
        head = [thread.thread_id, kind, thread.status.value, waits_for.replace("_", " "), number]
        money = [cost or "-"] if has_costs else []
        rows.append([*head, *money, age(thread.updated_at, now), thread.question[:200]])
    columns = ["Thread", "Kind", "Status~", "Question of~", "Round>", *["Cost>"] * has_costs]
    return grid([*columns, "Changed", "Question*1"], rows)


def _cost(info: ThreadInfo | ReportInfo) -> str:
    from paper_search.models.usage import money_in_words, total

    usage = getattr(info, "usage", [])
    return money_in_words(total(usage).money) if usage else ""


def _kind(info: ThreadInfo | ReportInfo) -> tuple[str, str, int | str]:
    if info.graph == "research_report":
        waits_for, version = getattr(info, "waits_for", None), getattr(info, "version", None)
        return "report", waits_for or "-", version or "-"
    if info.graph != "paper_search":
        return info.graph, "-", "-"
    checkpoint = getattr(info, "checkpoint", None)
    number = getattr(info, "iteration", 0) + (info.status.value in {"waiting", "running", "failed"})
    return "search", checkpoint.value if checkpoint else "-", number or "-"


def source_table(sources: Iterable[SourceSummary]) -> Table:
    """Return one line per source, truncated to the width; failures in red."""
    return grid(
        ["Source", "Answer", "Hits>", "Kept>", "Note…"],
        (
            [
                source.source,
                text(source.status.value, "bold red" if source.status.is_failure else ""),
                source.hits if source.hits is not None else "?",
                source.kept,
                text(source.note, "red" if source.status.is_failure else ""),
            ]
            for source in sources
        ),
    )


def report_table(reports: Iterable[SourceReport]) -> Table:
    """Return every query of each source, in full; failures in red."""
    columns = ["Source", "Answer", "Hits>", "Received>", "Kept>", "Requests>"]
    return grid(
        [*columns, "When~", "Query~", "Note~"],
        (
            [
                report.source,
                text(report.status.value, "bold red" if report.is_failure else ""),
                report.hits if report.hits is not None else "?",
                report.received,
                report.kept,
                report.attempts or "-",
                report.day or "-",
                report.query or "-",
                text(
                    "; ".join(filter(None, [report.error, report.note, report.removals])),
                    "red" if report.error else "",
                ),
            ]
            for report in reports
        ),
    )


def short_authors(record: BibliographicRecord) -> str:
    """Return up to three authors, else "First et al."; "-" without authors."""
    names = [*map(str, record.authors)]
    if not names:
        return "-"
    return ", ".join(names) if len(names) <= AUTHORS_SHOWN else f"{names[0]} et al."


def score(paper: Paper) -> str:
    return f"{paper.relevance_score:.2f}" if paper.is_judged else "unjudged"


def highlighted(line: Text, paper: Paper) -> Text:
    if snippets := [visible(grade.snippet) for grade in paper.grades if grade.snippet]:
        line.highlight_words(snippets, SNIPPET)
    return line


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


def _title_and_reason(paper: Paper, criteria: Sequence[str], *, is_new: bool) -> Text:
    flag = " [retracted]" if paper.is_retracted else ""
    title = text(f"{'[new] ' if is_new else ''}{paper.title}{flag}")
    if not paper.relevance_reason:
        return title
    numbered = (
        str(grade).replace(criterion, f"({criteria.index(criterion) + 1})", 1)
        for grade in paper.grades
        for criterion in [str(grade.criterion)]
    )
    in_full, by_number = "; ".join(map(str, paper.grades)), "; ".join(numbered)
    reason = text(paper.relevance_reason.replace(in_full, by_number), style="dim")
    return Text.assemble(title, "\n", highlighted(reason, paper))
