"""A checkpoint, a paper and a thread, written out for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.text import Text

from paper_search.cli.console import text
from paper_search.cli.source_lines import no_network, summaries, world_line
from paper_search.cli.strategy_view import question_facts, scope_facts, strategy_facts
from paper_search.cli.tables import paper_table, report_table, score, source_table
from paper_search.workflow.checkpoints import ResultPayload, StrategyPayload

if TYPE_CHECKING:
    from paper_search.models import (
        Facets,
        KnownPapersReport,
        Paper,
        SearchConstraints,
        SourceReport,
        UserFeedback,
    )
    from paper_search.workflow import Checkpoint, IterationRecord, ThreadDetail

PAGE = 20
FACETS_SHOWN = 8


def show_checkpoint(
    console: Console,
    checkpoint: Checkpoint,
    *,
    marks: Mapping[str, bool] | None = None,
    home: Path | None = None,
    has_details: bool = False,
) -> None:
    """Print a checkpoint: all that is needed to decide, at most a page of papers.

    Args:
        console: where.
        checkpoint: the question.
        marks: what the person said of papers, by id.
        home: as given on the command line, for the commands that are named.
        has_details: say all about the sources instead of one line for each.

    Raises:
        TypeError: the payload does not fit the kind.
    """
    payload = checkpoint.payload
    if checkpoint.kind.value == "strategy_confirmation" and isinstance(payload, StrategyPayload):
        lines = _strategy_question(payload)
    elif checkpoint.kind.value == "result_review" and isinstance(payload, ResultPayload):
        lines = _result_question(payload, marks, has_details=has_details)
    else:
        raise TypeError(f"{checkpoint.kind.value} cannot have a {type(payload).__name__}")
    for line in lines:
        console.print(line)
    if isinstance(payload, ResultPayload):
        found = payload.collection
        _print_world(
            console, world_line(found.metadata.query, payload.reports, len(found.papers), home)
        )


def show_papers(
    console: Console, payload: ResultPayload, start: int, marks: Mapping[str, bool] | None = None
) -> int:
    """Print one page of papers from index `start`; return how many are left after it."""
    papers = payload.collection.listed(is_all=True).papers
    page = papers[start : start + PAGE]
    line = len(payload.collection.papers)
    if start <= line < start + len(page):
        console.print(text(f"Set aside, from number {line + 1} on:", style="bold"))
    console.print(paper_table(page, first=start + 1, marks=marks))
    return len(papers) - start - len(page)


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
        "retracted": "yes" if paper.is_retracted else None,
        "seen in": ", ".join(dict.fromkeys(sighting.source for sighting in paper.sightings)),
        "id": paper.id,
        "abstract": paper.abstract,
        "keywords": None if paper.abstract else ", ".join(paper.keywords),
    }
    for name, value in facts.items():
        if value not in {None, ""}:
            console.print(_fact(name, value))


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
    console.print(_fact("thread", detail.thread_id))
    ended = f" ({detail.ended_by.replace('_', ' ')})" if detail.ended_by else ""
    console.print(_fact("status", f"{detail.status.value}{ended}"))
    console.print(_fact("created", detail.created_at))
    console.print(_fact("changed", detail.updated_at))
    if detail.error:
        console.print(_fact("error", detail.error))
    for record in detail.history:
        for line in _iteration(record):
            console.print(line)
    if detail.open_checkpoint is not None and not is_all:
        console.print()
        show_checkpoint(console, detail.open_checkpoint, home=home, has_details=has_details)
        return
    silent = detail.collection.silent_sources if detail.collection else []
    for line in _reports(detail.reports, silent, has_details=has_details):
        console.print(line)
    if detail.collection is not None:
        for line in _known(detail.collection.known_papers):
            console.print(line)
        if detail.collection.coverage is not None:
            console.print(_fact("missing", detail.collection.coverage.summary))
        papers = detail.collection.papers
        console.print()
        console.print(paper_table(papers if is_all else papers[:PAGE]))
        more = 0 if is_all else max(0, len(papers) - PAGE)
        counts = [f"{more} more"] if more else []
        rest = len(detail.collection.set_aside)
        counts += [f"{rest} set aside"] if rest else []
        if counts:
            console.print(text(f"and {', '.join(counts)}: see `paper-search show --all`"))
        _print_world(console, world_line(detail.question, detail.reports, len(papers), home))


def _print_world(console: Console, line: str | None) -> None:
    """Print where else to search, unwrapped, so that the command can be copied."""
    if line is not None:
        console.print(text(line), soft_wrap=True)


def _strategy_question(payload: StrategyPayload) -> Iterator[RenderableType]:
    intent, strategy, scope = payload.intent, payload.strategy, payload.scope
    yield text(f"Round {payload.iteration + 1}: is this the search strategy?", style="bold")
    yield from (_fact(*fact) for fact in question_facts(payload))
    if intent.constraints != strategy.filters:
        yield _fact("asked for", limits(intent.constraints))
    yield _fact("limits", limits(strategy.filters))
    facts = strategy_facts(strategy, ranking=payload.ranking_sources, scope=scope)
    yield from (_fact(*fact) for fact in facts)
    if scope is not None:
        yield from (_fact(*fact) for fact in scope_facts(scope, strategy))
    for remark in payload.remarks:
        yield _fact("remark", remark)
    if others := [name for name in payload.available_sources if name not in strategy.sources]:
        yield _fact("could ask", ", ".join(others))


def _result_question(
    payload: ResultPayload,
    marks: Mapping[str, bool] | None,
    *,
    has_details: bool,
) -> Iterator[RenderableType]:
    collection = payload.collection
    count = len(collection.papers)
    yield text(f"Round {payload.iteration + 1}: is this the result?", style="bold")
    new_ids = payload.changes.new_ids if payload.changes else []
    yield paper_table(collection.papers[:PAGE], marks=marks, new_ids=new_ids)
    found = collection.metadata.total_found
    parts = [f"{count} papers of {found} found, best first"]
    parts += [f"{count - PAGE} not on this page"] if count > PAGE else []
    parts += [f"{payload.set_aside} set aside (m shows them)"] if payload.set_aside else []
    yield text("; ".join(parts))
    if payload.changes:
        yield _fact("since last", payload.changes.summary)
    if payload.stopping_estimate:
        yield _fact("screening", payload.stopping_estimate)
    if payload.coverage:
        yield _fact("missing", payload.coverage.summary)
    if payload.accumulated_papers:
        yield text("kept from earlier rounds:", style="bold")
        yield from (text(f"  + {paper.title}") for paper in payload.accumulated_papers)
    yield from _same_work(payload)
    yield from _facets(collection.facets)
    yield from _reports(payload.reports, payload.silent_sources, has_details=has_details)
    yield from _known(payload.known_papers)


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
    failed = list(dict.fromkeys(report.source for report in reports if report.status.is_failure))
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


def _iteration(record: IterationRecord) -> Iterator[RenderableType]:
    yield text("")
    yield text(f"Round {record.iteration + 1}: {record.result_count} papers", style="bold")
    yield _fact("limits", limits(record.strategy.filters))
    yield from (_fact(*fact) for fact in strategy_facts(record.strategy))
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
    years = f"{filters.year_from or ''}-{filters.year_to or ''}"
    parts = [f"years {years}"] if years != "-" else []
    parts += [f"language {filters.language}"] if filters.language else []
    parts += [f"types {', '.join(filters.publication_types)}"] if filters.publication_types else []
    parts += [f"not {', '.join(filters.excluded_types)}"] if filters.excluded_types else []
    return ", ".join([*parts, f"at most {filters.max_results} results"])


def _fact(name: str, value: object) -> Text:
    return Text.assemble((f"{name:>10}  ", "bold"), text(value))
