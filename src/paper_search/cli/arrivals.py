"""`paper-search add`, `update` and `fulltext`: additions to a review after its first search."""

from __future__ import annotations

import io
import re
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from paper_search.cli import options
from paper_search.cli.console import (
    ExitCode,
    ProgressLine,
    UsageMistakeError,
    command_line,
    print_json,
    run,
    say,
    visible,
    with_persistence,
)
from paper_search.cli.options import argument, flag, option, settings
from paper_search.errors import InputError, PaperSearchError

if TYPE_CHECKING:
    from paper_search.config import AppConfig
    from paper_search.review.files import DatabaseSearch, FileReport
    from paper_search.review.full_texts import FullTexts
    from paper_search.workflow import ThreadCatalog

_LARGEST_EXPORTS = 500_000_000
"""In bytes, all held in memory; 100,000 records with abstracts take some 300 MB."""
_Change = Callable[["FullTexts"], Awaitable[object]]


def add(  # noqa: PLR0913, PLR0917  # one for each option
    thread: options.Thread,
    files: list[Path] | None = argument("[FILE...]", "Exports of a database."),
    database: options.Database = None,
    searched: options.Searched = "",
    strategy: options.StrategyFile = None,
    as_json: options.Json = False,
    home: options.Home = None,
) -> None:
    """Add the records of files to a thread.

    They are merged with its records, and you decide only on works that nobody has decided on.
    Decisions, notes and reviewers are kept, even on a finished thread. No source is searched. The
    search log gets the database, the day, the strategy and the number of records. Either all files
    are added or none. Without FILE, give --database and --searched of a search without any result.
    """
    from paper_search.audit import flow_of, load_review, record_rows
    from paper_search.cli.stored_threads import load_search
    from paper_search.models.source_report import quantity
    from paper_search.review.arrivals import add_files

    config, progress = settings(home), ProgressLine()
    search, contents = search_of(searched, strategy), contents_of(files or [])
    workflow = run(load_search(config, thread, progress))
    with progress.show():
        reports = run(add_files(workflow, thread, contents, database or [], search=search))

    say_files(reports)
    review = run(with_persistence(config.persistence_url, lambda p: load_review(p, thread)))
    flow = flow_of(review, record_rows(review))
    say(flow.summary)
    if as_json:
        fields = [
            {"name": f.name, "read": len(f.records), "rejected": len(f.rejected)} for f in reports
        ]
        names = ("identified", "removed_by_checks", "duplicates", "works", "undecided")
        counts = {name: getattr(flow, name) for name in names}
        print_json({"thread_id": thread, "files": fields, "flow": counts})
    say(f"{quantity(flow.undecided, 'paper')} to decide on:")
    reviewers = review.agreement.reviewers
    waiting = [reviewer.name for reviewer in reviewers if not reviewer.is_done]
    for name in waiting:
        say(f"  {command_line('screen', thread, '--reviewer', name, home=home)}")
    if not waiting:
        say(f"  {command_line('reconcile' if reviewers else 'screen', thread, home=home)}")


def search_of(searched: str, strategy: Path | None) -> DatabaseSearch:
    """Return the search that files are from, with its day and its strategy as far as given."""
    from paper_search.review.files import DatabaseSearch

    return DatabaseSearch(searched, strategy_in(strategy).strip() if strategy else "")


def contents_of(files: Sequence[Path], most: int = _LARGEST_EXPORTS) -> list[tuple[str, bytes]]:
    """Return name and content of each file; InputError for more than `most` bytes in all."""
    try:
        if (size := sum(file.stat().st_size for file in files)) > most:
            names = ", ".join(file.name for file in files)
            raise InputError(f"{names}: {size:,} bytes; the limit is {most:,} bytes at once")
        return [(file.name, file.read_bytes()) for file in files]
    except OSError as error:
        raise InputError(f"{error.filename!r} cannot be read: {error.strerror or error}") from error


def strategy_in(file: Path) -> str:
    """Return the text of a file in any encoding; InputError if it is binary."""
    from paper_search.library.importers.files import lines_of

    text = "".join(lines_of(io.BytesIO(contents_of([file])[0][1])))
    if re.search(r"[\x00-\x08\x0e-\x1f]", text):
        raise InputError(f"{str(file)!r} is not a text file: give the strategy as text")
    return text


def say_files(reports: Sequence[FileReport]) -> None:
    for report in reports:
        for line in (*report.remarks, report.summary):
            say(visible(line))


def update(
    thread: options.OptionalThread = None,
    is_all: bool = flag("--all", "Update every search whose result was approved."),
    as_json: options.Json = False,
    home: options.Home = None,
) -> None:
    """Repeat an approved search to find new works.

    You review the strategy, with the hits of each source then and now, and then the result. Only
    works that were not found before need a decision; earlier decisions are kept and help to rank
    the new works.

    With --all, for cron: a thread waits with its strategy if a source has more or fewer hits than
    before, or does not report a number. Exit code 0: nothing new; 3: a thread waits for you.
    """
    from paper_search.cli.outputs import PaperOutput
    from paper_search.cli.runner import SearchRunner
    from paper_search.cli.stored_threads import NextCommands, load_search
    from paper_search.review.arrivals import update_review

    if (thread is None) != is_all:
        raise UsageMistakeError("give THREAD or --all")
    config, progress = settings(home), ProgressLine()
    if thread is None:
        _update_all(config, is_json=as_json)
        return
    output = PaperOutput.of_options(None, None, is_forced=False, is_json=as_json)
    workflow = run(load_search(config, thread, progress))
    commands = NextCommands(thread, home)
    runner = SearchRunner(config, workflow, progress, output, commands)
    runner.run(update_review(workflow, thread), is_asking=True)


def _update_all(config: AppConfig, *, is_json: bool) -> None:
    entries = run(_updates(config))
    if is_json:
        print_json(entries)
    if not entries:
        say("no approved search has a strategy that can be searched again")
    for entry in entries:
        what = entry.get("error") or entry["question"]
        say(visible(f"{entry['thread_id']}  {entry['outcome']}: {what}"))
    outcomes = {entry["outcome"] for entry in entries}
    if outcomes & {"waits", "failed"}:
        raise typer.Exit(ExitCode.WAITING if "waits" in outcomes else ExitCode.FAILED)


async def _updates(config: AppConfig) -> list[dict[str, Any]]:
    from paper_search.cli.stored_threads import load_search
    from paper_search.models import EndReason
    from paper_search.persistence import open_persistence
    from paper_search.review.arrivals import update_review
    from paper_search.threads.catalog import ALL, ThreadStatus
    from paper_search.workflow import Checkpoint, ThreadCatalog

    entries: list[dict[str, Any]] = []
    async with open_persistence(config.persistence_url) as persistence:
        catalog = ThreadCatalog(persistence)
        infos = await catalog.threads(limit=ALL)
        unfinished = {ThreadStatus.WAITING: "waits", ThreadStatus.FAILED: "failed"}
        open_ids = [info.thread_id for info in infos if info.status in unfinished]
        update_ids = {name for name in open_ids if await _is_updated(catalog, name)}
    for info in infos:
        entry = {"thread_id": info.thread_id, "question": info.question, "outcome": "nothing new"}
        if info.thread_id in update_ids:
            error = {"error": info.error} if info.error else {}
            entries.append({**entry, "outcome": unfinished[info.status], **error})
        if info.status in {ThreadStatus.DAMAGED, ThreadStatus.LOCKED}:  # it may be an update
            entries.append({**entry, "outcome": "failed", "error": info.error})
        if info.status is not ThreadStatus.DONE or info.ended_by != EndReason.APPROVED:
            continue
        try:
            workflow = await load_search(config, info.thread_id, lambda _phase, _details: None)
            outcome = await update_review(workflow, info.thread_id, is_quiet=True)
        except InputError:  # no strategy that can be searched again
            continue
        except PaperSearchError as error:
            entries.append({**entry, "outcome": "failed", "error": str(error)})
            continue
        is_open = isinstance(outcome, Checkpoint)
        entries.append({**entry, "outcome": "waits" if is_open else "nothing new"})
    return entries


async def _is_updated(catalog: ThreadCatalog, thread_id: str) -> bool:
    """Whether an update of a thread was begun; True if the thread cannot be read."""
    try:
        return bool((await catalog.session(thread_id).state()).updates)
    except PaperSearchError:
        return True


def fulltext(  # noqa: PLR0913, PLR0917  # one for each option
    thread: options.Thread,
    paper: str = argument("[PAPER]", "Id of an included work.", default=""),
    file: Path | None = argument("[FILE]", "Its full text, a PDF."),
    is_seeking: bool = flag("--seek", "Fetch open-access texts of works that have none."),
    is_included: bool = flag("--include", "Include PAPER."),
    reason: str | None = option("REASON", "Exclude PAPER for this reason.", "--exclude"),
    problem: str | None = option(
        "REASON", "Record why the text of PAPER could not be retrieved.", "--not-retrieved"
    ),
    reviewer: str | None = option("NAME", "Decide as one of several blinded reviewers."),
    is_done: bool = flag("--done", "Mark the reviewer as done."),
    is_leaving: bool = flag("--leave", "Remove the reviewer, so that nobody waits for them."),
    as_json: options.Json = False,
    home: options.Home = None,
) -> None:
    """Seek, attach and decide on full texts of included works.

    --seek fetches open-access PDFs that the records, OpenAlex, Unpaywall, Europe PMC or CORE link
    to, as fast as their hosts allow; with FILE you attach one of your own. They are stored in the
    home. Once a work has its text, you include or exclude it; the audit, its PRISMA flow and all
    exports show the outcome.
    """
    from paper_search.persistence import open_persistence
    from paper_search.review.full_texts import LARGEST, FullTexts
    from paper_search.workflow import ThreadCatalog

    changes_of_paper: list[tuple[bool, _Change]] = [
        (file is not None, lambda texts: texts.attach(paper, *contents[0])),
        (is_included, lambda texts: texts.decide(paper, is_included=True)),
        (reason is not None, lambda t: t.decide(paper, is_included=False, reason=reason or "")),
        (problem is not None, lambda texts: texts.give_up(paper, problem or "")),
    ]
    others: list[tuple[bool, _Change]] = [
        (is_seeking, lambda texts: _seek(texts, config)),
        (is_done, lambda texts: texts.finish()),
        (is_leaving, lambda texts: texts.leave(reviewer or "")),
    ]
    changes = _requested_changes(changes_of_paper, others, has_paper=bool(paper))
    if (is_done or is_leaving) and not reviewer:
        raise UsageMistakeError("--done and --leave need --reviewer NAME")
    config = settings(home)
    contents = contents_of([file], LARGEST) if file else []

    async def entries() -> list[dict[str, Any]]:
        async with open_persistence(config.persistence_url) as persistence:
            catalog = ThreadCatalog(persistence)
            await catalog.info(thread)
            texts = FullTexts(catalog.session(thread), config.home, reviewer)
            if reviewer is not None and not is_leaving:
                await texts.join()
            for change in changes:
                await change(texts)
            return await texts.rows()

    works = run(entries())
    if as_json:
        print_json({"thread_id": thread, "full_texts": works})
    if not works:
        say("no works are included yet; only included works need full texts")
    for work in works:
        if paper in {"", work["id"]}:
            typer.echo(visible(f"{work['id']}  {work['summary']}: {work['title']}"), err=as_json)


def _requested_changes(
    of_paper: Sequence[tuple[bool, _Change]],
    others: Sequence[tuple[bool, _Change]],
    *,
    has_paper: bool,
) -> list[_Change]:
    changes = [change for is_wanted, change in (*of_paper, *others) if is_wanted]
    if len(changes) > 1 or has_paper != any(is_wanted for is_wanted, _ in of_paper):
        raise UsageMistakeError(
            "give one of: --seek; PAPER FILE; PAPER --include; PAPER --exclude REASON; "
            "PAPER --not-retrieved REASON; --done; --leave; or none"
        )
    return changes


async def _seek(texts: FullTexts, config: AppConfig) -> None:
    from paper_search.pages.fetching import PageFetcher
    from paper_search.review.open_texts import text_services

    async with PageFetcher(contact=config.contact, cache_path=config.http_cache_path) as fetcher:
        await texts.seek(fetcher, text_services(config))
