"""The commands on threads: list, show, export, fork, delete, back up and restore them."""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from paper_search.cli import options
from paper_search.cli.console import (
    ExitCode,
    UsageMistakeError,
    command_line,
    is_interactive,
    print_json,
    print_text,
    run,
    say,
    stdout_console,
    visible,
    with_persistence,
)
from paper_search.cli.options import argument, flag, option, settings
from paper_search.errors import ExportError, PersistenceError, ThreadBusyError, ThreadNotFoundError

if TYPE_CHECKING:
    from paper_search.cli.stored_threads import AnyDetail
    from paper_search.config import AppConfig
    from paper_search.persistence import Persistence


def threads(
    limit: int = option("N", "Show at most N.", min=1, max=2**31, default=100),
    offset: int = option("N", "Skip the first N.", min=0, max=2**31, default=0),
    as_json: options.Json = False,
    home: options.Home = None,
) -> None:
    """List all threads, most recently changed first.

    They are searches, reports and threads of other workflows. waiting: for your decision. running:
    in a process now. failed: stopped midway; `resume` continues it. done: `export` writes its
    papers or report. damaged: `delete` removes it. locked: its encryption key is not set.
    """
    from datetime import UTC, datetime

    from pydantic_core import to_json

    from paper_search.report_workflow.listing import ThreadCatalogs

    url, more = settings(home).persistence_url, limit + 1
    infos = run(
        with_persistence(url, lambda p: ThreadCatalogs(p).threads(limit=more, offset=offset))
    )
    if as_json:
        print_text(to_json(infos[:limit], indent=2) + b"\n")
    elif infos:
        from paper_search.cli.tables import thread_table

        stdout_console().print(thread_table(infos[:limit], datetime.now(UTC)))
    elif offset:
        say(f"no threads after the first {offset}; `paper-search threads` lists the others")
    else:
        say("no threads; `paper-search find QUESTION` starts one")
    for reason in sorted({info.error for info in infos[:limit] if info.status.value == "locked"}):
        say(f"locked: {reason}")
    if len(infos) > limit:
        say(f"{limit} are shown; --limit shows more, --offset {offset + limit} the next")


def show(  # noqa: PLR0913, PLR0917  # one for each option
    ctx: typer.Context,
    thread: options.Thread,
    details: bool = flag("--details", "Show each query as sent to each source."),
    is_all: options.All = False,
    min_score: options.MinScore = None,
    decision: options.Decided = None,
    as_json: options.Json = False,
    home: options.Home = None,
) -> None:
    """Show a thread: its question, rounds and papers.

    For a search, --all, --min-score and --decision list every matching paper.

    For a report, shows the plan or draft to be reviewed, and the events so far.
    """
    from paper_search.cli.graph import show_plain
    from paper_search.cli.outputs import decision_line
    from paper_search.cli.report_questions import show_report
    from paper_search.cli.stored_threads import NextCommands, with_translations
    from paper_search.cli.views import show_thread
    from paper_search.report_workflow.engine import ReportDetail
    from paper_search.threads.catalogs import PlainDetail
    from paper_search.workflow.results import part_of

    config = settings(home)
    detail = _detail(ctx, config, thread)
    detail = with_translations(config, detail)
    if isinstance(detail, PlainDetail):
        show_plain(detail, is_json=as_json, home=home)
        return
    is_listing = is_all or min_score is not None or decision is not None
    decided = ""
    if not isinstance(detail, ReportDetail) and detail.collection is not None:
        every = (*detail.collection.papers, *detail.collection.set_aside)
        part = part_of(detail.collection, decision=decision, is_all=is_all, min_score=min_score)
        if decision or any(paper.screening for paper in every):
            decided = decision_line(detail.collection, part, decision)
        detail = detail.model_copy(update={"collection": part}) if is_listing else detail
    if as_json:
        print_json(detail.model_dump(mode="json"))
        return
    if isinstance(detail, ReportDetail):
        show_report(stdout_console(), detail, home=home)
    else:
        by = {"is_all": is_listing, "is_by_score": min_score is not None}
        show_thread(stdout_console(), detail, home=home, has_details=details, **by)
        if decided:
            typer.echo(decided)
    waiting = detail.open_review if isinstance(detail, ReportDetail) else detail.open_checkpoint
    for line in NextCommands(thread, home).lines(waiting) if waiting is not None else ():
        typer.echo(line)


def _detail(ctx: typer.Context, config: "AppConfig", thread: str) -> "AnyDetail":
    """Load a thread; refuse options that do not apply to its kind."""
    from paper_search.cli.stored_threads import thread_detail
    from paper_search.report_workflow.engine import ReportDetail
    from paper_search.threads.catalogs import PlainDetail

    detail = run(thread_detail(config.persistence_url, thread))
    if not isinstance(detail, PlainDetail):
        options.refuse_others(ctx, is_report=isinstance(detail, ReportDetail))
    return detail


def export(  # noqa: PLR0913, PLR0917  # one for each option
    ctx: typer.Context,
    thread: options.Thread,
    format_name: options.Format = None,
    output: options.Output = None,
    force: options.Force = False,
    is_all: options.All = False,
    min_score: options.MinScore = None,
    decision: options.Decided = None,
    references: options.References = "plain",
    figures: options.Figures = None,
    to: str | None = option(
        "zotero:COLLECTION",
        "Update this collection; --decision is then included by default.",
    ),
    as_json: options.Json = False,
    home: options.Home = None,
) -> None:
    """Write the papers or the report of a thread.

    They go to stdout or to a file; --force overwrites a file. For an unfinished search, these are
    the papers of its latest round. Papers that you excluded are left out unless --decision asks for
    them. A report is written as markdown, html, latex, json or docx, an unfinished one as a draft.
    """
    from paper_search.cli.outputs import PaperOutput, ReportOutput, decision_line, push_papers
    from paper_search.cli.stored_threads import preview
    from paper_search.report_workflow.engine import ReportDetail
    from paper_search.threads.catalogs import PlainDetail
    from paper_search.workflow.results import part_of

    config = settings(home)
    detail = _detail(ctx, config, thread)
    if isinstance(detail, PlainDetail):
        raise ExportError(
            f"thread {thread!r} belongs to the workflow {detail.graph!r} and has no papers; "
            f"`paper-search show {thread} --json` prints its state"
        )
    if to is not None and (format_name or output or isinstance(detail, ReportDetail)):
        raise UsageMistakeError("--to takes papers of a search, without --format and --output")
    if isinstance(detail, ReportDetail):
        target = ReportOutput.of_options(
            format_name, output, references, has_figures=figures, is_forced=force, is_json=as_json
        )
        text = detail.report or run(preview(config.persistence_url, thread))
        if detail.report is None:
            say(f"unfinished report ({detail.status.value}): this is its draft")
        target.deliver(text, {"thread_id": thread})
        return
    papers = PaperOutput.of_options(format_name, output, is_forced=force, is_json=as_json)
    if detail.collection is None:
        raise ExportError(
            f"thread {thread!r} has no papers yet: it is {detail.status.value}; resume it first"
        )
    if detail.status.value != "done":
        say(f"unfinished search ({detail.status.value}): these are the papers so far")
    decision = decision or ("included" if to is not None else None)
    about = {"thread_id": thread, "status": detail.status.value, "decision": decision or "default"}
    part = part_of(detail.collection, decision=decision, is_all=is_all, min_score=min_score)
    if to is None:
        papers.deliver(part, about)
    else:
        push_papers(config, to, part.papers, detail.collection, about, is_json=as_json)
    is_json = to is None and (as_json or papers.format_name == "json")
    say(decision_line(detail.collection, part, decision, is_json=is_json))


def fork(
    thread: options.Thread,
    to: Annotated[
        Literal["strategy", "result", "plan", "draft"] | None,
        typer.Option(
            help="Question to reopen: strategy or result of a search (default: result), plan or "
            "draft of a report (default: the latest)."
        ),
    ] = None,
    round_number: int | None = option(
        "N", "Its round, or its number in a report; default: the latest.", "--round", min=1
    ),
    as_json: options.Json = False,
    home: options.Home = None,
) -> None:
    """Reopen a decided question, to decide it again.

    The thread then waits at that question. Later steps stay in its history, and `show` says who
    reopened it and when. Steps of a damaged thread that cannot be read are deleted.
    """
    from paper_search.cli.stored_threads import NextCommands, reopen
    from paper_search.report_workflow import Review
    from paper_search.workflow import Checkpoint

    question = run(reopen(settings(home), thread, to, round_number))
    if isinstance(question, Checkpoint | Review):
        NextCommands(thread, home).exit_waiting(question, is_json=as_json)
    say(f"thread {thread} has no open question")


def delete(
    thread: options.Thread,
    yes: options.Yes = False,
    as_json: options.Json = False,
    home: options.Home = None,
) -> None:
    """Delete a thread with all its papers and drafts. This cannot be undone."""
    from paper_search.llm.usage_log import UsageLog
    from paper_search.report_workflow.listing import ThreadCatalogs

    config = settings(home)
    url = config.persistence_url

    async def question(persistence: "Persistence") -> str:
        try:
            catalog = await ThreadCatalogs(persistence).catalog_of(thread)
            with contextlib.suppress(ThreadNotFoundError):
                return str((await catalog.info(thread)).question)
        except PersistenceError:
            return "damaged"
        return "partly deleted"

    topic = run(with_persistence(url, question))
    if not yes:
        _confirm(f"delete {thread} ({visible(topic[:80])})", "delete the thread")
    run(with_persistence(url, lambda p: ThreadCatalogs(p).delete(thread)))
    UsageLog(config.usage_path, thread).delete()
    if as_json:
        print_json({"thread_id": thread, "deleted": True})
    else:
        say(f"deleted {thread}")


def prune(
    threads: list[str] | None = argument("[THREAD]...", "Thread ids; none: all threads."),
    yes: options.Yes = False,
    as_json: options.Json = False,
    home: options.Home = None,
) -> None:
    """Delete the history of threads to free disk space.

    Open questions, papers, drafts, results and decisions are kept, but `fork` can no longer go
    back. Running threads are skipped. Without THREAD, you are asked to confirm, and threads that
    cannot be read are skipped as well.
    """
    from paper_search.report_workflow.listing import ThreadCatalogs
    from paper_search.threads.catalog import ALL

    url = settings(home).persistence_url

    async def pruned(persistence: "Persistence") -> tuple[list[str], dict[str, str]]:
        every, skipped = ThreadCatalogs(persistence), dict[str, str]()
        pruned_ids = []
        for name in threads or await every.names(limit=ALL):
            try:
                await (await every.catalog_of(name)).prune(name)
                pruned_ids.append(name)
            except ThreadBusyError:
                skipped[name] = "is running"
            except PersistenceError as error:
                if threads:
                    raise
                skipped[name] = f"cannot be read ({error})"
        await persistence.compact()
        return pruned_ids, skipped

    if not threads and not yes:
        _confirm("delete the history of all threads", "prune all threads, or name threads")
    pruned_ids, skipped = run(with_persistence(url, pruned))
    if as_json:
        print_json({"pruned": pruned_ids, "skipped": skipped})
        return
    from paper_search.models.source_report import quantity

    say(f"pruned {quantity(len(pruned_ids), 'thread')}")
    for name, why in skipped.items():
        say(f"{name} {why} and was skipped")


def backup(
    file: Path = argument("FILE", "The backup file to write.", default=...),
    force: options.Force = False,
    as_json: options.Json = False,
    home: options.Home = None,
) -> None:
    """Back up all threads to FILE.

    Safe while searches run, unlike a plain copy of the file. Encrypted threads stay encrypted.
    """
    from paper_search.persistence.backups import back_up
    from paper_search.persistence.opening import sqlite_file

    database = sqlite_file(settings(home).persistence_url)
    size = back_up(database, file, is_overwriting=force)
    if as_json:
        print_json({"file": str(file), "bytes": size})
    else:
        command = command_line("restore", str(file.absolute()), home=home)
        say(f"wrote {file}, {size:,} bytes; to restore it (--force replaces threads): {command}")


def restore(
    file: Path = argument("FILE", "The backup file.", default=...),
    force: bool = flag("--force", "Replace existing threads."),
    as_json: options.Json = False,
    home: options.Home = None,
) -> None:
    """Replace all threads with those of a backup."""
    from paper_search.persistence.backups import restore as put_back
    from paper_search.persistence.opening import sqlite_file

    database = sqlite_file(settings(home).persistence_url)
    put_back(file, database, is_overwriting=force)
    if as_json:
        print_json({"file": str(file), "restored": True})
    else:
        say(f"restored {file}; `paper-search threads` lists its threads")


def _confirm(question: str, wish: str) -> None:
    from paper_search.cli.prompts import QuitError, Terminal

    if not is_interactive():
        raise UsageMistakeError(f"no terminal to confirm at; give --yes to {wish}")
    try:
        reply = Terminal().ask(f"{question}? [y/N] ")
    except QuitError:
        reply = ""
    if reply.lower() not in {"y", "yes"}:
        say("kept")
        raise typer.Exit(ExitCode.FAILED)
