"""A checkpoint, a paper and a thread, written out for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.text import Text

from paper_search.cli.console import command_line, text
from paper_search.cli.source_lines import in_words, no_network, public_sources_hint
from paper_search.cli.spending import estimate_facts, usage_facts
from paper_search.cli.strategy_view import (
    Fact,
    question_facts,
    scope_facts,
    strategy_facts,
    translation_facts,
)
from paper_search.cli.tables import highlighted, paper_table, report_table, score, source_table
from paper_search.models.source_report import counting_summary
from paper_search.workflow.checkpoints import ResultPayload, StrategyPayload
from paper_search.workflow.counts import summaries
from paper_search.workflow.judging import JudgingReport

if TYPE_CHECKING:
    from paper_search.models import (
        Facets,
        KnownPapersReport,
        Paper,
        PaperCollection,
        SearchConstraints,
        SourceReport,
        UserFeedback,
    )
    from paper_search.models.scope import Translation
    from paper_search.workflow import Checkpoint, IterationRecord, ThreadDetail

PAGE = 20
FACETS_SHOWN = 8
ONLY_EARLIER = "only in earlier rounds, undecided"
_AROUND = 4
"""Lines of the window for what is below a page of papers."""


def show_checkpoint(  # noqa: PLR0913  # what is shown, and how much of it
    console: Console,
    checkpoint: Checkpoint,
    *,
    marks: Mapping[str, bool] | None = None,
    home: Path | None = None,
    has_details: bool = False,
    has_papers: bool = True,
    translations: Sequence[Translation] = (),
) -> None:
    """Print a checkpoint: all that is needed to decide, a page of papers last.

    Args:
        console: where.
        checkpoint: the question.
        marks: what the person said of papers, by id; None: what the question says of it.
        home: as given on the command line, for the commands that are named.
        has_details: say all about the sources instead of one line for each.
        has_papers: a result is shown with its first papers.
        translations: what each source will be sent for a strategy; none: it is not said.

    Raises:
        TypeError: the payload does not fit the kind.
    """
    payload = checkpoint.payload
    if checkpoint.kind.value == "strategy_confirmation" and isinstance(payload, StrategyPayload):
        lines = _strategy_question(payload, translations)
    elif checkpoint.kind.value == "result_review" and isinstance(payload, ResultPayload):
        lines = _result_question(payload, has_details=has_details)
    else:
        raise TypeError(f"{checkpoint.kind.value} cannot have a {type(payload).__name__}")
    for line in lines:
        console.print(line)
    if isinstance(payload, ResultPayload):
        found = payload.collection
        _print_world(
            console,
            public_sources_hint(found.metadata.query, payload.reports, len(found.papers), home),
        )
        if has_papers:
            said = {**payload.earlier_marks, **payload.marks} if marks is None else marks
            show_papers(console, payload, 0, said or None)


def show_papers(
    console: Console,
    payload: ResultPayload,
    start: int,
    marks: Mapping[str, bool] | None = None,
    *,
    is_at_prompt: bool = False,
) -> int:
    """Print a page of papers from index `start`, and after the first one how many there are.

    Args:
        console: where.
        payload: of the question about the result.
        start: index of the first paper.
        marks: what was said of papers, by id.
        is_at_prompt: its keys can be pressed; at most as many as the window shows.

    Returns:
        How many were shown.
    """
    collection = payload.collection
    papers = collection.every_paper
    line = len(collection.papers)
    end = start + PAGE if start else min(PAGE, line)
    new_ids = payload.changes.new_ids if payload.changes else []

    def table(size: int) -> RenderableType:
        return paper_table(papers[start:end][:size], first=start + 1, marks=marks, new_ids=new_ids)

    size = len(papers[start:end])
    room = console.size.height - _AROUND
    while is_at_prompt and size > 1 and len(console.render_lines(table(size))) > room:
        size -= 1
    first_of = {"Set aside": line, "Of earlier rounds": line + len(collection.set_aside)}
    for part, first in first_of.items():
        if start <= first < start + size and start:
            console.print(text(f"{part}, from number {first + 1} on:", style="bold"))
    console.print(table(size))
    if start == 0:
        total = collection.metadata.total_found
        parts = [f"{line} papers, {_order_of(papers[:line])}; this round found {total}"]
        way = "m shows them" if is_at_prompt else "`show THREAD --all` lists them"
        parts += [f"{line - size} not on this page ({way})"] if line > size else []
        parts += [f"{payload.set_aside} set aside ({way})"] if payload.set_aside else []
        parts += [f"{payload.earlier} {ONLY_EARLIER} ({way})"] if payload.earlier else []
        console.print(text("; ".join(parts)))
    return size


def _order_of(papers: Sequence[Paper]) -> str:
    """Return what the papers are ordered by: their scores, or more than these."""
    scores = [paper.relevance_score for paper in papers]
    is_by_score = scores == sorted(scores, reverse=True)
    return "highest score first" if is_by_score else "by rank and words"


def show_paper(console: Console, number: int, paper: Paper) -> None:
    """Print all that is known of one paper."""
    console.print(text(f"{number}. {paper.title}", style="bold"))
    facts = {
        "authors": ", ".join(author.name for author in paper.authors),
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
            console.print(highlighted(_fact(name, value), paper))


def show_thread(
    console: Console,
    detail: ThreadDetail,
    *,
    home: Path | None = None,
    has_details: bool = False,
    is_all: bool = False,
) -> None:
    """Print the status of a thread, its rounds and what it found; see `show_checkpoint`.

    Args:
        console: where to print.
        detail: the thread.
        home: as given on the command line, for the commands that are named.
        has_details: each query to each source, not one line a source.
        is_all: every paper of the collection, not the first page.
    """
    console.print(text(detail.question, style="bold"))
    for fact in _thread_facts(detail):
        console.print(_fact(*fact))
    for record in detail.history:
        for line in _iteration(record):
            console.print(line)
    if detail.open_checkpoint is not None and not is_all:
        console.print()
        show_checkpoint(
            console,
            detail.open_checkpoint,
            home=home,
            has_details=has_details,
            translations=detail.translations if has_details else (),
        )
        return
    silent = detail.collection.silent_sources if detail.collection else []
    for line in _reports(detail.reports, silent, has_details=has_details):
        console.print(line)
    if detail.collection is not None:
        for line in (*_known(detail.collection.known_papers), *_unjudged(detail.collection)):
            console.print(line)
        papers = detail.collection.papers
        console.print()
        console.print(paper_table(papers if is_all else papers[:PAGE]))
        more = 0 if is_all else max(0, len(papers) - PAGE)
        counts = [f"{more} more"] if more else []
        rest, earlier = len(detail.collection.set_aside), len(detail.collection.earlier)
        counts += [f"{rest} set aside"] if rest else []
        counts += [f"{earlier} {ONLY_EARLIER}"] if earlier else []
        if counts:
            command = command_line("show", detail.thread_id, "--all", home=home)
            console.print(text(f"and {', '.join(counts)}: {command}"), soft_wrap=True)
        _print_world(
            console, public_sources_hint(detail.question, detail.reports, len(papers), home)
        )


def _thread_facts(detail: ThreadDetail) -> Iterator[Fact]:
    yield "thread", detail.thread_id
    ended = f" ({detail.ended_by.replace('_', ' ')})" if detail.ended_by else ""
    yield "status", f"{detail.status.value}{ended}"
    yield "created", detail.created_at
    yield "changed", detail.updated_at
    if detail.error:
        yield "error", detail.error
    if detail.open_checkpoint is None:  # which says it itself
        yield from usage_facts(detail.usage)


def _print_world(console: Console, line: str | None) -> None:
    """Print where else to search, unwrapped, so that the command can be copied."""
    if line is not None:
        console.print(text(line), soft_wrap=True)


def _strategy_question(
    payload: StrategyPayload, translations: Sequence[Translation]
) -> Iterator[RenderableType]:
    intent, strategy, scope = payload.intent, payload.strategy, payload.scope
    yield text(f"Round {payload.iteration + 1}: is this the search strategy?", style="bold")
    if payload.changes:
        yield _fact("changed", payload.changes)
    if strategy.reason:
        yield _fact("why", strategy.reason)
    yield from (_fact(*fact) for fact in question_facts(payload))
    wanted, filters = intent.constraints.in_words, strategy.filters.in_words
    if not set(wanted) <= set(filters):
        yield _fact("asked for", "; ".join(wanted))
    yield _fact("limits", limits(strategy.filters))
    facts = strategy_facts(strategy, ranking=payload.ranking_sources, scope=scope)
    yield from (_fact(*fact) for fact in facts)
    yield from _look_at_sources(payload)
    for note in strategy.notes:
        yield _fact("note", note)
    for remark in payload.remarks:
        yield _fact("remark", remark)
    yield from (_fact(*fact) for fact in estimate_facts(payload))
    if others := [name for name in payload.available_sources if name not in strategy.sources]:
        yield _fact("could ask", ", ".join(others))
    if translations:
        yield text("What each source will be sent:", style="bold")
        yield from (_fact(*fact) for fact in translation_facts(translations, strategy))
        if payload.counts:
            yield text("What was asked before this question, to count hits:", style="bold")
            yield report_table(payload.counts)


def _look_at_sources(payload: StrategyPayload) -> Iterator[RenderableType]:
    if payload.scope is not None:
        yield from (_fact(*fact) for fact in scope_facts(payload.scope, payload.strategy))
    if sent := counting_summary(payload.counts):
        yield _fact("counted", sent)


def _result_question(payload: ResultPayload, *, has_details: bool) -> Iterator[RenderableType]:
    collection = payload.collection
    yield text(f"Round {payload.iteration + 1}: is this the result?", style="bold")
    yield from _reports(payload.reports, payload.silent_sources, has_details=has_details)
    if late := payload.unfinished_sources:
        more = "may have more: wait, and the rest joins this result"
        yield _fact("unfinished", f"{in_words(late)} {more}")
    if narrowed := collection.metadata.search_strategy.filters.in_words:
        yield _fact("limits", "; ".join(narrowed))
    yield from _known(payload.known_papers)
    yield from _unjudged(collection)
    yield from (_fact(*fact) for fact in usage_facts(payload.usage))
    yield from _facets(collection.facets)
    yield from _same_work(payload)
    listed = {paper.id for paper in (*collection.papers, *collection.set_aside)}
    if kept := [paper for paper in payload.accumulated_papers if paper.id not in listed]:
        yield text("kept from earlier rounds, not found in this one:", style="bold")
        yield from (text(f"  + {paper.title}") for paper in kept)
    if payload.counts:
        yield _fact("records", payload.counts.summary)
    if payload.changes:
        yield _fact("since last", payload.changes.summary)
    if payload.stopping_estimate:
        yield _fact("screening", payload.stopping_estimate)


def _same_work(payload: ResultPayload) -> Iterator[RenderableType]:
    if not payload.same_work:
        return
    numbers = {paper.id: n for n, paper in enumerate(payload.collection.papers, start=1)}
    yield text("Same work? These stay separate unless you merge them:", style="bold")
    for number, question in enumerate(payload.same_work, start=1):
        pair = " and ".join(str(numbers.get(paper_id, paper_id)) for paper_id in question.papers)
        yield _fact(
            f"pair {number}", f"papers {pair}: {question.confidence:.0%}, {question.evidence}"
        )


def _facets(facets: Facets) -> Iterator[RenderableType]:
    if facets.by_year:
        years = sorted(facets.by_year.items(), reverse=True)[:FACETS_SHOWN]
        yield _fact("years", ", ".join(f"{year}: {count}" for year, count in years))
    if facets.by_venue:
        venues = sorted(facets.by_venue.items(), key=lambda item: (-item[1], item[0]))
        yield _fact("venues", ", ".join(f"{name}: {n}" for name, n in venues[:FACETS_SHOWN]))
    if facets.top_authors:
        yield _fact("authors", ", ".join(facets.top_authors[:FACETS_SHOWN]))
    if facets.key_themes:
        yield _fact("themes", ", ".join(facets.key_themes))


def _reports(
    reports: list[SourceReport], silent: list[str], *, has_details: bool
) -> Iterator[RenderableType]:
    if reports:
        yield report_table(reports) if has_details else source_table(summaries(reports))
    failed = list(dict.fromkeys(report.source for report in reports if report.is_failure))
    if offline := no_network(reports):
        yield text(offline, style="bold red")
    elif failed:
        warning = f"FAILED, papers may be missing: {', '.join(failed)}"
        yield text(warning, style="bold red")
    if named := [name for name in silent if name not in failed]:
        yield text(f"No results from: {', '.join(named)}", style="bold yellow")


def _known(report: KnownPapersReport | None) -> Iterator[RenderableType]:
    if report is not None:
        is_lacking = report.missing or report.not_in_result
        yield text(report.summary, style="bold yellow" if is_lacking else "bold green")


def _unjudged(collection: PaperCollection) -> Iterator[RenderableType]:
    if summary := JudgingReport.of([*collection.papers, *collection.set_aside]).summary:
        yield text(summary, style="bold yellow")


def _iteration(record: IterationRecord) -> Iterator[RenderableType]:
    yield text("")
    rejected = ", rejected" if record.is_rejected else ""
    words = f"Round {record.iteration + 1}: {record.result_count} papers{rejected}"
    yield text(words, style="bold")
    yield _fact("limits", limits(record.strategy.filters))
    yield from (_fact(*fact) for fact in strategy_facts(record.strategy))
    if record.edit:
        yield _fact("strategy", record.edit.summary(record.strategy))
    if record.waits:
        often = "once" if record.waits == 1 else f"{record.waits} times"
        yield _fact("waited", f"{often} for slow sources")
    if record.feedback is not None:
        yield _fact("feedback", _feedback(record.feedback))


def _feedback(feedback: UserFeedback) -> str:
    marks = {"relevant": feedback.marked_relevant, "irrelevant": feedback.marked_irrelevant}
    parts = [f"{name}: {', '.join(ids)}" for name, ids in marks.items() if ids]
    if feedback.free_text_feedback:
        parts.append(feedback.free_text_feedback)
    return "; ".join(parts) or "-"


def limits(filters: SearchConstraints) -> str:
    """Return the limits of a search in words."""
    return "; ".join([*filters.in_words, f"at most {filters.max_results:,} records a query"])


def _fact(name: str, value: object) -> Text:
    return Text.assemble((f"{name:>10}  ", "bold"), text(value))
