"""The questions of a report at the terminal: is this the plan, is this the report?"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from paper_search.cli.console import (
    command_line,
    data,
    is_terminal,
    messages,
    say,
    text,
    visible,
)
from paper_search.cli.keys import command
from paper_search.cli.spending import Fact, report_estimate_facts, usage_facts
from paper_search.cli.strategy_review import EditorError, edited
from paper_search.cli.terminal import QuitError, Terminal
from paper_search.errors import InvalidDecisionError
from paper_search.report.document import MARK, MARKS, Report
from paper_search.report.outputs.markdown import render_markdown
from paper_search.report_workflow.breakpoints import HITLAction, Review, ReviewDecision

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rich.console import Console

    from paper_search.report.document import Report
    from paper_search.report_workflow.catalog import ReportDetail

PLAN_MENU = "[a]pprove  [e]dit WORDS  [x] reject NOTE  s[k]ip  [s]how again  [h]elp  [q]uit > "
MENU = (
    "[a]pprove  [f]ull text  [o]pen page  [e]dit text or WORDS  [x] reject NOTE  s[k]ip  [h]elp  "
    "[q]uit > "
)
HELP = """\
  a             approve what is shown
  e WORDS       have it changed by what you say; of a draft, e alone opens the text in your editor
  x [WORDS]     reject it
  k             skip: continue without a decision
  f, s          show the whole text
  o             open the draft as a page in the browser
  q             quit; the question stays open"""
_LINK = re.compile(r"(?<=^- )\[(?P<title>.*)\]\(#[^)]*\)$|<(?P<address>https?://[^<>]+)>$")
_ITEMS = 12
_LAST = 8
"""Of what happened on the way, so many are shown."""
_HELP = """<!--
Change the text, save, and close the editor. Keep citations, [@key], as they are. Words in brackets
behind a sentence, such as [{marks}], say how far its source bears it; they are no part of the text.
"# " is the title, "## Abstract" and "## Conclusion" are these, every other "## " is a section.
-->
"""
_COMMENT = re.compile(r"<!--.*?-->\s*", re.DOTALL)
_MARK = re.compile(f" {MARK}")
_FRAME = {"Abstract": "abstract", "Conclusion": "conclusion"}


class ReportReview:
    """Asks a person about a plan or a draft.

    Args:
        terminal: where they sit.
        report: returns the whole current report.
        editor: the command that opens the text; None: it can only be changed in words.
    """

    def __init__(
        self, terminal: Terminal, report: Callable[[], Report], editor: str | None = None
    ) -> None:
        self._terminal = terminal
        self._report = report
        self._editor = editor

    def decide(self, review: Review) -> ReviewDecision:
        """Return what the person decides.

        Raises:
            QuitError: they leave the question open.
        """
        show_review(messages(), review)
        is_plan = review.kind == "plan_review"
        menu, taken = (PLAN_MENU, "a e x k s f h q") if is_plan else (MENU, "a f s o e x k h q")
        while True:
            try:
                meaning, words = command(self._terminal.ask(menu), taken)
            except InvalidDecisionError as error:
                say(str(error))
                continue
            if (decision := self._decided(review, meaning, words)) is not None:
                return decision

    def _decided(self, review: Review, meaning: str, words: str) -> ReviewDecision | None:
        """Return the decision in an answer; None: it was a wish to see something."""
        match meaning:
            case "approve":
                return _decision(review, HITLAction.APPROVE)
            case "skip":
                return _decision(review, HITLAction.SKIP)
            case "reject":
                note = words or self._terminal.ask("what is wrong with it? ")
                return _decision(review, HITLAction.REJECT, note or None)
            case "edit" if review.kind != "plan_review" and not words:
                changed = self._edited()
                modified = {"draft": changed} if changed else None
                return self._modified(review, None, modified)
            case "edit":
                words = words or self._terminal.ask("what should be different? ")
                return self._modified(review, words, None)
            case "quit":
                raise QuitError
            case _:
                self._shown(review, meaning)
                return None

    def _modified(
        self, review: Review, words: str | None, fields: dict[str, Any] | None
    ) -> ReviewDecision | None:
        if words or fields:
            return _decision(review, HITLAction.MODIFY, words or None, fields)
        say("nothing changed")
        return None

    def _shown(self, review: Review, meaning: str) -> None:
        """Show what a person wants to see again."""
        match meaning:
            case "help":
                say(HELP)
            case "open":
                _open_page(self._report())
            case _ if review.kind == "plan_review":
                show_review(messages(), review)
            case _:
                show_text(render_markdown(self._report()))

    def _edited(self) -> dict[str, Any]:
        """Return the fields that the person changed in their editor; none: it stays as it is."""
        if self._editor is None:
            say("set EDITOR to edit the text, or say what to change: e WORDS")
            return {}
        text = original = write_draft(self._report())
        while True:
            try:
                text = edited(text, self._editor, "report.md")
                return changes(original, text)
            except EditorError as error:
                say(str(error))
                return {}
            except InvalidDecisionError as error:
                say(visible(error))
                if self._terminal.ask("[e]dit again  [b]ack > ").lower() in {"b", "back"}:
                    return {}


def show_text(markdown: str) -> None:
    """Show a text page by page, where there is a terminal; else whole."""
    from rich.markdown import Markdown

    lines = (_LINK.sub(r"\g<title>\g<address>", visible(line)) for line in markdown.split("\n"))
    plain = "\n".join(lines)
    shown = Markdown(plain, hyperlinks=False)
    if not is_terminal():
        messages().print(shown)
        return
    with data().pager(styles=True):
        data().print(shown)


def _open_page(report: Report) -> None:
    from paper_search.report.outputs.figures import figures, is_available
    from paper_search.report.outputs.page import render_html

    folder = Path(tempfile.mkdtemp(prefix="paper-search-"))
    page = folder / "report.html"
    page.write_text(render_html(report, figures=figures(report) if is_available() else None))
    say(f"wrote {page}")
    typer.launch(page.as_uri())


def show_review(console: Console, review: Review) -> None:
    """Show what is asked, with what is needed to decide; the text is shown by the page."""
    console.print(text(review.name, "bold"))
    shows = review.shows
    if review.kind == "plan_review":
        _show_plan(console, shows.get("research_plan") or {}, shows.get("warnings") or [])
        _show_facts(console, report_estimate_facts(shows))
    else:
        _show_draft(console, shows.get("draft") or {})
        _show_critique(console, shows.get("critique") or {})
        _show_facts(console, usage_facts(shows.get("usage") or []))
    for note in shows.get("revision_notes") or []:
        console.print(text(f"  revised: {note}"))
    for action, effect in review.effects.items():
        console.print(text(f"  {action}: {effect}", "dim"))
    silence = "counts as approval" if review.auto_approve_on_timeout else "decides nothing"
    until = review.expires_at.strftime("%Y-%m-%d %H:%M UTC")
    console.print(text(f"  please answer by {until}; no answer {silence}", "dim"))


def _show_facts(console: Console, facts: Iterable[Fact]) -> None:
    for name, said in facts:
        console.print(text(f"{name:>10}  {said}"))


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


def _show_draft(console: Console, draft: dict[str, Any]) -> None:
    console.print(text(f"{draft.get('title', '')} (version {draft.get('version')})", "bold"))
    console.print(text(draft.get("abstract", "")))
    for section in draft.get("sections") or []:
        console.print(text(f"  {section['title']} ({section['word_count']} words)", "bold"))


def _show_critique(console: Console, critique: dict[str, Any]) -> None:
    console.print(text(str(critique.get("summary", ""))))
    items = critique.get("items") or []
    for issue in items[:_ITEMS]:
        line = f"  [{issue['severity']}] {issue['location']}: {issue['description']}"
        console.print(text(line, "red" if issue["severity"] == "critical" else ""))
    if len(items) > _ITEMS:
        console.print(text(f"  and {len(items) - _ITEMS} more"))


def _decision(
    review: Review,
    action: HITLAction,
    feedback: str | None = None,
    modified: dict[str, Any] | None = None,
) -> ReviewDecision:
    return ReviewDecision(
        action=action,
        feedback=feedback,
        modifications=modified,
        review=review.reference,
        token=review.token or None,
    )


def show_report(console: Console, detail: ReportDetail, *, home: Path | None = None) -> None:
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
    if detail.open_review is None or not detail.open_review.shows.get("usage"):
        _show_facts(console, usage_facts(detail.usage))
    for event in detail.checkpoints[-_LAST:]:
        console.print(text(f"  {event}", "dim"))
    for error in detail.errors:
        console.print(text(f"  {error}", "red"))
    console.print()
    if detail.open_review is not None:
        show_review(console, detail.open_review)
    elif detail.report is not None:
        _show_content(console, detail.report, command_line("export", detail.thread_id, home=home))


def _show_content(console: Console, report: Report, export: str) -> None:
    console.print(text(report.title, "bold"))
    console.print(text(report.abstract))
    for section in report.sections:
        console.print(text(f"  {section.title} ({section.word_count} words)"))
    if report.reason:
        console.print(text(f"unfinished report: {report.reason}", "yellow"))
    for caveat in report.caveats:
        console.print(text(f"note: {caveat}", "dim"))
    console.print(text(f"full text: {export}"), soft_wrap=True)


def write_draft(report: Report) -> str:
    """Return the text of a report as a person edits it."""
    parts = [
        f"# {report.title}",
        f"## Abstract\n\n{report.marked('abstract', report.abstract)}",
        *(
            f"## {section.title}\n\n{report.marked(section.section_id, section.content)}"
            for section in report.sections
        ),
        f"## Conclusion\n\n{report.marked('conclusion', report.conclusion)}",
    ]
    return _HELP.format(marks=next(iter(MARKS.values()))) + "\n\n".join(parts) + "\n"


def read_draft(text: str) -> dict[str, Any]:
    """Return the fields of a draft that a text holds.

    Raises:
        InvalidDecisionError: it has no title, or no section.
    """
    fields: dict[str, Any] = {"sections": []}
    plain = _MARK.sub("", _COMMENT.sub("", text, count=1))
    for block in re.split(r"(?m)^(?=##? )", plain):
        head, _, body = block.strip().partition("\n")
        if head.startswith("# "):
            fields["title"] = head[2:].strip()
        elif head.startswith("## "):
            name = head[3:].strip()
            if name in _FRAME:
                fields[_FRAME[name]] = body.strip()
            else:
                fields["sections"].append({"title": name, "content": body.strip()})
        elif head:
            raise InvalidDecisionError(f"the text begins with {head[:60]!r}, not with '# TITLE'")
    if not fields.get("title") or not fields["sections"]:
        raise InvalidDecisionError("the text needs a title ('# ...') and a section ('## ...')")
    return fields


def changes(before: str, after: str) -> dict[str, Any]:
    """Return the fields that differ between two texts; none: nothing was changed.

    Raises:
        InvalidDecisionError: the second has no title, or no section.
    """
    old, new = read_draft(before), read_draft(after)
    return {name: value for name, value in new.items() if value != old.get(name)}
