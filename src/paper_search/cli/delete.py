"""`paper-search delete`: a search or a report with all its records, gone."""

import asyncio
from typing import Annotated

import typer

from paper_search.cli.options import Home, Json, Thread


def delete(
    ctx: typer.Context,
    thread: Thread,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: Json = False,
    home: Home = None,
) -> None:
    """Delete a thread with all its papers and drafts; there is no way back."""
    from paper_search.cli.console import is_interactive, print_json, say, visible
    from paper_search.cli.failures import ExitCode, UsageMistakeError
    from paper_search.cli.settings import settings
    from paper_search.cli.terminal import QuitError, Terminal
    from paper_search.errors import ThreadNotFoundError
    from paper_search.persistence import open_persistence
    from paper_search.report_workflow.catalog import EveryThread

    url = settings(ctx, home).persistence_url

    async def question() -> str:
        async with open_persistence(url) as persistence:
            catalog = await EveryThread(persistence).catalog_of(thread)
            try:
                return str((await catalog.info(thread)).question)
            except ThreadNotFoundError:
                return "a deletion of it was cut short"

    async def deleted() -> None:
        async with open_persistence(url) as persistence:
            await (await EveryThread(persistence).catalog_of(thread)).delete(thread)

    asked = asyncio.run(question())
    if not yes and not is_interactive():
        raise UsageMistakeError("nobody is here to confirm; give --yes to delete the thread")
    if not yes:
        try:
            reply = Terminal().ask(f"delete {thread} ({visible(asked[:80])})? [y/N] ")
        except QuitError:
            reply = ""
        if reply.lower() not in {"y", "yes"}:
            say("kept")
            raise typer.Exit(ExitCode.FAILED)
    asyncio.run(deleted())
    if as_json:
        print_json({"thread_id": thread, "deleted": True})
    else:
        say(f"deleted {thread}")
