"""Review of a report's plan and draft at the terminal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paper_search.cli.console import command_line, stderr_console, text, visible, with_commands
from paper_search.cli.prompts import (
    Choice,
    Terminal,
    answer,
    approval,
    decide,
    edit,
    pager,
    rejection,
)
from paper_search.cli.tables import Fact, print_lines, thread_facts
from paper_search.cli.usage import usage_facts
from paper_search.errors import InvalidDecisionError
from paper_search.report.document import MARK, MARKS, Report
from paper_search.report.outputs.markdown import render_markdown
from paper_search.report_workflow.questions import cost_facts, describe_review
from paper_search.report_workflow.reviews import Review

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.markdown import Markdown

    from paper_search.report_workflow.engine import ReportDetail

PLAN = "plan_review"
_LINK = re.compile(r"(?<=^- )\[(?P<title>.*)\]\(#[^)]*\)$|<(?P<address>https?://[^<>]+)>$")
_EVENTS_SHOWN = 8
_HELP = """<!--
Change the text, save, and close the editor. Keep citations, [@key], as they are. Words in brackets
after a sentence, such as [{marks}], say how far its source supports it; they are not part of the
text. "# " begins the title, "## Abstract" and "## Conclusion" these parts, other "## " a section.
-->
"""
_COMMENT = re.compile(r"<!--.*?-->\s*", re.DOTALL)
_MARK = re.compile(f" {MARK}")
_FRAME = {"Abstract": "abstract", "Conclusion": "conclusion"}


def decide_review(
    terminal: Terminal, review: Review, report: Callable[[], Report], editor: str | None
) -> Any:
    is_plan = review.kind == PLAN

    def change(words: str) -> Any:
        if is_plan or words:
            words = words or terminal.ask("what should be different? ")
            return answer(review, "edit", words) if words else None
        draft = write_draft(report())
        fields = edit(terminal, editor, draft, "report.md", lambda text: changes(draft, text))
        return answer(review, "edit", data={"draft": fields}) if fields else None

    def show(_words: str) -> None:
        if is_plan:
            show_review(stderr_console(), review)
        else:
            with pager(terminal) as console:
                console.print(_markdown(render_markdown(report())))

    show_review(stderr_console(), review)
    offer = "[e]dit WORDS" if is_plan else "[e]dit text or WORDS"
    editing = "say what to change; e alone opens the text of a draft in your editor"
    skipping = "continue without a decision"
    choices = [
        approval(review, "approve what is shown"),
        Choice("s", "show", "show the whole text", show),
        Choice("e", "edit", editing, change, True, offer),
        rejection(terminal, review, "reject it", "what is wrong with it? ", "[x] reject NOTE"),
        Choice("k", "skip", skipping, lambda _: answer(review, "skip")),
    ]
    return decide(terminal, choices)


def _markdown(document: str) -> Markdown:
    from rich.markdown import Markdown

    lines = (_LINK.sub(r"\g<title>\g<address>", visible(line)) for line in document.split("\n"))
    return Markdown("\n".join(lines), hyperlinks=False)


def show_review(console: Console, review: Review) -> None:
    print_lines(console, _review(review))


def _review(review: Review) -> Iterator[Fact | RenderableType]:
    shows = review.shows
    yield text(review.name, "bold")
    yield _markdown(describe_review(review.kind, shows))
    usage = shows.get("usage") or []
    yield from usage_facts(usage) if usage else cost_facts(shows)
    for action, effect in review.effects.items():
        yield text(f"  {action}: {effect}", "dim")
    silence = "counts as approval" if review.auto_approve_on_timeout else "decides nothing"
    until = review.expires_at.strftime("%Y-%m-%d %H:%M UTC")
    yield text(f"  please answer by {until}; no answer {silence}", "dim")


def show_report(console: Console, detail: ReportDetail, *, home: Path | None) -> None:
    print_lines(console, _detail(detail))
    if detail.open_review is None and detail.report is not None:
        export = command_line("export", detail.thread_id, home=home)
        console.print(text(f"full text: {export}"), soft_wrap=True)


def _detail(detail: ReportDetail) -> Iterator[Fact | RenderableType]:
    review, report = detail.open_review, detail.report
    yield text(detail.question, "bold")
    draft = f", draft {detail.version}" if detail.version else ""
    yield from thread_facts("report", detail)
    yield "phase", f"{detail.phase}{draft}" if detail.phase else None
    yield "sources", detail.sources or None
    yield "error", with_commands(detail.error or "")
    if review is None or not review.shows.get("usage"):
        yield from usage_facts(detail.usage)
    yield from (text(f"  {event}", "dim") for event in detail.checkpoints[-_EVENTS_SHOWN:])
    yield from (text(f"  {error}", "red") for error in detail.errors)
    yield text("")
    if review is not None:
        yield from _review(review)
    elif report is not None:
        yield text(report.title, "bold")
        yield text(report.abstract)
        for section in report.sections:
            yield text(f"  {section.title} ({section.word_count} words)")
        if report.reason:
            yield text(f"unfinished report: {report.reason}", "yellow")
        yield from (text(f"note: {caveat}", "dim") for caveat in report.caveats)


def write_draft(report: Report) -> str:
    parts = [
        f"# {report.with_marks('title', report.title)}",
        f"## Abstract\n\n{report.with_marks('abstract', report.abstract)}",
        *(
            f"## {report.with_marks(f'{part.section_id}.title', part.title)}\n\n"
            f"{report.with_marks(part.section_id, part.content)}"
            for part in report.sections
        ),
        f"## Conclusion\n\n{report.with_marks('conclusion', report.conclusion)}",
    ]
    return _HELP.format(marks=next(iter(MARKS.values()))) + "\n\n".join(parts) + "\n"


def parse_draft(text: str) -> dict[str, Any]:
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


def changes(before: str, after: str) -> dict[str, Any] | None:
    """Return the fields that differ between two texts of a draft, None if none do."""
    old, new = parse_draft(before), parse_draft(after)
    return {name: value for name, value in new.items() if value != old.get(name)} or None
