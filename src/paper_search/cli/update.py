"""`paper-search update`: an approved strategy, searched again for what is new."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from paper_search.cli.console import print_json, run, say, visible
from paper_search.cli.failures import ExitCode, UsageMistakeError
from paper_search.cli.options import Home, Json, home_option, settings

if TYPE_CHECKING:
    from paper_search.config import AppConfig


def update(
    ctx: typer.Context,
    thread: Annotated[
        str | None, typer.Argument(metavar="[THREAD]", help="Id of a thread; see `threads`.")
    ] = None,
    is_all: Annotated[
        bool, typer.Option("--all", help="Update every search whose result was approved.")
    ] = False,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Search the approved strategy of a thread again, for what is new.

    You are asked about the strategy, with the hits of each source then and now, and about the
    result. Only works that were not found before are asked about; earlier decisions stay and
    order the new works.

    With --all, for cron: a thread waits with its strategy if a source has more or fewer hits than
    before, or does not say. Exit code 0: nothing new; 3: a thread waits for you.
    """
    from paper_search.cli.drive import SearchDrive
    from paper_search.cli.next_commands import SearchCommands
    from paper_search.cli.outputs import PaperOutput
    from paper_search.cli.progress import ProgressLine
    from paper_search.cli.stored_threads import stored_search
    from paper_search.review.updates import update_review

    if (thread is None) != is_all:
        raise UsageMistakeError("give a THREAD, or --all")
    config, progress = settings(ctx, home), ProgressLine()
    if thread is None:
        _update_all(config, is_json=as_json)
        return
    output = PaperOutput.chosen(None, None, is_forced=False, is_json=as_json)
    workflow = run(stored_search(config, thread, progress))
    commands = SearchCommands(thread, home_option(ctx, home))
    drive = SearchDrive(config, workflow, progress, output, commands)
    drive.run(update_review(workflow, thread), is_asking=True)


def _update_all(config: AppConfig, *, is_json: bool) -> None:
    entries = run(_updates(config))
    if is_json:
        print_json(entries)
    for entry in entries:
        say(visible(f"{entry['thread_id']}  {entry['outcome']}: {entry['question']}"))
    outcomes = {entry["outcome"] for entry in entries}
    if outcomes & {"waits", "failed"}:
        raise typer.Exit(ExitCode.WAITING if "waits" in outcomes else ExitCode.FAILED)


async def _updates(config: AppConfig) -> list[dict[str, Any]]:
    """Return what came of the update of every approved search; one that waits is left alone."""
    from paper_search.cli.stored_threads import stored_search
    from paper_search.errors import InputError, PaperSearchError
    from paper_search.models import EndReason
    from paper_search.persistence import open_persistence
    from paper_search.review.updates import update_review
    from paper_search.threads.catalog import ALL, ThreadStatus
    from paper_search.workflow import Checkpoint, ThreadCatalog

    entries: list[dict[str, Any]] = []
    async with open_persistence(config.persistence_url) as persistence:
        catalog = ThreadCatalog(persistence)
        infos = await catalog.threads(limit=ALL)
        open_ids = [info.thread_id for info in infos if info.status is ThreadStatus.WAITING]
        waiting = {i for i in open_ids if (await catalog.session(i).state()).updates}
    for info in infos:
        entry = {"thread_id": info.thread_id, "question": info.question, "outcome": "nothing new"}
        if info.thread_id in waiting:
            entries.append({**entry, "outcome": "waits"})
        if info.status is not ThreadStatus.DONE or info.ended_by != EndReason.APPROVED:
            continue
        try:
            workflow = await stored_search(config, info.thread_id, lambda _phase, _details: None)
            outcome = await update_review(workflow, info.thread_id, is_quiet=True)
        except InputError:  # it has no strategy that sources could be asked
            continue
        except PaperSearchError as error:
            entries.append({**entry, "outcome": "failed", "error": str(error)})
            continue
        is_open = isinstance(outcome, Checkpoint)
        entries.append({**entry, "outcome": "waits" if is_open else "nothing new"})
    return entries
