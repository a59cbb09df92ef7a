"""`paper-search add`: records of files that join a thread."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from paper_search.cli.console import command_line, print_json, run, say, visible
from paper_search.cli.options import Home, Json, Thread, home_option, settings
from paper_search.errors import InputError

if TYPE_CHECKING:
    from paper_search.review.files import FileReport


def add(  # noqa: PLR0913, PLR0917  # one for each option
    ctx: typer.Context,
    thread: Thread,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Exports of a database.")],
    database: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Database that the records are from, such as 'Embase (Ovid)': one for all files, "
            "or one for each. Default: what each record says, or the name of its file.",
        ),
    ] = None,
    searched: Annotated[
        str, typer.Option(metavar="DAY", help="When it was searched, as 2026-11-02.")
    ] = "",
    strategy: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The strategy as it was run there, for the search log."),
    ] = None,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Add the records of files to a thread.

    They are merged with what is there, and only works that nobody decided on are asked about.
    Decisions, notes and reviewers stay, also on a thread that is done. Nothing is searched. The
    search log has the database, the day, the strategy and the number of records. All files are
    added, or none.
    """
    from paper_search.audit import flow_of_thread
    from paper_search.cli.progress import ProgressLine
    from paper_search.cli.stored_threads import stored_search
    from paper_search.persistence import open_persistence
    from paper_search.review.arrivals import add_files
    from paper_search.review.files import DatabaseSearch

    config, progress = settings(ctx, home), ProgressLine()
    text = contents_of([strategy])[0][1].decode(errors="replace").strip() if strategy else ""
    search, contents = DatabaseSearch(searched, text), contents_of(files)
    workflow = run(stored_search(config, thread, progress))
    with progress.shown():
        reports = run(add_files(workflow, thread, contents, database or [], search=search))

    async def flow() -> dict[str, int]:
        async with open_persistence(config.persistence_url) as persistence:
            counts = await flow_of_thread(persistence, thread)
        names = ("identified", "removed_by_checks", "duplicates", "works", "undecided")
        say(counts.summary)
        return {name: getattr(counts, name) for name in names}

    say_files(reports)
    counts = run(flow())
    if as_json:
        fields = [
            {"name": f.name, "read": len(f.records), "rejected": len(f.rejected)} for f in reports
        ]
        print_json({"thread_id": thread, "files": fields, "flow": counts})
    say(f"{counts['undecided']:,} papers wait for a decision:")
    say(f"  {command_line('screen', thread, home=home_option(ctx, home))}")


def contents_of(files: Sequence[Path]) -> list[tuple[str, bytes]]:
    """Return name and content of each file.

    Raises:
        InputError: one of them cannot be read.
    """
    try:
        return [(file.name, file.read_bytes()) for file in files]
    except OSError as error:
        raise InputError(f"{error.filename!r} cannot be read: {error.strerror or error}") from error


def say_files(reports: Sequence[FileReport]) -> None:
    """Say what was read of files, and what was left out."""
    for report in reports:
        for line in (*report.remarks, report.summary):
            say(visible(line))
