"""`paper-search add`, `update` and `fulltext`: what joins a review after its first search."""

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
    from paper_search.review.files import FileReport
    from paper_search.review.full_texts import FullTexts
    from paper_search.workflow import ThreadCatalog

_LARGEST_EXPORTS = 500_000_000
"""Bytes, all held in memory; 100,000 records with abstracts have some 300 MB."""
_Change = Callable[["FullTexts"], Awaitable[object]]


def add(  # noqa: PLR0913, PLR0917  # one for each option
    thread: options.Thread,
    files: list[Path] | None = argument("[FILE...]", "Exports of a database."),
    database: options.Database = None,
    searched: str = option("DAY", "When it was searched, as 2026-11-02.", default=""),
    strategy: Path | None = option("FILE", "The strategy as it was run there, for the search log."),
    as_json: options.Json = False,
    home: options.Home = None,
) -> None:
    """Add the records of files to a thread.

    They are merged with what is there, and only works that nobody decided on are asked about.
    Decisions, notes and reviewers stay, also on a thread that is done. Nothing is searched. The
    search log has the database, the day, the strategy and the number of records. All files are
    added, or none. Without FILE, the --database was --searched that day and had no record.
    """
    from paper_search.audit import flow_of_thread
    from paper_search.cli.stored_threads import load_search
    from paper_search.models.source_report import quantity
    from paper_search.review.arrivals import add_files
    from paper_search.review.files import DatabaseSearch

    config, progress = settings(home), ProgressLine()
    text = strategy_in(strategy).strip() if strategy else ""
    search, contents = DatabaseSearch(searched, text), contents_of(files or [])
    workflow = run(load_search(config, thread, progress))
    with progress.show():
        reports = run(add_files(workflow, thread, contents, database or [], search=search))

    say_files(reports)
    flow = run(with_persistence(config.persistence_url, lambda p: flow_of_thread(p, thread)))
    say(flow.summary)
    if as_json:
        fields = [
            {"name": f.name, "read": len(f.records), "rejected": len(f.rejected)} for f in reports
        ]
        names = ("identified", "removed_by_checks", "duplicates", "works", "undecided")
        counts = {name: getattr(flow, name) for name in names}
        print_json({"thread_id": thread, "files": fields, "flow": counts})
    say(f"{quantity(flow.undecided, 'paper')} to decide on:")
    say(f"  {command_line('screen', thread, home=home)}")


def contents_of(files: Sequence[Path], most: int = _LARGEST_EXPORTS) -> list[tuple[str, bytes]]:
    """Return name and content of each file; of more than `most` bytes, nothing is read."""
    try:
        if (size := sum(file.stat().st_size for file in files)) > most:
            names = ", ".join(file.name for file in files)
            raise InputError(f"{names}: {size:,} bytes; at most {most:,} are read at once")
        return [(file.name, file.read_bytes()) for file in files]
    except OSError as error:
        raise InputError(f"{error.filename!r} cannot be read: {error.strerror or error}") from error


def strategy_in(file: Path) -> str:
    """Return the text of a file in any encoding; Raises InputError: it has none."""
    from paper_search.library.importers.files import lines_of

    text = "".join(lines_of(io.BytesIO(contents_of([file])[0][1])))
    if re.search(r"[\x00-\x08\x0e-\x1f]", text):
        raise InputError(f"{str(file)!r} is no text: give the strategy as text")
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
    """Search an approved strategy again, for what is new.

    You are asked about the strategy, with the hits of each source then and now, and about the
    result. Only works that were not found before are asked about; earlier decisions stay and
    order the new works.

    With --all, for cron: a thread waits with its strategy if a source has more or fewer hits than
    before, or does not say. Exit code 0: nothing new; 3: a thread waits for you.
    """
    from paper_search.cli.outputs import PaperOutput
    from paper_search.cli.runner import SearchRunner
    from paper_search.cli.stored_threads import NextCommands, load_search
    from paper_search.review.arrivals import update_review

    if (thread is None) != is_all:
        raise UsageMistakeError("give a THREAD, or --all")
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
        say("no search that is approved has a strategy that sources could be asked again")
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
        begun = {name for name in open_ids if await _is_updated(catalog, name)}
    for info in infos:
        entry = {"thread_id": info.thread_id, "question": info.question, "outcome": "nothing new"}
        if info.thread_id in begun:
            error = {"error": info.error} if info.error else {}
            entries.append({**entry, "outcome": unfinished[info.status], **error})
        if info.status in {ThreadStatus.DAMAGED, ThreadStatus.LOCKED}:  # it may be one of them
            entries.append({**entry, "outcome": "failed", "error": info.error})
        if info.status is not ThreadStatus.DONE or info.ended_by != EndReason.APPROVED:
            continue
        try:
            workflow = await load_search(config, info.thread_id, lambda _phase, _details: None)
            outcome = await update_review(workflow, info.thread_id, is_quiet=True)
        except InputError:  # it has no strategy that sources could be asked
            continue
        except PaperSearchError as error:
            entries.append({**entry, "outcome": "failed", "error": str(error)})
            continue
        is_open = isinstance(outcome, Checkpoint)
        entries.append({**entry, "outcome": "waits" if is_open else "nothing new"})
    return entries


async def _is_updated(catalog: ThreadCatalog, thread_id: str) -> bool:
    """Return whether an update of a thread was begun; one that cannot be read may be such."""
    try:
        return bool((await catalog.session(thread_id).state()).updates)
    except PaperSearchError:
        return True


def fulltext(  # noqa: PLR0913, PLR0917  # one for each option
    thread: options.Thread,
    paper: str = argument("[PAPER]", "Id of an included work.", default=""),
    file: Path | None = argument("[FILE]", "Its text, a PDF."),
    is_seeking: bool = flag("--seek", "Fetch the open texts of works that have none."),
    is_included: bool = flag("--include", "Include PAPER."),
    reason: str | None = option("REASON", "Exclude PAPER, and why.", "--exclude"),
    problem: str | None = option("REASON", "PAPER has no text, and why.", "--not-retrieved"),
    reviewer: str | None = option("NAME", "Decide as one of several reviewers, blind."),
    is_done: bool = flag("--done", "The reviewer is done."),
    is_leaving: bool = flag("--leave", "The reviewer leaves; nobody waits for them."),
    as_json: options.Json = False,
    home: options.Home = None,
) -> None:
    """Seek, attach and decide on full texts of included works.

    --seek fetches open PDFs that the records, OpenAlex, Unpaywall, Europe PMC or CORE name, at the
    pace that their hosts allow; with FILE you attach one of your own. They are kept in the home. A
    work whose text is there is included or excluded by it; the audit, its PRISMA flow and all
    exports have the outcome.
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
    changes = _wanted_changes(changes_of_paper, others, has_paper=bool(paper))
    if (is_done or is_leaving) and not reviewer:
        raise UsageMistakeError("--done and --leave are for a --reviewer")
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
        say("no work is included yet; full texts are those of included works")
    for work in works:
        if paper in {"", work["id"]}:
            say(visible(f"{work['id']}  {work['summary']}: {work['title']}"))


def _wanted_changes(
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
