"""The questions of a report at the terminal: is this the plan, is this the report?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paper_search.cli.console import messages, say, text, visible
from paper_search.cli.terminal import QuitError, Terminal
from paper_search.report_workflow.breakpoints import HITLAction, Review, ReviewDecision

if TYPE_CHECKING:
    from rich.console import Console

    from paper_search.report_workflow.catalog import ReportDetail

MENU = "[a]pprove  [m]odify WORDS  [r]eject NOTE  s[k]ip  [f]ull text  [q]uit > "
_ITEMS = 12
_LAST = 8
"""Of what happened on the way, so many are shown."""


class ReportReview:
    """Asks a person about a plan or a draft.

    Args:
        terminal: where they sit.
    """

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    def decide(self, review: Review) -> ReviewDecision:
        """Return what the person decides.

        Raises:
            QuitError: they leave the question open.
        """
        show_review(messages(), review)
        while True:
            word, _, rest = self._terminal.ask(MENU).partition(" ")
            match word.lower():
                case "a" | "approve":
                    return _decision(review, HITLAction.APPROVE)
                case "m" | "modify" | "e" | "edit":
                    words = rest.strip() or self._terminal.ask("what should be different? ")
                    if words:
                        return _decision(review, HITLAction.MODIFY, words)
                    say("nothing changed")
                case "r" | "x" | "reject":
                    note = rest.strip() or self._terminal.ask("what is wrong with it? ")
                    return _decision(review, HITLAction.REJECT, note or None)
                case "k" | "skip":
                    return _decision(review, HITLAction.SKIP)
                case "f" | "full" | "s" | "show":
                    show_review(messages(), review, is_whole=True)
                case "q" | "quit":
                    raise QuitError
                case _:
                    say(f"{visible(word)!r} is none of: a, m, r, k, f, q")


def show_review(console: Console, review: Review, *, is_whole: bool = False) -> None:
    """Show what is asked, with everything that is needed to decide."""
    console.print(text(review.name, "bold"))
    shows = review.shows
    if review.kind == "plan_review":
        _show_plan(console, shows.get("research_plan") or {}, shows.get("warnings") or [])
    else:
        _show_draft(console, shows.get("draft") or {}, is_whole=is_whole)
        _show_critique(console, shows.get("critique") or {})
    for note in shows.get("revision_notes") or []:
        console.print(text(f"  revised: {note}"))
    for action, effect in review.effects.items():
        console.print(text(f"  {action}: {effect}", "dim"))
    silence = "counts as approval" if review.auto_approve_on_timeout else "decides nothing"
    until = review.expires_at.strftime("%Y-%m-%d %H:%M UTC")
    console.print(text(f"  please answer by {until}; no answer {silence}", "dim"))


def _show_plan(console: Console, plan: dict[str, Any], warnings: list[str]) -> None:
    console.print(text("Sub-questions", "bold"))
    for number, question in enumerate(plan.get("decomposed_questions") or [], 1):
        console.print(text(f"  {number}. {question}"))
    console.print(text("Queries", "bold"))
    for query in plan.get("search_queries") or []:
        console.print(text(f"  [{query['search_type']}] {query['query_text']}"))
    console.print(text(f"Sections: {'; '.join(plan.get('expected_sections') or [])}"))
    for warning in warnings:
        console.print(text(f"note: {warning}"))


def _show_draft(console: Console, draft: dict[str, Any], *, is_whole: bool) -> None:
    console.print(text(f"{draft.get('title', '')} (version {draft.get('version')})", "bold"))
    console.print(text(draft.get("abstract", "")))
    for section in draft.get("sections") or []:
        console.print(text(f"  {section['title']} ({section['word_count']} words)", "bold"))
        if is_whole:
            for line in str(section["content"]).splitlines():
                console.print(text(line))
    if is_whole:
        console.print(text(f"Conclusion: {draft.get('conclusion', '')}"))


def _show_critique(console: Console, critique: dict[str, Any]) -> None:
    console.print(text(str(critique.get("summary", ""))))
    items = critique.get("items") or []
    for issue in items[:_ITEMS]:
        line = f"  [{issue['severity']}] {issue['location']}: {issue['description']}"
        console.print(text(line, "red" if issue["severity"] == "critical" else ""))
    if len(items) > _ITEMS:
        console.print(text(f"  and {len(items) - _ITEMS} more"))


def _decision(review: Review, action: HITLAction, feedback: str | None = None) -> ReviewDecision:
    return ReviewDecision(action=action, feedback=feedback, review=review.reference)


def show_report(console: Console, detail: ReportDetail) -> None:
    """Print the status of a report, what happened to it, and the open question."""
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
    for event in detail.checkpoints[-_LAST:]:
        console.print(text(f"  {event}", "dim"))
    for error in detail.errors:
        console.print(text(f"  {error}", "red"))
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
    for section in report.sections:
        console.print(text(f"  {section.title} ({section.word_count} words)"))
    if report.reason:
        console.print(text(f"unfinished report: {report.reason}", "yellow"))
    for caveat in report.caveats:
        console.print(text(f"note: {caveat}", "dim"))
    console.print(text("full text: `paper-search export`"))
