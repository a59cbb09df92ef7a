"""A report as it stands, written out for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paper_search.cli.console import text

if TYPE_CHECKING:
    from rich.console import Console

    from paper_search.report_workflow.catalog import ReportDetail

_LAST = 8
"""Of what happened on the way, so many are shown."""


def show_report(console: Console, detail: ReportDetail) -> None:
    """Print how a report stands, what happened to it, and the question that is open."""
    from paper_search.cli.report_review import show_review

    console.print(text(detail.question, "bold"))
    ended = f" ({detail.ended_by.replace('_', ' ')})" if detail.ended_by else ""
    written = f", draft {detail.version}" if detail.version else ""
    facts = {
        "report": detail.thread_id,
        "status": f"{detail.status.value}{ended}",
        "created": detail.created_at,
        "changed": detail.updated_at,
        "phase": f"{detail.phase}{written}" if detail.phase else None,
        "sources": detail.sources or None,
        "error": detail.error,
    }
    for name, value in facts.items():
        if value is not None:
            console.print(text(f"{name:>10}  {value}"))
    for each in detail.checkpoints[-_LAST:]:
        console.print(text(f"  {each}", "dim"))
    for each in detail.errors:
        console.print(text(f"  {each}", "red"))
    console.print()
    if detail.open_review is not None:
        show_review(console, detail.open_review)
    elif detail.report is not None:
        _show_content(console, detail)


def _show_content(console: Console, detail: ReportDetail) -> None:
    report = detail.report
    if report is None:
        return
    console.print(text(report.title, "bold"))
    console.print(text(report.abstract))
    for each in report.sections:
        console.print(text(f"  {each.title} ({each.word_count} words)"))
    if report.reason:
        console.print(text(f"not a finished report: {report.reason}", "yellow"))
    for caveat in report.caveats:
        console.print(text(f"note: {caveat}", "dim"))
    console.print(text("its whole text: see `paper-search export`"))
