"""Checkpoints, papers and threads as shown at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from rich.console import Console, RenderableType

from paper_search.cli.console import command_line, text, with_commands
from paper_search.cli.outputs import OF_EARLIER
from paper_search.cli.source_lines import failed_sources, in_words, no_network, public_sources_hint
from paper_search.cli.tables import (
    Fact,
    fact_line,
    highlighted,
    paper_table,
    print_lines,
    report_table,
    score,
    source_table,
    thread_facts,
)
from paper_search.cli.usage import usage_facts
from paper_search.models.source_report import losses, quantity
from paper_search.workflow.checkpoints import Checkpoint, ResultPayload, StrategyPayload
from paper_search.workflow.counts import aside, summaries
from paper_search.workflow.judging import JudgingReport
from paper_search.workflow.strategy_facts import (
    checkpoint_facts,
    limits,
    strategy_facts,
    translation_facts,
)

if TYPE_CHECKING:
    from paper_search.models import (
        KnownPapersReport,
        Paper,
        PaperCollection,
        SourceReport,
        UserFeedback,
    )
    from paper_search.models.scope import Translation
    from paper_search.report_workflow import Review
    from paper_search.workflow import IterationRecord, ThreadDetail

Line: TypeAlias = "Fact | RenderableType"

PAGE = 20
_AROUND = 4
"""Lines of the window kept free below a page of papers."""


def show_question(console: Console, question: Checkpoint | Review, *, home: Path | None) -> None:
    if isinstance(question, Checkpoint):
        show_checkpoint(console, question, home=home)
        return
    from paper_search.cli.report_questions import show_review

    show_review(console, question)


def show_checkpoint(  # noqa: PLR0913  # what to show, and how much of it
    console: Console,
    checkpoint: Checkpoint,
    *,
    home: Path | None = None,
    has_details: bool = False,
    has_papers: bool = True,
    translations: Sequence[Translation] = (),
) -> None:
    """Print a checkpoint, with a page of papers last; TypeError if payload and kind do not match.

    `has_details`: every query of each source instead of one line per source. `translations`: what
    each source will be sent for a strategy; not shown if empty.
    """
    payload = checkpoint.payload
    if checkpoint.kind.value == "strategy_confirmation" and isinstance(payload, StrategyPayload):
        print_lines(console, _strategy_question(payload, translations))
    elif checkpoint.kind.value == "result_review" and isinstance(payload, ResultPayload):
        collection, marks = payload.collection, {**payload.earlier_marks, **payload.marks}
        print_lines(console, _result_question(payload, has_details=has_details))
        _print_hint(console, collection, collection.metadata.query, payload.reports, home)
        if has_papers:
            listing = command_line("show", checkpoint.run_id, "--all", home=home)
            show_papers(console, payload, 0, marks or None, listing)
    else:
        raise TypeError(f"{checkpoint.kind.value} cannot have a {type(payload).__name__}")


def show_papers(
    console: Console,
    payload: ResultPayload,
    start: int,
    marks: Mapping[str, bool] | None,
    listing: str | None = None,
) -> int:
    """Print a page of papers, and totals after the first page; return the number shown.

    `marks`: by id. `listing`: the command that lists all; None at a prompt, where a page is as long
    as the window.
    """
    collection = payload.collection
    papers, line = collection.every_paper, len(collection.papers)
    end = start + PAGE if start else min(PAGE, line)
    new_ids = payload.changes.new_ids if payload.changes else []

    def table(size: int) -> RenderableType:
        return paper_table(papers[start:end][:size], first=start + 1, marks=marks, new_ids=new_ids)

    size = len(papers[start:end])
    room = console.size.height - _AROUND
    while listing is None and size > 1 and len(console.render_lines(table(size))) > room:
        size -= 1
    first_of = {"Set aside": line, "Of earlier rounds": line + len(collection.set_aside)}
    for part, first in first_of.items():
        if start <= first < start + size and start:
            console.print(text(f"{part}, from number {first + 1} on:", style="bold"))
    console.print(table(size))
    if start == 0:
        counts = {
            "not on this page": line - size,
            aside(payload.excluded): payload.set_aside,
            OF_EARLIER: payload.earlier,
        }
        way = " (m shows them)" if listing is None else ""
        more = [f"{count} {where}{way}" for where, count in counts.items() if count > 0]
        total = collection.metadata.total_found
        head = f"{quantity(line, 'paper')}, {collection.order}; this round found {total}"
        words = "; ".join([head, *more])
        if listing and more:
            words = f"{words}; to list them: {listing}"
        console.print(text(words), soft_wrap=bool(listing))
    return size


def show_paper(console: Console, number: int, paper: Paper) -> None:
    console.print(text(f"{number}. {paper.title}", style="bold"))
    facts = {
        "authors": ", ".join(map(str, paper.authors)),
        "year": paper.year,
        "venue": paper.venue,
        "type": paper.publication_type,
        "doi": paper.doi,
        "url": paper.url or paper.full_text_url,
        "citations": paper.known_citation_count,
        "score": f"{score(paper)}: {paper.relevance_reason}",
        "tags": ", ".join(tag.value for tag in paper.tags),
        "labels": ", ".join(paper.labels),
        "retracted": "yes" if paper.is_retracted else None,
        "seen in": ", ".join(dict.fromkeys(sighting.source for sighting in paper.sightings)),
        "id": paper.id,
        "abstract": paper.abstract,
        "keywords": None if paper.abstract else ", ".join(paper.keywords),
    }
    for name, value in facts.items():
        if value not in {None, ""}:
            console.print(highlighted(fact_line(name, value), paper))


def show_thread(  # noqa: PLR0913  # what to show, and how much of it
    console: Console,
    detail: ThreadDetail,
    *,
    home: Path | None,
    has_details: bool,
    is_all: bool,
    is_by_score: bool = False,
) -> None:
    console.print(text(detail.question, style="bold"))
    print_lines(console, _thread_facts(detail))
    for record in detail.history:
        is_searched = bool(record.result_count) or record.iteration in detail.searched
        print_lines(console, _iteration(record, is_searched=is_searched))
    if detail.open_checkpoint is not None and not is_all:
        console.print()
        translations = detail.translations if has_details else ()
        show_checkpoint(
            *(console, detail.open_checkpoint),
            home=home,
            has_details=has_details,
            translations=translations,
        )
        return
    collection = detail.collection
    silent = collection.silent_sources if collection else []
    print_lines(console, _reports(detail.reports, silent, has_details=has_details))
    if collection is None:
        return
    print_lines(console, (*_must_find(collection.known_papers), *_unjudged(collection)))
    papers = collection.papers
    console.print()
    console.print(paper_table(papers if is_all else papers[:PAGE]))
    below = "with a lower score" if is_by_score else aside(collection.excluded)
    counts = {
        "more": 0 if is_all else len(papers) - PAGE,
        below: len(collection.set_aside),
        OF_EARLIER: len(collection.earlier),
    }
    if rest := [f"{count} {where}" for where, count in counts.items() if count > 0]:
        command = command_line("show", detail.thread_id, "--all", home=home)
        console.print(text(f"and {', '.join(rest)}: {command}"), soft_wrap=True)
    _print_hint(console, collection, detail.question, detail.reports, home)


def _thread_facts(detail: ThreadDetail) -> Iterator[Fact]:
    yield from thread_facts("thread", detail)
    yield "error", with_commands(detail.error or "")
    if detail.open_checkpoint is None:  # which otherwise shows it
        yield from usage_facts(detail.usage)


def _print_hint(
    console: Console,
    collection: PaperCollection,
    question: str,
    reports: list[SourceReport],
    home: Path | None,
) -> None:
    """Print where else to search, unwrapped so that the command can be copied."""
    hint = public_sources_hint(question, reports, len(collection.papers), home)
    if hint is not None:
        console.print(text(hint), soft_wrap=True)


def _strategy_question(
    payload: StrategyPayload, translations: Sequence[Translation]
) -> Iterator[Line]:
    yield text(f"Round {payload.iteration + 1}: is this the search strategy?", style="bold")
    yield from checkpoint_facts(payload)
    yield from usage_facts(payload.usage)
    if translations:
        yield text("What each source will be sent:", style="bold")
        yield from translation_facts(translations, payload.strategy)
        if payload.counts:
            yield text("Queries sent before this question:", style="bold")
            yield report_table(payload.counts)


def _result_question(payload: ResultPayload, *, has_details: bool) -> Iterator[Line]:
    collection = payload.collection
    yield text(f"Round {payload.iteration + 1}: is this the result?", style="bold")
    yield from _reports(payload.reports, payload.silent_sources, has_details=has_details)
    if late := payload.unfinished_sources:
        yield "unfinished", f"{in_words(late)} may have more: wait to add the rest to this result"
    if narrowed := collection.metadata.search_strategy.filters.in_words:
        yield "limits", "; ".join(narrowed)
    if payload.fit:
        yield "concepts", payload.fit
    if payload.remark:
        yield "remark", payload.remark
    yield from _must_find(payload.known_papers)
    yield from _unjudged(collection)
    yield from usage_facts(payload.usage)
    yield from _same_work(payload)
    ids = {paper.id for paper in (*collection.papers, *collection.set_aside)}
    if missing := [paper for paper in payload.accumulated_papers if paper.id not in ids]:
        yield text("kept from earlier rounds, not found in this one:", style="bold")
        yield from (text(f"  + {paper.title}") for paper in missing)
    if payload.counts:
        yield "records", payload.counts.summary
    if payload.changes:
        yield "since last", payload.changes.summary
    if payload.stopping_estimate:
        yield "screening", payload.stopping_estimate


def _same_work(payload: ResultPayload) -> Iterator[Line]:
    if not payload.same_work:
        return
    numbers = {paper.id: n for n, paper in enumerate(payload.collection.papers, start=1)}
    yield text("Same work? These stay separate unless you merge them:", style="bold")
    for number, question in enumerate(payload.same_work, start=1):
        pair = " and ".join(str(numbers.get(paper_id, paper_id)) for paper_id in question.papers)
        yield f"pair {number}", f"papers {pair}: {question.confidence:.0%}, {question.evidence}"


def _reports(
    reports: list[SourceReport], silent: list[str], *, has_details: bool
) -> Iterator[RenderableType]:
    if reports:
        yield report_table(reports) if has_details else source_table(summaries(reports))
    failed = failed_sources(reports)
    if offline := no_network(reports):
        yield text(offline, style="bold red")
    elif failed:
        yield text(f"FAILED, {losses(reports)}", style="bold red")
    if others := [name for name in silent if name not in failed]:
        yield text(f"No results from: {', '.join(others)}", style="bold yellow")


def _must_find(report: KnownPapersReport | None) -> Iterator[RenderableType]:
    if report is not None:
        is_lacking = report.missing or report.not_in_result
        yield text(report.summary, style="bold yellow" if is_lacking else "bold green")


def _unjudged(collection: PaperCollection) -> Iterator[RenderableType]:
    if summary := JudgingReport.of([*collection.papers, *collection.set_aside]).summary:
        yield text(summary, style="bold yellow")


def _iteration(record: IterationRecord, *, is_searched: bool) -> Iterator[Line]:
    rejected = ", rejected" if record.is_rejected else ""
    papers = quantity(record.result_count, "paper") if is_searched else "not searched"
    yield text("")
    yield text(f"Round {record.iteration + 1}: {papers}{rejected}", "bold")
    yield "limits", limits(record.strategy.filters)
    yield from strategy_facts(record.strategy)
    if record.edit:
        yield "strategy", record.edit.summary(record.strategy)
    if record.waits:
        often = "once" if record.waits == 1 else f"{record.waits} times"
        yield "updated", f"{often}, for slow sources or added files"
    if record.feedback is not None:
        yield "feedback", _feedback(record.feedback)


def _feedback(feedback: UserFeedback) -> str:
    marks = {"relevant": feedback.marked_relevant, "irrelevant": feedback.marked_irrelevant}
    parts = [f"{name}: {', '.join(ids)}" for name, ids in marks.items() if ids]
    return "; ".join(filter(None, [*parts, feedback.free_text_feedback])) or "-"
